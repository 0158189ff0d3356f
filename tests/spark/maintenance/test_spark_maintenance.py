"""Rescaling, analyzing, cleaning up and compacting databases by Spark tasks: the same results as in one process."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.support.dying_tasks import dies_at_first
from workbench.base.errors import CommitConflict
from workbench.spark import items
from workbench.spark.session import map_in_arrow

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]
_COLUMNS = {"p": "INT", "id": "BIGINT", "v": "DOUBLE", "s": "STRING"}
_SORTED = [("p", "ascending"), ("id", "ascending")]


def filled(catalog: Any, name: str, keys: tuple[str, ...] = ("p", "id"), **options: str) -> Any:
    table = catalog.create_table(name, _COLUMNS, list(keys), ["p"], options)
    for turn in range(3):
        rows = [
            {"p": each % 2, "id": each, "v": None if each % 7 == 0 else each * 0.5 + turn, "s": f"{each % 11}" * turn}
            for each in range(turn * 20, 100)
        ]
        table.write(rows)
    return table


def layout(catalog: Any, name: str) -> list[Any]:
    rows = catalog.open(f"{name}$files").to_arrow(["partition", "bucket", "level", "record_count"]).to_pylist()
    return sorted(tuple(row.values()) for row in rows)


def test_rescales_as_in_one_process(catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[int] = []

    def counting(session: Any, work: Any, *others: Any) -> Any:
        jobs.append(len(work))
        return items.run_on_items(session, work, *others)

    monkeypatch.setattr("workbench.spark.maintenance.splits.run_on_items", counting)
    kinds = {
        "keys": {"bucket": "4"},
        "vectors": {"bucket": "4", "deletion-vectors.enabled": "true"},
        "log": {"bucket": "4", "bucket-key": "id"},
        "lazy": {"bucket": "4", "write-only": "true"},
    }
    for kind, options in kinds.items():
        found = {}
        for name in (f"shop.{kind}_here", f"shop.{kind}_there"):
            table = filled(catalog, name, () if kind == "log" else ("p", "id"), **options)
            steps: list[Any] = [({"p": 1}, 6), (None, 8), (None, 3)]
            found[name] = []
            for partition, bucket in steps:
                here = name.endswith("_here")
                table = catalog.get_table(name)
                done = table.rescale(partition, bucket) if here else wb.spark.rescale(table, partition, bucket)
                catalog.alter_table(name, wb.SetOption("bucket", str(bucket)))
                rows = catalog.get_table(name).to_arrow().sort_by([*_SORTED, ("v", "ascending")])
                found[name].append(
                    ([each.commit_kind for each in done.snapshots], done.rows, layout(catalog, name), rows)
                )
        here, there = found.values()
        assert [each[:3] for each in here] == [each[:3] for each in there]
        assert all(mine[3].equals(other[3]) for mine, other in zip(here, there, strict=True))
        assert here[0][3].num_rows == (100 if kind != "log" else 240)
    # Partition 1 from 4 to 6 buckets; then partition 0 from 4 and partition 1 from 6 to 8; then both from 8 to 3.
    assert jobs == [2, 4 + 2, 2] * len(kinds)


@pytest.mark.long
def test_analyzes_as_in_one_process(catalog: Any) -> None:
    for options in ({"bucket": "2", "write-only": "true"}, {"bucket": "2", "deletion-vectors.enabled": "true"}):
        name = f"shop.t{len(options)}_{'v' if 'write-only' not in options else 'w'}"
        table = filled(catalog, name, **options)
        for columns in (None, [], ["v"]):
            here = table.analyze(columns)
            there = wb.spark.analyze(table, columns)
            assert replace(there, analyzed=0, snapshot=0, metrics=None) == replace(
                here, analyzed=0, snapshot=0, metrics=None
            )
            assert there.snapshot == (here.snapshot or 0) + 1
            texts = sorted(Path(table.location, "statistics").iterdir(), key=lambda each: each.stat().st_mtime_ns)[-2:]
            mine, other = (json.loads(each.read_text()) for each in texts)
            assert {**mine, "snapshotId": 0} == {**other, "snapshotId": 0}
    many = catalog.create_table("shop.many", {"id": "BIGINT", "s": "STRING"})
    session = wb.spark.get_session()
    wb.spark.write(session.range(0, 260_000, 1, 3).selectExpr("id % 130000 AS id", "cast(id AS string) AS s"), many)
    assert wb.spark.analyze(many).columns == many.analyze().columns
    empty = catalog.create_table("shop.empty", {"id": "BIGINT"})
    assert wb.spark.analyze(empty).snapshot is None


def test_finds_the_same_orphan_files(catalog: Any) -> None:
    table = filled(catalog, "shop.t", bucket="2")
    data = [Path(table.location, f"p={each}", "bucket-0") for each in (0, 1)]
    for number, directory in enumerate(data):
        shutil.copy(next(directory.glob("*.parquet")), directory / f"data-lost-{number}.parquet")
    lost = Path(table.location, "p=7", "bucket-0")
    lost.mkdir(parents=True)
    (lost / "data-unknown.parquet").write_bytes(b"1234")
    (Path(table.location) / "p=8" / "bucket-1").mkdir(parents=True)
    (Path(table.location) / "manifest" / "manifest-lost-0").write_bytes(b"12")
    for path in Path(table.location).rglob("*"):
        os.utime(path, (1e9, 1e9))
    (data[0] / "data-young.parquet").write_bytes(b"1")
    here, there = (
        replace(each, metrics=None) for each in (table.remove_orphan_files(), wb.spark.remove_orphan_files(table))
    )
    assert here == there
    assert (len(here.files), len(here.directories)) == (4, 4)
    rows = table.to_arrow().sort_by(_SORTED)
    deleted = wb.spark.remove_orphan_files(table, dry_run=False)
    assert (deleted.files, deleted.directories) == (here.files, here.directories)
    assert not wb.spark.remove_orphan_files(table).files
    assert (data[0] / "data-young.parquet").exists()
    assert catalog.get_table("shop.t").to_arrow().sort_by(_SORTED).equals(rows)


def test_files_committed_during_the_search_are_kept(catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = filled(catalog, "shop.t", bucket="2")

    def writes_first(frame: Any, function: Any, schema: Any) -> Any:
        catalog.get_table("shop.t").write([{"p": 5, "id": 1, "v": 0.5, "s": "new"}])
        for path in Path(table.location).rglob("*"):
            os.utime(path, (1e9, 1e9))
        return map_in_arrow(frame, function, schema)

    monkeypatch.setattr(items, "map_in_arrow", writes_first)
    assert wb.spark.remove_orphan_files(table, dry_run=False).files == ()
    assert catalog.get_table("shop.t").to_arrow(where="p = 5").num_rows == 1


def test_databases_are_compacted(catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[int] = []
    real = items.run_on_items
    monkeypatch.setattr(
        "workbench.spark.maintenance.buckets.run_on_items", lambda *given: jobs.append(1) or real(*given)
    )
    for name in ("shop.a", "shop.b", "shop.c"):
        filled(catalog, name, bucket="2", **{"num-sorted-run.compaction-trigger": "9"})
    outcome = wb.spark.compact_database(catalog, "shop", excluding_tables=".*c", full=True)
    assert sorted(outcome.commits) == ["shop.a", "shop.b"]
    assert len(jobs) == 2
    assert not outcome.failures
    assert len(layout(catalog, "shop.a")) == 4 < len(layout(catalog, "shop.c"))


@pytest.mark.long
def test_killed_workers_leave_tables_whole(catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = filled(catalog, "shop.t", bucket="2")
    before, expected = table.to_arrow().sort_by(_SORTED), table.analyze()

    def dying(frame: Any, function: Any, schema: Any) -> Any:
        return map_in_arrow(frame, dies_at_first(function), schema)

    monkeypatch.setattr(items, "map_in_arrow", dying)
    assert wb.spark.analyze(table).columns == expected.columns
    wb.spark.rescale(table, bucket=4)
    catalog.alter_table("shop.t", wb.SetOption("bucket", "4"))
    table = catalog.get_table("shop.t")
    assert table.to_arrow().sort_by(_SORTED).equals(before)
    # The files of the attempts that were killed belong to no version.
    for path in Path(table.location).rglob("*"):
        os.utime(path, (1e9, 1e9))
    assert wb.spark.remove_orphan_files(table, dry_run=False).files
    assert catalog.get_table("shop.t").to_arrow().sort_by(_SORTED).equals(before)


def test_a_rescale_that_loses_changes_nothing(catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = filled(catalog, "shop.t", bucket="2")

    def writes_first(frame: Any, function: Any, schema: Any) -> Any:
        catalog.get_table("shop.t").write([{"p": 1, "id": 1, "v": 9.5, "s": "new"}])
        return map_in_arrow(frame, function, schema)

    monkeypatch.setattr(items, "map_in_arrow", writes_first)
    with pytest.raises(CommitConflict):
        wb.spark.rescale(table, bucket=4)
    assert catalog.get_table("shop.t").to_arrow(where="id = 1")["v"].to_pylist() == [9.5]
    assert {bucket for _, bucket, *_ in layout(catalog, "shop.t")} == {0, 1}


def test_statements_are_jobs_for_large_tables(catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.sql.execute import execute
    from workbench.sql.procedures import runners

    table = filled(catalog, "shop.t", bucket="2")
    jobs: list[str] = []
    for place in ("splits", "buckets"):
        monkeypatch.setattr(
            f"workbench.spark.maintenance.{place}.run_on_items",
            lambda *given: jobs.append(given[3]) or items.run_on_items(*given),
        )
    monkeypatch.setattr(runners, "LARGE_BYTES", 1)
    statements = [
        "ANALYZE TABLE shop.t COMPUTE STATISTICS FOR ALL COLUMNS",
        "CALL sys.remove_orphan_files('shop.t')",
        "CALL sys.rescale('shop.t', 4)",
        "CALL sys.compact_database(including_databases => 'shop')",
    ]
    for text in statements:
        execute(text, catalog, engine="duckdb")
    assert not jobs
    catalog.alter_table("shop.t", wb.SetOption("bucket", "2"))
    for text in statements:
        if "compact_database" in text:
            catalog.alter_table("shop.t", wb.SetOption("bucket", "4"))
            catalog.get_table("shop.t").write([{"p": 1, "id": 1, "v": 9.5, "s": "new"}])
        execute(text, catalog, engine="spark")
    assert [each.split(" ")[0] for each in jobs] == ["Analyzing", "Looking", "Rescaling", "Compacting"]
    assert catalog.get_table("shop.t").to_arrow().num_rows == 100
    execute("CALL sys.remove_orphan_files('shop.t', mode => 'local')", catalog, engine="spark")
    assert len(jobs) == len(statements)
    assert table.name == "shop.t"
