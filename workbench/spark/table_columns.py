"""Conversion of a DataFrame's columns to those of a table."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, functions
from pyspark.sql import types as spark

from workbench.base.errors import SchemaMismatch, did_you_mean
from workbench.format.types import AtomicType, DataField
from workbench.spark.bucket import quoted
from workbench.spark.types import to_spark

_INTEGERS: tuple[type[spark.DataType], ...] = (spark.ByteType, spark.ShortType, spark.IntegerType, spark.LongType)
_INTEGER_DIGITS: dict[type[spark.DataType], int] = {
    spark.ByteType: 3,
    spark.ShortType: 5,
    spark.IntegerType: 10,
    spark.LongType: 19,
}
# Lossless conversions: a double can hold every INT, a float every SMALLINT.
_REALS: dict[type[spark.DataType], tuple[type[spark.DataType], ...]] = {
    spark.FloatType: (spark.ByteType, spark.ShortType),
    spark.DoubleType: (spark.ByteType, spark.ShortType, spark.IntegerType, spark.FloatType),
}
_MOMENTS = (spark.TimestampType, spark.TimestampNTZType)


def check_columns(frame: spark.StructType, fields: Sequence[DataField], extra: Sequence[str] = ()) -> None:
    """Check that the columns of a DataFrame fit the table; ``extra`` are further columns that it must have, which
    are not stored.

    Columns are matched by name. Types may be widened without loss (and ``timestamp`` and ``timestamp_ntz`` are
    converted in the session time zone, as in Spark); a nullable column may be missing.

    Raises:
        SchemaMismatch: If the table does not have a column, a required column is missing, or a type does not fit.
    """
    present = {field.name: field for field in frame.fields}
    if len(present) < len(frame.fields):
        raise SchemaMismatch("The DataFrame has two columns of the same name.", "Rename one of them.")
    names = [field.name for field in fields]
    for name in present:
        if name not in names and name not in extra:
            raise SchemaMismatch(f"The table has no column '{name}'.", did_you_mean(name, names))
    for name in extra:
        if name not in present:
            raise SchemaMismatch(f"The DataFrame has no column '{name}'.", did_you_mean(name, present))
    for field in fields:
        _check_column(present.get(field.name), field)


def _check_column(given: spark.StructField | None, field: DataField) -> None:
    target = to_spark(field.type)
    if given is None:
        if not field.type.nullable and field.default_value is None:
            raise SchemaMismatch(
                f"Column '{field.name}' is missing, but has type {field.type}.", "Add it to the DataFrame."
            )
    elif not can_widen(given.dataType, target):
        cast = f"Cast it first: df.withColumn('{field.name}', col('{field.name}').cast('{target.simpleString()}'))."
        nested = "Select its fields by name, in the order of the table; a cast would match them by position."
        raise SchemaMismatch(
            f"Column '{field.name}' is {given.dataType.simpleString()}, but the table has {field.type}.",
            nested if isinstance(target, spark.ArrayType | spark.MapType | spark.StructType) else cast,
        )


def table_columns(frame: spark.StructType, fields: Sequence[DataField]) -> list[Column]:
    """Return the projection of a DataFrame, checked by `check_columns`, to the table's columns, types and order.

    A missing column becomes null, and a null becomes the column's default if it has one (format §25.5).
    """
    present = {field.name: field.dataType for field in frame.fields}
    return [_table_column(present.get(field.name), field) for field in fields]


def missing_value(field: DataField) -> Column:
    """Return the value of a column that a row lacks: its default, or NULL."""
    return _table_column(None, field)


def _table_column(given: spark.DataType | None, field: DataField) -> Column:
    if given is not None and _is_stored(given, field):
        return functions.col(quoted(field.name))
    target = relaxed(to_spark(field.type))
    column = functions.lit(None) if given is None else functions.col(quoted(field.name))
    if given is None or relaxed(given) != target:
        column = column.cast(target)
    if field.default_value is not None and isinstance(field.type, AtomicType):
        # The tasks that write the rows know the defaults of arrays, maps and rows.
        column = functions.coalesce(column, functions.lit(_value_text(field.default_value)).cast(target))
    return column.alias(field.name)


def has_columns_of(frame: spark.StructType, fields: Sequence[DataField]) -> bool:
    """Return whether rows have exactly the columns of a table, in their order, and no default takes effect."""
    given = frame.fields
    return [each.name for each in given] == [each.name for each in fields] and all(
        _is_stored(each.dataType, field) for each, field in zip(given, fields, strict=True)
    )


def _is_stored(given: spark.DataType, field: DataField) -> bool:
    """Return whether values of a type are stored in a column unchanged."""
    has_default = field.default_value is not None and isinstance(field.type, AtomicType)
    return not has_default and relaxed(given) == relaxed(to_spark(field.type))


def relaxed(data_type: spark.DataType) -> spark.DataType:
    """Return the type with nulls allowed at every level: Spark refuses to cast them away, so the writer checks for
    them.
    """
    if isinstance(data_type, spark.ArrayType):
        return spark.ArrayType(relaxed(data_type.elementType))
    if isinstance(data_type, spark.MapType):
        return spark.MapType(relaxed(data_type.keyType), relaxed(data_type.valueType))
    if isinstance(data_type, spark.StructType):
        return spark.StructType([spark.StructField(each.name, relaxed(each.dataType)) for each in data_type.fields])
    return data_type


def can_widen(given: spark.DataType, target: spark.DataType) -> bool:
    """Return whether every value of ``given`` can be written as ``target`` without loss."""
    if isinstance(given, spark.NullType) or given == target:
        return True
    if isinstance(target, spark.DecimalType):
        return _fits_decimal(given, target)
    if isinstance(target, spark.ArrayType):
        return isinstance(given, spark.ArrayType) and can_widen(given.elementType, target.elementType)
    if isinstance(target, spark.MapType):
        return (
            isinstance(given, spark.MapType)
            and can_widen(given.keyType, target.keyType)
            and can_widen(given.valueType, target.valueType)
        )
    if isinstance(target, spark.StructType):
        return (
            isinstance(given, spark.StructType)
            and given.names == target.names
            and all(can_widen(a.dataType, b.dataType) for a, b in zip(given.fields, target.fields, strict=True))
        )
    return _widens_plainly(given, target)


def _widens_plainly(given: spark.DataType, target: spark.DataType) -> bool:
    if isinstance(target, _INTEGERS):
        return isinstance(given, _INTEGERS) and _INTEGERS.index(type(given)) <= _INTEGERS.index(type(target))
    if type(target) in _REALS:
        return isinstance(given, _REALS[type(target)])
    if isinstance(target, _MOMENTS):
        return isinstance(given, (spark.DateType, *_MOMENTS))
    return isinstance(target, spark.StringType) and isinstance(given, spark.StringType)


def _fits_decimal(given: spark.DataType, target: spark.DecimalType) -> bool:
    room = target.precision - target.scale
    if isinstance(given, spark.DecimalType):
        return given.scale <= target.scale and given.precision - given.scale <= room
    return type(given) in _INTEGER_DIGITS and _INTEGER_DIGITS[type(given)] <= room


def _value_text(default: str) -> str:
    """Return the text of a default without the quotes around it."""
    return default[1:-1] if len(default) > 1 and default[0] == default[-1] == "'" else default
