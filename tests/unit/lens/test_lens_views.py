from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.session import session_options
from workbench.catalog.connect import connect
from workbench.lens.diff import gather_diff
from workbench.lens.history import compaction_reason, gather_history
from workbench.lens.levels import gather_levels
from workbench.lens.summary import gather_summary
from workbench.lens.texts import size_text, time_text


@pytest.fixture
def table(tmp_path: Path) -> Any:
    catalog = connect(str(tmp_path))
    catalog.create_database("d")
    return catalog.create_table(
        "d.t",
        {"dt": "STRING", "k": "BIGINT", "v": "STRING"},
        primary_key=["dt", "k"],
        partition_by=["dt"],
        options={"bucket": "1"},
    )


def rows(partition: str, keys: list[int], value: str) -> pa.Table:
    return pa.table({"dt": [partition] * len(keys), "k": keys, "v": [value] * len(keys)})


def test_a_table_never_written(table: Any) -> None:
    levels, summary = gather_levels(table), gather_summary(table)
    assert (levels.snapshot, levels.buckets, levels.runs) == (None, (), 0)
    assert (summary.snapshot, summary.files, summary.rows) == (None, 0, 0)
    assert gather_history(table).snapshots == ()


def test_levels_place_files_on_the_axis_of_their_keys(table: Any) -> None:
    table.write(rows("a", [0, 50], "x"))
    table.write(rows("a", [50, 100], "y"))
    table.write(rows("b", [7], "z"))
    levels = gather_levels(table)
    assert (levels.snapshot, levels.keys) == (3, ("k",))
    assert [bucket.label for bucket in levels.buckets] == ["dt=a, bucket 0", "dt=b, bucket 0"]
    newest, oldest = (run.files[0] for run in levels.buckets[0].runs)
    assert (newest.min_key, newest.max_key, newest.start, newest.end, newest.rows) == ("50", "100", 0.5, 1.0, 2)
    assert (oldest.start, oldest.end) == (0.0, 0.5)
    assert levels.runs == 2
    single = levels.buckets[1].files[0]
    assert (single.start, single.end, single.level) == (0.0, 0.0, 0)


def test_levels_of_text_keys_go_by_rank(tmp_path: Path) -> None:
    catalog = connect(str(tmp_path))
    catalog.create_database("d")
    made = catalog.create_table("d.s", {"k": "STRING", "n": "INT"}, primary_key=["k", "n"], options={"bucket": "1"})
    made.write(pa.table({"k": ["a", "b"], "n": pa.array([1, 1], pa.int32())}))
    made.write(pa.table({"k": ["c"], "n": pa.array([9], pa.int32())}))
    levels = gather_levels(made)
    assert not levels.buckets[0].to_scale
    files = levels.files
    assert [(file.min_key, file.max_key, file.start, file.end) for file in files] == [
        ("(c, 9)", "(c, 9)", 1.0, 1.0),
        ("(a, 1)", "(b, 1)", 0.0, 0.5),
    ]


def test_levels_of_an_append_table_are_its_files_in_order(tmp_path: Path) -> None:
    catalog = connect(str(tmp_path))
    catalog.create_database("d")
    made = catalog.create_table("d.a", {"n": "BIGINT"})
    made.write(pa.table({"n": [1, 2, 3]}))
    made.write(pa.table({"n": [4]}))
    levels = gather_levels(made)
    assert levels.keys == ()
    assert [(file.rows, file.min_key, file.end) for file in levels.files] == [(3, None, 0.75), (1, None, 1.0)]


def test_history_tells_why_a_compaction_ran(table: Any) -> None:
    for value in "abcdef":
        table.write(rows("a", [1, 2, 3], value))
    history = gather_history(table)
    compactions = [each for each in history.snapshots if each.kind == "COMPACT"]
    assert compactions
    assert all(each.reason for each in compactions)
    assert [each.id for each in history.snapshots] == sorted((each.id for each in history.snapshots), reverse=True)


@pytest.mark.parametrize("recorded", [None, "", "no json", "[1]", "[{}]"])
def test_a_record_that_says_nothing(recorded: str | None) -> None:
    assert compaction_reason(recorded) == ""


def test_diff_counts_row_kinds(table: Any) -> None:
    table.write(rows("a", [1, 2, 3], "x"))
    table.write(rows("a", [3, 4], "y"))
    diff = gather_diff(table, 1, 2)
    assert dict(diff.counts) == {"+I": 1, "-U": 1, "+U": 1, "-D": 0}
    assert diff.summary == "1 inserted, 1 updated"
    assert gather_diff(table, 2, 2).summary == "no changes"


def test_summary(table: Any) -> None:
    table.write(rows("a", [1, 2, 3], "x"))
    summary = gather_summary(table)
    assert (summary.table, summary.rows, summary.files, summary.buckets) == ("d.t", 3, 1, 1)
    assert summary.size > 0
    assert [summary.role(name) for name in ("dt", "k", "v")] == ["primary key, partition", "primary key", ""]


def test_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [size_text(size) for size in (0, 1023, 1024, 150_000, 3 << 30)] == [
        *("0 B", "1,023 B", "1.0 KiB", "146 KiB", "3.0 GiB"),
    ]
    monkeypatch.setattr(session_options, "timezone", "Asia/Tokyo")
    assert time_text(0) == "1970-01-01 09:00:00"
