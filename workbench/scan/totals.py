"""Sums of rows, bytes and files per partition or bucket, from the manifests of a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from workbench.format.spec import paths
from workbench.format.spec.data_file import FileKind, ManifestEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore

Key = TypeVar("Key", bound=Hashable)


@dataclass(slots=True)
class Total:
    """Sums over files. ``last_creation`` is the newest creation time by the clocks of the writers, in milliseconds."""

    records: int = 0
    size: int = 0
    files: int = 0
    last_creation: int | None = None
    total_buckets: int = 0

    def add(self, entry: ManifestEntry) -> None:
        """Add or subtract the file of a manifest entry."""
        sign = -1 if entry.kind == FileKind.DELETE else 1
        file = entry.file
        self.records += sign * file.row_count
        self.size += sign * file.file_size
        self.files += sign
        self.total_buckets = entry.total_buckets
        # A removed file counts too: its removal was an update.
        if file.creation_time is not None and (self.last_creation is None or file.creation_time > self.last_creation):
            self.last_creation = file.creation_time


def _totals(entries: Iterable[ManifestEntry], key_of: Callable[[ManifestEntry], Key]) -> dict[Key, Total]:
    totals: dict[Key, Total] = {}
    for entry in entries:
        key = key_of(entry)
        if key not in totals:
            totals[key] = Total()
        totals[key].add(entry)
    return {key: total for key, total in totals.items() if total.files > 0}


def _entries(store: TableStore, snapshot: Snapshot | None) -> list[ManifestEntry]:
    if snapshot is None:
        return []
    manifests = ManifestFiles(store)
    return manifests.entries(manifests.data_manifests(snapshot))


def partition_totals(store: TableStore, snapshot: Snapshot | None, with_postponed: bool = False) -> dict[bytes, Total]:
    """Return the totals of each partition that has files; files whose rows wait for a bucket are included only if
    ``with_postponed`` is set."""
    all_entries = _entries(store, snapshot)
    entries = (entry for entry in all_entries if with_postponed or entry.bucket != paths.POSTPONE_BUCKET)
    return _totals(entries, lambda entry: entry.partition)
