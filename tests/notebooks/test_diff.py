"""The notebook of comparisons runs from top to bottom, and shows what its text says."""

from __future__ import annotations

import nbformat

from tests.notebooks.test_quickstart import HIDE_SPARK, ROOT, run_cells

NOTEBOOK = ROOT / "notebooks" / "diff.ipynb"


def test_the_notebook() -> None:
    result = run_cells(nbformat.read(NOTEBOOK, 4).cells, HIDE_SPARK)
    assert result.errors == []
    assert "90 updated, 10 deleted" in result.shown["changes"]
    assert "'90 updated, 10 deleted'" in result.shown["changes.counts.summary"]
    assert "INSERT INTO shop.orders (day, id, status, amount) VALUES" in result.shown["print(sql)"]
    assert "'no changes'" in result.shown['wb.diff(orders, orders.branch("trial")).counts.summary']
    only = 'wb.diff(orders).counts.summary, wb.diff(orders, "opened", "closed", column="status", where="id < 3")'
    assert "('10 deleted', 6)" in result.shown[f"{only}.to_arrow().num_rows"]
