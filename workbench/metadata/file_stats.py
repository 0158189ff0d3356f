"""The statistics of data files in manifests, as columns of the schema that they are read with (format §10).

Garbled statistics raise CorruptFile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from workbench.base.errors import CorruptFile
from workbench.base.modules import pc
from workbench.expr.pruning import ColumnStats, ColumnStatsBatch
from workbench.expr.widening import keeps_values
from workbench.format.rows.binary_row_decoding import decode_columns
from workbench.format.spec.data_file import EMPTY_ROW, DataFileMeta, SimpleStats
from workbench.format.spec.paths import MANIFEST_DIRECTORY
from workbench.format.spec.row_tracking import ROW_ID, TRACKING_COLUMNS, TRACKING_FIELDS
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField, DataType, to_arrow
from workbench.metadata.store import TableStore

_BLANKS_ON = r"(?s)[\x00-\x20].*"


@dataclass(frozen=True)
class _Slot:
    """One position of the stats rows: the type that its values are stored with, and the column that they describe, if
    any."""

    type: DataType
    column: DataField | None


@dataclass(frozen=True)
class _Layout:
    """The columns that the stats of some files describe; ``absent`` are columns that the files do not have, which read
    as NULL."""

    slots: tuple[_Slot, ...] = ()
    absent: tuple[DataField, ...] = ()


class FileStats:
    """Statistics of data files with any schema of a table, mapped to the columns of ``schema``: to all of them, or only
    to the requested ones."""

    def __init__(self, store: TableStore, schema: TableSchema, requested: Collection[str] | None = None) -> None:
        self._store = store
        self._schema = schema
        self._columns = {each.id: each for each in schema.fields if requested is None or each.name in requested}

    def of_keys(self, files: Sequence[DataFileMeta]) -> ColumnStatsBatch:
        """Return the statistics of the primary key."""
        return self._batch(files, lambda file: file.key_stats, lambda file: (file.schema_id,), self._key_layout)

    def of_values(self, files: Sequence[DataFileMeta]) -> ColumnStatsBatch:
        """Return the statistics of all columns."""
        found = self._batch(files, lambda file: file.value_stats, _shape, self._value_layout)
        if ROW_ID not in self._schema.field_names:
            return found
        return ColumnStatsBatch(found.row_counts, {**found.columns, ROW_ID: _row_ids(files)})

    def of_partitions(self, stats: Sequence[SimpleStats]) -> dict[str, ColumnStats]:
        """Return the statistics of the partition columns."""
        slots = [_Slot(field.type, self._columns.get(field.id)) for field in self._schema.partition_fields]
        return self._decoded(stats, _Layout(tuple(slots)), pa.nulls(len(stats), pa.int64()))

    def _batch(
        self,
        files: Sequence[DataFileMeta],
        stats_of: Callable[[DataFileMeta], SimpleStats],
        shape_of: Callable[[DataFileMeta], tuple[object, ...]],
        layout_of: Callable[[DataFileMeta], _Layout],
    ) -> ColumnStatsBatch:
        groups: dict[tuple[object, ...], list[int]] = {}
        for position, file in enumerate(files):
            groups.setdefault((stats_of(file).min_values == EMPTY_ROW, *shape_of(file)), []).append(position)
        rows = np.array([file.row_count for file in files], np.int64)
        parts = []
        for (empty, *_), positions in groups.items():
            layout = layout_of(files[positions[0]])
            known = _Layout(absent=layout.absent) if empty else layout
            stats = [stats_of(files[position]) for position in positions]
            parts.append((self._decoded(stats, known, pa.array(rows[positions])), positions))
        if len(parts) <= 1:
            return ColumnStatsBatch(pa.array(rows), parts[0][0] if parts else {})
        return ColumnStatsBatch(pa.array(rows), _scattered(parts, self._schema.fields))

    def _decoded(self, stats: Sequence[SimpleStats], layout: _Layout, rows: pa.Array) -> dict[str, ColumnStats]:
        try:
            return _decoded(stats, layout, rows)
        except ValueError as error:
            where = self._store.path(MANIFEST_DIRECTORY)
            raise CorruptFile(where, "the statistics in a manifest or a manifest list are corrupt") from error

    def _key_layout(self, file: DataFileMeta) -> _Layout:
        written = self._store.schema_of(file.schema_id)
        return _Layout(tuple(self._slot(each) for each in written.key_fields))

    def _value_layout(self, file: DataFileMeta) -> _Layout:
        """Return the layout of a file's stats. They describe the columns that its manifest entry lists for them, or
        else the columns written to the file, or else all columns of its schema (format §6).

        Values of a column that the file's schema does not have are NULL; a column that only this file lacks may be
        stored in another file.
        """
        written = self._store.schema_of(file.schema_id)
        ids = {each.id for each in written.fields}
        read = self._columns.values()
        absent = tuple(each for each in read if each.id not in ids and each.name not in TRACKING_COLUMNS)
        names = file.value_stats_cols if file.value_stats_cols is not None else file.write_cols
        if names is None:
            return _Layout(tuple(map(self._slot, written.fields)), absent)
        known = {each.name: self._slot(each) for each in written.fields}
        known.update({each.name: _Slot(each.type, None) for each in TRACKING_FIELDS})
        # Rows are decoded by position, so one unknown column makes all columns unknown.
        understood = all(name in known for name in names)
        return _Layout(tuple(known[name] for name in names) if understood else (), absent)

    def _slot(self, written: DataField) -> _Slot:
        """Return the slot of a written column, which describes the current column of the same id if that keeps the
        values."""
        now = self._columns.get(written.id)
        holds = now is not None and keeps_values(written.type, now.type)
        return _Slot(written.type, now if holds else None)


def _row_ids(files: Sequence[DataFileMeta]) -> ColumnStats:
    """Return the bounds of row ids: assigned ids follow from the first row id of the file; ids that a compaction wrote
    as a column are unknown."""
    first = [None if ROW_ID in (file.write_cols or ()) else file.first_row_id for file in files]
    ends = [None if start is None else start + file.row_count - 1 for start, file in zip(first, files, strict=True)]
    nulls = pa.array(np.zeros(len(files), np.int64))
    return ColumnStats(pa.array(first, pa.int64()), pa.array(ends, pa.int64()), nulls)


def _shape(file: DataFileMeta) -> tuple[object, ...]:
    return file.schema_id, file.value_stats_cols, file.write_cols


def _decoded(stats: Sequence[SimpleStats], layout: _Layout, rows: pa.Array) -> dict[str, ColumnStats]:
    """Return bounds and null counts by column."""
    found = {each.name: ColumnStats(None, None, rows) for each in layout.absent}
    if not layout.slots:
        return found
    types = [slot.type.as_nullable() for slot in layout.slots]
    columns_by_slot = {position: slot.column for position, slot in enumerate(layout.slots) if slot.column is not None}
    # Replacement characters do not sort as the bytes do, so that such a bound is unknown.
    minimum, maximum = (
        decode_columns(rows, types, list(columns_by_slot), replaces=False)
        for rows in ([each.min_values for each in stats], [each.max_values for each in stats])
    )
    counts = [each.null_counts or (None,) * len(types) for each in stats]
    if any(len(each) != len(types) for each in counts):
        raise ValueError("the number of null counts differs from the number of columns")
    for (position, column), lower, upper in zip(columns_by_slot.items(), minimum, maximum, strict=True):
        nulls = pa.array([row[position] for row in counts], pa.int64())
        found[column.name] = _column(layout.slots[position].type, column.type, lower, upper, nulls)
    return found


def _column(written: DataType, read: DataType, lower: pa.Array, upper: pa.Array, nulls: pa.Array) -> ColumnStats:
    if written.root == "CHAR":
        # Bounds of ORC files have trailing blanks, which are trimmed from values when they are read (format §29.39).
        lower = pc.replace_substring_regex(lower, _BLANKS_ON, "")
    kind = to_arrow(read)
    try:
        return ColumnStats(lower.cast(kind), upper.cast(kind), nulls)
    except pa.ArrowInvalid:
        # The new type cannot represent this bound; reading raises the error if the value matters.
        return ColumnStats(None, None, nulls)


def _scattered(
    parts: Sequence[tuple[dict[str, ColumnStats], Sequence[int]]], fields: Iterable[DataField]
) -> dict[str, ColumnStats]:
    """Return the stats of groups of files in the order of the files; null where a group has no stats for a column."""
    take = pa.array(np.argsort(np.concatenate([np.array(positions) for _, positions in parts])))

    def gather(name: str, of: Callable[[ColumnStats], pa.Array | None], kind: pa.DataType) -> pa.Array:
        arrays = []
        for columns, positions in parts:
            found = of(columns[name]) if name in columns else None
            arrays.append(pa.nulls(len(positions), kind) if found is None else found)
        return pa.concat_arrays(arrays).take(take)

    return {
        field.name: ColumnStats(
            gather(field.name, lambda stats: stats.minimum, to_arrow(field.type)),
            gather(field.name, lambda stats: stats.maximum, to_arrow(field.type)),
            gather(field.name, lambda stats: stats.null_count, pa.int64()),
        )
        for field in fields
        if any(field.name in columns for columns, _ in parts)
    }
