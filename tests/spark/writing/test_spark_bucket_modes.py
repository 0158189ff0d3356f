"""Writes to primary-key tables whose buckets are assigned: small inputs by one task, large ones in two stages."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import workbench as wb
from workbench.base.errors import Unsupported
from workbench.spark.writing import placement
from workbench.spark.writing.placement import Placement, choose_placement

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


@pytest.fixture(params=["small", "large"])
def size(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement, "is_small", lambda _: request.param == "small")


def values(table: Any) -> dict[Any, Any]:
    rows = table.to_arrow(["id", "v"]).to_pylist()
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["id"]: row["v"] for row in rows}


def buckets_of_keys(table: Any) -> Counter[str]:
    return Counter(path.parent.name for path in _files(table))


def _files(table: Any) -> list[Any]:
    from pathlib import Path

    return list(Path(table.location).rglob("data-*.parquet"))


@pytest.mark.usefixtures("size")
def test_dynamic_buckets_keep_each_key_in_its_bucket(spark: Any, catalog: Any) -> None:
    options = {"bucket": "-1", "dynamic-bucket.target-row-num": "300"}
    table = catalog.create_table("shop.k", {"id": "BIGINT", "v": "BIGINT"}, ["id"], options=options)
    # Each key comes twice, from different partitions of the DataFrame; the later one has the larger v.
    frame = spark.range(0, 2000, 1, 3).selectExpr("id % 1000 AS id", "id AS v")
    assert len(wb.spark.write(frame, table).snapshots) == 1
    assert values(table) == {key: key + 1000 for key in range(1000)}
    assert len(buckets_of_keys(table)) >= 4
    # Some keys exist, the others are new; another process knows where they are by the index alone.
    wb.spark.write(spark.range(500, 1500).selectExpr("id", "-id AS v"), table)
    table.write([{"id": 0, "v": -1}, {"id": 1499, "v": 0}])
    expected = {key: key + 1000 for key in range(500)} | {key: -key for key in range(500, 1500)} | {0: -1, 1499: 0}
    assert values(table) == expected
    deletes = spark.range(100, 200).selectExpr("id", "0L AS v", "'-D' AS op")
    wb.spark.write(deletes, table, row_kind="op")
    assert values(table) == {key: v for key, v in expected.items() if not 100 <= key < 200}
    indexed = sum(each["row_count"] for each in catalog.open("shop.k$table_indexes").to_arrow().to_pylist())
    assert indexed == 1500
    wb.spark.write(spark.range(3).selectExpr("id", "7L AS v"), table, mode="overwrite")
    assert values(table) == dict.fromkeys(range(3), 7)


@pytest.mark.usefixtures("size")
def test_dynamic_buckets_of_partitions(spark: Any, catalog: Any) -> None:
    columns = {"p": "STRING", "id": "BIGINT", "v": "BIGINT"}
    table = catalog.create_table("shop.k", columns, ["p", "id"], ["p"], {"dynamic-bucket.target-row-num": "50"})
    for number in range(6):
        frame = spark.range(0, 400, 1, 3).selectExpr("concat('p', id % 4) AS p", "id", f"{number}L AS v")
        wb.spark.write(frame, table)
    assert values(table) == dict.fromkeys(range(400), 5)
    assert table.to_arrow(where="p = 'p1'").num_rows == 100


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("engine", ["deduplicate", "partial-update", "first-row"])
def test_keys_that_are_unique_over_partitions(spark: Any, catalog: Any, engine: str) -> None:
    columns = {"p": "INT", "id": "BIGINT", "v": "BIGINT"}
    table = catalog.create_table("shop.k", columns, ["id"], ["p"], {"merge-engine": engine})
    frame = spark.range(0, 600, 1, 3).selectExpr("cast(id % 3 as int) AS p", "id % 300 AS id", "id AS v")
    wb.spark.write(frame, table)
    wb.spark.write(spark.range(200, 400).selectExpr("9 AS p", "id", "-id AS v"), table)
    first, moved = {key: key + 300 for key in range(300)}, {key: -key for key in range(200, 400)}
    expected = {key: key for key in range(300)} | {key: -key for key in range(300, 400)}
    assert values(table) == (expected if engine == "first-row" else first | moved)
    in_nine = table.to_arrow(where="p = 9").num_rows
    assert in_nine == (200 if engine == "deduplicate" else 100)
    with pytest.raises(Unsupported, match="Overwriting single partitions"):
        wb.spark.write(frame, table, mode="overwrite")


@pytest.mark.parametrize("fixed", ["true", "false"])
def test_postponed_buckets(spark: Any, catalog: Any, fixed: str) -> None:
    columns = {"p": "INT", "id": "BIGINT", "v": "BIGINT"}
    options = {"bucket": "-2", "postpone.batch-write-fixed-bucket": fixed, "postpone.default-bucket-num": "3"}
    table = catalog.create_table("shop.k", columns, ["p", "id"], ["p"], options)
    for sign in ("", "-"):
        frame = spark.range(0, 600, 1, 3).selectExpr("cast(id % 2 as int) AS p", "id % 300 AS id", f"{sign}id AS v")
        wb.spark.write(frame, table)
    if fixed == "false":
        assert table.to_arrow().num_rows == 0
        table.compact()
    assert values(table) == {key: -key - 300 for key in range(300)}


@pytest.mark.parametrize("function", ["mod", "hive"])
def test_other_bucket_functions(spark: Any, catalog: Any, function: str) -> None:
    options = {"bucket": "4", "bucket-function.type": function}
    table = catalog.create_table("shop.k", {"id": "INT", "v": "BIGINT"}, ["id"], options=options)
    chosen = choose_placement(table.schema, is_small=True)
    assert chosen is (Placement.BUCKET if function == "mod" else Placement.ASSIGNED)
    frame = spark.range(0, 2000, 1, 3).selectExpr("cast(id % 1000 - 500 as int) AS id", "id AS v")
    wb.spark.write(frame, table)
    table.write([{"id": -500, "v": 0}, {"id": 499, "v": 0}])
    assert values(table) == {key - 500: key + 1000 for key in range(1000)} | {-500: 0, 499: 0}
    assert len(buckets_of_keys(table)) == 4


def test_repeated_tasks_assign_the_same_buckets(spark: Any, catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement, "is_small", lambda _: False)
    options = {"dynamic-bucket.target-row-num": "100"}
    table = catalog.create_table("shop.k", {"id": "BIGINT", "v": "BIGINT"}, ["id"], options=options)

    def fails_at_first(batches: Any) -> Any:
        from pyspark import TaskContext

        yield from batches
        context = TaskContext.get()
        if context is not None and context.attemptNumber() == 0:
            raise ValueError("lost")

    frame = spark.range(0, 1000, 1, 3).selectExpr("id", "id AS v").mapInArrow(fails_at_first, "id long, v long")
    assert wb.spark.write(frame, table).rows == 1000
    assert values(table) == {key: key for key in range(1000)}
