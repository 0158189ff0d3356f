"""Spark's rules for storing rows in a table, for writes to tables that Spark itself does not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions
from pyspark.sql import types as spark

from workbench.base.counting import counted
from workbench.base.errors import SchemaMismatch, did_you_mean
from workbench.spark.bucket import quoted
from workbench.spark.storing.nested_values import Conversion
from workbench.spark.storing.value_limits import within_limits
from workbench.spark.table_columns import can_widen
from workbench.spark.types import to_spark
from workbench.write.rows.names import joined, spelled

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from workbench.format.types import DataField

_NUMBERS: tuple[type[spark.DataType], ...] = (
    spark.ByteType,
    spark.ShortType,
    spark.IntegerType,
    spark.LongType,
    spark.FloatType,
    spark.DoubleType,
)


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
            f"The rows have {counted(len(frame.columns), 'columns')}, but {len(fields)} are filled: "
            f"{', '.join(field.name for field in fields)}.",
            "Name the columns to fill, or select as many.",
        )
    return _stored(frame.toDF(*(field.name for field in fields)), fields, Conversion(by_name=False, casts=casts))


def by_name(frame: DataFrame, fields: Sequence[DataField], *, casts: bool = False) -> DataFrame:
    """Return the rows with their columns and nested fields matched to those of a table by name, cast as in
    `by_position`; see `with_names_of`.

    Nested fields must be complete. Columns that the rows lack are left out; a write sets
    them to NULL or their default.

    Args:
        frame: The rows.
        fields: The columns of the table.
        casts: As in `by_position`.

    Raises:
        SchemaMismatch: If the table lacks a column or a nested field, the rows lack a nested field, a name is
            ambiguous, or a type cannot be stored in its column.
    """
    frame = with_names_of(frame, fields)
    known = {field.name: field for field in fields}
    for name in frame.columns:
        if name not in known:
            raise SchemaMismatch(f"The table has no column '{name}'.", did_you_mean(name, known))
    return _stored(frame, [known[name] for name in frame.columns], Conversion(casts=casts))


def with_names_of(frame: DataFrame, fields: Sequence[DataField]) -> DataFrame:
    """Return rows whose columns and nested fields are spelled like those of a table, unless the session is
    case-sensitive.

    Args:
        frame: The rows.
        fields: The columns of the table.

    Raises:
        SchemaMismatch: If a name is ambiguous.
    """
    if is_case_sensitive(frame):
        return frame
    columns = []
    for given, named in zip(frame.schema.fields, names_like(frame.schema, fields).fields, strict=True):
        column = functions.col(quoted(given.name))
        column = column if given.dataType == named.dataType else column.cast(named.dataType)
        columns.append(column.alias(named.name))
    return frame.select(*columns)


def is_case_sensitive(frame: DataFrame) -> bool:
    """Return whether names that differ only in case are different names in the session of a DataFrame."""
    return str(frame.sparkSession.conf.get("spark.sql.caseSensitive", "false")).lower() == "true"


def names_like(given: spark.StructType, fields: Sequence[DataField], row_kind: str | None = None) -> spark.StructType:
    """Return the columns of rows, spelled like those of a table where their names differ only in case.

    Args:
        given: The columns of the rows.
        fields: The columns of the table.
        row_kind: A column that is not stored.

    Raises:
        SchemaMismatch: If a name is ambiguous.
    """
    target = spark.StructType([spark.StructField(field.name, to_spark(field.type)) for field in fields])
    stored = _names_like(spark.StructType([each for each in given.fields if each.name != row_kind]), target)
    named = iter(stored.fields)
    return spark.StructType([each if each.name == row_kind else next(named) for each in given.fields])


def _names_like(given: spark.StructType, target: spark.StructType, path: str = "") -> spark.StructType:
    """Return the ``given`` fields, spelled as in ``target`` where their names differ only in case."""
    names = spelled(given.names, target.names, path)
    fields = []
    for field in given.fields:
        name = names.get(field.name)
        if name is None:
            fields.append(field)
        else:
            inside = _spelled_like(field.dataType, target[name].dataType, joined(path, name))
            fields.append(spark.StructField(name, inside, field.nullable))
    return spark.StructType(fields)


def _spelled_like(given: spark.DataType, target: spark.DataType, path: str) -> spark.DataType:
    if isinstance(given, spark.StructType) and isinstance(target, spark.StructType):
        return _names_like(given, target, path)
    if isinstance(given, spark.ArrayType) and isinstance(target, spark.ArrayType):
        element = _spelled_like(given.elementType, target.elementType, f"{path}.element")
        return spark.ArrayType(element, given.containsNull)
    if isinstance(given, spark.MapType) and isinstance(target, spark.MapType):
        value = _spelled_like(given.valueType, target.valueType, f"{path}.value")
        return spark.MapType(given.keyType, value, given.valueContainsNull)
    return given


def with_fields_of(frame: DataFrame, fields: Sequence[DataField]) -> DataFrame:
    """Return the rows with their columns converted to the types of a table, matching nested fields by name.

    Fields that the rows lack become NULL.

    Args:
        frame: The rows.
        fields: The columns of the table.

    Raises:
        SchemaMismatch: If the table lacks a nested field, or a type cannot be stored in its column.
    """
    targets = {field.name: to_spark(field.type) for field in fields}
    columns = []
    for given in frame.schema.fields:
        column, target = functions.col(quoted(given.name)), targets.get(given.name, given.dataType)
        if not can_widen(given.dataType, target):
            column = Conversion(fills=True).column(column, given.dataType, target, given.name).alias(given.name)
        columns.append(column)
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
    made = Conversion(casts=True).column(value, given, target, ".".join([field.name, *path]))
    return old.withField(".".join(map(quoted, path)), made) if path else within_limits(made, field, pads=True)


def can_up_cast(given: spark.DataType, target: spark.DataType) -> bool:
    """Return whether Spark's ALTER TABLE can change one type to another, because the new type holds all values."""
    if given == target or isinstance(given, spark.NullType):
        return True
    if isinstance(target, spark.StringType):
        return isinstance(given, spark.AtomicType) and not isinstance(given, spark.BinaryType)
    if isinstance(target, spark.DecimalType) or type(given) not in _NUMBERS:
        return can_widen(given, target)
    return type(target) in _NUMBERS and _NUMBERS.index(type(given)) < _NUMBERS.index(type(target))


def _stored(frame: DataFrame, fields: Sequence[DataField], conversion: Conversion) -> DataFrame:
    """Return the rows, whose columns have the names of the fields, with the types of the fields."""
    columns = []
    for given, field in zip(frame.schema.fields, fields, strict=True):
        column = conversion.column(functions.col(quoted(field.name)), given.dataType, to_spark(field.type), field.name)
        columns.append(within_limits(column, field, pads=True).alias(field.name))
    return frame.select(*columns)
