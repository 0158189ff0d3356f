"""Operations whose version expires underneath: another process may delete its snapshot, and then its files, at any
moment. Whoever needs one of these files finds it missing, as if the table were damaged."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from workbench.base.errors import CorruptFile
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore

Result = TypeVar("Result")


def newest_if_expired(store: TableStore, snapshot: Snapshot | None) -> Snapshot | None:
    """Return the newest version where ``snapshot`` has expired, and None where it is still there.

    A version that a tag keeps has not expired: a missing file of it is real damage.
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
    """Run an operation on a version, and again on the newest one where that version expires meanwhile.

    An operation that fails must leave nothing behind.

    Raises:
        CorruptFile: a file is missing or damaged, and its version has not expired.
    """
    while True:
        try:
            return operation(snapshot)
        except CorruptFile:
            # Every new try is on a later version, so this ends with the commits of others.
            snapshot = newest_if_expired(store, snapshot)
            if snapshot is None:
                raise
