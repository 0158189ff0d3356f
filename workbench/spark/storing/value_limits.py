"""Limits of values as expressions of Spark: the length of text and bytes, and text in UTF-8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from pyspark.sql import functions

from workbench.format.types import (
    ArrayType,
    AtomicType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    char_length,
    holds,
)
from workbench.spark.bucket import quoted
from workbench.spark.types import DECLARED_TYPE
from workbench.write.value_limits import has_limits, not_utf8, too_long

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from workbench.format.spec.schema import TableSchema

_TEXTS = ("CHAR", "VARCHAR")
# Stands for the row in the text of an error, whose values only Spark knows.
_ROW = "<row>"
_NAMING_COLUMNS = 3


def with_limits(frame: DataFrame, fields: Sequence[DataField]) -> DataFrame:
    """Return rows of a table without blanks beyond the length of text; the job fails if a value is too long.

    The bucket of a row depends on its values, so this precedes all that computes buckets.
    """
    limited = {each.name: each for each in fields if has_limits(each.type)}
    present = [limited[name] for name in frame.columns if name in limited]
    if not present:
        return frame
    return frame.withColumns({each.name: within_limits(functions.col(quoted(each.name)), each) for each in present})


def within_limits(column: Column, field: DataField, *, pads: bool = False) -> Column:
    """Return a column without blanks beyond the length of text; its evaluation fails for a value that is too long.

    Args:
        column: The values, in the Spark type of the field.
        field: The column of the table.
        pads: Whether CHAR is padded with blanks, as by Spark's own writes.
    """
    return _limited(column, field.type, field.name, pads=pads)


def with_padding(frame: DataFrame, fields: Sequence[DataField]) -> DataFrame:
    """Return rows of a table in which CHAR is padded with blanks.

    Spark pads CHAR in queries itself, but not in the rows of a table that UPDATE, DELETE and MERGE change.
    """
    lengths = {each.name: char_length(each.type) for each in fields}
    chars = {name: length for name in frame.columns if (length := lengths.get(name)) is not None}
    return frame.withColumns({name: _filled(functions.col(quoted(name)), chars[name]) for name in chars})


def with_nested_padding(frame: DataFrame, fields: Sequence[DataField]) -> DataFrame:
    """Return rows of a table in which CHAR inside other types is padded with blanks; Spark's writes pad other CHAR."""
    padded = {each.name: each for each in fields if any(holds(child, "CHAR") for child in each.type.children())}
    present = [padded[name] for name in frame.columns if name in padded]
    if not present:
        return frame
    return frame.withColumns(
        {each.name: within_limits(functions.col(quoted(each.name)), each, pads=True) for each in present}
    )


def with_char_types(frame: DataFrame, fields: Sequence[DataField]) -> DataFrame:
    """Return rows of a table in which CHAR is padded with blanks, and known to Spark as CHAR, so that conditions of
    queries over these rows pad constants."""
    lengths = {each.name: char_length(each.type) for each in fields}
    if not any(lengths.get(name) for name in frame.columns):
        return frame
    columns = [
        column
        if (length := lengths.get(name)) is None
        else _filled(column, length).alias(name, metadata={DECLARED_TYPE: f"char({length})"})
        for name in frame.columns
        for column in (functions.col(quoted(name)),)
    ]
    return frame.select(*columns)


def _filled(text: Column, length: int) -> Column:
    return functions.when(functions.length(text) < length, functions.rpad(text, length, " ")).otherwise(text)


def _limited(column: Column, data_type: DataType, path: str, *, pads: bool) -> Column:
    if not has_limits(data_type):
        return column
    if isinstance(data_type, AtomicType):
        if data_type.root in _TEXTS:
            return _of_text(column, data_type, path, pads=pads)
        return _of_bytes(column, data_type, path)
    if isinstance(data_type, RowType):
        parts = [
            _limited(column.getField(each.name), each.type, f"{path}.{each.name}", pads=pads).alias(each.name)
            for each in data_type.fields
        ]
        return functions.when(column.isNotNull(), functions.struct(*parts))
    if isinstance(data_type, MapType | MultisetType):
        key = data_type.children()[0]
        if has_limits(key):
            column = functions.transform_keys(column, lambda each, _: _limited(each, key, f"{path}.key", pads=pads))
        if isinstance(data_type, MapType) and has_limits(data_type.value):
            value = data_type.value
            column = functions.transform_values(
                column, lambda _, each: _limited(each, value, f"{path}.value", pads=pads)
            )
        return column
    (element,) = data_type.children()
    return functions.transform(column, lambda each: _limited(each, element, f"{path}.element", pads=pads))


def _of_text(text: Column, data_type: AtomicType, path: str, *, pads: bool) -> Column:
    limit = data_type.length
    assert limit is not None
    short = functions.rtrim(text)
    trimmed = functions.rpad(short, limit, " ")
    refused = _refused(path, data_type, functions.length(short), "characters").cast("string")
    fitting = functions.when(functions.length(short) > limit, refused).otherwise(trimmed)
    filled = functions.rpad(text, limit, " ") if pads and data_type.root == "CHAR" else text
    return functions.when(functions.length(text) <= limit, filled).otherwise(fitting)


def _of_bytes(value: Column, data_type: AtomicType, path: str) -> Column:
    length, limit = functions.octet_length(value), data_type.length
    assert limit is not None
    refused = _refused(path, data_type, length, "bytes").cast("binary")
    return functions.when(length > limit, refused).otherwise(value)


def _refused(path: str, data_type: DataType, length: Column, unit: str) -> Column:
    text = str(too_long(path.replace("%", "%%"), data_type, "a row", "%d", unit))
    return functions.raise_error(functions.format_string(text, length))


def in_utf8(column: Column, data_type: DataType, path: str, named_by: Sequence[DataField]) -> Column:
    """Return the column; its evaluation fails if text in it is not UTF-8, which casts of binary values can create.

    Args:
        column: The values.
        data_type: Their type.
        path: The name of the column.
        named_by: The columns whose values name a row in the error, see `naming_fields`.
    """
    valid = _is_valid(column, data_type)
    if valid is None:
        return column
    before, after = str(not_utf8(path, _ROW)).rsplit(_ROW, 1)
    message = functions.concat(functions.lit(before), _row_name(named_by), functions.lit(after))
    return functions.when(functions.coalesce(valid, functions.lit(True)), column).otherwise(
        functions.raise_error(message)
    )


def naming_fields(schema: TableSchema) -> list[DataField]:
    """Return the columns whose values name a row of a table in errors: the primary key, or else the first columns."""
    keys = [schema.field(name) for name in schema.primary_keys]
    return keys or [each for each in schema.fields if isinstance(each.type, AtomicType)][:_NAMING_COLUMNS]


def _row_name(fields: Sequence[DataField]) -> Column:
    values = [
        functions.coalesce(functions.col(quoted(each.name)).cast("string"), functions.lit("NULL")) for each in fields
    ]
    pairs = [
        functions.concat(functions.lit(f"{each.name} = "), value) for each, value in zip(fields, values, strict=True)
    ]
    return (
        functions.concat(functions.lit("the row with "), functions.concat_ws(", ", *pairs))
        if pairs
        else functions.lit("a row")
    )


def _is_valid(column: Column, data_type: DataType) -> Column | None:
    """Return whether all text in a column is UTF-8; None if it contains no text."""
    if isinstance(data_type, AtomicType):
        return functions.is_valid_utf8(column) if data_type.root in _TEXTS else None
    if isinstance(data_type, RowType):
        parts = [_is_valid(column.getField(each.name), each.type) for each in data_type.fields]
    elif isinstance(data_type, MapType | MultisetType):
        parts = [_all_valid(functions.map_keys(column), data_type.children()[0])]
        if isinstance(data_type, MapType):
            parts.append(_all_valid(functions.map_values(column), data_type.value))
    else:
        parts = [_all_valid(column, each) for each in data_type.children()] if isinstance(data_type, ArrayType) else []
    known = [functions.coalesce(part, functions.lit(True)) for part in parts if part is not None]
    if not known:
        return None
    valid = known[0]
    for part in known[1:]:
        valid = valid & part
    return valid


def _all_valid(values: Column, element: DataType) -> Column | None:
    if _is_valid(functions.lit(None), element) is None:
        return None

    def is_valid(each: Column) -> Column:
        return functions.coalesce(cast("Column", _is_valid(each, element)), functions.lit(True))

    return functions.forall(values, is_valid)
