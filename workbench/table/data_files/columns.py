"""From the columns of a file to those of the table: found by field id, cast to what the schema says (format §25.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa

from workbench.base.errors import CorruptFile
from workbench.format.data_file import DataFileMeta
from workbench.format.parquet import SEQUENCE_NUMBER, SEQUENCE_NUMBER_FIELD, VALUE_KIND, VALUE_KIND_FIELD
from workbench.format.schema import TableSchema
from workbench.format.types import DataField, DataType, field_to_arrow
from workbench.table.data_files.protocol import rows_without_columns
from workbench.table.store import TableStore

SYSTEM_FIELDS = {SEQUENCE_NUMBER: SEQUENCE_NUMBER_FIELD, VALUE_KIND: VALUE_KIND_FIELD}

Decode = Callable[[pa.ChunkedArray, DataType, DataType], Any]
"""From a column as it lies in the file, the type it was written with and the one to read it as, to that column."""


class FileColumns:
    """Which columns of a file hold which columns of the table. ``present``: the names in the file."""

    def __init__(
        self, store: TableStore, path: str, file: DataFileMeta, read_schema: TableSchema, present: Iterable[str]
    ) -> None:
        self._written = store.schema_of(file.schema_id)
        self._path = path
        self._schema = read_schema
        self._present = frozenset(present)

    def field(self, column: str) -> DataField:
        """The column as the table declares it."""
        return SYSTEM_FIELDS.get(column) or self._schema.field(column)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """From columns of the table to columns of the file: by field id, for names change."""
        written = {each.id: each.name for each in self._written.fields}
        names = {each.name: written[each.id] for each in self._schema.fields if each.id in written}
        lacking = next((name for name in names.values() if name not in self._present), None)
        if lacking is not None:
            raise CorruptFile(self._path, f"it has no column '{lacking}', which its schema says it has")
        names.update({name: name for name in SYSTEM_FIELDS if name in self._present})
        return names

    def physical(self, columns: Sequence[str]) -> list[str]:
        """The names in the file of those columns that it has."""
        return [self.names[name] for name in columns if name in self.names]

    def written_type(self, name: str) -> DataType:
        """The type with which the file's column ``name`` was written."""
        system = SYSTEM_FIELDS.get(name)
        return (system or self._written.field(name)).type

    def as_declared(self, table: pa.Table, columns: Sequence[str], decode: Decode) -> pa.Table:
        """The columns of the table, made from those of the file."""
        arrays, fields = [], []
        for name in columns:
            declared = self.field(name)
            field = field_to_arrow(declared)
            physical = self.names.get(name)
            if physical is None:
                arrays.append(pa.nulls(table.num_rows, field.type))
                field = field.with_nullable(True)
            else:
                arrays.append(decode(table.column(physical), self.written_type(physical), declared.type))
            fields.append(field)
        if not arrays:
            return rows_without_columns(table.num_rows)
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))
