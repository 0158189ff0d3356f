"""Mapping of the columns of a file to those of the table, matched by field id and cast to the schema (format §25.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from workbench.base.errors import CorruptFile, SchemaMismatch, Unsupported
from workbench.base.lazy import cached_property
from workbench.datafile.protocol import rows_without_columns
from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, SEQUENCE_NUMBER_FIELD, VALUE_KIND, VALUE_KIND_FIELD
from workbench.format.spec.partition_path import unescape
from workbench.format.spec.row_tracking import ROW_ID, ROW_ID_FIELD
from workbench.format.spec.schema import TableSchema
from workbench.format.types import AtomicType, DataField, DataType, field_to_arrow
from workbench.metadata.store import TableStore

SYSTEM_FIELDS = {SEQUENCE_NUMBER: SEQUENCE_NUMBER_FIELD, VALUE_KIND: VALUE_KIND_FIELD, ROW_ID: ROW_ID_FIELD}

_LAST_KIND = 3

Decode = Callable[[pa.ChunkedArray, DataType], Any]
"""A function from a column as it is stored in the file, and the type it was written with, to a column of that type."""


def stored_names(store: TableStore, file: DataFileMeta, read_schema: TableSchema) -> dict[str, str]:
    """Return the names in a file of the columns of the table that it has, matched by field id, since names change. A
    file may have been written with only some of the columns of its schema (format §6)."""
    fields = store.schema_of(file.schema_id).fields
    written = {each.id: each.name for each in fields if file.write_cols is None or each.name in file.write_cols}
    return {each.name: written[each.id] for each in read_schema.fields if each.id in written}


class FileColumns:
    """The columns of a file, matched with the columns of the table. ``present``: the names in the file."""

    def __init__(
        self, store: TableStore, path: str, file: DataFileMeta, read_schema: TableSchema, present: Iterable[str]
    ) -> None:
        self._written = store.schema_of(file.schema_id)
        self._stored = stored_names(store, file, read_schema)
        self._path = path
        self._schema = read_schema
        self._present = frozenset(present)

    def field(self, column: str) -> DataField:
        """Return the column as the table declares it."""
        return SYSTEM_FIELDS.get(column) or self._schema.field(column)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The name in the file of each table column and system column."""
        # Files of Hive tables have no partition columns.
        keys = self._written.partition_keys
        names = {name: stored for name, stored in self._stored.items() if stored in self._present or stored not in keys}
        lacking = next((name for name in names.values() if name not in self._present), None)
        if lacking is not None:
            raise CorruptFile(self._path, f"its column '{lacking}' is missing, which its schema declares")
        names.update({name: name for name in SYSTEM_FIELDS if name in self._present})
        return names

    def physical(self, columns: Sequence[str]) -> list[str]:
        """Return the names in the file of those requested columns that it has."""
        return [self.names[name] for name in columns if name in self.names]

    def written_type(self, name: str) -> DataType:
        """Return the type with which the file's column ``name`` was written."""
        system = SYSTEM_FIELDS.get(name)
        return (system or self._written.field(name)).type

    def as_declared(self, table: pa.Table, columns: Sequence[str], decode: Decode) -> pa.Table:
        """Return the requested columns of the table, converted from the columns of the file."""
        arrays, fields = [], []
        for name in columns:
            declared = self.field(name)
            # The schema caches its fields for all files.
            field = field_to_arrow(declared) if name in SYSTEM_FIELDS else self._schema.arrow_schema.field(name)
            physical = self.names.get(name)
            if physical is None and name in self._schema.partition_keys:
                arrays.append(self._of_directory(name, table.num_rows))
            elif physical is None:
                arrays.append(pa.nulls(table.num_rows, field.type))
            else:
                stored = decode(table.column(physical), self.written_type(physical))
                if name == VALUE_KIND:
                    self._check_kinds(stored)
                arrays.append(self._evolved(declared, physical, stored))
            fields.append(field)
        if not arrays:
            return rows_without_columns(table.num_rows)
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    def _of_directory(self, name: str, rows: int) -> pa.Array:
        """Return a partition column by the directory of the file."""
        return pa.repeat(partition_value(self._path, self._schema.field(name), self._schema.core), rows)

    def _check_kinds(self, kinds: pa.ChunkedArray) -> None:
        """Check row kinds, since formats without checksums return whatever a damaged byte contains."""
        known = kinds.to_numpy()
        if kinds.null_count or ((known < 0) | (known > _LAST_KIND)).any():
            raise CorruptFile(self._path, "it has rows of an unknown kind")

    def _evolved(self, declared: DataField, physical: str, column: Any) -> Any:
        written = self.written_type(physical)
        if written.as_nullable() == declared.type.as_nullable():
            return column
        # Loaded here, as few columns change their types.
        from workbench.datafile.casts.values import CastError
        from workbench.datafile.readers.schema_evolution import evolved

        history = f"Column '{declared.name}' has values of type {written.as_nullable()} in {self._path}"
        hint = "Change the type of the column back, or do not select it."
        try:
            return evolved(column, written, declared.type)
        except CastError as error:
            raise SchemaMismatch(f"{history}: {error}.", hint) from error
        except Unsupported as error:
            raise Unsupported(f"{history}. {error.message}", hint) from error


def partition_value(path: str, field: DataField, core: CoreOptions) -> pa.Scalar:
    """Return the value of a partition column that a data file does not contain, because Hive wrote it.

    Args:
        path: The path of the data file.
        field: The column.
        core: The options of the table, which decide how directories are named.

    Raises:
        CorruptFile: The directories in the path do not have the column, or a value of another type.
    """
    named = (part.partition("=") for part in reversed(path.split("/")[:-1]))
    text = next((unescape(value) for name, equals, value in named if equals and unescape(name) == field.name), None)
    target = field_to_arrow(field).type
    if text is None:
        raise CorruptFile(path, f"neither the file nor its directory has partition column '{field.name}'")
    if text == core.partition_default_name:
        return pa.scalar(None, target)
    try:
        if pa.types.is_string(target):
            return pa.scalar(text, target)
        if core.partition_legacy_name and (pa.types.is_date(target) or pa.types.is_time(target)):
            # Java prints its internal values: days, and milliseconds of the day.
            return pa.scalar(int(text), pa.int32()).cast(target)
        if core.partition_legacy_name and pa.types.is_timestamp(target):
            return _cast(_as_sql(text), AtomicType("TIMESTAMP", precision=9), target)
        return _cast(text, field.type, target)
    except (Unsupported, pa.ArrowException, ValueError) as error:
        raise CorruptFile(path, f"the value '{text}' of partition column '{field.name}' is not {field.type}") from error


def _as_sql(text: str) -> str:
    """Return a time as SQL writes it. Java prints ``2026-11-01T10:00``, in UTC if the type has a zone."""
    return f"{text.replace('T', ' ')}{':00' if text.count(':') == 1 else ''}"


def _cast(text: str, data_type: DataType, target: pa.DataType) -> pa.Scalar:
    from workbench.datafile.casts.rules import cast_values
    from workbench.datafile.casts.values import CastError

    try:
        return cast_values(pa.array([text]), AtomicType("STRING"), data_type)[0].cast(target)
    except CastError as error:
        raise ValueError(str(error)) from error
