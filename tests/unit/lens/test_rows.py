"""The first rows of a version, its columns, and how many rows it has."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import Cancelled, CorruptFile, InvalidExpression, InvalidRequest
from workbench.base.progress import Progress
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.lens import row_count as row_count_module
from workbench.lens.columns import collect_columns
from workbench.lens.row_count import RowCountValue, collect_row_count
from workbench.lens.rows import MAX_ROWS, collect_rows
from workbench.lens.summary import collect_summary
from workbench.table.schema_changes.changes import SetOption
from workbench.table.table import Table


@pytest.fixture
def numbers(catalog: FileSystemCatalog) -> Table:
    created = catalog.create_table("d.n", {"n": "BIGINT", "word": "STRING"})
    for first in range(0, 300, 100):
        created.write(pa.table({"n": range(first, first + 100), "word": [None, "x"] * 50}))
    return created


def test_pages(numbers: Table) -> None:
    first = collect_rows(numbers)
    assert [(each.name, each.type, each.number) for each in first.columns] == [
        ("n", "BIGINT", True),
        ("word", "STRING", False),
    ]
    assert first.rows[:2] == (("0", None), ("1", "x"))
    assert (len(first.rows), first.start, first.state, first.snapshot) == (100, 0, "more", 3)
    last = collect_rows(numbers, start=200)
    assert (last.rows[0][0], last.rows[-1][0], last.state) == ("200", "299", "end")
    assert collect_rows(numbers, start=300).rows == ()


def test_a_filter(numbers: Table) -> None:
    page = collect_rows(numbers, "n BETWEEN 150 AND 152")
    assert ([row[0] for row in page.rows], page.state) == (["150", "151", "152"], "end")
    assert collect_rows(numbers, " ").state == "more"
    with pytest.raises(InvalidExpression):
        collect_rows(numbers, "nonsense >")


def test_a_version(numbers: Table) -> None:
    page = collect_rows(numbers.at(snapshot=1), start=50)
    assert (len(page.rows), page.snapshot, page.state) == (50, 1, "end")


def test_merged_rows(table: Table, write: Any) -> None:
    write("a", [1, 2], "old")
    write("a", [2, 3], "new")
    assert collect_rows(table).rows == (("a", "1", "old"), ("a", "2", "new"), ("a", "3", "new"))


def test_a_table_never_written(table: Table) -> None:
    page = collect_rows(table)
    assert (page.rows, page.state, page.snapshot, len(page.columns)) == ((), "end", None, 3)
    assert [each.null_share for each in collect_columns(table).columns] == [None] * 3
    assert collect_row_count(table, exact=False) == RowCountValue(0, True, 0)


def test_values_of_all_types_are_texts(catalog: FileSystemCatalog) -> None:
    types = {
        "b": "BOOLEAN",
        "f": "DOUBLE",
        "d": "DATE",
        "t": "TIMESTAMP(3)",
        "y": "BYTES",
        "a": "ARRAY<INT>",
        "m": "MAP<STRING, INT>",
        "r": "ROW<x INT>",
        "c": "DECIMAL(10, 2)",
    }
    created = catalog.create_table("d.types", types)
    row = {
        "b": True,
        "f": 1.5,
        "d": datetime.date(2026, 11, 1),
        "t": datetime.datetime(2026, 11, 1, 12, 30),
        "y": b"\x00\xff",
        "a": [1, None],
        "m": [("k", 2)],
        "r": {"x": 3},
        "c": None,
    }
    created.write(pa.Table.from_pylist([row], schema=created.arrow_schema))
    (texts,) = collect_rows(created).rows
    assert texts == ("true", "1.5", "2026-11-01", "2026-11-01 12:30:00", "X'00ff'", "[1, null]", *texts[6:8], None)
    assert "k" in str(texts[6])
    assert "3" in str(texts[7])


def test_long_texts_are_cut(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table("d.long", {"s": "STRING"})
    created.write(pa.table({"s": ["y" * 100_000]}))
    assert collect_rows(created).rows == ((f"{'y' * 200}…",),)


def test_pages_are_bounded(numbers: Table) -> None:
    with pytest.raises(InvalidRequest, match="start"):
        collect_rows(numbers, start=MAX_ROWS)
    with pytest.raises(InvalidRequest):
        collect_rows(numbers, limit=0)


def test_a_search_that_takes_long_stops(numbers: Table) -> None:
    page = collect_rows(numbers, "n + 0 = 250", seconds=0.0)
    assert (page.rows, page.state) == ((), "slow")


def test_a_cancelled_search(numbers: Table) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        collect_rows(numbers, progress=progress)


def test_damage_of_a_data_file(numbers: Table) -> None:
    next(Path(numbers.location).rglob("*.parquet")).write_bytes(b"garbage")
    with pytest.raises(CorruptFile):
        collect_rows(numbers, start=200)
    assert collect_columns(numbers).columns[0].maximum == "299"


def test_statistics_of_columns(numbers: Table) -> None:
    value = collect_columns(numbers)
    number, word = value.columns
    assert (number.null_share, number.minimum, number.maximum) == (0.0, "0", "299")
    assert (word.null_share, word.minimum, word.maximum) == (0.5, "x", "x")
    assert value.complete


def test_statistics_that_a_file_does_not_have(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table("d.none", {"n": "BIGINT"}, options={"metadata.stats-mode": "none"})
    created.write(pa.table({"n": [1]}))
    (column,) = collect_columns(created).columns
    assert (column.null_share, column.minimum, column.maximum) == (None, None, None)


def test_append_tables_are_counted_by_metadata(numbers: Table) -> None:
    summary = collect_summary(numbers)
    assert summary.contents is not None
    assert summary.contents.count == RowCountValue(300, True, 300)
    assert collect_row_count(numbers, exact=False) == RowCountValue(300, True, 300)


def test_deletion_vectors_are_counted_by_metadata(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table("d.v", {"n": "BIGINT"}, options={"deletion-vectors.enabled": "true"})
    created.write(pa.table({"n": range(10)}))
    created.delete("n < 4")
    summary = collect_summary(created)
    assert summary.contents is not None
    assert summary.contents.count == RowCountValue(6, True, 10)


def test_key_tables_are_estimated_until_they_are_compacted(table: Table, write: Any) -> None:
    write("a", [1, 2, 3], "x")
    write("a", [2, 3, 4], "y")
    contents = collect_summary(table).contents
    assert contents is not None
    assert contents.count is None
    assert collect_row_count(table, exact=False) == RowCountValue(4, False, 6)
    assert collect_row_count(table, exact=True) == RowCountValue(4, True, 6)
    estimated = collect_summary(table, estimate=True).contents
    assert estimated is not None
    assert estimated.count == RowCountValue(4, False, 6)
    assert (estimated.count.rows_text, estimated.count.stored_text) == ("about 4", "6 stored, 1.5 ×")
    table.compact(full=True)
    compacted = collect_summary(table).contents
    assert compacted is not None
    assert compacted.count == RowCountValue(4, True, 4)


def test_deletes_make_the_number_uncertain(table: Table) -> None:
    rows = {"dt": ["a"] * 2, "k": [1, 2], "v": ["x"] * 2, "kind": ["+I", "-D"]}
    table.write(pa.table(rows), row_kind="kind")
    contents = collect_summary(table).contents
    assert contents is not None
    assert contents.count is None
    assert collect_row_count(table, exact=True).rows == 1


def test_an_estimate_is_extended_from_samples(table: Table, write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for partition in "abcdefgh":
        write(partition, list(range(100)), "x")
        write(partition, list(range(50, 150)), "y")
    assert collect_row_count(table, exact=False) == RowCountValue(1200, False, 1600)
    monkeypatch.setattr(row_count_module, "_SAMPLE_ROWS", 0)
    assert collect_row_count(table, exact=False) == RowCountValue(1200, False, 1600)


def test_a_table_of_two_branches(catalog: FileSystemCatalog) -> None:
    created = catalog.create_table("d.two", {"p": "INT", "v": "STRING"}, partition_by="p")
    created.write(pa.table({"p": pa.array([1], pa.int32()), "v": ["main"]}))
    created.create_branch("b")
    catalog.get_table("d.two$branch_b").write(pa.table({"p": pa.array([2], pa.int32()), "v": ["branch"]}))
    catalog.alter_table("d.two", SetOption("scan.fallback-branch", "b"))
    both = catalog.get_table("d.two")
    assert collect_rows(both).rows == (("1", "main"), ("2", "branch"))
    assert collect_rows(both, "p = 2").rows == (("2", "branch"),)
    contents = collect_summary(both, estimate=True).contents
    assert contents is not None
    assert contents.count is None
    assert collect_row_count(both, exact=True) == RowCountValue(2, True, 2)
