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
    kinds = [row[0] for row in view.grids[0].rows]
    # One insert is all there is, and what it leaves is shared by the others.
    assert (kinds.count("+I"), kinds.count("-D")) == (1, 5)
    assert kinds.count("-U") == kinds.count("+U") == 3
    assert view.to_arrow().num_rows == 40 * 2 + 1 + 40
    assert "Showing 12 of 121 changes." in repr(view)
    assert "Changes by partition: p=a: 40; p=b: 40; p=c: 1." in repr(view)


def test_changed_cells_are_marked(changed: Any) -> None:
    html = changed.run_line_magic("paimon", "diff t@1..2 --limit 5")._repr_html_()
    marked = re.findall(r"<td[^>]*><b class=\"wb-kind wb-add\">(.*?)</b></td>", html)
    assert marked == ["&lt;i&gt;new"] * len(marked)
    assert len(marked) == 2
    assert "<i>" not in html


def test_few_changes_are_all_shown(changed: Any) -> None:
    view = changed.run_line_magic("paimon", "diff t@1..3 --limit 500")
    assert len(view.grids[0].rows) == 121
    assert len(changed.run_line_magic("paimon", "diff t@1..1").grids[0].rows) == 0
