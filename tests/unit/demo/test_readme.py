"""The examples of the README and of the feature page run unchanged, each in its own process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]
README = PROJECT / "README.md"
FEATURES = PROJECT / "docs" / "features.md"

RUN_CELLS = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.history_manager.enabled = False
for cell in sys.stdin.read().split("\\0"):
    shell.run_cell(cell).raise_error()
"""


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def run(arguments: list[str], directory: Path, given: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        input=given,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


(PYTHON,) = blocks(README, "python")
(SPARK,) = blocks(FEATURES, "python")
SETUP, QUERY = blocks(README, "ipython")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A folder in which the Python example has run."""
    printed = run(["-"], tmp_path, PYTHON)
    assert "[{'id': 1, 'item': 'pen', 'qty': 3}, {'id': 2, 'item': 'ink', 'qty': 5}]" in printed
    assert printed.count("'rowkind': '+U'") == 1
    return tmp_path


def test_python(directory: Path) -> None:
    check = "import workbench as wb\nprint(wb.connect('./warehouse').get_table('shop.orders').to_arrow().to_pylist())"
    assert "{'id': 1, 'item': 'pen', 'qty': 4}" in run(["-"], directory, check)


def test_notebook(directory: Path) -> None:
    printed = run(["-c", RUN_CELLS], directory, "\0".join([*SETUP.splitlines(), QUERY]))
    assert "pen" in printed
    assert "level" in printed.lower()


@pytest.mark.spark
@pytest.mark.long
def test_spark(directory: Path) -> None:
    printed = run(["-"], directory, SPARK)
    assert re.search(r"cap\|\s+990\|", printed)
    assert re.search(r"ink\|\s+5\|", printed)


def test_the_number_of_features_is_that_of_the_feature_page() -> None:
    rows = re.findall(r"\| [A-Z][^|]* \| (\d+) of (\d+) \|", between(FEATURES, "reading"))
    alike, all_of_them = (sum(map(int, numbers)) for numbers in zip(*rows, strict=True))
    assert f"{alike} of {all_of_them} features of Java Paimon 2.0 read the same" in README.read_text(encoding="utf-8")


def between(page: Path, mark: str) -> str:
    return page.read_text(encoding="utf-8").partition(f"<!-- {mark}:")[2].partition(f"<!-- end of {mark} -->")[0]


def test_the_readme_is_short() -> None:
    assert 70 <= len(README.read_text(encoding="utf-8").splitlines()) <= 90
