"""Conversion of user input to Arrow rows of the table's schema; errors name the column and the types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.checkers import is_utf8
from workbench.base.counting import counted
from workbench.base.errors import SchemaMismatch, did_you_mean
from workbench.base.modules import pc
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField, field_to_arrow
from workbench.lsm.merge_function import Kinds, RowKind

_STREAM_ROWS = 1 << 20
_MAX_SHOWN = 150
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
    for table in as_tables(data, schema, row_kind):
        kinds = None if row_kind is None else row_kinds(table, row_kind)
        for name, value in (constants or {}).items():
            if name not in table.schema.names:
                table = table.append_column(name, pa.repeat(value[0], table.num_rows))
        yield Rows(conform(table, schema, extra=row_kind), kinds)


def as_tables(data: Any, schema: TableSchema, row_kind: str | None = None) -> Iterator[pa.Table]:
    """Yield the same data unconverted, in pieces. If rows are dicts, their columns already have the types of the
    table's columns."""
    tables = arrow_form(data, schema, row_kind)
    yield from map(_without_views, [tables] if isinstance(tables, pa.Table) else _stream(tables))


def arrow_form(data: Any, schema: TableSchema, row_kind: str | None) -> pa.Table | pa.RecordBatchReader:
    """Return user input as an object with an Arrow schema; streams are not read yet. Raises the same errors as
    `as_rows`."""
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
        f"Rows of type {type(data).__name__} are not supported.",
        "Pass an Arrow table, a pandas frame, a list of dicts or any Arrow stream.",
    )


@contextmanager
def _importing(data: Any) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, TypeError, ValueError) as error:
        reason = ": ".join(str(each) for each in reversed(error.args)) or type(error).__name__
        raise SchemaMismatch(f"Rows cannot be read from this {type(data).__name__}: {_first_line(reason)}.") from error


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


def _without_views(table: pa.Table) -> pa.Table:
    """Return the table with dictionaries of string views, as polars creates them, converted to dictionaries of plain
    strings: Arrow cannot look up values in the former."""
    for position, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and field.type.value_type in (pa.string_view(), pa.binary_view()):
            plain = pa.large_string() if pa.types.is_string_view(field.type.value_type) else pa.large_binary()
            arrow_type = pa.dictionary(field.type.index_type, plain)
            chunks = [
                pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(plain))
                for chunk in table.column(position).chunks
            ]
            table = table.set_column(position, field.name, pa.chunked_array(chunks, arrow_type))
    return table


def _from_dicts(rows: Sequence[Mapping[str, Any]], schema: TableSchema, row_kind: str | None) -> pa.Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {}
    for name in names:
        if not isinstance(name, str) or not is_utf8(name):
            raise SchemaMismatch(f"{name!r:.60} is not a valid column name.", "Use text as the keys of rows.")
    for name in names:
        values = [row.get(name) for row in rows]
        declared = None if name == row_kind else schema.field(name) if name in schema.field_names else None
        try:
            columns[name] = values_of_column(values, declared) if declared else pa.array(values)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            declared_type = declared.type if declared else "unknown"
            raise SchemaMismatch(
                f"Column '{name}' is {declared_type}, and these values do not fit: {_first_line(error)}."
            ) from error
    return pa.table(columns)


def values_of_column(values: Sequence[Any], field: DataField) -> pa.Array | pa.ChunkedArray:
    """Return Python values in the type of a column, with the same casts as Arrow columns. If Arrow were given the type
    directly, it would truncate values, such as 1.5 for an INT or noon for a DATE.

    Raises:
        SchemaMismatch: Values cannot be converted without loss.
        pyarrow.ArrowException, TypeError, ValueError, OverflowError: Values have no common type.
    """
    target = field_to_arrow(field).type
    try:
        given = pa.array(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        # Values of several Python types, which may be compatible with the column's type.
        return pa.array(values, target)
    if given.type == target:
        return given
    if _means_by_type(given.type, target):
        return pa.array(values, target)
    if pa.types.is_nested(target):
        # The cast reports nulls in NOT NULL fields, but not their path.
        from workbench.write.nested_nulls import with_required_values

        with_required_values(pa.chunked_array([pa.array(values, target)]), field.name)
    return _cast(given if isinstance(given, pa.ChunkedArray) else pa.chunked_array([given]), field, target)


def _means_by_type(given: pa.DataType, target: pa.DataType) -> bool:
    """Return whether Python values of the type ``given`` can only be interpreted with the target type: pairs for a MAP,
    tuples for a ROW, integers for a DATE, strings for BYTES."""
    if _is_list(given) and _is_list(target):
        return _means_by_type(given.value_type, target.value_type)
    if pa.types.is_struct(given) and pa.types.is_struct(target):
        return any(
            _means_by_type(part.type, target.field(part.name).type) for part in given if part.name in target.names
        )
    if pa.types.is_nested(given) and pa.types.is_nested(target):
        return True
    if isinstance(given, pa.BaseExtensionType):
        return True
    texts = (pa.string(), pa.binary())
    return (given in texts and target in texts) or (pa.types.is_integer(given) and pa.types.is_temporal(target))


def conform(table: pa.Table, schema: TableSchema, extra: str | None = None) -> pa.Table:
    """Return the columns, matched by name, in the table's order and types; missing nullable columns are null or their
    default.

    ``extra`` is a column that is not stored. Lossless casts are applied; other casts are refused.
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


def _cast(column: pa.ChunkedArray, field: DataField, target: pa.DataType) -> pa.ChunkedArray:
    given = column.type
    if pa.types.is_dictionary(given):
        column = column.cast(given.value_type)
        given = given.value_type
    if not _may_cast(given, target):
        raise SchemaMismatch(f"Column '{field.name}' is {field.type}, but the values are {given}.", "Cast them first.")
    try:
        if pa.types.is_integer(given) and pa.types.is_decimal(target):
            # Arrow requires the type to fit every possible integer; only the actual values have to fit.
            column = column.cast(pa.decimal128(max(target.precision, min(38, 20 + target.scale)), target.scale))
        cast = column.cast(target)
    except pa.ArrowException as error:
        raise SchemaMismatch(
            f"Column '{field.name}' is {field.type}, and values of type {given} do not fit: {_first_line(error)}."
        ) from error
    if _infinities(cast) != _infinities(column):
        raise SchemaMismatch(f"Column '{field.name}' is {field.type}, and some values of type {given} are too large.")
    return cast


def _infinities(column: pa.ChunkedArray | pa.Array) -> int:
    """Return the number of infinite values in a column, including nested ones."""
    if isinstance(column, pa.ChunkedArray):
        return sum(map(_infinities, column.chunks))
    if pa.types.is_floating(column.type):
        return pc.sum(pc.is_inf(column)).as_py() or 0
    if pa.types.is_struct(column.type):
        return sum(map(_infinities, column.flatten()))
    if pa.types.is_map(column.type):
        return _infinities(pa.ListArray.from_arrays(column.offsets, column.items).flatten())
    return _infinities(column.flatten()) if _is_list(column.type) else 0


def _is_list(arrow_type: pa.DataType) -> bool:
    return any(
        (pa.types.is_list(arrow_type), pa.types.is_large_list(arrow_type), pa.types.is_fixed_size_list(arrow_type))
    )


def _may_cast(given: pa.DataType, target: pa.DataType) -> bool:
    """Return whether a cast is within one type family: within a family, Arrow itself refuses casts that would lose a
    value. Beyond that, it would drop fields of rows that have no counterpart, and convert the elements of lists to
    text."""
    if pa.types.is_nested(given) and pa.types.is_nested(target):
        return _may_cast_parts(given, target)
    if pa.types.is_dictionary(given):
        given = given.value_type
    families: tuple[Callable[[Any], bool], ...] = (
        lambda arrow_type: pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type),
        lambda arrow_type: pa.types.is_integer(arrow_type) or pa.types.is_decimal(arrow_type),
        lambda arrow_type: (
            pa.types.is_string(arrow_type)
            or pa.types.is_large_string(arrow_type)
            or pa.types.is_string_view(arrow_type)
        ),
        lambda arrow_type: (
            pa.types.is_binary(arrow_type)
            or pa.types.is_large_binary(arrow_type)
            or pa.types.is_fixed_size_binary(arrow_type)
            or pa.types.is_binary_view(arrow_type)
        ),
        lambda arrow_type: pa.types.is_boolean(arrow_type),
        lambda arrow_type: pa.types.is_date(arrow_type),
        lambda arrow_type: pa.types.is_time(arrow_type),
        lambda arrow_type: pa.types.is_timestamp(arrow_type) and arrow_type.tz is None,
        lambda arrow_type: pa.types.is_timestamp(arrow_type) and arrow_type.tz is not None,
    )
    return pa.types.is_null(given) or any(family(given) and family(target) for family in families)


def _may_cast_parts(given: pa.DataType, target: pa.DataType) -> bool:
    if pa.types.is_struct(given) and pa.types.is_struct(target):
        known = set(target.names)
        return all(part.name in known and _may_cast(part.type, target.field(part.name).type) for part in given)
    if pa.types.is_map(given) and pa.types.is_map(target):
        return _may_cast(given.key_type, target.key_type) and _may_cast(given.item_type, target.item_type)
    # Arrow 26 loses the values of list views.
    return _is_list(given) and _is_list(target) and _may_cast(given.value_type, target.value_type)


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


def _first_line(error: BaseException | str) -> str:
    line = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN]}…"
