"""Operations on versions that may expire at any time: another process deletes the snapshot and then its files, and a
missing file looks as if the table were damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from workbench.base.errors import CorruptFile, SnapshotNotFound
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.refs.tags import Tags
from workbench.metadata.schemas import same_table
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore

Result = TypeVar("Result")


def newest_if_expired(store: TableStore, snapshot: Snapshot | None) -> Snapshot | None:
    """Return the newest version if ``snapshot`` has expired, None if it still exists.

    A version that a tag keeps has not expired: if one of its files is missing, the table is damaged.
    """
    if snapshot is None or Snapshots(store).find(snapshot.id) is not None:
        return None
    newest = Snapshots(store).latest()
    if newest is None or newest.id <= snapshot.id:
        return None
    is_kept = any(tag.snapshot.id == snapshot.id for tag in Tags(store).all().values())
    return None if is_kept else newest


def on_newest_version(
    store: TableStore, snapshot: Snapshot | None, operation: Callable[[Snapshot | None], Result]
) -> Result:
    """Run an operation on a version, and again on the newest one if that version expires while the operation runs.

    An operation that fails must leave nothing behind.

    Raises:
        CorruptFile: a file is missing or damaged, and its version has not expired.
    """
    while True:
        try:
            return operation(snapshot)
        except (CorruptFile, SnapshotNotFound):
            # Every attempt is on a later version, so the loop ends when other writers stop committing.
            snapshot = newest_if_expired(store, snapshot)
            if snapshot is None:
                raise


@contextmanager
def reporting_expiry(store: TableStore, snapshot: Snapshot | None) -> Iterator[None]:
    """Report a missing file as an expired snapshot if its version expired while it was being read, and as a missing
    table if the table was dropped.

    Raises:
        SnapshotNotFound: A file is missing or damaged, and its version has expired.
        TableNotFound: A file is missing or damaged, and the table was dropped, renamed or created again.
    """
    try:
        yield
    except CorruptFile as error:
        same_table(store)
        if snapshot is None or newest_if_expired(store, snapshot) is None:
            raise
        raise SnapshotNotFound(
            f"Snapshot {snapshot.id} of {store.name} expired while it was read.",
            "Read the table again. To keep a version for long reads, create a tag or a consumer, or raise "
            "'snapshot.time-retained'.",
        ) from error
