"""``$partitions`` and ``$buckets``: sums over the files of a version."""

from __future__ import annotations

from workbench.format.spec.partition_path import named_value, partition_text
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.index_files import index_entries
from workbench.metadata.store import TableStore
from workbench.scan.totals import _entries, _totals, partition_totals
from workbench.table.system.files import partition_texts
from workbench.table.system.kinds import Columns, SystemKind, constant, listed, schema_of
from workbench.table.system.texts import sql_texts


def partition_name(store: TableStore, partition: bytes, legacy: bool = False) -> str:
    """Return a partition as ``dt=2026-11-01/region=eu``; with ``legacy``, as Java prints its objects,
    ``dt=20758/region=eu``."""
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
            # Only a catalog that stores partitions itself has more information.
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
    """Return the number of rows that deletion vectors hide in each partition; None if a vector has no count."""
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
