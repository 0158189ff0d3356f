"""Sends this package to executors, which otherwise need only Python, NumPy and Arrow."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import zipfile
from functools import lru_cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.spark.interpreter import check_interpreter
from workbench.spark.progress import classic_context

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PACKAGE = Path(__file__).parents[1]
# The applications, and sessions of Spark Connect, that already have the package.
_SHIPPED: set[str] = set()


def ship(session: SparkSession) -> None:
    """Make this package, in the version of this process, importable for the executors of a session.

    Executors of a ``local[…]`` master share the files of this process. All other executors get the package once.

    Args:
        session: The session, which may be a session of Spark Connect.

    Raises:
        WorkbenchError: If local executors run their tasks in a Python without this package.
    """
    context = classic_context(session)
    connected: Any = session
    name = str(connected.session_id if context is None else context.applicationId)
    if name in _SHIPPED:
        return
    if context is None:
        connected.addArtifacts(str(archive()), pyfile=True)
    elif shares_files(str(context.master)):
        check_interpreter(context)
    else:
        context.addPyFile(str(archive()))
    _SHIPPED.add(name)


@lru_cache(maxsize=1)
def archive() -> Path:
    """Return a ZIP file with this package: its source, and the code that Python has compiled from it."""
    folder = Path(tempfile.mkdtemp(prefix="workbench-package-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "workbench_package.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as package:
        for source in sorted(_PACKAGE.rglob("*.py")):
            name = source.relative_to(_PACKAGE.parent)
            package.write(source, name)
            compiled = Path(cache_from_source(str(source)))
            if compiled.exists():
                package.write(compiled, name.with_suffix(".pyc"))
    return path


def shares_files(master: str) -> bool:
    """Return whether the executors of a master are in this process's JVM."""
    return master == "local" or master.startswith("local[")
