"""Whatever users hand over becomes Arrow rows of the table's schema, or an error that names column and types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import SchemaMismatch, did_you_mean
from workbench.format.schema import TableSchema
from workbench.format.types import DataField, field_to_arrow
from workbench.lsm.merge_function import Kinds, RowKind

_STREAM_ROWS = 1 << 20
_MOST_TOLD = 150
_KINDS = {kind.short: kind for kind in RowKind}


@dataclass(frozen=True)
class Rows:
    """Rows of the table's Arrow schema; ``kinds`` int8[rows], None where all are inserts."""

    table: pa.Table
    kinds: Kinds | None = None


def as_rows(
    data: Any, schema: TableSchema, row_kind: str | None = None, constants: Mapping[str, pa.Array] | None = None
) -> Iterator[Rows]:
    """Rows in pieces, in order: one piece for what is in memory, many for a stream.

    ``data``: Arrow table, batch or reader, pandas frame, list of dicts, or anything with ``__arrow_c_stream__``.
    ``constants``: one value each for columns that the rows may leave out.

    Raises:
        SchemaMismatch: columns that are missing, unknown or of a type that does not fit without loss.
    """
    for table in as_tables(data, schema, row_kind):
        kinds = None if row_kind is None else row_kinds(table, row_kind)
        for name, value in (constants or {}).items():
            if name not in table.schema.names:
                table = table.append_column(name, pa.repeat(value[0], table.num_rows))
        yield Rows(conform(table, schema, extra=row_kind), kinds)


def as_tables(data: Any, schema: TableSchema, row_kind: str | None = None) -> Iterator[pa.Table]:
    """The same data as it is, in pieces. Of rows that are dicts, columns of the table have the table's types."""
    found = arrow_form(data, schema, row_kind)
    if isinstance(found, pa.Table):
        yield found
    else:
        yield from _stream(found)


def arrow_form(data: Any, schema: TableSchema, row_kind: str | None) -> pa.Table | pa.RecordBatchReader:
    """What users hand over as what has an Arrow schema; streams are not read yet. Raises as `as_rows`."""
    if isinstance(data, pa.Table | pa.RecordBatchReader):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if (
        isinstance(data, Sequence)
        and not isinstance(data, str | bytes)
        and all(isinstance(row, Mapping) for row in data)
    ):
        return _from_dicts(data, schema, row_kind)
    if hasattr(data, "__dataframe__") and hasattr(data, "iloc"):
        with _importing(data):
            return pa.Table.from_pandas(data, preserve_index=False)
    if hasattr(data, "__arrow_c_stream__"):
        with _importing(data):
            return pa.RecordBatchReader.from_stream(data)
    raise SchemaMismatch(
        f"Rows cannot be taken from a {type(data).__name__}.",
        "Pass an Arrow table, a pandas frame, a list of dicts or any Arrow stream.",
    )


@contextmanager
def _importing(data: Any) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, TypeError) as error:
        reason = ": ".join(str(each) for each in reversed(error.args)) or type(error).__name__
        raise SchemaMismatch(f"Rows cannot be taken from this {type(data).__name__}: {_first_line(reason)}.") from error


def _stream(reader: pa.RecordBatchReader) -> Iterator[pa.Table]:
    """Batches gathered into pieces worth the work."""
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


def _from_dicts(rows: Sequence[Mapping[str, Any]], schema: TableSchema, row_kind: str | None) -> pa.Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {}
    for name in names:
        values = [row.get(name) for row in rows]
        declared = None if name == row_kind else schema.field(name) if name in schema.field_names else None
        try:
            columns[name] = pa.array(values, field_to_arrow(declared).type if declared else None)
        except (pa.ArrowException, TypeError, OverflowError) as error:
            kind = declared.type if declared else "unknown"
            raise SchemaMismatch(
                f"Column '{name}' is {kind} and these values do not fit: {_first_line(error)}."
            ) from error
    return pa.table(columns)


def conform(table: pa.Table, schema: TableSchema, extra: str | None = None) -> pa.Table:
    """Columns by name, in the table's order and types; missing nullable ones as null or as their default.

    ``extra`` is a column that is not stored. Casts that lose nothing are made; others are refused.
    """
    given = table.schema.names
    for name in given:
        if name != extra and name not in schema.field_names:
            raise SchemaMismatch(
                f"The table has no column '{name}'.",
                did_you_mean(name, schema.field_names) or f"Its columns are {', '.join(schema.field_names)}.",
            )
        if given.count(name) > 1:
            raise SchemaMismatch(f"Column '{name}' is given twice.")
    arrays = [
        _conform_column(table, field, name in given)
        for name, field in zip(schema.field_names, schema.fields, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema.arrow_schema)


def _conform_column(table: pa.Table, field: DataField, given: bool) -> pa.ChunkedArray:
    target = field_to_arrow(field).type
    if given:
        column = table.column(field.name)
        if column.type != target:
            column = _cast(column, field, target)
    else:
        column = pa.chunked_array([pa.nulls(table.num_rows, target)])
    if field.default_value is not None and column.null_count:
        # Few tables have defaults, so others do not load the casts.
        from workbench.table.writing.defaults import default_value

        column = column.fill_null(default_value(field))
    if column.null_count and not field.type.nullable:
        if not given:
            raise SchemaMismatch(f"Column '{field.name}' is missing and is {field.type}.")
        raise SchemaMismatch(f"Column '{field.name}' is {field.type} and {column.null_count} of the values are null.")
    if pa.types.is_nested(target):
        from workbench.table.writing.nested_nulls import settled

        return settled(column, field.name)
    return column


def _cast(column: pa.ChunkedArray, field: DataField, target: pa.DataType) -> pa.ChunkedArray:
    given = column.type
    if pa.types.is_dictionary(given):
        column = column.cast(given.value_type)
        given = given.value_type
    if not _may_cast(given, target):
        raise SchemaMismatch(f"Column '{field.name}' is {field.type} and the values are {given}.", "Cast them first.")
    try:
        if pa.types.is_integer(given) and pa.types.is_decimal(target):
            # Arrow wants room for every integer of the type; only those that are there have to fit.
            column = column.cast(pa.decimal128(max(target.precision, min(38, 20 + target.scale)), target.scale))
        cast = column.cast(target)
    except pa.ArrowException as error:
        raise SchemaMismatch(
            f"Column '{field.name}' is {field.type} and values of type {given} do not fit: {_first_line(error)}."
        ) from error
    if pa.types.is_floating(target) and _infinities(cast) != _infinities(column):
        raise SchemaMismatch(f"Column '{field.name}' is {field.type} and some values of type {given} are too large.")
    return cast


def _infinities(column: pa.ChunkedArray) -> int:
    import pyarrow.compute as pc

    return pc.sum(pc.is_inf(column)).as_py() or 0 if pa.types.is_floating(column.type) else 0


def _may_cast(given: pa.DataType, target: pa.DataType) -> bool:
    """Casts within one family: Arrow itself refuses those that would lose a value of it."""
    families = (
        lambda kind: pa.types.is_integer(kind) or pa.types.is_floating(kind),
        lambda kind: pa.types.is_integer(kind) or pa.types.is_decimal(kind),
        lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind),
        lambda kind: (
            pa.types.is_binary(kind)
            or pa.types.is_large_binary(kind)
            or pa.types.is_fixed_size_binary(kind)
            or pa.types.is_binary_view(kind)
        ),
        lambda kind: pa.types.is_date(kind),
        lambda kind: pa.types.is_time(kind),
        lambda kind: pa.types.is_timestamp(kind) and kind.tz is None,
        lambda kind: pa.types.is_timestamp(kind) and kind.tz is not None,
        pa.types.is_nested,
    )
    return pa.types.is_null(given) or any(family(given) and family(target) for family in families)


def row_kinds(table: pa.Table, name: str) -> Kinds:
    """int8[rows]: what a column of +I, -U, +U and -D, or of their numbers, says. Raises SchemaMismatch for others."""
    import pyarrow.compute as pc

    if name not in table.schema.names:
        raise SchemaMismatch(f"There is no column '{name}' with row kinds.", did_you_mean(name, table.schema.names))
    column = table.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_integer(column.type):
        known = pa.array([kind.value for kind in RowKind], column.type)
    else:
        known = pa.array(list(_KINDS), pa.string()).cast(column.type)
    kinds = pc.index_in(column, value_set=known)
    if kinds.null_count:
        wrong = column.filter(pc.is_null(kinds))[0].as_py()
        raise SchemaMismatch(f"{wrong!r} in column '{name}' is no row kind.", f"Use {', '.join(_KINDS)}.")
    result: Kinds = kinds.to_numpy().astype(np.int8)
    return result


def _first_line(error: BaseException | str) -> str:
    line = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return line if len(line) <= _MOST_TOLD else f"{line[:_MOST_TOLD]}…"
