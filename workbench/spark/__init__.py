"""Tables on Spark: ``wb.spark.attach``, ``read``, ``write``, ``sql`` and ``register``, loaded on first use."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from workbench.base.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench.spark.data_source import register as register
    from workbench.spark.jvm.attach import attach as attach
    from workbench.spark.query import sql as sql
    from workbench.spark.reader import read as read
    from workbench.spark.session import get_session as get_session
    from workbench.spark.session import new_session as new_session
    from workbench.spark.writing.writer import write as write

_HOMES = {
    "read": "reader",
    "write": "writing.writer",
    "sql": "query",
    "register": "data_source",
    "attach": "jvm.attach",
    "get_session": "session",
    "new_session": "session",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    if find_spec("pyspark") is None:
        raise WorkbenchError("PySpark is not installed.", "Run: pip install 'paimon-workbench[spark]'.")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_HOMES)
