"""Spark's rules for storing rows in a table, for writes to tables that Spark itself does not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from pyspark.sql import functions
from pyspark.sql import types as spark

from workbench.base.errors import SchemaMismatch, did_you_mean
from workbench.format.types import AtomicType
from workbench.spark.bucket import quoted
from workbench.spark.table_columns import can_widen
from workbench.spark.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from workbench.format.types import DataField, DataType

_NUMBERS: tuple[type[spark.DataType], ...] = (
    spark.ByteType,
    spark.ShortType,
    spark.IntegerType,
    spark.LongType,
    spark.FloatType,
    spark.DoubleType,
)
# The length of STRING.
_UNLIMITED = 2**31 - 1
_MOMENTS = (spark.DateType, spark.TimestampType, spark.TimestampNTZType)


def by_position(frame: DataFrame, fields: Sequence[DataField], *, casts: bool = False) -> DataFrame:
    """Return the rows with their columns assigned to those of a table by position, cast as by Spark's INSERT.

    Args:
        frame: The rows.
        fields: The columns of the table that the rows fill.
        casts: Whether values of other types are converted as by CAST, which is what Paimon's connector does for INSERT.

    Raises:
        SchemaMismatch: If there are more or fewer columns, or a type cannot be stored in its column.
    """
    if len(frame.columns) != len(fields):
        raise SchemaMismatch(
            f"The rows have {len(frame.columns)} columns, but {len(fields)} are filled: "
            f"{', '.join(field.name for field in fields)}.",
            "Name the columns to fill, or select as many.",
        )
    return _stored(frame.toDF(*(field.name for field in fields)), fields, casts=casts)


def by_name(frame: DataFrame, fields: Sequence[DataField], *, casts: bool = False) -> DataFrame:
    """Return the rows with their columns matched to those of a table by name, ignoring case, cast as in `by_position`.

    Columns that the rows lack are left out; a write sets them to NULL or their default.

    Args:
        frame: The rows.
        fields: The columns of the table.
        casts: As in `by_position`.

    Raises:
        SchemaMismatch: If the table lacks a column, or a type cannot be stored in its column.
    """
    known = {field.name.lower(): field for field in fields}
    for name in frame.columns:
        if name.lower() not in known:
            raise SchemaMismatch(f"The table has no column '{name}'.", did_you_mean(name, known))
    filled = [known[name.lower()] for name in frame.columns]
    return _stored(with_fields_of(frame.toDF(*(field.name for field in filled)), filled), filled, casts=casts)


def with_casts(frame: DataFrame, fields: Sequence[DataField], *, by_position: bool = False) -> DataFrame:
    """Return the rows with the columns of a table, converted as by CAST, as Paimon's connector stores a DataFrame.

    Columns and nested fields are matched by name or, on request, by position. Columns that the rows lack are left out.

    Args:
        frame: The rows.
        fields: The columns of the table.
        by_position: Whether columns and nested fields are matched by position.

    Raises:
        SchemaMismatch: If the table lacks a column.
    """
    if by_position:
        return frame.select(
            *(
                _of_length(functions.col(quoted(name)).cast(to_spark(field.type)), field.type).alias(field.name)
                for name, field in zip(frame.columns, fields, strict=True)
            )
        )
    known = {field.name.lower(): field for field in fields}
    columns = []
    for given in with_names_of(frame, fields).schema.fields:
        field = known.get(given.name.lower())
        if field is None:
            raise SchemaMismatch(f"The table has no column '{given.name}'.", did_you_mean(given.name, known))
        column = _by_fields(functions.col(quoted(given.name)), given.dataType, to_spark(field.type), casts=True)
        if column is None:
            raise SchemaMismatch(f"The values of column '{given.name}' have fields that the table lacks.")
        columns.append(_of_length(column, field.type).alias(field.name))
    return with_names_of(frame, fields).select(*columns)


def with_names_of(frame: DataFrame, fields: Sequence[DataField]) -> DataFrame:
    """Return rows whose columns and nested fields are spelled like those of a table, unless the session is
    case-sensitive.

    Args:
        frame: The rows.
        fields: The columns of the table.
    """
    if str(frame.sparkSession.conf.get("spark.sql.caseSensitive", "false")).lower() == "true":
        return frame
    target = spark.StructType([spark.StructField(field.name, to_spark(field.type)) for field in fields])
    columns = []
    for given, named in zip(frame.schema.fields, _names_like(frame.schema, target).fields, strict=True):
        column = functions.col(quoted(given.name))
        column = column if given.dataType == named.dataType else column.cast(named.dataType)
        columns.append(column.alias(named.name))
    return frame.select(*columns)


def _names_like(given: spark.StructType, target: spark.StructType) -> spark.StructType:
    """Return the ``given`` fields, spelled as in ``target`` where their names differ only in case."""
    known = {field.name.lower(): field for field in target.fields}
    fields = []
    for field in given.fields:
        like = known.get(field.name.lower())
        if like is None:
            fields.append(field)
        else:
            name = field.name if field.name in target.names else like.name
            fields.append(spark.StructField(name, _spelled_like(field.dataType, like.dataType), field.nullable))
    return spark.StructType(fields)


def _spelled_like(given: spark.DataType, target: spark.DataType) -> spark.DataType:
    if isinstance(given, spark.StructType) and isinstance(target, spark.StructType):
        return _names_like(given, target)
    if isinstance(given, spark.ArrayType) and isinstance(target, spark.ArrayType):
        return spark.ArrayType(_spelled_like(given.elementType, target.elementType), given.containsNull)
    if isinstance(given, spark.MapType) and isinstance(target, spark.MapType):
        value = _spelled_like(given.valueType, target.valueType)
        return spark.MapType(given.keyType, value, given.valueContainsNull)
    return given


def with_fields_of(frame: DataFrame, fields: Sequence[DataField]) -> DataFrame:
    """Return the rows with their columns converted to the types of a table, matching nested fields by name.

    Fields that the rows lack become NULL; columns that cannot be stored are left unchanged.

    Args:
        frame: The rows.
        fields: The columns of the table.
    """
    targets = {field.name: to_spark(field.type) for field in fields}
    columns = []
    for given in frame.schema.fields:
        column, target = functions.col(quoted(given.name)), targets.get(given.name, given.dataType)
        made = None if can_widen(given.dataType, target) else _by_fields(column, given.dataType, target)
        columns.append(column if made is None else made.alias(given.name))
    return frame.select(*columns)


def assigned_value(old: Column, path: Sequence[str], value: Column, given: spark.DataType, field: DataField) -> Column:
    """Return the new value of a column to which UPDATE or MERGE assigns a value, cast as in Paimon's connector.

    Args:
        old: The old value of the column.
        path: The names of nested fields, if only a field of the column is assigned.
        value: The value.
        given: The type of the value.
        field: The column.

    Raises:
        SchemaMismatch: If a nested field is unknown, or the value cannot be cast.
    """
    target = to_spark(field.type)
    for name in path:
        known = {each.name.lower(): each for each in target.fields} if isinstance(target, spark.StructType) else {}
        if name.lower() not in known:
            raise SchemaMismatch(f"Column '{field.name}' has no field '{name}'.", did_you_mean(name, known))
        target = known[name.lower()].dataType
    made = value if given == target else _by_fields(value, given, target)
    if made is None and isinstance(given, spark.AtomicType) and isinstance(target, spark.AtomicType):
        made = value.cast(target)
    if made is None:
        raise SchemaMismatch(
            f"Column '{field.name}' is {target.simpleString()}, which cannot hold {given.simpleString()}.",
            "Cast the value first.",
        )
    return old.withField(".".join(map(quoted, path)), made) if path else _of_length(made, field.type)


def _by_fields(column: Column, given: spark.DataType, target: spark.DataType, *, casts: bool = False) -> Column | None:
    """Return a column converted to another type, matching nested fields by name; None if that type cannot store it.

    With ``casts``, values are also cast where Spark refuses to store them.
    """
    if isinstance(given, spark.StructType) and isinstance(target, spark.StructType):
        present = {field.name: field.dataType for field in given.fields}
        if not present.keys() <= set(target.names):
            return None
        fields: list[Column] = []
        for field in target.fields:
            value: Column | None = functions.lit(None).cast(field.dataType)
            if field.name in present:
                value = _by_fields(column.getField(field.name), present[field.name], field.dataType, casts=casts)
            if value is None:
                return None
            fields.append(value.alias(field.name))
        return functions.when(column.isNotNull(), functions.struct(*fields))
    if isinstance(given, spark.ArrayType) and isinstance(target, spark.ArrayType):
        item, wanted = given.elementType, target.elementType
        if _by_fields(functions.lit(None).cast(item), item, wanted, casts=casts) is None:
            return None
        return functions.transform(column, lambda each: cast("Column", _by_fields(each, item, wanted, casts=casts)))
    return column.cast(target) if casts or can_store(given, target) else None


def _has_same_shape(given: spark.DataType, target: spark.DataType) -> bool:
    """Return whether two types are nested in the same way, so that CAST may convert one to the other."""
    if isinstance(given, spark.ArrayType) and isinstance(target, spark.ArrayType):
        return _has_same_shape(given.elementType, target.elementType)
    if isinstance(given, spark.MapType) and isinstance(target, spark.MapType):
        return _has_same_shape(given.keyType, target.keyType) and _has_same_shape(given.valueType, target.valueType)
    if isinstance(given, spark.StructType) and isinstance(target, spark.StructType):
        pairs = zip(given.fields, target.fields, strict=False)
        return len(given) == len(target) and all(_has_same_shape(one.dataType, two.dataType) for one, two in pairs)
    nested = (spark.ArrayType, spark.MapType, spark.StructType)
    return not isinstance(given, nested) and not isinstance(target, nested)


def can_store(given: spark.DataType, target: spark.DataType) -> bool:
    """Return whether Spark's INSERT casts one type to another with ANSI mode on."""
    if isinstance(given, spark.NullType) or given == target:
        return True
    if isinstance(target, spark.ArrayType):
        return isinstance(given, spark.ArrayType) and can_store(given.elementType, target.elementType)
    if isinstance(target, spark.MapType):
        return (
            isinstance(given, spark.MapType)
            and can_store(given.keyType, target.keyType)
            and can_store(given.valueType, target.valueType)
        )
    if isinstance(target, spark.StructType):
        return (
            isinstance(given, spark.StructType)
            and len(given.fields) == len(target.fields)
            and all(can_store(a.dataType, b.dataType) for a, b in zip(given.fields, target.fields, strict=True))
        )
    if isinstance(given, spark.ArrayType | spark.MapType | spark.StructType):
        return False
    if isinstance(target, spark.NumericType):
        return isinstance(given, spark.NumericType)
    if isinstance(target, spark.StringType):
        return not isinstance(given, spark.BinaryType | spark.VariantType)
    return isinstance(target, _MOMENTS) and isinstance(given, _MOMENTS)


def can_up_cast(given: spark.DataType, target: spark.DataType) -> bool:
    """Return whether Spark's ALTER TABLE can change one type to another, because the new type holds all values."""
    if given == target or isinstance(given, spark.NullType):
        return True
    if isinstance(target, spark.StringType):
        return isinstance(given, spark.AtomicType) and not isinstance(given, spark.BinaryType)
    if isinstance(target, spark.DecimalType) or type(given) not in _NUMBERS:
        return can_widen(given, target)
    return type(target) in _NUMBERS and _NUMBERS.index(type(given)) < _NUMBERS.index(type(target))


def _stored(frame: DataFrame, fields: Sequence[DataField], *, casts: bool) -> DataFrame:
    columns = []
    for given, field in zip(frame.schema.fields, fields, strict=True):
        target = to_spark(field.type)
        may_cast = casts and _has_same_shape(given.dataType, target)
        if not may_cast and not can_store(given.dataType, target):
            raise SchemaMismatch(
                f"Column '{field.name}' is {target.simpleString()}, which cannot hold {given.dataType.simpleString()}.",
                f"Cast it first: CAST({field.name} AS {target.simpleString()}).",
            )
        column = functions.col(quoted(field.name))
        column = column if given.dataType == target else column.cast(target)
        columns.append(_of_length(column, field.type).alias(field.name))
    return frame.select(*columns)


def _of_length(text: Column, data_type: DataType) -> Column:
    """Return a string that fits CHAR or VARCHAR: CHAR is padded with spaces, surplus trailing spaces are removed."""
    limit = data_type.length if isinstance(data_type, AtomicType) else None
    if limit is None or not isinstance(to_spark(data_type), spark.StringType) or limit == _UNLIMITED:
        return text
    trimmed = functions.rpad(functions.rtrim(text), limit, " ")
    refused = functions.raise_error(f"Exceeds char/varchar type length limitation: {limit}.")
    fitting = functions.when(functions.length(functions.rtrim(text)) > limit, refused).otherwise(trimmed)
    filled = functions.rpad(text, limit, " ") if data_type.root == "CHAR" else text
    return functions.when(functions.length(text) <= limit, filled).otherwise(fitting)
