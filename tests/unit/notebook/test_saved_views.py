"""The JSON that a notebook keeps of a view: complete where it is small, reduced where it is large."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest

import workbench as wb
from workbench.lens.levels import FileValue, LevelsValue, RunValue
from workbench.lens.smaller import combined_files, smaller_levels, smaller_summaries, smaller_timelines
from workbench.lens.timeline import SnapshotValue, TimelineValue
from workbench.notebook import live, saved
from workbench.notebook.explore import DatabaseNode, ExploreValue, smaller_explorers
from workbench.notebook.saved import MAX_BYTES, SAVED_MIME, SavedForm, SavedState, saved_view

STATE = SavedState("levels", "UTC", None, None)


@pytest.fixture(autouse=True)
def kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate a running kernel whose front end accepts no input."""
    monkeypatch.setattr(live, "has_kernel", lambda: True)


@pytest.fixture
def orders(tmp_path: Path) -> Any:
    catalog = wb.connect(tmp_path / "warehouse")
    catalog.create_database("shop")
    fields = {"day": "INT", "id": "BIGINT", "item": "STRING"}
    table = catalog.create_table(
        "shop.orders", fields, primary_key=["day", "id"], partition_by="day", options={"bucket": "2"}
    )
    table.write([{"day": each % 3, "id": each, "item": "pen"} for each in range(300)])
    return table


def size(content: Any) -> int:
    """The bytes that an output adds to a notebook file."""
    cells = [
        nbformat.v4.new_code_cell(outputs=[nbformat.v4.new_output("display_data", data)])
        for data in ({}, {SAVED_MIME: content})
    ]
    without, with_output = (nbformat.writes(nbformat.v4.new_notebook(cells=[cell])) for cell in cells)
    return len(with_output.encode()) - len(without.encode())


def files(count: int) -> tuple[FileValue, ...]:
    return tuple(
        FileValue(f"data-{n}", 5, 10, 2048, 1, str(n), str(n), n / count, (n + 1) / count, n, n, n)
        for n in range(count)
    )


def levels(table: Any, count: int, level: int) -> LevelsValue:
    """Return levels with ``count`` files in the shown bucket, in one run or, on level 0, in a run for each file."""
    value = wb.levels(table).value
    assert value.bucket is not None
    made = files(count)
    runs = tuple(RunValue(0, (file,)) for file in made) if level == 0 else (RunValue(level, made),)
    return replace(value, bucket=replace(value.bucket, runs=runs))


def test_every_bucket_is_saved(orders: Any) -> None:
    view = wb.levels(orders)
    kept = view._repr_mimebundle_()[SAVED_MIME]
    assert {**kept, "value": None, "others": None} == {
        "version": 1,
        "kind": "levels",
        "zone": wb.options.timezone,
        "selected": None,
        "model": None,
        "reduced": False,
        "value": None,
        "others": None,
    }
    buckets = [kept["value"]["bucket"], *kept["others"]]
    assert sorted(each["id"] for each in buckets) == sorted(each["id"] for each in kept["value"]["buckets"])
    assert sum(int(file["rows"]) for each in buckets for run in each["runs"] for file in run["files"]) == 300


def test_timeline_and_explorer_are_saved(orders: Any, tmp_path: Path) -> None:
    timeline = wb.timeline(orders)._repr_mimebundle_()[SAVED_MIME]
    assert (timeline["kind"], [each["id"] for each in timeline["value"]["snapshots"]]) == ("timeline", ["1"])
    explored = wb.explore(wb.connect(tmp_path / "warehouse"))._repr_mimebundle_()[SAVED_MIME]
    assert explored["value"]["databases"] == [{"name": "shop", "tables": ["orders"]}]


def test_no_secret_is_saved(tmp_path: Path, shell: Any) -> None:
    """Whatever a cell ends with: its output becomes a part of the notebook."""
    catalog = wb.connect(tmp_path / "warehouse", **{"s3.secret-key": "hush", "fsspec.connection_string": "Key=hush"})
    table = catalog.get_table("shop.orders")
    values = [catalog, catalog.options, table, table.store, table.snapshot(), table.scan(), wb.explore(catalog)]
    for value in [*values, wb.levels(table), wb.timeline(table), wb.health(catalog)]:
        content, metadata = shell.display_formatter.format(value)
        assert content
        assert "hush" not in json.dumps([content, metadata], default=str)


def test_a_summary_is_saved(orders: Any) -> None:
    orders.write([{"day": 0, "id": 0, "item": "ink"}])
    kept = wb.summary(orders)._repr_mimebundle_()[SAVED_MIME]
    assert (kept["kind"], kept["value"]["snapshot"], kept["reduced"]) == ("summary", "2", False)
    contents = kept["value"]["contents"]
    assert contents["count"] == {"rows": "300", "exact": False, "stored": "301"}
    assert contents["verdict"]["condition"] == "good"


def test_a_table_with_very_many_columns_has_fewer_in_the_notebook(orders: Any) -> None:
    value = wb.summary(orders).value
    fields = tuple(replace(value.fields[1], name=f"column_{n}", comment="so " * 40) for n in range(3000))
    kept = saved_view(STATE, replace(value, fields=fields), SavedForm(smaller_summaries), orders)
    assert kept is not None
    assert kept["reduced"]
    assert size(kept) <= MAX_BYTES
    content: Any = kept["value"]
    assert 300 < len(content["fields"]) < 3000
    assert content["options"] == []
    assert content["contents"]["files"] == str(value.contents.files)


def test_an_error_is_not_saved(orders: Any) -> None:
    assert SAVED_MIME not in wb.levels(orders, bucket="no such")._repr_mimebundle_()


def test_without_a_kernel_nothing_is_saved(orders: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "has_kernel", lambda: False)
    assert set(wb.levels(orders)._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_only_as_many_other_buckets_are_saved_as_fit(orders: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = size(wb.levels(orders)._repr_mimebundle_()[SAVED_MIME])
    monkeypatch.setattr(saved, "MAX_BYTES", whole - 1000)
    kept = wb.levels(orders)._repr_mimebundle_()[SAVED_MIME]
    assert 0 < len(kept["others"]) < 5
    assert not kept["reduced"]
    assert size(kept) <= whole - 1000


@pytest.mark.parametrize("level", [0, 5])
@pytest.mark.parametrize("count", [1500, 20_000])
def test_many_files_are_combined(orders: Any, level: int, count: int) -> None:
    value = levels(orders, count, level)
    kept = saved_view(STATE, value, SavedForm(smaller_levels), orders)
    assert kept is not None
    assert kept["reduced"]
    assert size(kept) <= MAX_BYTES
    content: Any = kept["value"]
    bars = [file for run in content["bucket"]["runs"] for file in run["files"]]
    assert 60 < len(bars) < count
    assert sum(int(bar["rows"]) for bar in bars) == count * 10
    assert sum(int(bar["size"]) for bar in bars) == count * 2048
    assert len({bar["name"] for bar in bars}) == len(bars)
    assert (bars[0]["start"], bars[-1]["end"]) == (0, 1)
    assert len(content["buckets"]) == 6


def test_combined_files_say_so(orders: Any) -> None:
    bucket = levels(orders, 5, 5).bucket
    assert bucket is not None
    (run,) = combined_files(bucket, 2).runs
    assert [file.name for file in run.files] == [
        "2 files: data-0 to data-1",
        "2 files: data-2 to data-3",
        "data-4",
    ]
    assert (run.files[0].min_key, run.files[0].max_key, run.files[0].deletes) == ("0", "1", 2)


def test_a_long_history_is_shortened() -> None:
    snapshots = tuple(
        SnapshotValue(n, "APPEND", n, 1, n, None, 0, "user", "", "", "INSERT " * 1000, "", ())
        for n in range(2000, 0, -1)
    )
    value = TimelineValue("shop.orders", "UTC", snapshots, (), 5000, "1")
    kept = saved_view(STATE, value, SavedForm(smaller_timelines), None)
    assert kept is not None
    assert size(kept) <= MAX_BYTES
    content: Any = kept["value"]
    assert content["snapshots"][0]["id"] == "2000"
    assert 100 < len(content["snapshots"]) < 2000
    assert (content["total"], content["next"]) == (5000, None)


def test_a_large_catalog_lists_fewer_tables() -> None:
    names = tuple(f"table_{number:06d}" for number in range(5000))
    value = ExploreValue(
        "/lake", (DatabaseNode("small", ("one",)), *(DatabaseNode(f"d{n}", names) for n in (1, 2))), None
    )
    kept = saved_view(STATE, value, SavedForm(smaller_explorers), None)
    assert kept is not None
    content: Any = kept["value"]
    assert [node["tables"] is None for node in content["databases"]] == [False, True, False]
    many = replace(value, databases=tuple(DatabaseNode(f"database_{n}", None) for n in range(20_000)))
    assert saved_view(STATE, many, SavedForm(smaller_explorers), None) is None
