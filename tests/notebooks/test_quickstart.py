"""The notebooks run from top to bottom, and a mistake in one would be noticed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

import workbench as wb
from workbench.cli.lab import DemoFolder
from workbench.demo.build import build
from workbench.demo.local import ArrowLoader
from workbench.lens.levels import collect_buckets

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


QUICKSTART = ROOT / "notebooks" / "quickstart.ipynb"


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DemoFolder:
    """The folder of the demo, whose catalog the kernels know."""
    folder = DemoFolder(tmp_path / "demo", tmp_path / "warehouse")
    folder.prepare()
    build(wb.connect(folder.warehouse), ArrowLoader())
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", folder.environment()["JUPYTER_CONFIG_PATH"])
    return folder


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.usefixtures("demo")
def test_quickstart() -> None:
    outcome = run_notebook(QUICKSTART)
    assert outcome.returncode == 0, outcome.stdout[-4000:]


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.usefixtures("demo")
def test_quickstart_is_silent() -> None:
    """No cell writes to its error output: no messages of a JVM that starts, no warnings of libraries."""
    assert run_cells(nbformat.read(QUICKSTART, 4).cells).errors == []


def test_quickstart_without_spark(demo: DemoFolder) -> None:
    """Without Spark, the cells take less than half a minute, and show and write what they should."""
    board, flights = (wb.connect(demo.warehouse).get_table(f"nyc.{name}") for name in ("board", "flights"))
    before, versions = flights.snapshot().id, board.snapshot().id
    result = run_cells(nbformat.read(demo.notebook, 4).cells, HIDE_SPARK)
    assert result.errors == []
    assert result.seconds < 30
    shown = result.shown
    assert "nyc.board, snapshot 19 " in shown["%paimon diff board@{start}..{end} --limit 12"]
    assert "47 inserted, 28 updated, 58 deleted" in shown["%paimon diff board@{start}..{end} --limit 12"]
    assert "328,521" in shown["report"]
    assert "Spark is not installed" in shown['    print("Spark is not installed here.")']
    assert flights.snapshot().id == before
    (row,) = board.to_arrow(where="carrier = 'WB'").to_pylist()
    assert (row["status"], row["dest"]) == ("departed", "HNL")
    kinds = [snapshot.commit_kind for snapshot in board.snapshots() if snapshot.id > versions]
    assert kinds.count("APPEND") >= 5
    assert kinds[-1] == "COMPACT"
    (bucket,) = collect_buckets(board).buckets
    assert [run.level for run in bucket.runs] == [5]


def test_quickstart_is_stored_without_outputs_and_looks_like_no_test() -> None:
    cells = nbformat.read(QUICKSTART, 4).cells
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
    assert not any("assert" in cell.source for cell in cells)


@dataclass
class Result:
    """What cells wrote: errors with the number of the cell, and texts by the last line of the cell."""

    errors: list[tuple[int, str]] = field(default_factory=list)
    shown: dict[str, str] = field(default_factory=dict)
    seconds: float = 0

    def note(self, index: int, source: str, message: dict[str, Any]) -> None:
        content = message["content"]
        if content.get("name") == "stderr":
            self.errors.append((index, content["text"]))
        text = content.get("text") or content.get("data", {}).get("text/plain", "")
        last = source.splitlines()[-1]
        self.shown[last] = self.shown.get(last, "") + text


HIDE_SPARK = "import sys; sys.modules['pyspark'] = None"


def run_cells(cells: list[Any], first: str = "") -> Result:
    """Run the code cells in a new kernel, after ``first``. A failing cell fails the test."""
    result = Result()
    manager, client = start_new_kernel(cwd=str(ROOT), env={**os.environ, "PYTHONPATH": str(ROOT)})
    try:
        client.execute_interactive(first)
        started = time.monotonic()
        for index, cell in enumerate(cells):
            if cell.cell_type == "code":
                note = partial(result.note, index, cell.source)
                reply = client.execute_interactive(cell.source, timeout=300, output_hook=note)
                assert reply["content"]["status"] == "ok", (cell.source, reply["content"])
        result.seconds = time.monotonic() - started
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
    return result


FAILING = {
    "%paimon tables": "CatalogError: No catalog is open.",
    "%%paimon --engine sparc\nSELECT 1": "There is no engine 'sparc'. Did you mean 'spark'?",
    "%%paimon --engine spark\nSELECT 1": "CatalogError: No catalog is open.",
    "%paimon connect {tmp}\nget_ipython().run_cell_magic('paimon', '', 'SELEC 1')": "Did you mean 'SELECT'?",
    "assert False, 'a wrong claim'": "a wrong claim",
}


@pytest.mark.long
def test_failing_cells_fail_the_notebook(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook()
    begin = f"%load_ext workbench\ntmp = {str(tmp_path)!r}"
    notebook.cells = [nbformat.v4.new_code_cell(text) for text in (begin, *FAILING)]
    path = tmp_path / "failing.ipynb"
    nbformat.write(notebook, path)
    outcome = run_notebook(path)
    assert outcome.returncode == 1, outcome.stdout[-4000:]
    assert f"{len(FAILING)} failed, 1 passed" in outcome.stdout
    for expected in FAILING.values():
        assert expected in outcome.stdout
