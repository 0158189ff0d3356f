"""Sessions whose Python tasks run in another interpreter than this process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.base.errors import WorkbenchError
from workbench.spark import shipping
from workbench.spark.interpreter import check_interpreter
from workbench.spark.shipping import shares_files

pytestmark = pytest.mark.spark


@pytest.fixture
def bare_python(tmp_path: Path) -> str:
    """An interpreter without any packages."""
    folder = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return str(folder / "bin" / "python")


def test_attach_names_the_setting(spark: Any, catalog: Any, bare_python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not shares_files(spark.sparkContext.master):
        pytest.skip("The interpreter of a cluster's executors is not on the driver.")
    monkeypatch.setattr(spark.sparkContext, "pythonExec", bare_python)
    monkeypatch.setattr(shipping, "_SHIPPED", set())
    session = spark.newSession()
    with pytest.raises(WorkbenchError, match="has no module") as refused:
        wb.spark.attach(session, catalog)
    assert bare_python in refused.value.message
    assert "PYSPARK_PYTHON" in (refused.value.hint or "")
    assert "spark.pyspark.python" in (refused.value.hint or "")


def test_a_missing_interpreter_is_named(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "no-such-python")
    with pytest.raises(WorkbenchError, match="'no-such-python', which is not installed"):
        check_interpreter(spark.sparkContext)


def test_another_interpreter_with_the_packages_is_accepted(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapper = tmp_path / "python"
    wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(wrapper))
    check_interpreter(spark.sparkContext)
