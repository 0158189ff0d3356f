"""Compaction by Spark tasks, and writes and compactions whose Python workers are killed."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

import workbench as wb
from tests.support.dying_tasks import dies_at_first
from workbench.base.errors import CommitConflict, MergeError
from workbench.spark import items
from workbench.spark.session import map_in_arrow
from workbench.spark.writing import file_writers

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


@pytest.fixture
def workers_die(monkeypatch: pytest.MonkeyPatch) -> None:
    def dying(frame: Any, function: Any, schema: Any) -> Any:
        return map_in_arrow(frame, dies_at_first(function), schema)

    monkeypatch.setattr(file_writers, "map_in_arrow", dying)
    monkeypatch.setattr(items, "map_in_arrow", dying)


def levels(catalog: Any, name: str) -> list[tuple[Any, int]]:
    rows = catalog.open(f"{name}$files").to_arrow(["bucket", "level"]).to_pylist()
    return sorted((row["bucket"], row["level"]) for row in rows)


def test_keyed_tables_compact_as_in_one_process(spark: Any, catalog: Any) -> None:
    columns = {"p": "INT", "id": "BIGINT", "v": "BIGINT"}
    found = {}
    for name in ("shop.here", "shop.there"):
        options = {"bucket": "2", "write-only": "true"}
        table = catalog.create_table(name, columns, ["p", "id"], ["p"], options)
        for number in range(6):
            wb.spark.write(spark.range(200).selectExpr("cast(id % 2 as int) p", "id", f"id + {number} AS v"), table)
        catalog.alter_table(name, wb.SetOption("write-only", "false"))
        table = catalog.get_table(name)
        commits = [
            table.compact() if name == "shop.here" else wb.spark.compact(table),
            table.compact(True, "p = 1") if name == "shop.here" else wb.spark.compact(table, True, "p = 1"),
        ]
        kinds = [[each.commit_kind for each in commit.snapshots] for commit in commits]
        found[name] = (kinds, levels(catalog, name), table.to_arrow().sort_by("id"))
    assert found["shop.here"][:2] == found["shop.there"][:2]
    assert found["shop.here"][2].equals(found["shop.there"][2])
    assert wb.spark.compact(catalog.get_table("shop.there"), True, "p = 1").snapshots == ()


def test_append_tables(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"id": "BIGINT"}, options={"compaction.min.file-num": "2"})
    for _ in range(4):
        wb.spark.write(spark.range(0, 100, 1, 2), table)
    assert len(levels(catalog, "shop.log")) == 8
    commit = wb.spark.compact(table, full=True)
    assert [each.commit_kind for each in commit.snapshots] == ["COMPACT"]
    assert len(levels(catalog, "shop.log")) == 1
    assert table.to_arrow().num_rows == 400
    with_vectors = catalog.create_table("shop.vectors", {"id": "BIGINT"}, options={"deletion-vectors.enabled": "true"})
    wb.spark.write(spark.range(0, 100, 1, 2), with_vectors)
    with_vectors.delete("id < 50")
    wb.spark.compact(with_vectors, full=True)
    assert sorted(with_vectors.to_arrow().column("id").to_pylist()) == list(range(50, 100))
    assert catalog.open("shop.vectors$table_indexes").to_arrow().num_rows == 0


def test_postponed_rows_get_their_buckets(spark: Any, catalog: Any) -> None:
    options = {"bucket": "-2", "postpone.batch-write-fixed-bucket": "false", "postpone.default-bucket-num": "2"}
    table = catalog.create_table("shop.k", {"p": "INT", "id": "BIGINT", "v": "BIGINT"}, ["p", "id"], ["p"], options)
    for number in range(3):
        wb.spark.write(spark.range(100).selectExpr("cast(id % 2 as int) p", "id", f"id + {number} AS v"), table)
        commit = wb.spark.compact(table)
        assert [each.commit_kind for each in commit.snapshots] == ["COMPACT"]
    rows = table.to_arrow().sort_by("id").to_pylist()
    assert [row["v"] for row in rows] == [number + 2 for number in range(100)]
    assert {bucket for bucket, _ in levels(catalog, "shop.k")} == {0, 1}


@pytest.mark.usefixtures("workers_die")
@pytest.mark.long
def test_killed_workers_neither_lose_nor_double_rows(spark: Any, catalog: Any) -> None:
    fixed = catalog.create_table("shop.k", {"id": "BIGINT", "v": "BIGINT"}, ["id"], options={"bucket": "2"})
    dynamic = catalog.create_table("shop.d", {"id": "BIGINT", "v": "BIGINT"}, ["id"])
    log = catalog.create_table("shop.log", {"id": "BIGINT", "v": "BIGINT"})
    for number in range(2):
        frame = spark.range(0, 1000, 1, 3).selectExpr("id", f"id + {number} AS v")
        for table in (fixed, dynamic, log):
            assert wb.spark.write(frame, table).rows == 1000
    for table, copies in ((fixed, 1), (dynamic, 1), (log, 2)):
        before = table.to_arrow().sort_by([("id", "ascending"), ("v", "ascending")])
        assert before.num_rows == 1000 * copies
        assert wb.spark.compact(table, full=True).snapshots
        after = table.to_arrow().sort_by([("id", "ascending"), ("v", "ascending")])
        assert after.equals(before)


def test_a_compaction_that_loses_changes_nothing(spark: Any, catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = catalog.create_table("shop.k", {"id": "BIGINT"}, ["id"], options={"bucket": "1", "write-only": "true"})
    wb.spark.write(spark.range(10), table)
    wb.spark.write(spark.range(5, 15), table)
    catalog.alter_table("shop.k", wb.SetOption("write-only", "false"))
    table = catalog.get_table("shop.k")

    def compacts_first(frame: Any, function: Any, schema: Any) -> Any:
        catalog.get_table("shop.k").compact(full=True)
        return map_in_arrow(frame, function, schema)

    monkeypatch.setattr(items, "map_in_arrow", compacts_first)
    with pytest.raises(CommitConflict):
        wb.spark.compact(table, full=True)
    assert sorted(table.to_arrow().column("id").to_pylist()) == list(range(15))
    assert len(levels(catalog, "shop.k")) == 1


def test_sorts_as_in_one_process(catalog: Any) -> None:
    found = {}
    for name in ("shop.here", "shop.there"):
        options = {"deletion-vectors.enabled": "true"}
        table = catalog.create_table(name, {"p": "INT", "a": "INT", "b": "STRING"}, partition_by=["p"], options=options)
        for number in range(3):
            table.write([{"p": each % 2, "a": (each * 7) % 20 + number, "b": f"{each % 5}"} for each in range(20)])
        table.delete("a = 3")
        table = catalog.get_table(name)
        if name == "shop.here":
            table.compact(order_by=["b", "a"], strategy="zorder")
        else:
            commit = wb.spark.compact(table, order_by=["b", "a"], strategy="zorder")
            assert [str(each.commit_kind) for each in commit.snapshots] == ["OVERWRITE"]
        found[name] = [
            [tuple(row.values()) for row in catalog.get_table(name).to_arrow(where=f"p = {each}").to_pylist()]
            for each in (0, 1)
        ]
    assert found["shop.here"] == found["shop.there"]
    assert sum(map(len, found["shop.there"])) == 60 - 3
    with pytest.raises(wb.WorkbenchError, match="no column 'c'"):
        wb.spark.compact(table, order_by=["c"])


def test_a_call_is_a_job_for_large_tables(catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.sql.execute import execute
    from workbench.sql.procedures import runners

    table = catalog.create_table("shop.t", {"a": "INT"})
    for number in range(3):
        table.write([{"a": number}])
    jobs: list[int] = []
    real = items.run_on_items
    monkeypatch.setattr(
        "workbench.spark.maintenance.buckets.run_on_items", lambda *given: jobs.append(1) or real(*given)
    )
    call = "CALL sys.compact('shop.t')"
    monkeypatch.setattr(runners, "LARGE_BYTES", 1)
    execute(call, catalog, engine="duckdb")
    assert not jobs
    table.write([{"a": 9}])
    execute(call, catalog, engine="spark")
    assert jobs
    assert len(catalog.open("shop.t$files").to_arrow()) == 1
    assert sorted(catalog.get_table("shop.t").to_arrow().column("a").to_pylist()) == [0, 1, 2, 9]


def test_totals_that_overflow(attached: Any, catalog: Any) -> None:
    options = {"merge-engine": "aggregation", "fields.d.aggregate-function": "sum", "write-only": "true"}
    table = catalog.create_table("shop.totals", {"id": "INT", "d": "DECIMAL(5, 2)"}, ["id"], options=options)
    for _ in range(2):
        table.write([{"id": 7, "d": Decimal("999.99")}, {"id": 8, "d": Decimal("1.00")}])
    # Spark cannot hold more digits; the rows of Java's reader become NULL as well.
    expected = [(7, None), (8, Decimal("2.00"))]
    assert sorted(map(tuple, wb.spark.read(table).collect())) == expected
    assert sorted(map(tuple, attached.sql("SELECT * FROM totals").collect())) == expected
    catalog.alter_table("shop.totals", wb.SetOption("write-only", "false"))
    table = catalog.get_table("shop.totals")
    for compact in (
        lambda: wb.spark.compact(table, full=True),
        lambda: attached.sql("CALL paimon.sys.compact(table => 'shop.totals', compact_strategy => 'full')"),
    ):
        with pytest.raises(MergeError, match=r"sum of column 'd' overflows DECIMAL\(5, 2\) in the rows of key 7"):
            compact()
    assert len(table.snapshots()) == 2
