"""The notebook of explained reads runs from top to bottom, and shows what its text says."""

from __future__ import annotations

import nbformat

from tests.notebooks.test_quickstart import HIDE_SPARK, ROOT, run_cells

NOTEBOOK = ROOT / "notebooks" / "explain.ipynb"


def test_the_notebook() -> None:
    result = run_cells(nbformat.read(NOTEBOOK, 4).cells, HIDE_SPARK)
    assert result.errors == []
    steps = "[(step.title, step.files, step.excluded_files) for step in read.value.steps if step.excluded_files]"
    assert "[('Manifests', 4, 8)]" in result.shown[steps]
    assert "Add a bloom filter of id" in result.shown["best.title, best.files, best.statements"]
    assert int(result.shown['steps["file index"].excluded_files']) >= 3
