"""Merges of sorted runs inside the JVM: the rows are those that this library merges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import workbench as wb
from tests.support.sampling import sampled
from workbench.spark.reading import merging
from workbench.spark.reading.merging import can_merge_in_jvm

pytestmark = pytest.mark.spark

TYPES = {
    "id": "BIGINT",
    "name": "STRING",
    "day": "DATE",
    "at": "TIMESTAMP(6)",
    "n": "DECIMAL(20, 3)",
    "d": "DOUBLE",
    "list": "ARRAY<INT>",
    "row": "ROW<x INT, y STRING>",
}
ROWS = (
    "cast(id as bigint) AS id",
    "concat('k', id % 700) AS name",
    "date_add(date'1969-06-01', cast(id % 40 as int)) AS day",
    "timestamp_ntz'1969-12-31 00:00:00' + make_interval(0, 0, 0, 0, 0, 0, id * 0.123457) AS at",
    "cast(id * 1.5 - 300 as decimal(20, 3)) AS n",
    "if(id % 5 = 0, double('NaN'), if(id % 7 = 0, null, -id / 4)) AS d",
    "array(cast(id as int), null) AS list",
    "if(id % 3 = 0, null, named_struct('x', cast({turn} as int), 'y', 'größe')) AS row",
)
LAYOUTS = [
    (["id"], [], {"bucket": "2"}),
    (["name", "id"], [], {"bucket": "1", "data-file.thin-mode": "true"}),
    (["day", "n", "at"], ["day"], {"bucket": "2"}),
    (["id"], [], {"bucket": "-1"}),
]


@pytest.fixture(autouse=True)
def small_merges(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(merging, "_FEW_BYTES", 1)
    return


def merged_in_jvm(frame: Any) -> bool:
    return "Scan ExistingRDD" in frame._jdf.queryExecution().executedPlan().toString()


def in_order(rows: list[Any], keys: list[str]) -> list[str]:
    # NaN does not equal itself.
    return [str(each) for each in sorted(rows, key=lambda row: [row[key] for key in keys])]


@pytest.mark.parametrize("layout", sampled(LAYOUTS, 4))
def test_rows_are_those_of_the_library(
    spark: Any, catalog: Any, layout: tuple[list[str], list[str], dict[str, str]]
) -> None:
    keys, partitions, options = layout
    needed = {name: f"{kind} NOT NULL" if name in keys else kind for name, kind in TYPES.items()}
    table = catalog.create_table("shop.t", needed, keys, partitions, {"write-only": "true", **options})
    for turn in range(4):
        step = 1 << turn
        frame = spark.range(0, 1200, step, 1).selectExpr(*(each.format(turn=turn) for each in ROWS))
        wb.spark.write(frame, table, files="arrow")
    table.delete("n < -270 OR id % 400 = 1")
    frame = wb.spark.read(table)
    assert merged_in_jvm(frame)
    expected = table.to_arrow().to_pylist()
    assert 0 < len(expected) < 1200
    assert in_order([each.asDict(recursive=True) for each in frame.collect()], keys) == in_order(expected, keys)
    selected = wb.spark.read(table, ["list", "name"], "d > -20 AND name < 'k3'")
    assert merged_in_jvm(selected)
    wanted = table.to_arrow(["list", "name"], "d > -20 AND name < 'k3'").to_pylist()
    assert sorted(map(str, (each.asDict() for each in selected.collect()))) == sorted(map(str, wanted))
    spark_rows = wb.spark.attach(spark, catalog, name="merged").sql("SELECT count(*), sum(id) FROM merged.shop.t")
    ids = [each["id"] for each in expected]
    assert [tuple(each) for each in spark_rows.collect()] == [(len(ids), sum(ids))]


def test_levels_versions_and_changed_schemas(spark: Any, catalog: Any) -> None:
    columns = {"id": "BIGINT", "v": "BIGINT"}
    table = catalog.create_table("shop.t", columns, ["id"], options={"bucket": "1", "write-only": "true"})
    for turn in range(3):
        wb.spark.write(spark.range(0, 5000, turn + 1, 1).selectExpr("id", f"id + {turn} AS v"), table, files="jvm")
        if turn == 0:
            table.compact(full=True)
    expected = table.to_arrow().sort_by("id").to_pylist()
    frame = wb.spark.read(table)
    assert merged_in_jvm(frame)
    assert [each.asDict() for each in frame.sort("id").collect()] == expected
    # A read of an older version returns the rows of that version.
    first = wb.spark.read(table.at(snapshot=2))
    assert first.selectExpr("sum(v - id)").first()[0] == 0
    wider = spark.range(0, 10).selectExpr("id", "0L AS v", "1 AS w")
    wb.spark.write(wider, table, merge_schema=True)
    mixed = wb.spark.read(table)
    assert merged_in_jvm(mixed)
    assert [tuple(each) for each in mixed.selectExpr("count(*)", "sum(w)").collect()] == [(5000, 10)]
    assert frame.count() == 5000
    catalog.alter_table("shop.t", wb.RenameColumn("v", "renamed"))
    renamed = wb.spark.read(catalog.get_table("shop.t"))
    assert not merged_in_jvm(renamed)
    assert merged_in_jvm(wb.spark.read(catalog.get_table("shop.t"), ["id", "w"]))
    assert renamed.selectExpr("sum(renamed)").first()[0] == sum(row["v"] for row in expected if row["id"] >= 10)


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"merge-engine": "partial-update"}, "BIGINT"),
        ({"sequence.field": "v"}, "BIGINT"),
        ({"ignore-delete": "true"}, "BIGINT"),
        ({}, "DOUBLE"),
        ({}, "BYTES"),
    ],
)
def test_other_merges_are_left_to_tasks(spark: Any, catalog: Any, options: dict[str, str], key: str) -> None:
    columns = {"id": key, "v": "BIGINT"}
    table = catalog.create_table("shop.t", columns, ["id"], options={"bucket": "1", **options})
    assert not can_merge_in_jvm(table.schema, spark)
