"""Saying which snapshot is the oldest one, where the directory does not tell it
(`SnapshotManager.repairEarliestSnapshot` in Java)."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import InvalidRequest, SnapshotNotFound
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore


@dataclass(frozen=True, repr=False)
class EarliestSnapshot:
    """The snapshot that counts as the oldest one by now, and the one that did ``before``."""

    table: str
    before: int
    snapshot: int

    def __repr__(self) -> str:
        return f"<{self.table}: snapshot {self.snapshot} is the oldest one, before it was {self.before}>"


def repair_earliest_snapshot(store: TableStore, snapshot: int | None) -> EarliestSnapshot:
    """Let the hint name the oldest snapshot behind all gaps; see `VersionChanges.repair_earliest_snapshot`."""
    snapshots = Snapshots(store)
    before, newest = snapshots.earliest_id(), snapshots.latest_id()
    if before is None or newest is None:
        raise SnapshotNotFound(f"Table {store.name} was never written.", "It has no snapshots to be repaired.")
    first = snapshots.get(newest).id
    there = set(snapshots.ids())
    # Older ones than the hint says may have lost their files.
    while first > before and first - 1 in there:
        first -= 1
    if snapshot is not None and snapshot != first:
        raise InvalidRequest(
            f"Snapshot {snapshot} cannot be the oldest one of {store.name}.",
            f"None is missing from snapshot {first} on: pass that, or nothing.",
        )
    snapshots.write_earliest_hint(first)
    return EarliestSnapshot(store.name, before, first)
