"""Conversion of user input to Arrow rows of the table's schema; errors name the column and the types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.counting import counted
from workbench.base.errors import SchemaMismatch, did_you_mean
from workbench.base.modules import pc
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField, field_to_arrow
from workbench.lsm.merge_function import Kinds, RowKind
from workbench.write.rows.casts import first_line
from workbench.write.rows.columns import decoded_table, fitted_column
from workbench.write.rows.frames import columns_of_frame, is_pandas_frame
from workbench.write.rows.python_values import column_of_values, columns_of_rows, named_rows
from workbench.write.value_limits import refuse_undecodable, within_limits

_STREAM_ROWS = 1 << 20
_KINDS = {kind.short: kind for kind in RowKind}


@dataclass(frozen=True)
class Rows:
    """Rows of the table's Arrow schema; ``kinds`` is int8[rows], None if all are inserts."""

    table: pa.Table
    kinds: Kinds | None = None


def as_rows(
    data: Any, schema: TableSchema, row_kind: str | None = None, constants: Mapping[str, pa.Array] | None = None
) -> Iterator[Rows]:
    """Yield rows in pieces, in order: one piece for data in memory, many for a stream.

    ``data``: Arrow table, batch or reader, pandas frame, list of dicts, or any object with ``__arrow_c_stream__``.
    ``constants``: one value each for columns that the rows may omit.

    Raises:
        SchemaMismatch: Columns are missing, unknown or of a type that cannot be converted without loss.
    """
    done = 0
    for table in as_tables(data, schema, row_kind):
        kinds = None if row_kind is None else row_kinds(table, row_kind)
        for name, value in (constants or {}).items():
            if name not in table.schema.names:
                table = table.append_column(name, pa.repeat(value[0], table.num_rows))
        yield Rows(conform(table, schema, extra=row_kind, first_row=done), kinds)
        done += table.num_rows


def as_tables(data: Any, schema: TableSchema, row_kind: str | None = None) -> Iterator[pa.Table]:
    """Yield the same data unconverted, in pieces. If rows are dicts, their columns already have the types of the
    table's columns."""
    tables = arrow_form(data, schema, row_kind)
    yield from map(decoded_table, [tables] if isinstance(tables, pa.Table) else _stream(tables))


def arrow_form(
    data: Any, schema: TableSchema, row_kind: str | None, *, extends: bool = False
) -> pa.Table | pa.RecordBatchReader:
    """Return user input as an object with an Arrow schema; streams are not read yet. Raises the same errors as
    `as_rows`.

    ``extends``: columns and fields that the table lacks will be added, and names match regardless of case.
    """
    if isinstance(data, pa.Table | pa.RecordBatchReader):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if (rows := named_rows(data)) is not None:
        return _table(columns_of_rows(rows, schema, row_kind, extends=extends), len(rows))
    if is_pandas_frame(data):
        with _importing(data):
            return _table(columns_of_frame(data, schema, row_kind, extends=extends), len(data))
    if hasattr(data, "__arrow_c_stream__"):
        with _importing(data):
            return pa.RecordBatchReader.from_stream(data)
    raise SchemaMismatch(
        f"Rows of type {type(data).__name__} are not supported.",
        "Pass an Arrow table, a pandas frame, a list of dicts or any Arrow stream.",
    )


def _table(columns: Mapping[str, Any], rows: int) -> pa.Table:
    if columns:
        return pa.table(dict(columns))
    # A table without columns has no rows otherwise.
    return pa.Table.from_batches([pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))])


@contextmanager
def _importing(data: Any) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, TypeError, ValueError) as error:
        if hasattr(data, "items"):
            for name, values in data.items():
                refuse_undecodable(values, str(name))
        reason = ": ".join(str(each) for each in reversed(error.args)) or type(error).__name__
        raise SchemaMismatch(f"Rows cannot be read from this {type(data).__name__}: {first_line(reason)}.") from error


def _stream(reader: pa.RecordBatchReader) -> Iterator[pa.Table]:
    """Yield batches combined into pieces of a reasonable size."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in reader:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= _STREAM_ROWS:
            yield pa.Table.from_batches(waiting, reader.schema)
            waiting, rows = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting, reader.schema)


def values_of_column(values: Sequence[Any], field: DataField) -> pa.Array:
    """Return Python values in the type of a column.

    Raises:
        SchemaMismatch: Values cannot be converted without loss.
    """
    return column_of_values(values, field.name, field.type)


def conform(table: pa.Table, schema: TableSchema, extra: str | None = None, first_row: int = 0) -> pa.Table:
    """Return the columns, matched by name, in the table's order and types; missing nullable columns are null or their
    default.

    ``extra`` is a column that is not stored. Lossless casts are applied; other casts are refused, as are values beyond
    the limits of their type. ``first_row`` is the number of rows before these, for messages.
    """
    given = table.schema.names
    for name in given:
        if name != extra and name not in schema.field_names:
            raise SchemaMismatch(
                f"The table has no column '{name}'.",
                did_you_mean(name, schema.field_names) or f"Its columns are {', '.join(schema.field_names)}.",
            )
        if given.count(name) > 1:
            raise SchemaMismatch(f"Column '{name}' occurs twice.")
    arrays = [
        within_limits(_conform_column(table, field, name in given), field, first_row)
        for name, field in zip(schema.field_names, schema.fields, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema.arrow_schema)


def _conform_column(table: pa.Table, field: DataField, given: bool) -> pa.ChunkedArray:
    target = field_to_arrow(field).type
    if given:
        column = table.column(field.name)
        if column.type != target:
            column = fitted_column(column, field)
    else:
        column = pa.chunked_array([pa.nulls(table.num_rows, target)])
    if field.default_value is not None and column.null_count:
        # Loaded here, because few tables have defaults and need the casts.
        from workbench.write.defaults import default_value

        column = column.fill_null(default_value(field))
    if column.null_count and not field.type.nullable:
        if not given:
            raise SchemaMismatch(f"Column '{field.name}' is missing, but it is {field.type}.")
        raise SchemaMismatch(
            f"Column '{field.name}' is {field.type}, but contains {counted(column.null_count, 'NULL values')}."
        )
    if pa.types.is_nested(target):
        from workbench.write.nested_nulls import with_required_values

        return with_required_values(column, field.name)
    return column


def row_kinds(table: pa.Table, name: str) -> Kinds:
    """Convert a column of +I, -U, +U and -D to int8[rows]. Raises SchemaMismatch for other values and types."""
    if name not in table.schema.names:
        raise SchemaMismatch(f"There is no column '{name}' with row kinds.", did_you_mean(name, table.schema.names))
    column = table.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    if column.type not in (pa.string(), pa.large_string(), pa.string_view()):
        raise SchemaMismatch(
            f"Column '{name}' must contain row kinds, but has values of type {column.type}.",
            f"Use {', '.join(_KINDS)}.",
        )
    known = pa.array(list(_KINDS), pa.string()).cast(column.type)
    kinds = pc.index_in(column, value_set=known)
    if kinds.null_count:
        wrong = column.filter(pc.is_null(kinds))[0].as_py()
        raise SchemaMismatch(f"{wrong!r} in column '{name}' is not a row kind.", f"Use {', '.join(_KINDS)}.")
    result: Kinds = kinds.to_numpy().astype(np.int8)
    return result
