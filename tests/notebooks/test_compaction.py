"""The notebook about compactions runs from top to bottom."""

from __future__ import annotations

import nbformat
import pytest

from tests.notebooks.test_quickstart import ROOT, run_cells, run_notebook

pytest.importorskip("nbval")
COMPACTION = ROOT / "notebooks" / "compaction.ipynb"


@pytest.mark.long
def test_the_notebook_runs() -> None:
    ran = run_notebook(COMPACTION)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_notebook_shows_compactions_and_their_costs() -> None:
    result = run_cells(nbformat.read(COMPACTION, 4).cells)
    assert result.errors == []
    assert "Compactions of shop.orders" in result.shown["wb.compaction(orders)"]
    assert "write amplification" in result.shown["wb.compaction(orders).costs()"]
