from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import (
    Cancelled,
    InvalidExpression,
    InvalidRequest,
    SchemaMismatch,
    Unsupported,
    WorkbenchError,
)
from workbench.base.progress import Progress
from workbench.spark.writing.placement import choose_placement, distributed, project_to_table

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

TYPES = {
    "id": "BIGINT NOT NULL",
    "b": "BOOLEAN",
    "t": "TINYINT",
    "s": "SMALLINT",
    "i": "INT",
    "f": "FLOAT",
    "d": "DOUBLE",
    "n": "DECIMAL(10, 2)",
    "big": "DECIMAL(38, 10)",
    "day": "DATE",
    "ms": "TIMESTAMP(3)",
    "us": "TIMESTAMP(6)",
    "at": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "c": "CHAR(5)",
    "text": "STRING",
    "raw": "BYTES",
}
ROW = {
    "id": 1,
    "b": True,
    "t": -3,
    "s": 300,
    "i": 70_000,
    "f": 1.5,
    "d": -0.0,
    "n": Decimal("12.34"),
    "big": Decimal("-1234567890123456789012345678.0123456789"),
    "day": date(1969, 7, 20),
    "ms": datetime(1969, 7, 20, 20, 17, 40, 123000),
    "us": datetime(2026, 3, 29, 2, 30, 0, 123456),
    "at": datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
    "c": "ab",
    "text": "größe",
    "raw": b"\x00\xff",
}


def plan_text(frame: Any) -> str:
    return str(frame._jdf.queryExecution().executedPlan().toString())


def placed_rows(frame: Any, schema: Any) -> Any:
    return distributed(project_to_table(frame, schema), schema, choose_placement(schema, is_small=True))


def data_files(table: Any) -> list[Path]:
    return sorted(Path(table.location).rglob("data-*.parquet"))


@pytest.mark.parametrize("key", [[], ["id"]])
def test_every_type_is_written_unchanged(spark: Any, catalog: Any, key: list[str]) -> None:
    options = {"bucket": "2"} if key else {}
    table = catalog.create_table("shop.types", TYPES, primary_key=key, options=options)
    nulls = dict.fromkeys(ROW) | {"id": 2}
    expected = pa.Table.from_pylist([ROW, nulls], table.arrow_schema)
    from workbench.spark.types import spark_schema

    frame = spark.createDataFrame([tuple(ROW.values()), tuple(nulls.values())], spark_schema(table.schema.fields))
    commit = wb.spark.write(frame, table)
    assert commit.rows == 2
    assert table.to_arrow().sort_by("id").equals(expected)


def test_an_append_table_is_written_without_a_shuffle(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"id": "BIGINT", "v": "STRING"})
    frame = spark.range(0, 1000, 1, 3).selectExpr("id", "cast(id as string) AS v")
    assert "Exchange" not in plan_text(placed_rows(frame, table.schema))
    commit = wb.spark.write(frame, table)
    assert [snapshot.commit_kind for snapshot in commit.snapshots] == ["APPEND"]
    assert len(table.snapshots()) == 1
    assert len(data_files(table)) == 3
    assert table.to_arrow().sort_by("id").column("id").to_pylist() == list(range(1000))


def test_rows_cross_to_python_once_and_meet_by_bucket(spark: Any, catalog: Any) -> None:
    table = catalog.create_table(
        "shop.orders", {"id": "BIGINT", "v": "INT"}, primary_key=["id"], options={"bucket": "4"}
    )
    frame = spark.range(0, 2000, 1, 3).selectExpr("id", "cast(id as int) AS v")
    placed = placed_rows(frame, table.schema)
    plan = plan_text(placed.mapInArrow(lambda batches: batches, placed.schema))
    assert plan.count("MapInArrow") == 1
    assert "ArrowEvalPython" not in plan
    assert "BatchEvalPython" not in plan
    assert plan.count("Exchange") == 1
    wb.spark.write(frame, table)
    buckets = Counter(path.parent.name for path in data_files(table))
    assert buckets == {f"bucket-{number}": 1 for number in range(4)}
    assert table.to_arrow().num_rows == 2000


@pytest.mark.parametrize("buckets", [1, 3])
def test_upserts_last_row_of_a_key_wins(spark: Any, catalog: Any, buckets: int) -> None:
    options = {"bucket": str(buckets)}
    table = catalog.create_table("shop.orders", {"id": "STRING", "v": "BIGINT"}, primary_key=["id"], options=options)
    # Each key comes ten times, from different partitions of the DataFrame; the last has the largest v.
    frame = spark.range(0, 5000, 1, 5).selectExpr("concat('key number ', id % 500) AS id", "id AS v")
    for round_number in range(2):
        wb.spark.write(frame.selectExpr("id", f"v + {round_number} AS v"), table)
        rows = table.to_arrow()
        assert rows.num_rows == 500
        assert min(rows.column("v").to_pylist()) == 4500 + round_number


def test_partitions(spark: Any, catalog: Any) -> None:
    columns = {"dt": "STRING", "h": "INT", "id": "INT", "v": "STRING"}
    table = catalog.create_table(
        "shop.visits", columns, primary_key=["dt", "h", "id"], partition_by=["dt", "h"], options={"bucket": "3"}
    )
    text = "concat('2026-0', id % 3) AS dt", "cast(id % 4 as int) AS h", "cast(id as int) AS id", "'x' AS v"
    commit = wb.spark.write(spark.range(0, 1200, 1, 4).selectExpr(*text), table)
    assert len(commit.snapshots) == 1
    files = data_files(table)
    assert len({path.parent for path in files}) == 36
    assert len(files) == 36
    assert table.to_arrow(where="dt = '2026-01' AND h = 1").num_rows == 100


def test_null_partitions(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"dt": "STRING", "v": "INT"}, partition_by=["dt"])
    wb.spark.write(spark.sql("SELECT cast(NULL AS STRING) AS dt, 1 AS v UNION ALL SELECT 'a=b/c', 2"), table)
    assert sorted(table.to_arrow().to_pylist(), key=lambda row: row["v"]) == [
        {"dt": None, "v": 1},
        {"dt": "a=b/c", "v": 2},
    ]


def test_overwrite(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"dt": "STRING", "v": "INT"}, partition_by=["dt"])
    wb.spark.write(spark.sql("SELECT 'a' AS dt, 1 AS v UNION ALL SELECT 'b', 2"), table)
    wb.spark.write(spark.sql("SELECT 'b' AS dt, 3 AS v"), table, mode="overwrite")
    assert sorted(table.to_arrow().column("v").to_pylist()) == [1, 3]
    wb.spark.write(spark.sql("SELECT 4 AS v"), table, mode="overwrite", partition={"dt": "a"})
    assert sorted(table.to_arrow().column("v").to_pylist()) == [3, 4]
    with pytest.raises(SchemaMismatch, match="not overwritten"):
        wb.spark.write(spark.sql("SELECT 'b' AS dt, 5 AS v"), table, mode="overwrite", partition={"dt": "a"})


def test_overwrite_of_an_unpartitioned_table_replaces_all(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.k", {"id": "INT", "v": "INT"}, primary_key=["id"], options={"bucket": "2"})
    wb.spark.write(spark.range(10).selectExpr("cast(id as int) id", "1 v"), table)
    commit = wb.spark.write(spark.range(3).selectExpr("cast(id as int) id", "2 v"), table, mode="overwrite")
    assert [snapshot.commit_kind for snapshot in commit.snapshots] == ["OVERWRITE"]
    assert sorted(table.to_arrow().column("v").to_pylist()) == [2, 2, 2]
    assert [each.operation for each in table.snapshots()] == ["WRITE", "OVERWRITE"]


def test_row_kinds(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.k", {"id": "INT", "v": "INT"}, primary_key=["id"], options={"bucket": "2"})
    wb.spark.write(spark.sql("SELECT 1 id, 1 v UNION ALL SELECT 2, 2"), table)
    wb.spark.write(spark.sql("SELECT '-D' AS op, 1 AS id, 1 AS v UNION ALL SELECT '+U', 2, 3"), table, row_kind="op")
    assert table.to_arrow().to_pylist() == [{"id": 2, "v": 3}]
    log = catalog.create_table("shop.log", {"id": "INT"})
    with pytest.raises(Unsupported, match="no primary key"):
        wb.spark.write(spark.sql("SELECT 1 id, '+I' op"), log, row_kind="op")


def test_columns_are_matched_by_name_widened_and_filled(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"a": "BIGINT", "b": "DECIMAL(12, 2)", "c": "STRING"})
    wb.spark.write(spark.sql("SELECT cast(1.5 AS DECIMAL(3, 1)) AS b, 7 AS a"), table)
    assert table.to_arrow().to_pylist() == [{"a": 7, "b": Decimal("1.50"), "c": None}]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT 'x' AS id", r"Column 'id' is string, but the table has BIGINT NOT NULL"),
        ("SELECT 1 AS ident", r"no column 'ident'"),
        ("SELECT 1 AS v", r"Column 'id' is missing"),
    ],
)
def test_a_frame_that_does_not_fit_starts_no_job(spark: Any, catalog: Any, query: str, message: str) -> None:
    table = catalog.create_table("shop.k", {"id": "BIGINT", "v": "INT"}, primary_key=["id"], options={"bucket": "1"})
    with pytest.raises(SchemaMismatch, match=message):
        wb.spark.write(spark.sql(query), table)
    assert not data_files(table)


def test_nulls_in_a_key_are_refused_and_leave_nothing(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.k", {"id": "BIGINT", "v": "INT"}, primary_key=["id"], options={"bucket": "1"})
    with pytest.raises(SchemaMismatch, match="Column 'id' is BIGINT NOT NULL"):
        wb.spark.write(spark.sql("SELECT cast(NULL AS BIGINT) AS id, 1 AS v UNION ALL SELECT 1, 2"), table)
    assert not data_files(table)
    assert table.snapshots() == []


def test_wrong_arguments(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"a": "INT"})
    frame = spark.sql("SELECT 1 AS a")
    with pytest.raises(Unsupported, match="Mode 'upsert'"):
        wb.spark.write(frame, table, mode="upsert")
    with pytest.raises(WorkbenchError, match="requires mode='overwrite'"):
        wb.spark.write(frame, table, partition={"a": 1})


def test_an_empty_frame_makes_no_version(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.k", {"id": "INT"}, primary_key=["id"], options={"bucket": "2"})
    commit = wb.spark.write(spark.sql("SELECT 1 AS id WHERE false"), table)
    assert commit.snapshots == ()
    assert table.snapshots() == []


def test_cancel_leaves_the_table_unchanged(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"id": "BIGINT"})
    progress = Progress()

    def slow(batches: Any) -> Any:
        time.sleep(30)
        yield from batches

    threading.Timer(1.0, progress.cancel).start()
    with pytest.raises(Cancelled):
        wb.spark.write(spark.range(10).mapInArrow(slow, "id long"), table, progress=progress)
    assert table.snapshots() == []


def test_cancelled_tasks_leave_their_cores_to_the_next_query(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.k", {"id": "BIGINT"}, primary_key=["id"], options={"bucket": "4"})
    progress = Progress()
    threading.Timer(2.0, progress.cancel).start()
    with pytest.raises(Cancelled):
        wb.spark.write(spark.range(10**9), table, progress=progress)
    started = time.monotonic()
    assert spark.range(0, 10, 1, 4).count() == 10
    assert time.monotonic() - started < 5
    assert table.snapshots() == []


def test_properties_are_noted_in_the_snapshot(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"id": "BIGINT"})
    for mode in ("append", "overwrite"):
        commit = wb.spark.write(spark.range(3), table, mode=mode, properties={"job": f"nightly {mode}"})
        assert commit.snapshots[0].properties["job"] == f"nightly {mode}"


def test_append_tables_with_buckets(spark: Any, catalog: Any) -> None:
    columns = {"id": "INT", "v": "INT"}
    table = catalog.create_table("shop.b", columns, options={"bucket": "3", "bucket-key": "id"})
    wb.spark.write(spark.range(30).selectExpr("cast(id as int) id", "1 v"), table)
    assert sorted(table.to_arrow().column("id").to_pylist()) == list(range(30))
    assert len(data_files(table)) == 3


def test_a_task_that_fails_once_writes_its_rows_once(spark: Any, catalog: Any) -> None:
    log = catalog.create_table("shop.log", {"id": "BIGINT"})
    keyed = catalog.create_table("shop.k", {"id": "BIGINT"}, primary_key=["id"], options={"bucket": "2"})

    def fails_at_first(batches: Any) -> Any:
        from pyspark import TaskContext

        yield from batches
        context = TaskContext.get()
        if context is not None and context.attemptNumber() == 0 and context.partitionId() == 1:
            raise ValueError("lost")

    for table in (log, keyed):
        frame = spark.range(0, 1000, 1, 3).mapInArrow(fails_at_first, "id long")
        commit = wb.spark.write(frame, table)
        assert commit.rows == 1000
        assert sorted(table.to_arrow().column("id").to_pylist()) == list(range(1000))


def test_ctrl_c_stops_the_jobs(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"id": "BIGINT"})

    def slow(batches: Any) -> Any:
        time.sleep(30)
        yield from batches

    frame = spark.range(4).mapInArrow(slow, "id long")
    threading.Timer(2.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        wb.spark.write(frame, table)
    assert time.monotonic() - started < 20
    assert table.snapshots() == []
    assert spark.range(3).count() == 3


def test_a_bucket_key_default_fills_nulls_before_the_bucket_is_chosen(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.b", {"id": "INT", "v": "INT"}, options={"bucket": "3", "bucket-key": "id"})
    schema = table.schema
    fields = (replace(schema.fields[0], default_value="7"), schema.fields[1])
    placed = placed_rows(spark.sql("SELECT 1 AS v"), replace(schema, fields=fields))
    assert placed.collect() == [(7, 1)]


def test_partition_values_have_the_type_of_the_column(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"p": "SMALLINT", "v": "INT"}, partition_by=["p"])
    wb.spark.write(spark.sql("SELECT 1 AS v"), table, mode="overwrite", partition={"p": 5})
    assert table.to_arrow().to_pylist() == [{"p": 5, "v": 1}]
    with pytest.raises(SchemaMismatch, match="not a partition column"):
        wb.spark.write(spark.sql("SELECT 1 AS v"), table, mode="overwrite", partition={"v": 5})


def test_overwrites_are_static_dynamic_or_conditional(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"p": "INT", "q": "STRING", "v": "INT"}, partition_by=["p", "q"])

    def overwritten(query: str, **arguments: Any) -> list[int]:
        rows = "SELECT * FROM VALUES (1, 'a', 1), (1, 'b', 2), (2, 'a', 3) AS t(p, q, v)"
        wb.spark.write(spark.sql(rows), table, mode="overwrite", dynamic=False)
        assert sorted(table.to_arrow().column("v").to_pylist()) == [1, 2, 3]
        wb.spark.write(spark.sql(query), table, mode="overwrite", **arguments)
        return sorted(table.to_arrow().column("v").to_pylist())

    row, nothing = "SELECT 1 AS p, 'a' AS q, 9 AS v", "SELECT 1 AS p, 'a' AS q, 9 AS v WHERE false"
    assert overwritten(row) == [2, 3, 9]
    assert overwritten(row, dynamic=True, partition={"p": 1}) == [2, 3, 9]
    assert overwritten(row, partition={"p": 1}) == [3, 9]
    assert overwritten(row, where="p = 1 AND q <= 'b'") == [3, 9]
    assert overwritten(row, dynamic=False) == [9]
    assert overwritten(nothing) == [1, 2, 3]
    assert overwritten(nothing, partition={"p": 1}) == [3]
    assert overwritten(nothing, where="q = 'a'") == [2]
    assert overwritten(nothing, dynamic=False) == []
    with pytest.raises(InvalidExpression, match="limited to partitions"):
        overwritten(row, where="v = 1")
    with pytest.raises(InvalidRequest, match="require mode='overwrite'"):
        wb.spark.write(spark.sql(row), table, dynamic=True)


def test_the_schema_is_merged_on_request(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.k", {"id": "INT", "v": "INT"}, ["id"], options={"bucket": "2"})
    wb.spark.write(spark.sql("SELECT 1 AS id, 1 AS v"), table)
    wider = spark.sql("SELECT 2 AS id, 2 AS v, 'x' AS note, timestamp'2026-01-02 03:04:05' AS at")
    with pytest.raises(SchemaMismatch, match="no column 'note'"):
        wb.spark.write(wider, table)
    wb.spark.write(wider, table, merge_schema=True)
    catalog.alter_table("shop.k", wb.SetOption("write.merge-schema", "true"))
    table = catalog.get_table("shop.k")
    assert [str(field.type) for field in table.schema.fields[2:]] == ["STRING", "TIMESTAMP(6) WITH LOCAL TIME ZONE"]
    long = spark.sql("SELECT 3 AS id, 3000000000L AS v")
    with pytest.raises(SchemaMismatch, match="Column 'v' is bigint"):
        wb.spark.write(long, table)
    catalog.alter_table("shop.k", wb.SetOption("write.merge-schema.type-widening", "true"))
    wb.spark.write(long, table := catalog.get_table("shop.k"))
    rows = table.to_arrow(["id", "v", "note"]).sort_by("id").to_pylist()
    assert rows == [
        {"id": 1, "v": 1, "note": None},
        {"id": 2, "v": 2, "note": "x"},
        {"id": 3, "v": 3_000_000_000, "note": None},
    ]
