"""Repair of the hint to the earliest snapshot, if the directory has gaps (`SnapshotManager.repairEarliestSnapshot` in
Java)."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import InvalidRequest, SnapshotNotFound
from workbench.metadata.snapshots import Snapshots, snapshot_files
from workbench.metadata.store import TableStore


@dataclass(frozen=True, repr=False)
class EarliestSnapshot:
    """The result of a repair: the snapshot that is the oldest one now, and the one ``before``."""

    table: str
    before: int
    snapshot: int

    def __repr__(self) -> str:
        return f"<{self.table}: the oldest snapshot is {self.snapshot}, previously {self.before}>"


def repair_earliest_snapshot(store: TableStore, snapshot: int | None) -> EarliestSnapshot:
    """Point the hint at the oldest snapshot after all gaps; see `VersionChanges.repair_earliest_snapshot`."""
    files, snapshots = snapshot_files(store, "Repairing the oldest snapshot"), Snapshots(store)
    before, newest = snapshots.earliest_id(), snapshots.latest_id()
    if before is None or newest is None:
        raise SnapshotNotFound(f"Table {store.name} was never written.", "It has no snapshots to repair.")
    first = snapshots.get(newest).id
    known_ids = set(snapshots.ids())
    # Snapshots older than the hint may have lost their files.
    while first > before and first - 1 in known_ids:
        first -= 1
    if snapshot is not None and snapshot != first:
        raise InvalidRequest(
            f"Snapshot {snapshot} cannot be the oldest one of {store.name}.",
            f"No snapshot is missing after {first}: pass {first}, or omit the snapshot.",
        )
    files.write_earliest_hint(first)
    return EarliestSnapshot(store.name, before, first)
