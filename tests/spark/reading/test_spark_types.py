from __future__ import annotations

import pytest
from pyspark.sql import types as spark_types

from workbench.base.errors import SchemaMismatch, Unsupported
from workbench.format.types import DataField, parse_type
from workbench.spark.table_columns import can_widen, check_columns
from workbench.spark.types import declared_schema, from_declared, spark_schema, to_spark

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def ddl(text: str) -> spark_types.StructType:
    return spark_types._parse_datatype_string(text)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("paimon", "spark_name"),
    [
        ("CHAR(3)", "string"),
        ("STRING", "string"),
        ("BYTES", "binary"),
        ("DECIMAL(12, 3)", "decimal(12,3)"),
        ("TINYINT", "tinyint"),
        ("BIGINT", "bigint"),
        ("DATE", "date"),
        ("TIMESTAMP(3)", "timestamp_ntz"),
        ("TIMESTAMP(9)", "timestamp_ntz"),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", "timestamp"),
        ({"type": "ARRAY", "element": "INT NOT NULL"}, "array<int>"),
        ({"type": "MAP", "key": "STRING", "value": "DOUBLE"}, "map<string,double>"),
        ({"type": "MULTISET", "element": "STRING"}, "map<string,int>"),
        ({"type": "ROW", "fields": [{"id": 1, "name": "a", "type": "INT"}]}, "struct<a:int>"),
    ],
)
def test_types(paimon: object, spark_name: str) -> None:
    assert to_spark(parse_type(paimon)).simpleString() == spark_name  # type: ignore[arg-type]


def test_nullability_is_kept() -> None:
    kind = to_spark(parse_type({"type": "ARRAY", "element": "INT NOT NULL"}))
    assert not kind.containsNull  # type: ignore[attr-defined]
    assert not spark_schema([DataField(0, "k", parse_type("INT NOT NULL"))])["k"].nullable


@pytest.mark.parametrize("kind", ["TIME(3)", "BLOB"])
def test_types_that_spark_does_not_have_are_refused_by_column(kind: str) -> None:
    with pytest.raises(Unsupported, match="Column 'c'"):
        spark_schema([DataField(0, "c", parse_type(kind))])


@pytest.mark.parametrize(
    ("given", "target", "fits"),
    [
        ("tinyint", "INT", True),
        ("bigint", "INT", False),
        ("int", "DOUBLE", True),
        ("bigint", "DOUBLE", False),
        ("smallint", "FLOAT", True),
        ("int", "FLOAT", False),
        ("float", "DOUBLE", True),
        ("double", "FLOAT", False),
        ("int", "DECIMAL(10, 0)", True),
        ("int", "DECIMAL(10, 1)", False),
        ("decimal(10,2)", "DECIMAL(12, 4)", True),
        ("decimal(10,2)", "DECIMAL(11, 4)", False),
        ("decimal(10,2)", "DOUBLE", False),
        ("string", "STRING", True),
        ("int", "STRING", False),
        ("string", "INT", False),
        ("date", "TIMESTAMP(6)", True),
        ("timestamp", "TIMESTAMP(6)", True),
        ("timestamp_ntz", "TIMESTAMP(6) WITH LOCAL TIME ZONE", True),
        ("timestamp", "DATE", False),
        ("boolean", "INT", False),
        ("void", "DATE", True),
        ("array<int>", {"type": "ARRAY", "element": "BIGINT"}, True),
        ("array<string>", {"type": "ARRAY", "element": "BIGINT"}, False),
        ("map<string,int>", {"type": "MAP", "key": "STRING", "value": "INT"}, True),
        ("struct<a:int>", {"type": "ROW", "fields": [{"id": 1, "name": "a", "type": "BIGINT"}]}, True),
        ("struct<b:int>", {"type": "ROW", "fields": [{"id": 1, "name": "a", "type": "BIGINT"}]}, False),
    ],
)
def test_types_that_may_be_widened(given: str, target: object, fits: bool) -> None:
    kind = ddl(f"c {given}").fields[0].dataType
    assert can_widen(kind, to_spark(parse_type(target))) == fits  # type: ignore[arg-type]


FIELDS = [
    DataField(0, "id", parse_type("BIGINT NOT NULL")),
    DataField(1, "name", parse_type("STRING")),
    DataField(2, "seats", parse_type("INT NOT NULL"), default_value="4"),
    DataField(3, "places", parse_type("ARRAY<ROW<x INT, y INT>>")),
]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ("name string", r"Column 'id' is missing, but has type BIGINT NOT NULL\."),
        ("id bigint, nam string", r"The table has no column 'nam'\. Did you mean 'name'\?"),
        ("id string", r"Column 'id' is string, but the table has BIGINT NOT NULL\. Cast it first"),
        ("id bigint, seats bigint", r"Column 'seats' is bigint, but the table has INT NOT NULL"),
        ("id bigint, places array<struct<y: int, x: int>>", r"Select its fields by name, in the order of the table"),
    ],
)
def test_columns_that_do_not_fit(frame: str, message: str) -> None:
    with pytest.raises(SchemaMismatch, match=message):
        check_columns(ddl(frame), FIELDS)


def test_columns_that_fit() -> None:
    check_columns(ddl("name string, id int"), FIELDS)
    check_columns(ddl("id bigint, op string"), FIELDS, ["op"])
    with pytest.raises(SchemaMismatch, match="no column 'kind'"):
        check_columns(ddl("id bigint"), FIELDS, ["kind"])


def test_metadata_with_another_type_is_not_the_type_of_a_column() -> None:
    (declared,) = declared_schema([DataField(0, "l", parse_type("ARRAY<CHAR(2)>"))]).fields
    assert str(from_declared(spark_types.StructType([declared]))[0].type) == "ARRAY<CHAR(2)>"
    widened = spark_types.StructField("l", spark_types.ArrayType(spark_types.LongType()), metadata=declared.metadata)
    assert str(from_declared(spark_types.StructType([widened]))[0].type) == "ARRAY<BIGINT>"
