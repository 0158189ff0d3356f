"""A plan without a predicate is kept for the next scan, and only for one that would plan the same."""

from __future__ import annotations

import gc
import random
from dataclasses import replace
from pathlib import Path

import pytest

import workbench as wb
from workbench.base.garbage import no_collection
from workbench.format.spec.data_file import EMPTY_STATS, DataFileMeta
from workbench.metadata.read_options import ReadOptions
from workbench.scan import planner
from workbench.scan.split import pack


@pytest.fixture
def table(tmp_path: Path) -> wb.Table:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"k": "INT", "v": "INT"}, primary_key=["k"], options={"bucket": "2"})
    for number in range(3):
        table.write([{"k": key, "v": number} for key in range(10)])
    return table


def test_it_is_planned_once(table: wb.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    first = table.scan().plan()
    monkeypatch.setattr(planner, "_by_bucket", None)
    again = table.scan().plan()
    assert again == first
    again.clear()
    assert table.scan().plan() == first


def test_other_versions_and_options_have_other_plans(table: wb.Table) -> None:
    def files(of: wb.Table) -> int:
        return sum(len(split.files) for split in of.scan().plan())

    whole = files(table)
    assert files(table.at(snapshot=1)) < whole
    assert files(wb.connect(table.store.location.rsplit("/", 2)[0]).get_table("db.t")) == whole
    table.write([{"k": 1, "v": 9}])
    assert files(table) == whole + 1


def test_scans_of_another_kind_have_other_plans(tmp_path: Path) -> None:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    options = {"bucket": "1", "write-only": "true"}
    table = catalog.create_table("db.t", {"k": "INT"}, primary_key=["k"], options=options)
    table.write([{"k": 1}])
    for _ in range(2):
        rows = {name: catalog.open(name).to_arrow().num_rows for name in ("db.t", "db.t$ro", "db.t$audit_log")}
        assert rows == {"db.t": 1, "db.t$ro": 0, "db.t$audit_log": 1}
        assert catalog.open("db.t$ro").scan().plan() == []


def test_hidden_rows_are_reported_each_time(table: wb.Table) -> None:
    whole = table.scan()
    files = sum(len(split.files) for split in whole.plan())
    for bucket in (0, 1, 0):
        requested = ReadOptions(bucket=bucket)
        report = table.with_store(replace(table.store, read_options=requested)).scan().explain()
        assert {split.bucket for split in report.splits} == {bucket}
        assert {each.bucket for each in report.pruned} == {1 - bucket}
        assert len(report.pruned) + sum(len(split.files) for split in report.splits) == files
    assert table.scan().explain().pruned == ()


@pytest.mark.parametrize("seed", range(20))
def test_packing_is_filling_one_split_after_the_other(seed: int) -> None:
    chance = random.Random(seed)
    sections = []
    for _ in range(chance.randrange(30)):
        sizes = [[chance.randrange(1, 40)] * chance.randrange(1, 3) for _ in range(chance.choice([1, 1, 3]))]
        sections.append(tuple(tuple(map(file_of, run)) for run in sizes))
    weights = [file.file_size for section in sections for run in section for file in run]
    expected: list[list[object]] = []
    left = 0
    for section in sections:
        weight = sum(file.file_size for run in section for file in run)
        if not expected or weight > left:
            expected.append([])
            left = 100
        expected[-1].append(section)
        left -= weight
    assert pack(sections, weights, 100) == expected


def file_of(size: int) -> DataFileMeta:
    return DataFileMeta("f", size, 1, b"", b"", EMPTY_STATS, EMPTY_STATS, 0, 0, 0, 0)


def test_objects_created_without_collection_are_not_scanned_later() -> None:
    with no_collection():
        result: list[object] = [[]]
    young = {id(each) for generation in (0, 1) for each in gc.get_objects(generation)}
    assert id(result[0]) not in young
    assert gc.isenabled()
