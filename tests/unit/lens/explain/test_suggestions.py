"""Suggestions appear where they help, their statements run, and their estimates hold afterwards."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.lens.explain.collect import collect_explain
from workbench.lens.explain.value import ExplainValue, SuggestionValue
from workbench.sql.execute import execute

COLUMNS = {"dt": "DATE", "id": "BIGINT", "name": "STRING"}


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    opened = connect(tmp_path / "warehouse")
    opened.create_database("d")
    return opened


def overlapping(table: Any, files: int = 8, rows: int = 1000) -> None:
    """Write files that each contain unsorted ids of the whole range."""
    numbers = random.Random(7)
    for _ in range(files):
        ids = [numbers.randrange(1_000_000) for _ in range(rows)]
        days = pa.array([20_000 + each % 5 for each in ids], pa.int32()).view(pa.date32())
        table.write(pa.table({"dt": days, "id": pa.array(ids), "name": [f"n{each:06}" for each in ids]}))


def named(value: ExplainValue, name: str) -> SuggestionValue | None:
    return next((each for each in value.suggestions if each.name == name), None)


def left(value: ExplainValue) -> tuple[int, int]:
    """The files and bytes that are read."""
    return value.column_use.files, sum(split.size for split in value.splits.splits)


def run(catalog: FileSystemCatalog, suggestion: SuggestionValue) -> None:
    for statement in suggestion.statements:
        execute(statement, catalog, "d")


@pytest.mark.parametrize("where", ["id < 100000", "name = 'n500000'", "id = 77"])
def test_sorting(catalog: FileSystemCatalog, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.datafile.data_file_writer._ROW_GROUP_ROWS", 500)
    options = {"target-file-size": "12 kb", "file-index.bloom-filter.columns": "id"} if "77" in where else {}
    table = catalog.create_table("d.t", COLUMNS, options={"target-file-size": "12 kb", **options})
    overlapping(table)
    value = collect_explain(table, where)
    suggestion = named(value, "sort")
    if suggestion is None:
        # The file index already excludes all files, or all but one.
        assert left(value)[0] <= 1
        return
    files, size = left(value)
    run(catalog, suggestion)
    after_files, after_size = left(collect_explain(table, where))
    total = sum(file.file_size for split in table.scan().plan() for file in split.files)
    assert abs((files - suggestion.files) - after_files) <= 2
    assert abs((size - suggestion.size) - after_size) <= 0.25 * total
    assert named(collect_explain(table, where), "sort") is None


def test_a_bloom_filter(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("d.t", COLUMNS)
    overlapping(table)
    value = collect_explain(table, "id = 500000")
    suggestion = named(value, "bloom-filter")
    assert suggestion is not None
    assert suggestion.certainty == "estimate"
    files, _ = left(value)
    run(catalog, suggestion)
    after, _ = left(collect_explain(catalog.get_table("d.t"), "id = 500000"))
    assert abs((files - suggestion.files) - after) <= 2
    assert named(collect_explain(catalog.get_table("d.t"), "id = 500000"), "bloom-filter") is None


def test_a_bloom_filter_of_a_text(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("d.t", COLUMNS)
    overlapping(table)
    where = "name = 'n500000'"
    bound = named(collect_explain(table, where), "bloom-filter")
    assert bound is not None
    assert (bound.files, bound.certainty) == (7, "at most")
    measured = named(collect_explain(table, where, run=True), "bloom-filter")
    assert measured is not None
    assert (measured.files, measured.certainty) == (8, "at least")
    table.analyze(["name"])
    analyzed = named(collect_explain(table, where), "bloom-filter")
    assert analyzed is not None
    assert analyzed.certainty == "estimate"


def test_a_bloom_filter_of_values_that_every_file_has(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("d.t", COLUMNS)
    overlapping(table)
    assert named(collect_explain(table, "dt = DATE '2024-10-06'"), "bloom-filter") is None


def test_partitions(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("d.t", COLUMNS)
    overlapping(table)
    value = collect_explain(table, "dt = DATE '2024-10-05'")
    suggestion = named(value, "partition")
    assert suggestion is not None
    run(catalog, suggestion)
    _, size = left(value)
    _, after = left(collect_explain(catalog.get_table("d.t_by_dt"), "dt = DATE '2024-10-05'"))
    assert abs((size - suggestion.size) - after) <= 0.1 * size
    assert named(collect_explain(table, "id = 5"), "partition") is None


def test_buckets(catalog: FileSystemCatalog) -> None:
    fields = {"a": "BIGINT", "b": "BIGINT"}
    table = catalog.create_table("d.t", fields, ["a", "b"], options={"bucket": "4"})
    table.write(pa.table({"a": list(range(400)), "b": list(range(400))}))
    value = collect_explain(table, "a = 200")
    suggestion = named(value, "bucket-key")
    assert suggestion is not None
    assert suggestion.files == 3
    run(catalog, suggestion)
    after = collect_explain(catalog.get_table("d.t_by_a"), "a = 200")
    assert left(after)[0] <= 1
    assert named(after, "bucket-key") is None
    assert named(collect_explain(table, "a = 200 AND b = 200"), "bucket-key") is None


def test_merges(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("d.t", {"id": "BIGINT", "v": "BIGINT"}, ["id"], options={"bucket": "1"})
    table.write(pa.table({"id": list(range(1000)), "v": list(range(1000))}))
    table.compact(full=True)
    table.write(pa.table({"id": [5, 900], "v": [50_000, 50_000]}))
    value = collect_explain(table, "v > 40000")
    assert (value.splits.merged_files, value.splits.held_files) == (2, 1)
    names = {each.name for each in value.suggestions}
    assert {"compact", "deletion-vectors"} <= names
    vectors = named(value, "deletion-vectors")
    assert vectors is not None
    run(catalog, vectors)
    after = collect_explain(catalog.get_table("d.t"), "v > 40000")
    assert after.splits.merged_files == 0
    assert not after.suggestions


def test_compacted_files_only(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("d.t", {"id": "BIGINT", "v": "BIGINT"}, ["id"], options={"bucket": "1"})
    table.write(pa.table({"id": list(range(1000)), "v": list(range(1000))}))
    table.compact(full=True)
    table.write(pa.table({"id": list(range(1000)), "v": list(range(1000))}))
    value = collect_explain(table)
    suggestion = named(value, "read-optimized")
    assert suggestion is not None
    assert suggestion.certainty == "exact"
    files, size = left(value)
    after = collect_explain(catalog.open("d.t$ro"))
    assert left(after) == (files - suggestion.files, size - suggestion.size)
    assert execute(suggestion.statements[0], catalog, "d").to_arrow().num_rows == 1000


def test_nothing_helps(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("d.t", COLUMNS)
    assert collect_explain(table, "id = 5").suggestions == ()
    overlapping(table, files=1)
    for where in (None, "id = 5", "id > 500000", "name = 'n000001'"):
        assert collect_explain(table, where).suggestions == ()


def test_many_small_files(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("d.t", COLUMNS, options={"write-only": "true"})
    overlapping(table, files=12, rows=10)
    suggestion = named(collect_explain(table), "compact-small")
    assert suggestion is not None
    assert (suggestion.files, suggestion.size) == (11, 0)
    run(catalog, suggestion)
    assert left(collect_explain(table))[0] == 1
