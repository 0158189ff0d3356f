"""`%paimon diff`: samples, changed cells, counts by partition."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import workbench as wb


@pytest.fixture
def changed(shell: Any, tmp_path: Path) -> Any:
    catalog = wb.connect(tmp_path / "warehouse")
    columns = {"id": "BIGINT NOT NULL", "p": "STRING NOT NULL", "v": "STRING", "w": "INT"}
    table = catalog.create_table("shop.t", columns, ["id", "p"], "p", options={"bucket": "1"})
    rows = [{"id": number, "p": "ab"[number % 2], "v": "<b>old", "w": 1} for number in range(100)]
    table.write(rows)
    table.write([{**row, "v": "<i>new"} for row in rows[:40]] + [{"id": 500, "p": "c", "v": None, "w": 1}])
    table.delete("id BETWEEN 60 AND 99")
    return shell


def test_a_sample_of_each_kind(changed: Any) -> None:
    view = changed.run_line_magic("paimon", "diff t@1..3 --limit 12")
    kinds = [row[0] for row in view._shown().grids[0].rows]
    # There is only one insert, so the other kinds share the rest of the sample.
    assert (kinds.count("+I"), kinds.count("-D")) == (1, 5)
    assert kinds.count("-U") == kinds.count("+U") == 3
    assert view.to_arrow().num_rows == 40 * 2 + 1 + 40
    assert "Showing 9 of 81 changes." in repr(view)
    assert "Changes by partition: p=a: 40; p=b: 40; p=c: 1." in repr(view)


def test_changed_cells_are_marked(changed: Any) -> None:
    html = changed.run_line_magic("paimon", "diff t@1..2 --limit 5")._repr_html_()
    marked = re.findall(r"<td[^>]*><b class=\"wb-kind wb-add\">(.*?)</b></td>", html)
    assert marked == ["&lt;i&gt;new"] * len(marked)
    assert len(marked) == 2
    assert "<i>" not in html


def test_few_changes_are_all_shown(changed: Any) -> None:
    view = changed.run_line_magic("paimon", "diff t@1..3 --limit 500")
    assert len(view._shown().grids[0].rows) == 121
    assert len(changed.run_line_magic("paimon", "diff t@1..1")._shown().grids[0].rows) == 0


def summary(shell: Any, words: str) -> str:
    return str(shell.run_line_magic("paimon", f"diff {words}").value.counts.summary)


def test_states_in_text_form(changed: Any, tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path / "warehouse")
    table = catalog.get_table("shop.t")
    table.create_tag("one", 1)
    table.create_tag("1..3", 3)
    table.create_branch("dev", tag="one")
    same = "1 inserted, 40 updated, 40 deleted"
    assert summary(changed, "t@1..3") == same
    assert summary(changed, "t@one..3") == same
    assert summary(changed, "t@one..1..3") == same
    assert summary(changed, "t@one") == same
    assert summary(changed, "t@one..") == same
    assert summary(changed, "t$branch_dev..t") == same
    assert summary(changed, "shop.t@1..`shop`.`t`@2") == "1 inserted, 40 updated"
    assert summary(changed, "t") == "40 deleted"
    assert summary(changed, "t@0..1") == "100 inserted"


def test_mistakes_in_text_form(changed: Any) -> None:
    with pytest.raises(Exception, match="takes a table and two versions"):
        changed.run_line_magic("paimon", "diff")
    with pytest.raises(Exception, match="no snapshot 9"):
        changed.run_line_magic("paimon", "diff t@1..9")
    with pytest.raises(Exception, match="is not a tag of shop"):
        changed.run_line_magic("paimon", "diff t@nothing..2")


def test_filters_and_exports(changed: Any, tmp_path: Path) -> None:  # noqa: ARG001 - the table is made by the fixture
    table = wb.connect(tmp_path / "warehouse").get_table("shop.t")
    changes = wb.diff(table, 1, 3)
    assert changes.counts.changes == 81
    assert changes.to_pandas().shape == (121, 5)
    assert changes.to_batches().read_all().equals(changes.to_arrow())
    assert wb.diff(table, 1, 3, kind="deleted").counts.changes == 40
    assert wb.diff(table, 1, 3, column="v", where="id < 10").counts.updated == 10
    assert wb.diff(table, 1, 3, partition="p=c").to_arrow().to_pylist() == [
        {"rowkind": "+I", "id": 500, "p": "c", "v": None, "w": 1}
    ]
    assert wb.diff(table.at(snapshot=3), table).counts.summary == "no changes"
    with pytest.raises(wb.WorkbenchError, match="not a kind of change"):
        wb.diff(table, 1, 3, kind="moved")
    with pytest.raises(wb.WorkbenchError, match="There is no column 'vv'"):
        wb.diff(table, 1, 3, column="vv")
    with pytest.raises(wb.SnapshotNotFound):
        wb.diff(table, 1, 30)


def test_events_of_the_picture(changed: Any, tmp_path: Path) -> None:  # noqa: ARG001 - the table is made by the fixture
    table = wb.connect(tmp_path / "warehouse").get_table("shop.t")
    view = wb.diff(table, 1, 3)
    assert view.value.page is not None
    chosen = {"kind": "inserted", "column": "", "partition": "", "where": ""}
    view._on_message({"kind": "filter", "filter": chosen})
    assert view.value.counts is not None
    assert view.value.counts.changes == 1
    view._on_message({"kind": "compare", "before": "snapshot:0", "after": "snapshot:1"})
    assert view.value.before.text == "the empty table"
    view._on_message({"kind": "filter", "filter": {**chosen, "kind": ""}})
    assert view.value.counts.inserted == 100
    assert not view._on_event({"kind": "unknown"})


def test_pages_of_the_picture_have_the_limit(changed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.notebook.table_views.diff.has_front_end", lambda: True)
    view = changed.run_line_magic("paimon", "diff t@1..3 --limit 12")
    first = view.value.page
    assert (first.start, len(first.rows), first.state) == (0, 12, "more")
    view._on_message({"kind": "page", "start": 12})
    second = view.value.page
    assert (second.start, second.limit, len(second.rows)) == (12, 12, 12)
    assert not set(first.rows) & set(second.rows)
