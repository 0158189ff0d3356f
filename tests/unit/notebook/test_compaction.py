from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from workbench.notebook.charts.chart import CHART_MIME, PLOTLY_MIME
from workbench.notebook.table_views.compaction import COMPACTION, CompactionArguments

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A table whose partition has a hostile name, compacted twice."""
    catalog = wb.connect(tmp_path_factory.mktemp("lake"))
    catalog.create_database("d")
    created = catalog.create_table(
        "d.t",
        {"p": "STRING", "k": "BIGINT", "v": "STRING"},
        ["p", "k"],
        ["p"],
        {"bucket": "1", "num-sorted-run.compaction-trigger": "2"},
    )
    for number in range(5):
        created.write(pa.table({"p": [HOSTILE] * 3, "k": [number, number + 1, 50], "v": [str(number)] * 3}))
    return created


def test_rows_are_those_of_the_value(table: Any) -> None:
    view = wb.compaction(table)
    rows = view.to_arrow()
    assert rows["snapshot"].to_pylist() == [each.snapshot for each in view.value.compactions]
    assert rows["rows_dropped"].to_pylist() == [each.rows_dropped for each in view.value.compactions]
    assert len(view.to_pandas()) == rows.num_rows >= 2


def test_it_shows_the_newest_compaction_or_the_chosen_one(table: Any) -> None:
    newest, oldest = wb.compaction(table).value.compactions[0], wb.compaction(table).value.compactions[-1]
    shown = wb.compaction(table).value.story
    assert shown is not None
    assert shown.compaction.id == newest.id
    chosen = wb.compaction(table, snapshot=oldest.snapshot, bucket=oldest.bucket_id).value.story
    assert chosen is not None
    assert chosen.compaction.id == oldest.id


def test_the_static_picture_draws_both_sides_and_escapes_names(table: Any) -> None:
    html = wb.compaction(table)._repr_html_()
    assert html.count("wb-ribbon") > 2
    assert ">before<" in html
    assert HOSTILE not in html
    assert wb.compaction(table)._repr_png_() is not None
    assert "compaction" in str(wb.compaction(table)).lower()


def test_events_choose_page_replay_and_costs(table: Any) -> None:
    view = wb.compaction(table)
    oldest = view.value.compactions[-1]
    assert view._on_event({"kind": "select-compaction", "id": oldest.id})
    assert view.selected == oldest.id
    assert view._on_event({"kind": "replay", "bucket": oldest.bucket_id, "limit": 50})
    assert view._on_event({"kind": "costs"})
    value = COMPACTION.collect(table, view.arguments)
    assert value.story is not None
    assert value.replay is not None
    assert value.costs is not None
    assert json.loads(value.costs.figure) == view.costs().figure
    assert value.story.compaction.id == oldest.id
    assert view._on_event({"kind": "more-compactions"})
    assert not view._on_event({"kind": "select-compaction", "id": "nonsense"})
    assert not view._on_event({"kind": "unknown"})


def test_costs_are_a_figure_and_a_table(table: Any) -> None:
    costs = wb.compaction(table).costs()
    bundle = costs._repr_mimebundle_()
    assert {"text/html", CHART_MIME, PLOTLY_MIME} <= bundle.keys()
    figure = bundle[PLOTLY_MIME]
    assert [trace["name"] for trace in figure["data"]] == [
        "Write amplification",
        "Read amplification",
        "Space amplification",
        "Compacted bytes",
    ]
    assert all(trace["x"] == list(costs.value.ids) for trace in figure["data"])
    assert costs.to_arrow().num_rows == len(costs.to_pandas()) == len(costs.value.ids)
    assert "write amplification" in bundle["text/html"]


def test_a_table_never_written(tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path)
    catalog.create_database("d")
    table = catalog.create_table("d.t", {"k": "INT"}, options={"bucket": "-1"})
    view = wb.compaction(table)
    assert view.to_arrow().num_rows == 0
    assert view._repr_html_()
    assert PLOTLY_MIME not in view.costs()._repr_mimebundle_()


def test_an_append_table(tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path)
    catalog.create_database("d")
    table = catalog.create_table("d.t", {"k": "INT"}, options={"bucket": "-1", "compaction.min.file-num": "2"})
    for number in range(4):
        table.write([{"k": number}])
    table.compact()
    view = wb.compaction(table)
    assert [each.rule for each in view.value.compactions] == ["file-count"]
    assert "wb-ribbon" in view._repr_html_()
    assert len(view.costs().figure["data"]) == 2


def test_the_command_lists_compactions(table: Any) -> None:
    assert COMPACTION.command is not None
    assert "d.t" in COMPACTION.command.show(table, 10)._text()
    assert CompactionArguments().limit == 200
