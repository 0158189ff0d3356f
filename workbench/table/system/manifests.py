"""``$manifests`` and ``$table_indexes``: the metadata files of a version."""

from __future__ import annotations

from typing import Any

from workbench.format.spec.index_entry import DELETION_VECTORS, GlobalIndex, IndexEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.table.system.files import partition_texts
from workbench.table.system.kinds import Columns, SystemKind, listed, schema_of

_MANIFESTS = schema_of(
    {
        "file_name": "STRING NOT NULL",
        "file_size": "BIGINT NOT NULL",
        "num_added_files": "BIGINT NOT NULL",
        "num_deleted_files": "BIGINT NOT NULL",
        "schema_id": "BIGINT NOT NULL",
        "min_partition_stats": "STRING",
        "max_partition_stats": "STRING",
        "min_row_id": "BIGINT",
        "max_row_id": "BIGINT",
    }
)


def _manifests(store: TableStore, snapshot: Snapshot | None) -> Columns:
    metas = [] if snapshot is None else ManifestFiles(store).all_manifests(snapshot)
    bounds = {row for meta in metas for row in (meta.partition_stats.min_values, meta.partition_stats.max_values)}
    texts = partition_texts(store, bounds)
    return listed(
        _MANIFESTS,
        metas,
        {
            "file_name": lambda meta: meta.file_name,
            "file_size": lambda meta: meta.file_size,
            "num_added_files": lambda meta: meta.num_added_files,
            "num_deleted_files": lambda meta: meta.num_deleted_files,
            "schema_id": lambda meta: meta.schema_id,
            "min_partition_stats": lambda meta: texts[meta.partition_stats.min_values],
            "max_partition_stats": lambda meta: texts[meta.partition_stats.max_values],
            "min_row_id": lambda meta: meta.min_row_id,
            "max_row_id": lambda meta: meta.max_row_id,
        },
    )


_TABLE_INDEXES = schema_of(
    {
        "partition": "STRING",
        "bucket": "INT NOT NULL",
        "index_type": "STRING NOT NULL",
        "file_name": "STRING NOT NULL",
        "file_size": "BIGINT NOT NULL",
        "row_count": "BIGINT NOT NULL",
        "dv_ranges": "ARRAY<ROW<f0 STRING NOT NULL, f1 INT NOT NULL, f2 INT NOT NULL, _CARDINALITY BIGINT>>",
        "row_range_start": "BIGINT",
        "row_range_end": "BIGINT",
        "index_field_id": "INT",
        "index_field_name": "STRING",
    }
)


def _table_indexes(store: TableStore, snapshot: Snapshot | None) -> Columns:
    entries = index_entries(store, snapshot)
    texts = partition_texts(store, {entry.partition for entry in entries})
    names = {field.id: field.name for field in store.schema.fields}

    def column_names(index: GlobalIndex) -> str | None:
        """Return the names of the indexed columns; None if one of them no longer exists."""
        ids = (index.field_id, *index.extra_field_ids)
        return ",".join(names[each] for each in ids) if all(each in names for each in ids) else None

    def of_global(entry: IndexEntry, value_of: Any) -> Any:
        return None if entry.global_index is None else value_of(entry.global_index)

    return listed(
        _TABLE_INDEXES,
        entries,
        {
            "partition": lambda entry: texts[entry.partition],
            "bucket": lambda entry: entry.bucket,
            "index_type": lambda entry: entry.index_type,
            "file_name": lambda entry: entry.file_name,
            "file_size": lambda entry: entry.file_size,
            "row_count": lambda entry: entry.row_count,
            "dv_ranges": _ranges,
            "row_range_start": lambda entry: of_global(entry, lambda index: index.row_range_start),
            "row_range_end": lambda entry: of_global(entry, lambda index: index.row_range_end),
            "index_field_id": lambda entry: of_global(entry, lambda index: index.field_id),
            "index_field_name": lambda entry: of_global(entry, column_names),
        },
    )


def _ranges(entry: IndexEntry) -> list[dict[str, Any]] | None:
    if entry.index_type != DELETION_VECTORS:
        return None
    return [
        {"f0": each.data_file, "f1": each.offset, "f2": each.length, "_CARDINALITY": each.cardinality}
        for each in entry.vectors
    ]


MANIFEST_KINDS = {
    "manifests": SystemKind(_MANIFESTS, _manifests),
    "table_indexes": SystemKind(_TABLE_INDEXES, _table_indexes),
}
