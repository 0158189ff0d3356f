"""Setting and forgetting the places of streaming readers (format §23, `ConsumerManager` in Java)."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import InvalidRequest, SnapshotNotFound, did_you_mean
from workbench.format import paths
from workbench.format.consumer import consumer_json
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore
from workbench.table.version_names import checked_name


@dataclass(frozen=True, repr=False)
class ConsumerChange:
    """What was done to a consumer: the id of the snapshot it reads next, None where it was deleted."""

    table: str
    name: str
    next_snapshot: int | None

    def __repr__(self) -> str:
        done = "deleted" if self.next_snapshot is None else f"reads snapshot {self.next_snapshot} next"
        return f"<{self.table}: consumer {self.name} {done}>"


def set_consumer(store: TableStore, name: str, next_snapshot: int) -> ConsumerChange:
    """Say what a streaming reader reads next; see `VersionChanges.set_consumer`."""
    checked_name("consumer", name)
    snapshots = Snapshots(store)
    following = (snapshots.latest_id() or 0) + 1
    if next_snapshot != following and snapshots.find(next_snapshot) is None:
        raise SnapshotNotFound(
            f"{store.name} has no snapshot {next_snapshot}, which consumer '{name}' would read next.",
            f"It has {snapshots.earliest_id() or following} and later; the one to come is {following}.",
        )
    path = store.branch_path(paths.CONSUMER_DIRECTORY, paths.consumer_name(name))
    store.file_io.overwrite_atomic(path, consumer_json(next_snapshot).encode())
    return ConsumerChange(store.name, name, next_snapshot)


def delete_consumer(store: TableStore, name: str) -> ConsumerChange:
    """Forget a streaming reader; see `VersionChanges.delete_consumer`."""
    # Looked up in the listing: a name that users type must not become part of a path.
    listed = store.file_io.list_files(store.branch_path(paths.CONSUMER_DIRECTORY))
    files = {paths.name_after("consumer-", status.name): status for status in listed if not status.is_directory}
    if name not in files:
        known = [each for each in files if each is not None]
        raise InvalidRequest(f"{store.name} has no consumer '{name}'.", did_you_mean(name, known))
    store.file_io.delete(files[name].path)
    return ConsumerChange(store.name, name, None)
