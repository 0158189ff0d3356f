"""The notebook about health runs from top to bottom."""

from __future__ import annotations

import nbformat
import pytest

from tests.notebooks.test_quickstart import ROOT, run_cells, run_notebook

pytest.importorskip("nbval")
HEALTH = ROOT / "notebooks" / "health.ipynb"


@pytest.mark.long
def test_the_notebook_runs() -> None:
    ran = run_notebook(HEALTH)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_notebook_finds_and_fixes() -> None:
    result = run_cells(nbformat.read(HEALTH, 4).cells)
    assert result.errors == []
    assert "Poor condition" in result.shown["health"]
    assert "The finding is resolved afterwards." in result.shown['health.preview("sorted-runs")']
    assert "sorted-runs" not in result.shown["%paimon health shop.orders"].split("Checks of")[0]
