"""``$files`` and ``$file_key_ranges``: the data files of a version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.base.lazy import cached_property
from workbench.format.rows.binary_row import decode_columns
from workbench.format.spec import paths
from workbench.format.spec.data_file import EMPTY_ROW, DataFileMeta, ManifestEntry
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.table.system.file_statistics import FileStatistics
from workbench.table.system.grouping import in_groups
from workbench.table.system.kinds import Columns, SystemKind, array_of, schema_of
from workbench.table.system.texts import bracketed, plain_texts, row_text

_COLUMNS = {
    "partition": "STRING",
    "bucket": "INT NOT NULL",
    "file_path": "STRING NOT NULL",
    "file_format": "STRING NOT NULL",
    "schema_id": "BIGINT NOT NULL",
    "level": "INT NOT NULL",
    "record_count": "BIGINT NOT NULL",
    "file_size_in_bytes": "BIGINT NOT NULL",
    "min_key": "STRING",
    "max_key": "STRING",
    "null_value_counts": "STRING NOT NULL",
    "min_value_stats": "STRING NOT NULL",
    "max_value_stats": "STRING NOT NULL",
    "min_sequence_number": "BIGINT",
    "max_sequence_number": "BIGINT",
    "creation_time": "TIMESTAMP(3)",
    "deleteRowCount": "BIGINT",
    "file_source": "STRING",
    "first_row_id": "BIGINT",
    "write_cols": "ARRAY<STRING>",
}
_KEY_RANGE_COLUMNS = (
    "partition",
    "bucket",
    "file_path",
    "file_format",
    "schema_id",
    "level",
    "record_count",
    "file_size_in_bytes",
    "min_key",
    "max_key",
    "first_row_id",
)
_FILES = schema_of(_COLUMNS)
_KEY_RANGES = schema_of({name: _COLUMNS[name] for name in _KEY_RANGE_COLUMNS})


@dataclass(frozen=True)
class _Files:
    """Computes the columns for some files."""

    store: TableStore
    entries: Sequence[ManifestEntry]

    def columns(self) -> Columns:
        plain: dict[str, Callable[[DataFileMeta], Any]] = {
            "file_format": lambda file: paths.file_format_of(file.file_name) or "",
            "schema_id": lambda file: file.schema_id,
            "level": lambda file: file.level,
            "record_count": lambda file: file.row_count,
            "file_size_in_bytes": lambda file: file.file_size,
            "min_sequence_number": lambda file: file.min_sequence_number,
            "max_sequence_number": lambda file: file.max_sequence_number,
            # A file records the local time of its writer.
            "creation_time": lambda file: file.creation_time,
            "deleteRowCount": lambda file: file.delete_row_count,
            "file_source": lambda file: None if file.file_source is None else file.file_source.name,
            "first_row_id": lambda file: file.first_row_id,
            "write_cols": lambda file: file.write_cols,
        }
        return {
            "partition": self._partitions,
            "bucket": lambda: pa.array([entry.bucket for entry in self.entries], pa.int32()),
            "file_path": self._paths,
            **{name: self._of_files(name, value_of) for name, value_of in plain.items()},
            "min_key": lambda: self._keys(lambda file: file.min_key),
            "max_key": lambda: self._keys(lambda file: file.max_key),
            "null_value_counts": lambda: self._statistics.null_counts,
            "min_value_stats": lambda: self._statistics.minimums,
            "max_value_stats": lambda: self._statistics.maximums,
        }

    def _of_files(self, name: str, value_of: Callable[[DataFileMeta], Any]) -> Callable[[], pa.Array]:
        return lambda: array_of([value_of(entry.file) for entry in self.entries], _FILES.field(name))

    def _partitions(self) -> pa.Array:
        texts = partition_texts(self.store, {entry.partition for entry in self.entries})
        return pa.array([texts[entry.partition] for entry in self.entries], pa.string())

    def _paths(self) -> pa.Array:
        directories = {
            bucket: self.store.bucket_directory(*bucket)
            for bucket in {(entry.partition, entry.bucket) for entry in self.entries}
        }
        return pa.array(
            [
                entry.file.external_path or f"{directories[entry.partition, entry.bucket]}/{entry.file.file_name}"
                for entry in self.entries
            ],
            pa.string(),
        )

    def _keys(self, key_of: Callable[[DataFileMeta], bytes]) -> pa.Array:
        """Return keys as strings; null for files of append tables, which have no keys."""
        return in_groups(
            [entry.file for entry in self.entries],
            lambda file: file.schema_id if key_of(file) != EMPTY_ROW else None,
            lambda schema_id, files: _key_texts(self.store, schema_id, [key_of(file) for file in files]),
        )

    @cached_property
    def _statistics(self) -> FileStatistics:
        return FileStatistics(self.store, [entry.file for entry in self.entries])


def _key_texts(store: TableStore, schema_id: int | None, keys: Sequence[bytes]) -> pa.Array:
    if schema_id is None:
        return pa.nulls(len(keys), pa.string())
    schema: TableSchema = store.schema_of(schema_id)
    types = [field.type for field in schema.key_fields or schema.fields]
    decoded = decode_columns(keys, types)
    return bracketed([plain_texts(*each) for each in zip(decoded, types, strict=True)], len(keys))


def partition_texts(store: TableStore, partitions: set[bytes]) -> dict[bytes, str]:
    """Return serialized partition rows as strings, ``{2026-11-01, eu}``."""
    types = [field.type for field in store.partition_fields]
    return {each: row_text(store.partition_values(each), types) for each in partitions}


def shown_entries(store: TableStore, snapshot: Snapshot | None) -> Sequence[ManifestEntry]:
    """Return the data files of a version except postponed ones, which reads ignore (format §25.1)."""
    if snapshot is None:
        return ()
    live = ManifestFiles(store).live_files(snapshot)
    return [entry for entry in live if entry.bucket != paths.POSTPONE_BUCKET]


def _files(store: TableStore, snapshot: Snapshot | None) -> Columns:
    return _Files(store, shown_entries(store, snapshot)).columns()


def _key_ranges(store: TableStore, snapshot: Snapshot | None) -> Columns:
    columns = _files(store, snapshot)
    return {name: columns[name] for name in _KEY_RANGES.field_names}


FILE_KINDS = {"files": SystemKind(_FILES, _files), "file_key_ranges": SystemKind(_KEY_RANGES, _key_ranges)}
