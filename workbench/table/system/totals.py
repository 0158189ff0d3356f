"""``$partitions`` and ``$buckets``: sums over the files of a version."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from workbench.format import paths
from workbench.format.data_file import FileKind, ManifestEntry
from workbench.format.partition_path import named_value, partition_text
from workbench.format.snapshot import Snapshot
from workbench.table.index_files import index_entries
from workbench.table.manifests import ManifestFiles
from workbench.table.store import TableStore
from workbench.table.system.files import partition_texts
from workbench.table.system.kinds import Columns, SystemKind, constant, listed, schema_of
from workbench.table.system.texts import sql_texts

Key = TypeVar("Key", bound=Hashable)


@dataclass(slots=True)
class Total:
    """Sums over files. ``last_creation`` is the newest time that the clock of a writer showed, in milliseconds."""

    records: int = 0
    size: int = 0
    files: int = 0
    last_creation: int | None = None
    total_buckets: int = 0

    def add(self, entry: ManifestEntry) -> None:
        """Count what a manifest entry adds or takes away."""
        sign = -1 if entry.kind == FileKind.DELETE else 1
        file = entry.file
        self.records += sign * file.row_count
        self.size += sign * file.file_size
        self.files += sign
        self.total_buckets = entry.total_buckets
        # A file that is gone counts too: taking it away was an update.
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
    """The totals of each partition that has files; those whose rows wait for their bucket only ``with_postponed``."""
    all_entries = _entries(store, snapshot)
    entries = (entry for entry in all_entries if with_postponed or entry.bucket != paths.POSTPONE_BUCKET)
    return _totals(entries, lambda entry: entry.partition)


def partition_name(store: TableStore, partition: bytes, legacy: bool = False) -> str:
    """A partition as ``dt=2026-11-01/region=eu``; ``legacy``: as Java prints its objects, ``dt=20758/region=eu``."""
    fields = store.partition_fields
    values, types = store.partition_values(partition), [field.type for field in fields]
    texts = sql_texts(values, types)
    if legacy:
        texts = [partition_text(value, data_type) for value, data_type in zip(values, types, strict=True)]
    default = store.schema.core.partition_default_name
    return "/".join(f"{field.name}={named_value(text, default)}" for field, text in zip(fields, texts, strict=True))


_PARTITIONS = schema_of(
    {
        "partition": "STRING",
        "record_count": "BIGINT NOT NULL",
        "file_size_in_bytes": "BIGINT NOT NULL",
        "file_count": "BIGINT NOT NULL",
        "last_update_time": "TIMESTAMP(3)",
        "created_at": "TIMESTAMP(3)",
        "created_by": "STRING",
        "updated_by": "STRING",
        "options": "STRING",
        "total_buckets": "INT NOT NULL",
        "done": "BOOLEAN NOT NULL",
        "deleted_record_count": "BIGINT",
    }
)


def _partitions(store: TableStore, snapshot: Snapshot | None) -> Columns:
    totals = partition_totals(store, snapshot)
    names = {partition: partition_name(store, partition) for partition in totals}
    deleted = _deleted_records(store, snapshot)
    return listed(
        _PARTITIONS,
        sorted(totals.items(), key=lambda each: names[each[0]]),
        {
            "partition": lambda each: names[each[0]],
            "record_count": lambda each: each[1].records,
            "file_size_in_bytes": lambda each: each[1].size,
            "file_count": lambda each: each[1].files,
            "last_update_time": lambda each: each[1].last_creation,
            # Only a catalog that keeps partitions itself knows more of them.
            "created_at": constant(None),
            "created_by": constant(None),
            "updated_by": constant(None),
            "options": constant(None),
            "total_buckets": lambda each: each[1].total_buckets,
            "done": constant(False),
            "deleted_record_count": lambda each: deleted.get(each[0], 0),
        },
    )


def _deleted_records(store: TableStore, snapshot: Snapshot | None) -> dict[bytes, int | None]:
    """How many rows deletion vectors hide in each partition; None where one of them does not say."""
    deleted: dict[bytes, int | None] = {}
    if not store.schema.core.deletion_vectors_enabled:
        return deleted
    for entry in index_entries(store, snapshot):
        for vector in entry.vectors:
            before = deleted.get(entry.partition, 0)
            known = before is not None and vector.cardinality is not None
            deleted[entry.partition] = (before or 0) + (vector.cardinality or 0) if known else None
    return deleted


_BUCKETS = schema_of(
    {
        "partition": "STRING",
        "bucket": "INT NOT NULL",
        "record_count": "BIGINT NOT NULL",
        "file_size_in_bytes": "BIGINT NOT NULL",
        "file_count": "BIGINT NOT NULL",
        "last_update_time": "TIMESTAMP(3)",
    }
)


def _buckets(store: TableStore, snapshot: Snapshot | None) -> Columns:
    totals = _totals(_entries(store, snapshot), lambda entry: (entry.partition, entry.bucket))
    names = partition_texts(store, {partition for partition, _ in totals})
    rows = [(names[partition], bucket, total) for (partition, bucket), total in totals.items()]
    return listed(
        _BUCKETS,
        sorted(rows, key=lambda row: row[:2]),
        {
            "partition": lambda each: each[0],
            "bucket": lambda each: each[1],
            "record_count": lambda each: each[2].records,
            "file_size_in_bytes": lambda each: each[2].size,
            "file_count": lambda each: each[2].files,
            "last_update_time": lambda each: each[2].last_creation,
        },
    )


TOTAL_KINDS = {"partitions": SystemKind(_PARTITIONS, _partitions), "buckets": SystemKind(_BUCKETS, _buckets)}
