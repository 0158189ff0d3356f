"""Conversions between Paimon and Spark types."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import TYPE_CHECKING

from pyspark.sql import types as spark
from pyspark.sql.pandas.types import to_arrow_schema

from workbench.base.errors import InvalidExpression, SchemaMismatch, Unsupported, did_you_mean
from workbench.expr.expressions import Literal
from workbench.expr.parse import parse
from workbench.format.types import (
    ArrayType,
    AtomicType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    field_text,
    parse_type,
)
from workbench.write.value_limits import has_limits

if TYPE_CHECKING:
    import pyarrow as pa

DECLARED_TYPE = "__CHAR_VARCHAR_TYPE_STRING"
"""The metadata of a STRING column in which Spark keeps its CHAR or VARCHAR."""
PAIMON_TYPE = "workbench.type"
"""The metadata of a column with its type in Paimon's grammar, which has more types than Spark."""
_SIMPLE: dict[str, type[spark.DataType]] = {
    "CHAR": spark.StringType,
    "VARCHAR": spark.StringType,
    "BOOLEAN": spark.BooleanType,
    "BINARY": spark.BinaryType,
    "VARBINARY": spark.BinaryType,
    "TINYINT": spark.ByteType,
    "SMALLINT": spark.ShortType,
    "INT": spark.IntegerType,
    "BIGINT": spark.LongType,
    "FLOAT": spark.FloatType,
    "DOUBLE": spark.DoubleType,
    "DATE": spark.DateType,
    "TIMESTAMP": spark.TimestampNTZType,
    "TIMESTAMP_LTZ": spark.TimestampType,
    "VARIANT": spark.VariantType,
}

_LONGEST = 2**31 - 1


def arrow_schema(schema: spark.StructType) -> pa.Schema:
    """Return the Arrow schema of a Spark schema, with times in UTC.

    Args:
        schema: The schema.
    """
    # Spark 4.1 supports no other zone here.
    has_zone = "timezone" in signature(to_arrow_schema).parameters
    return to_arrow_schema(schema, timezone="UTC") if has_zone else to_arrow_schema(schema)


def to_spark(data_type: DataType) -> spark.DataType:
    """Return the Spark type of a Paimon type.

    CHAR and VARCHAR are plain strings; TIMESTAMP is ``timestamp_ntz`` and TIMESTAMP WITH LOCAL TIME ZONE is
    ``timestamp``, both in microseconds, Spark's finest unit.

    Args:
        data_type: The Paimon type.

    Returns:
        The Spark type.

    Raises:
        Unsupported: If a DataFrame cannot hold the type yet (TIME, BLOB, VECTOR …).

    Example:
        >>> to_spark(parse_type("MAP<STRING, INT>")).simpleString()
        'map<string,int>'
    """
    if isinstance(data_type, AtomicType):
        if data_type.root == "DECIMAL":
            return spark.DecimalType(data_type.precision or 10, data_type.scale or 0)
        if data_type.root in _SIMPLE:
            return _SIMPLE[data_type.root]()
    if isinstance(data_type, ArrayType):
        return spark.ArrayType(to_spark(data_type.element), data_type.element.nullable)
    if isinstance(data_type, MapType):
        return spark.MapType(to_spark(data_type.key), to_spark(data_type.value), data_type.value.nullable)
    if isinstance(data_type, MultisetType):
        return spark.MapType(to_spark(data_type.element), spark.IntegerType(), valueContainsNull=False)
    if isinstance(data_type, RowType):
        return spark_schema(data_type.fields)
    raise Unsupported(f"Type {data_type} has no Spark type.", "Exclude the column, or read it with t.to_arrow.")


def spark_schema(fields: Sequence[DataField]) -> spark.StructType:
    """Return the Spark schema of these fields.

    Raises:
        Unsupported: If Spark does not have the type of a column; the message names it.
    """
    return spark.StructType([_spark_field(field) for field in fields])


def _spark_field(field: DataField) -> spark.StructField:
    try:
        return spark.StructField(field.name, to_spark(field.type), field.type.nullable)
    except Unsupported as error:
        raise Unsupported(f"Column '{field.name}': {error.message}", error.hint) from None


def declared_schema(fields: Sequence[DataField]) -> spark.StructType:
    """Return the Spark schema of a table as Spark declares it: with comments, CHAR and VARCHAR.

    Inside other types they are STRING: Spark would pad these on every read, and compare them with constants that are
    not padded. Metadata keeps the whole type, so that CREATE TABLE … AS SELECT finds it.

    Raises:
        Unsupported: If Spark does not have the type of a column; the message names it.
    """
    declared = []
    for field, given in zip(fields, spark_schema(fields).fields, strict=True):
        metadata = {} if field.description is None else {"comment": field.description}
        if any(map(has_limits, field.type.children())):
            metadata[PAIMON_TYPE] = str(field.type.as_nullable())
        kind = _declared_type(field.type, given.dataType)
        declared.append(spark.StructField(given.name, kind, given.nullable, metadata))
    return spark.StructType(declared)


def _declared_type(data_type: DataType, given: spark.DataType) -> spark.DataType:
    if isinstance(data_type, AtomicType) and data_type.length is not None:
        if data_type.root == "CHAR":
            return spark.CharType(data_type.length)
        if data_type.root == "VARCHAR" and data_type.length < _LONGEST:
            return spark.VarcharType(data_type.length)
    return _with_comments(data_type, given)


def _with_comments(data_type: DataType, given: spark.DataType) -> spark.DataType:
    """Return a Spark type with the comments of its nested fields."""
    if isinstance(data_type, ArrayType) and isinstance(given, spark.ArrayType):
        return spark.ArrayType(_with_comments(data_type.element, given.elementType), given.containsNull)
    if isinstance(data_type, MapType) and isinstance(given, spark.MapType):
        key, value = _with_comments(data_type.key, given.keyType), _with_comments(data_type.value, given.valueType)
        return spark.MapType(key, value, given.valueContainsNull)
    if isinstance(data_type, RowType) and isinstance(given, spark.StructType):
        return spark.StructType(
            [
                spark.StructField(
                    own.name,
                    _with_comments(field.type, own.dataType),
                    own.nullable,
                    None if field.description is None else {"comment": field.description},
                )
                for field, own in zip(data_type.fields, given.fields, strict=True)
            ]
        )
    return given


_PAIMON = {
    "boolean": "BOOLEAN",
    "byte": "TINYINT",
    "short": "SMALLINT",
    "integer": "INT",
    "long": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "STRING",
    "binary": "BYTES",
    "date": "DATE",
    "timestamp": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "timestamp_ntz": "TIMESTAMP(6)",
    "variant": "VARIANT",
}


def from_spark(data_type: spark.DataType) -> str:
    """Return a Spark type in Paimon's type grammar.

    Raises:
        Unsupported: If Paimon does not have the type.
    """
    if isinstance(data_type, spark.DecimalType):
        return f"DECIMAL({data_type.precision}, {data_type.scale})"
    if isinstance(data_type, spark.CharType | spark.VarcharType):
        return f"{data_type.typeName().upper()}({data_type.length})"
    if isinstance(data_type, spark.ArrayType):
        return f"ARRAY<{from_spark(data_type.elementType)}{_not_null(data_type.containsNull)}>"
    if isinstance(data_type, spark.MapType):
        value = f"{from_spark(data_type.valueType)}{_not_null(data_type.valueContainsNull)}"
        return f"MAP<{from_spark(data_type.keyType)}, {value}>"
    if isinstance(data_type, spark.StructType):
        return f"ROW<{', '.join(map(_nested_field, data_type.fields))}>"
    if data_type.typeName() in _PAIMON:
        return _PAIMON[data_type.typeName()]
    raise Unsupported(f"Spark's type {data_type.simpleString()} is not supported.", "Cast the column to another type.")


def _nested_field(field: spark.StructField) -> str:
    kind = f"{from_spark(field.dataType)}{_not_null(field.nullable)}"
    return field_text(field.name, kind, field.metadata.get("comment"))


def from_declared(schema: spark.StructType) -> list[DataField]:
    """Return the columns of a Spark schema as the columns of a new table, with comments and defaults.

    Raises:
        Unsupported: If Paimon does not have the type of a column.
    """
    return [
        DataField(
            number,
            field.name,
            parse_type(f"{_declared(field)}{_not_null(field.nullable)}"),
            field.metadata.get("comment"),
            default_text(field.metadata.get("CURRENT_DEFAULT")),
        )
        for number, field in enumerate(schema.fields)
    ]


def default_text(sql: str | None) -> str | None:
    """Return the text that a table stores for the SQL text of a default: its value, or the text of an expression."""
    if not sql:
        return None
    try:
        default = parse(sql)
    except (InvalidExpression, Unsupported):
        # Values of arrays, maps and rows, whose text the table parses.
        return sql
    if not isinstance(default, Literal):
        return sql
    value = default.value
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _declared(field: spark.StructField) -> str:
    """Return the type of a column; Spark keeps CHAR and VARCHAR in the metadata of a STRING column."""
    if PAIMON_TYPE in field.metadata:
        declared = str(field.metadata[PAIMON_TYPE])
        # Expressions such as UNION keep the metadata of a column whose type they widen.
        if to_spark(parse_type(declared)).simpleString() == field.dataType.simpleString():
            return declared
    text = str(field.metadata.get(DECLARED_TYPE, ""))
    return text.upper() if text.startswith(("char(", "varchar(")) else from_spark(field.dataType)


def _not_null(nullable: bool) -> str:
    return "" if nullable else " NOT NULL"


def check_requested(requested: spark.StructType, fields: Sequence[DataField]) -> None:
    """Check that a table has the columns of a read, with the same types.

    Raises:
        SchemaMismatch: If a column is missing or has another type.
    """
    known = {field.name: to_spark(field.type) for field in fields}
    for field in requested.fields:
        if field.name not in known:
            raise SchemaMismatch(f"The table has no column '{field.name}'.", did_you_mean(field.name, known))
        if field.dataType != known[field.name]:
            raise SchemaMismatch(
                f"Column '{field.name}' is {known[field.name].simpleString()}, not {field.dataType.simpleString()}."
            )
