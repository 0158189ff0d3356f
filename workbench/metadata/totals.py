"""Sums over the files of manifest entries, and what a commit changes in each partition."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from workbench.format.spec.data_file import FileKind, ManifestEntry
from workbench.format.spec.partition_path import partition_spec
from workbench.metadata.protocol import PartitionStatistics
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


def totals_of(entries: Iterable[ManifestEntry], key_of: Callable[[ManifestEntry], Key]) -> dict[Key, Total]:
    """Return the totals of entries by a key."""
    totals: dict[Key, Total] = {}
    for entry in entries:
        key = key_of(entry)
        if key not in totals:
            totals[key] = Total()
        totals[key].add(entry)
    return totals


def spec_of(store: TableStore, partition: bytes) -> dict[str, str]:
    """Return the values of a serialized partition row as text by the names of their columns."""
    fields, core = store.partition_fields, store.schema.core
    return partition_spec(
        store.partition_values(partition),
        [each.type for each in fields],
        [each.name for each in fields],
        core.partition_default_name,
        core.partition_legacy_name,
    )


def partition_statistics(store: TableStore, delta: Iterable[ManifestEntry]) -> list[PartitionStatistics]:
    """Return what a commit changes in each partition (Java ``PartitionEntry.merge``)."""
    return [
        PartitionStatistics(
            spec_of(store, partition),
            total.records,
            total.size,
            total.files,
            total.last_creation or 0,
            total.total_buckets,
        )
        for partition, total in totals_of(delta, lambda entry: entry.partition).items()
    ]
