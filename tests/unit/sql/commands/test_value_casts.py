"""CASTs around the values of UPDATE and MERGE, in the text of the statement."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pyspark")

from pyspark.sql import types as spark

from workbench.sql.commands.value_casts import with_value_casts

TYPES: dict[str, spark.DataType] = {
    "int": spark.IntegerType(),
    "long": spark.LongType(),
    "smallint": spark.ShortType(),
    "date": spark.DateType(),
    "string": spark.StringType(),
}
TARGET = "id int, day date, n smallint, s struct<x:int,d:date>, text string"


def type_of(text: str) -> spark.DataType:
    """Return a type without a JVM, which Spark's own parser needs."""
    return struct_of(text[7:-1], ",", ":") if text.startswith("struct<") else TYPES[text]


def struct_of(text: str, separator: str = ", ", colon: str = " ") -> spark.StructType:
    """Return the type of the columns ``name type, …``."""
    columns = [column.split(colon, 1) for column in text.split(separator)] if text else []
    return spark.StructType([spark.StructField(name, type_of(named)) for name, named in columns])


def cast(text: str, **types: str) -> str | None:
    """Return the statement with casts, given the schemas of the queries that determine the types of its values."""

    def schema_of(query: str) -> Any:
        found = next(schema for begin, schema in asked.items() if query.startswith(begin))
        return struct_of(found)

    asked = {
        "SELECT * FROM t": TARGET,
        "SELECT * FROM s": types.pop("source", TARGET),
        "SELECT": types.pop("values", ""),
    }
    return with_value_casts(text, schema_of)


def test_update() -> None:
    assert (
        cast(
            "UPDATE t SET day = '2026-01-02', n = 1L, t.s.d = 'x' WHERE id = 1;", values="c0 string, c1 long, c2 string"
        )
        == "UPDATE t SET `day` = CAST('2026-01-02' AS date), `n` = 1L, `t`.`s`.`d` = CAST('x' AS date) WHERE id = 1;"
    )
    assert cast("UPDATE t SET n = 1L, day = DEFAULT", values="c0 long") is None
    assert cast("UPDATE t SET day = DEFAULT") is None
    text = "UPDATE t AS u SET n = CASE WHEN id = 1 THEN '1' ELSE (SELECT 'a, b') END, text = 5"
    expected = (
        "UPDATE t AS u SET `n` = CAST(CASE WHEN id = 1 THEN '1' ELSE (SELECT 'a, b') END AS smallint), `text` = 5"
    )
    assert cast(text, values="c0 string, c1 int") == expected


def test_structs_are_assigned_by_name_and_cast_by_position() -> None:
    text = "UPDATE t SET s = v"
    assert cast(text, values="c0 struct<x:string,d:string>") == "UPDATE t SET `s` = CAST(v AS struct<x:int,d:date>)"
    assert cast(text, values="c0 struct<d:string,x:string>") is None
    assert cast(text, values="c0 struct<x:string>") is None


def test_merge() -> None:
    begin = "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.n = CASE WHEN s.id = 1 THEN 1 ELSE 2 END THEN"
    text = f"{begin} UPDATE SET day = s.text WHEN MATCHED THEN DELETE"
    assert cast(text, values="c0 string") == f"{begin} UPDATE SET `day` = CAST(s.text AS date) WHEN MATCHED THEN DELETE"
    assert cast(text, values="c0 date") is None
    begin = "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT"
    found = cast(f"{begin} (day, n) VALUES (s.text, coalesce(1, 2))", values="c0 string, c1 int")
    assert found == f"{begin} (`day`, `n`) VALUES (CAST(s.text AS date), coalesce(1, 2))"


def test_merge_of_all_columns() -> None:
    text = (
        "MERGE INTO t USING s AS u ON t.id = u.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED BY SOURCE THEN DELETE"
    )
    found = cast(text, values="c0 int, c1 string, c2 smallint, c3 struct<x:int,d:date>, c4 string")
    columns = "`id` = `u`.`id`, `day` = CAST(`u`.`day` AS date), `n` = `u`.`n`, `s` = `u`.`s`, `text` = `u`.`text`"
    assert found == text.replace("*", columns)
    assert cast(text, source="id int") is None


@pytest.mark.parametrize(
    "text", ["DELETE FROM t", "UPDATE t SET", "MERGE INTO t USING s ON true WHEN MATCHED THEN NOTHING"]
)
def test_other_statements_have_no_casts(text: str) -> None:
    assert cast(text) is None
