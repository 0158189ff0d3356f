"""The statistics of data files from manifests, as the strings that ``$files`` shows, with the names and types of the
table's schema (`SimpleStatsEvolution`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.zones import as_stored
from workbench.format.rows.binary_row import decode_columns
from workbench.format.spec.data_file import DataFileMeta, SimpleStats
from workbench.format.types import AtomicType, DataField, DataType, to_arrow
from workbench.metadata.store import TableStore
from workbench.table.system.grouping import in_groups
from workbench.table.system.texts import mapped, plain_texts

_Layout = tuple[int, tuple[str, ...] | None, tuple[str, ...] | None, int]
"""Identifies the columns of stats: the schema id, the columns listed in the stats, those of the file, and the actual
number."""

_Make = Callable[[_Layout, Sequence[DataFileMeta]], Mapping[str, pa.Array] | None]
"""Returns the columns for files of one layout, by name; None if the stats have a different shape."""


@dataclass(frozen=True)
class FileStatistics:
    """The statistics of some files, one string for each."""

    store: TableStore
    files: Sequence[DataFileMeta]

    @property
    def minimums(self) -> pa.Array:
        """The lower bounds, such as ``{a=1, b=null}``."""
        return self._texts(lambda layout, files: self._bounds(layout, [file.value_stats.min_values for file in files]))

    @property
    def maximums(self) -> pa.Array:
        """The upper bounds."""
        return self._texts(lambda layout, files: self._bounds(layout, [file.value_stats.max_values for file in files]))

    @property
    def null_counts(self) -> pa.Array:
        """The numbers of nulls; a column that was added later is null in every row."""
        return self._texts(self._counts)

    def _texts(self, columns_of: _Make) -> pa.Array:
        def texts_of(layout: _Layout, files: Sequence[DataFileMeta]) -> pa.Array:
            columns = columns_of(layout, files)
            return mapped([] if columns is None else list(columns.items()), len(files))

        return in_groups(self.files, _layout, texts_of)

    def _bounds(self, layout: _Layout, rows: Sequence[bytes]) -> Mapping[str, pa.Array] | None:
        stored = self._stored(layout)
        if stored is None:
            return None
        types = [field.type.as_nullable() for field in stored]
        decoded = dict(zip([field.id for field in stored], decode_columns(rows, types), strict=True))
        written = {field.id: field.type for field in stored}
        return {
            field.name: pa.nulls(len(rows), pa.string())
            if field.id not in decoded
            else plain_texts(_evolved(decoded[field.id], written[field.id], field.type), field.type)
            for field in self.store.schema.fields
        }

    def _counts(self, layout: _Layout, files: Sequence[DataFileMeta]) -> Mapping[str, pa.Array] | None:
        stored = self._stored(layout)
        if stored is None:
            return None
        positions = {field.id: position for position, field in enumerate(stored)}
        in_file = {field.id for field in self._written(layout)}
        counts = [file.value_stats.null_counts or (None,) * len(stored) for file in files]

        def column(field: DataField) -> pa.Array:
            if field.id in positions:
                return pa.array([each[positions[field.id]] for each in counts], pa.int64())
            if field.id in in_file:
                return pa.nulls(len(files), pa.int64())
            return pa.array([file.row_count for file in files], pa.int64())

        return {field.name: column(field).cast(pa.string()) for field in self.store.schema.fields}

    def _written(self, layout: _Layout) -> Sequence[DataField]:
        """The columns of the file."""
        schema_id, _, write_cols, _ = layout
        return _named(self.store.schema_of(schema_id).fields, write_cols)

    def _stored(self, layout: _Layout) -> Sequence[DataField] | None:
        """The columns that the stats describe; None if the stats have a different shape."""
        _, listed, _, arity = layout
        stored = _named(self._written(layout), listed)
        return stored if len(stored) == arity else None


def _named(fields: Sequence[DataField], names: Sequence[str] | None) -> Sequence[DataField]:
    if names is None:
        return fields
    known = {field.name: field for field in fields}
    return [known[name] for name in names if name in known]


def _layout(file: DataFileMeta) -> _Layout:
    return file.schema_id, file.value_stats_cols, file.write_cols, _arity(file.value_stats)


def _arity(stats: SimpleStats) -> int:
    return int.from_bytes(stats.min_values[:4], "big")


def _evolved(values: pa.Array, written: DataType, now: DataType) -> Any:
    """Return bounds converted to a newer type; null where they do not fit it."""
    if written.as_nullable() == now.as_nullable():
        return values
    # Imported here because few columns change their types.
    from workbench.datafile.casts.rules import cast_values
    from workbench.datafile.casts.values import CastError

    with suppress(CastError, Unsupported), as_stored():
        # Nested values never have bounds.
        if isinstance(written, AtomicType):
            return cast_values(values, written, now)
    return pa.nulls(len(values), to_arrow(now))
