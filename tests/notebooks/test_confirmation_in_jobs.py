"""Cells that delete data for good, in processes without a browser: the IPython terminal and nbconvert."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
import pytest

import workbench as wb

_CELLS = ["%paimon rollback kept@1", "%paimon truncate emptied", "%%paimon\nDROP TABLE dropped"]


def _in_terminal(cells: Sequence[str], _folder: Path) -> list[str]:
    # A terminal without a screen cannot edit a cell of several lines.
    typed = "".join(f"get_ipython().run_cell({cell!r});\n" for cell in cells)
    return ["-m", "IPython", "--no-banner", "--simple-prompt", "--no-confirm-exit", "--colors=NoColor", typed]


def _in_nbconvert(cells: Sequence[str], folder: Path) -> list[str]:
    path = folder / "job.ipynb"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbformat.write(notebook, path)
    return ["-m", "nbconvert", "--to", "notebook", "--execute", "--allow-errors", "--stdout", str(path), ""]


@pytest.mark.parametrize("agrees", [False, True])
@pytest.mark.parametrize("start", [_in_terminal, _in_nbconvert])
def test_a_job_deletes_only_with_its_consent(start: Any, agrees: bool, tmp_path: Path) -> None:
    catalog = wb.connect(str(tmp_path / "warehouse"))
    catalog.create_database("shop")
    for name in ("kept", "emptied", "dropped"):
        table = catalog.create_table(f"shop.{name}", {"id": "INT"})
        table.write([{"id": 1}])
        table.write([{"id": 2}])
    first = ["%load_ext workbench", f"%paimon connect {catalog.warehouse}", "%paimon use shop"]
    *arguments, typed = start([*first, *_CELLS], tmp_path)
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython")}
    environment.pop("PAIMON_YES", None)
    if agrees:
        environment["PAIMON_YES"] = "1"
    ran = subprocess.run(
        [sys.executable, *arguments], input=typed, capture_output=True, text=True, env=environment, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("ConfirmationRequired: ") == (0 if agrees else 3), ran.stdout
    assert catalog.list_tables("shop") == (["emptied", "kept"] if agrees else ["dropped", "emptied", "kept"])
    counts = [catalog.get_table(f"shop.{name}").to_arrow().num_rows for name in ("kept", "emptied")]
    assert counts == ([1, 0] if agrees else [2, 2])
