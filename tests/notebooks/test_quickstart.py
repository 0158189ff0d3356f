"""The notebooks run from top to bottom, and a mistake in one would be noticed."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

pytest.importorskip("nbval")
ROOT = Path(__file__).parents[2]


def run_notebook(notebook: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--nbval-lax",
            "--nbval-current-env",
            "-q",
            "-p",
            "no:cacheprovider",
            notebook,
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.spark
@pytest.mark.long
def test_quickstart() -> None:
    outcome = run_notebook(ROOT / "notebooks" / "quickstart.ipynb")
    assert outcome.returncode == 0, outcome.stdout[-4000:]


@pytest.mark.spark
def test_quickstart_is_silent() -> None:
    """No cell writes to its error output: no messages of a JVM that starts, no warnings of libraries."""
    notebook = nbformat.read(ROOT / "notebooks" / "quickstart.ipynb", 4)
    reported: list[tuple[int, str]] = []
    manager, client = start_new_kernel(cwd=str(ROOT), env={**os.environ, "PYTHONPATH": str(ROOT)})
    try:
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type != "code":
                continue
            reply = client.execute_interactive(
                cell.source, timeout=300, output_hook=partial(note_errors, reported, index)
            )
            assert reply["content"]["status"] == "ok", cell.source
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
    assert reported == []


def note_errors(errors: list[tuple[int, str]], cell: int, message: dict[str, Any]) -> None:
    if message["content"].get("name") == "stderr":
        errors.append((cell, message["content"]["text"]))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("%paimon tables", "CatalogError: No catalog is open."),
        ("%%paimon --engine sparc\nSELECT 1", "CatalogError: No catalog is open."),
        ("%paimon connect {tmp}\nget_ipython().run_cell_magic('paimon', '', 'SELEC 1')", "Did you mean 'SELECT'?"),
        ("%paimon connect {tmp}\nassert False, 'a wrong claim'", "a wrong claim"),
    ],
)
def test_a_failing_cell_fails_the_notebook(tmp_path: Path, source: str, expected: str) -> None:
    notebook = nbformat.v4.new_notebook()
    begin = f"%load_ext workbench\ntmp = {str(tmp_path)!r}"
    notebook.cells = [nbformat.v4.new_code_cell(text) for text in (begin, source)]
    path = tmp_path / "failing.ipynb"
    nbformat.write(notebook, path)
    outcome = run_notebook(path)
    assert outcome.returncode == 1, outcome.stdout[-4000:]
    assert expected in outcome.stdout
