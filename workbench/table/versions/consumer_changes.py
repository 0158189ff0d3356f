"""Setting and deleting consumers, the positions of streaming readers (format §23, `ConsumerManager` in Java)."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import InvalidRequest, SnapshotNotFound, did_you_mean
from workbench.base.outcome import Outcome
from workbench.format.spec import paths
from workbench.format.spec.consumer import consumer_json
from workbench.metadata.refs.consumers import consumer_files
from workbench.metadata.refs.name_patterns import chosen_by
from workbench.metadata.refs.ref_names import checked_name
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore


@dataclass(frozen=True, repr=False)
class ConsumerChange:
    """A consumer and the id of the snapshot that it reads next, None after it was deleted."""

    table: str
    name: str
    next_snapshot: int | None

    def __repr__(self) -> str:
        done = "deleted" if self.next_snapshot is None else f"reads snapshot {self.next_snapshot} next"
        return f"<{self.table}: consumer {self.name} {done}>"


@dataclass(frozen=True, repr=False)
class ConsumersCleared(Outcome):
    """The names of the consumers that were deleted, or would be."""

    dry_run: bool
    consumers: tuple[str, ...] = ()


def set_consumer(store: TableStore, name: str, next_snapshot: int) -> ConsumerChange:
    """Set the next snapshot of a consumer; see `Table.set_consumer`."""
    checked_name("consumer", name)
    snapshots = Snapshots(store)
    following = (snapshots.latest_id() or 0) + 1
    if next_snapshot != following and snapshots.find(next_snapshot) is None:
        raise SnapshotNotFound(
            f"{store.name} has no snapshot {next_snapshot}, which consumer '{name}' would read next.",
            f"Its earliest snapshot is {snapshots.earliest_id() or following}, and the next one will be {following}.",
        )
    path = store.branch_path(paths.CONSUMER_DIRECTORY, paths.consumer_name(name))
    store.file_io.overwrite_atomic(path, consumer_json(next_snapshot).encode())
    return ConsumerChange(store.name, name, next_snapshot)


def delete_consumer(store: TableStore, name: str) -> ConsumerChange:
    """Delete a consumer; see `Table.delete_consumer`."""
    # Looked up in the listing: a name that users type must not become part of a path.
    files = consumer_files(store)
    if name not in files:
        raise InvalidRequest(f"{store.name} has no consumer '{name}'.", did_you_mean(name, files))
    store.file_io.delete(files[name].path)
    return ConsumerChange(store.name, name, None)


def clear_consumers(store: TableStore, including: str | None, excluding: str | None, dry_run: bool) -> ConsumersCleared:
    """Delete consumers by their names; see `Table.clear_consumers`."""
    chosen = chosen_by(including, excluding)
    files = {name: status for name, status in sorted(consumer_files(store).items()) if chosen(name)}
    if not dry_run:
        for status in files.values():
            store.file_io.delete(status.path)
    return ConsumersCleared(store.name, dry_run, tuple(files))
