"""Executors need Python, NumPy and Arrow; a packed environment adds what some formats and aggregates need."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.long]
_BARE = ("numpy", "numpy.libs", "pyarrow", "pyarrow.libs")
_MORE = (*_BARE, "fastavro", "_datasketches", "datasketches", "zstandard", "cramjam")
_ANSWER = [1500, "new", "0-499", "500-700"]


def environment_with(folder: Path, names: tuple[str, ...]) -> Path:
    """Create an environment with some of the packages of this one, and return its folder."""
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (source,) = Path(sys.prefix).glob("lib/python*/site-packages")
    for each in source.iterdir():
        if each.name.split(".cpython")[0] in names:
            (shutil.copytree if each.is_dir() else shutil.copy)(each, site / each.name)
    return folder


def run(tmp_path: Path, python: str, archive: str = "") -> dict[str, Any]:
    script = "tests.spark.executors.bare_executors"
    command = [sys.executable, "-m", script, str(tmp_path / "warehouse"), python, archive]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900, cwd=os.getcwd())
    assert ran.returncode == 0, ran.stderr[-5000:]
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def test_executors_with_numpy_and_arrow_only(tmp_path: Path) -> None:
    bare = environment_with(tmp_path / "bare", _BARE)
    found = run(tmp_path, str(bare / "bin" / "python"))
    (package,) = found.pop("tasks")
    assert "workbench_package.zip" in package
    assert found == {"parquet": _ANSWER, "orc": _ANSWER, "log": [10]}


def test_executors_with_a_packed_environment(tmp_path: Path) -> None:
    packing = pytest.importorskip("venv_pack")
    assert find_spec("datasketches") is not None
    archive = tmp_path / "environment.tar.gz"
    packing.pack(str(environment_with(tmp_path / "packed", _MORE)), output=str(archive), verbose=False)
    found = run(tmp_path, "./environment/bin/python", str(archive))
    package, *more = found.pop("tasks")
    assert "workbench_package.zip" in package
    assert more == ["fastavro", "datasketches"]
    assert found == {"parquet": _ANSWER, "orc": _ANSWER, "avro": _ANSWER, "log": [10]}
