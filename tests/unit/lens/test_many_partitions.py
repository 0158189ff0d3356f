"""The panel's reads of a table with very many partitions: how many files they open, and how long they take."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from workbench.catalog.connect import connect
from workbench.lens import columns as columns_module
from workbench.lens.columns import collect_columns
from workbench.lens.diff.collect import Comparison
from workbench.lens.diff.counts import collect_counts
from workbench.lens.diff.ends import end_of, usual_ends
from workbench.lens.diff.filters import DiffFilter
from workbench.lens.diff.pages import collect_diff_rows
from workbench.lens.rows import collect_rows
from workbench.scan import planner
from workbench.scan.split_reader import SplitReader
from workbench.table.table import Table

PARTITIONS, NEW = 320, 60


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many")
    catalog = connect(path)
    catalog.create_database("d")
    for name, key in (("append", ()), ("keyed", ("p", "id"))):
        options = {"bucket": "1"} if key else {}
        table = catalog.create_table(
            f"d.{name}", {"p": "INT", "id": "BIGINT"}, partition_by=["p"], primary_key=key, options=options
        )
        for first in (0, PARTITIONS - NEW):
            rows = range(first, PARTITIONS - NEW if first == 0 else PARTITIONS)
            table.write(pa.table({"p": pa.array(rows, pa.int32()), "id": rows}))
    return path


@pytest.fixture(params=["append", "keyed"])
def table(request: pytest.FixtureRequest, warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    monkeypatch.setattr(SplitReader, "_section", counted(SplitReader._section, "read"))
    monkeypatch.setattr(planner, "_packed_splits", counted(planner._packed_splits, "planned"))
    COUNTS.clear()
    return connect(warehouse).get_table(f"d.{request.param}")


COUNTS: Counter[str] = Counter()


def counted(function, name):  # type: ignore[no-untyped-def]
    def call(*args, **kwargs):  # type: ignore[no-untyped-def]
        COUNTS[name] += 1
        return function(*args, **kwargs)

    return call


def test_a_page_plans_and_opens_only_what_it_shows(table: Table) -> None:
    started = time.process_time()
    page = collect_rows(table)
    assert (len(page.rows), page.state) == (100, "more")
    assert COUNTS["read"] == COUNTS["planned"] == 101
    assert time.process_time() - started < 1.0
    COUNTS.clear()
    assert len(collect_rows(table, start=100, limit=50).rows) == 50
    assert COUNTS["planned"] == 151


def test_a_plan_that_is_cached_is_used(table: Table) -> None:
    expected = sorted(table.to_arrow()["id"].to_pylist())
    COUNTS.clear()
    assert len(collect_rows(table).rows) == 100
    assert COUNTS["planned"] == 0
    assert expected == list(range(PARTITIONS))


@pytest.mark.parametrize("where", ["id = 70", "p = 70", "id >= 70 AND id < 71"])
def test_a_filter_opens_only_files_that_may_match(table: Table, where: str) -> None:
    started = time.process_time()
    page = collect_rows(table, where)
    assert (page.rows, page.state) == ((("70", "70"),), "end")
    assert COUNTS["read"] == 1
    assert time.process_time() - started < 2.0
    assert len(table.scan(where=where).plan()) == 1


def test_rows_that_are_all_new_are_counted_without_reading_them(table: Table) -> None:
    comparison = Comparison(*usual_ends(table, end_of(table)), "diff", DiffFilter())
    counts = collect_counts(comparison.source())
    assert (counts.inserted, counts.updated, counts.deleted, counts.complete) == (NEW, 0, 0, True)
    assert counts.partition_total == NEW
    assert {each.partition for each in counts.partitions} <= {f"p={n}" for n in range(PARTITIONS - NEW, PARTITIONS)}
    assert COUNTS["read"] == 0
    backwards = Comparison(comparison.after, comparison.before, "diff", DiffFilter("deleted"))
    assert collect_counts(backwards.source(), backwards.filter).deleted == NEW
    assert collect_counts(backwards.source(), DiffFilter("inserted")).changes == 0
    assert COUNTS["read"] == 0
    # A condition on rows needs the rows.
    assert collect_counts(comparison.source(), DiffFilter(where="id % 2 = 0")).inserted == NEW // 2


def test_counting_that_takes_too_long_is_partial(table: Table) -> None:
    comparison = Comparison(*usual_ends(table, end_of(table)), "diff", DiffFilter(where="id >= 0"))
    counts = collect_counts(comparison.source(), comparison.filter, seconds=0)
    assert not counts.complete
    assert 0 < counts.inserted < NEW
    assert counts.summary.startswith("at least ")


def test_a_page_of_changes(table: Table) -> None:
    comparison = Comparison(*usual_ends(table, end_of(table)), "diff", DiffFilter())
    page = collect_diff_rows(comparison.source(), comparison.filter)
    assert (len(page.rows), page.state) == (NEW, "end")


def test_ranges_hold_for_the_version(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    value = collect_columns(table)
    assert value.complete
    assert {(each.minimum, each.maximum, each.null_share) for each in value.columns} == {
        ("0", str(PARTITIONS - 1), 0.0)
    }
    monkeypatch.setattr(columns_module, "_MAX_VALUES", PARTITIONS)
    value = collect_columns(table)
    assert not value.complete
    assert {(each.minimum, each.maximum, each.null_share) for each in value.columns} == {(None, None, None)}
