"""The newest version of a damaged table that can be read."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import CorruptFile, SnapshotNotFound
from workbench.lens.wire import Int64
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.table.readable_table import ReadableTable

_MAX_TRIES = 50


@dataclass(frozen=True)
class ReadableVersionValue:
    """The newest version whose metadata can be read. ``snapshot`` is None if there is none among the newest 50."""

    snapshot: Int64 | None


def collect_readable_version(table: ReadableTable, before: int | None = None) -> ReadableVersionValue:
    """Return the newest snapshot whose metadata can be read, older than ``before`` if it is given.

    Data files are not read: one of them may still be damaged.
    """
    ids = sorted(Snapshots(table.store).ids(), reverse=True)
    candidates = [number for number in ids if before is None or number < before][:_MAX_TRIES]
    found = next((number for number in candidates if _can_be_read(table.store, number)), None)
    return ReadableVersionValue(found)


def _can_be_read(store: TableStore, snapshot_id: int) -> bool:
    try:
        ManifestFiles(store).live_files(Snapshots(store).get(snapshot_id))
    except (CorruptFile, SnapshotNotFound):
        return False
    return True
