"""The notebook about the life of a row runs from top to bottom, quickly and silently."""

from __future__ import annotations

import nbformat

from tests.notebooks.test_quickstart import HIDE_SPARK, ROOT, run_cells

NOTEBOOK = ROOT / "notebooks" / "biography.ipynb"


def test_the_notebook_runs() -> None:
    result = run_cells(nbformat.read(NOTEBOOK, 4).cells, HIDE_SPARK)
    assert result.errors == []
    shown = result.shown
    assert (
        "'stops': ('5', (1, 2, 3, 5))" in shown["{each.name: (each.value, each.origins) for each in life.value.fields}"]
    )
    assert "2 stored versions found" in shown['wb.biography(parcels.at(snapshot=2), {"id": 7}).value.summary']


def test_the_notebook_is_stored_without_outputs() -> None:
    cells = nbformat.read(NOTEBOOK, 4).cells
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
