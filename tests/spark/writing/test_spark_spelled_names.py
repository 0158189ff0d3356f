"""Names of columns and nested fields in DataFrame writes: matched as the session does, never by position in silence."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.base.errors import SchemaMismatch
from workbench.spark.storing.assignment import by_name

pytestmark = pytest.mark.spark

CONVERSIONS = (by_name, partial(by_name, casts=True))

COLUMNS = {
    "id": "INT",
    "s": "ROW<a INT>",
    "l": "ARRAY<ROW<x INT>>",
    "m": "MAP<STRING, ROW<v INT>>",
    "k": "MAP<ROW<p INT>, STRING>",
}
GIVEN = "SELECT 1 AS ID, named_struct('A', 2) AS S, map('k', named_struct('V', 3)) AS M"
EXPECTED = {"id": 1, "s": {"a": 2}, "l": None, "m": [("k", {"v": 3})], "k": None}
UNKNOWN = {
    "s.zz": "named_struct('zz', 2) AS s",
    "l.element.y": "array(named_struct('y', 2)) AS l",
    "m.value.w": "map('k', named_struct('w', 3)) AS m",
    "k.key.q": "map(named_struct('q', 3), 'x') AS k",
}


def test_names_of_merged_schemas_match_regardless_of_case(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.spelled", COLUMNS)
    wb.spark.write(spark.sql(GIVEN), table, merge_schema=True)
    assert table.to_arrow().to_pylist() == [EXPECTED]
    with pytest.raises(SchemaMismatch, match="'id' and 'ID' are the same name"):
        wb.spark.write(spark.sql("SELECT 1 AS id, 2 AS ID"), table, merge_schema=True)
    session = spark.newSession()
    session.conf.set("spark.sql.caseSensitive", "true")
    for convert in CONVERSIONS:
        with pytest.raises(SchemaMismatch, match="no column 'ID'"):
            convert(session.sql("SELECT 1 AS ID"), table.schema.fields)
        assert convert(session.sql("SELECT 1 AS id"), table.schema.fields).columns == ["id"]
    both = catalog.create_table("shop.both", {"id": "INT"})
    wb.spark.write(session.sql("SELECT 1 AS id, 2 AS ID"), both, merge_schema=True)
    assert both.to_arrow().to_pylist() == [{"id": 1, "ID": 2}]


@pytest.mark.parametrize("path", UNKNOWN)
def test_nested_names_are_not_matched_by_position(spark: Any, catalog: Any, path: str) -> None:
    table = catalog.create_table("shop.nested", COLUMNS)
    frame = spark.sql(f"SELECT {UNKNOWN[path]}")
    for convert in CONVERSIONS:
        with pytest.raises(SchemaMismatch, match=f"no field '{path}'"):
            convert(frame, table.schema.fields)
    with pytest.raises(SchemaMismatch, match=f"Column '{path[0]}'"):
        wb.spark.write(frame, table)
    assert table.snapshots() == []


def test_nested_names_are_matched_by_name(spark: Any, catalog: Any) -> None:
    fields = catalog.create_table("shop.named", {"m": "MAP<STRING, ROW<a INT, b BIGINT>>"}).schema.fields
    for convert in CONVERSIONS:
        rows = convert(spark.sql("SELECT map('k', named_struct('B', 5L, 'A', 4)) AS M"), fields).collect()
        assert [row.asDict(recursive=True) for row in rows] == [{"m": {"k": {"a": 4, "b": 5}}}]


def test_sessions_that_are_not_attached_match_names_regardless_of_case(
    spark: Any, catalog: Any, tmp_path: Path
) -> None:
    table = catalog.create_table("shop.registered", COLUMNS)
    name = wb.spark.register(spark, catalog)
    frame = spark.sql(GIVEN)
    frame.write.format(name).mode("append").save("shop.registered")
    frame.write.parquet(str(tmp_path / "rows"))
    stream = spark.readStream.schema(frame.schema).parquet(str(tmp_path / "rows")).writeStream.format(name)
    stream = stream.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True)
    stream.start("shop.registered").awaitTermination()
    assert table.to_arrow().to_pylist() == [EXPECTED] * 2


def test_writers_of_attached_sessions(attached: Any, catalog: Any) -> None:
    catalog.create_table("shop.spelled", COLUMNS)
    merging = ("write.merge-schema", "true")
    attached.sql(GIVEN).writeTo("shop.spelled").option(*merging).append()
    attached.sql(GIVEN).write.format("paimon").mode("append").option(*merging).saveAsTable("shop.spelled")
    table = catalog.get_table("shop.spelled")
    assert table.to_arrow().to_pylist() == [EXPECTED] * 2
    attached.sql("SELECT 1 AS id, named_struct('A', 2, 'n', 5) AS s, 7 AS New").writeTo("shop.spelled").option(
        *merging
    ).append()
    table = catalog.get_table("shop.spelled")
    assert [str(field.type) for field in table.schema.fields if field.name in ("s", "New")] == [
        "ROW<a INT, n INT>",
        "INT",
    ]
    attached.conf.set("spark.paimon.write.merge-schema", "true")
    attached.sql(
        "MERGE INTO shop.spelled t USING (SELECT 9 AS ID, 8 AS NEW, 'x' AS Extra) s ON t.id = s.ID "
        "WHEN NOT MATCHED THEN INSERT *"
    ).collect()
    table = catalog.get_table("shop.spelled")
    assert [field.name for field in table.schema.fields] == [*COLUMNS, "New", "Extra"]
    (row,) = table.to_arrow(["id", "New", "Extra"], where="id = 9").to_pylist()
    assert row == {"id": 9, "New": 8, "Extra": "x"}
