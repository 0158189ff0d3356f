"""Checks that the Python that runs Spark's tasks has this package and what its tasks need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.base.errors import WorkbenchError

if TYPE_CHECKING:
    from pyspark import SparkContext

_NEEDED = ("numpy", "pyarrow", "workbench")
_FIND = f"""
from importlib.util import find_spec
print(next((name for name in {_NEEDED} if find_spec(name) is None), ""))
"""


def check_interpreter(context: SparkContext) -> None:
    """Check the Python of a local session's tasks: usually that of this process, which costs nothing.

    Raises:
        WorkbenchError: If tasks run in another Python, which lacks a package or cannot be started.
    """
    executable = str(context.pythonExec)
    found = shutil.which(executable)
    if found is not None and os.path.abspath(found) == os.path.abspath(sys.executable):
        return
    jvm = context._jvm
    assert jvm is not None
    reason = _why_not(found, jvm.java.lang.System.getenv("PYTHONPATH") or "")
    if reason is not None:
        raise WorkbenchError(
            f"Spark runs its Python tasks with '{executable}', {reason}.",
            f"Before Spark starts, set the environment variable PYSPARK_PYTHON, or spark.pyspark.python of "
            f"spark-submit, to '{sys.executable}'; or install paimon-workbench for the other Python.",
        )


@lru_cache
def _why_not(executable: str | None, path: str) -> str | None:
    """Return why tasks cannot run in an interpreter whose PYTHONPATH is ``path``; None if they can."""
    if executable is None:
        return "which is not installed"
    # Workers find modules in the working directory, too, as this command does.
    environment = {**os.environ, "PYTHONPATH": path}
    try:
        done = subprocess.run(
            [executable, "-c", _FIND], env=environment, capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return "which cannot be started"
    missing = done.stdout.strip()
    return f"which has no module '{missing}'" if missing else None
