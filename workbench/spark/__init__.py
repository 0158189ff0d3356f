"""Tables on Spark: ``attach``, ``read``, ``write``, ``sql``, ``register``, and maintenance such as ``compact``, loaded
on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.spark.formats import register as register
    from workbench.spark.maintenance.compact import compact as compact
    from workbench.spark.maintenance.compact import compact_database as compact_database
    from workbench.spark.maintenance.tables import analyze as analyze
    from workbench.spark.maintenance.tables import remove_orphan_files as remove_orphan_files
    from workbench.spark.maintenance.tables import rescale as rescale
    from workbench.spark.reading.reader import read as read
    from workbench.spark.session import new_session as new_session
    from workbench.spark.streaming.cdc import cdc as cdc
    from workbench.spark.writing.writer import write as write
    from workbench.sql.session.attach import attach as attach
    from workbench.sql.session.attach import get_session as get_session
    from workbench.sql.session.statement import sql as sql

_HOMES = {
    "read": "workbench.spark.reading.reader",
    "write": "workbench.spark.writing.writer",
    "compact": "workbench.spark.maintenance.compact",
    "compact_database": "workbench.spark.maintenance.compact",
    "rescale": "workbench.spark.maintenance.tables",
    "analyze": "workbench.spark.maintenance.tables",
    "remove_orphan_files": "workbench.spark.maintenance.tables",
    "cdc": "workbench.spark.streaming.cdc",
    "sql": "workbench.sql.session.statement",
    "register": "workbench.spark.formats",
    "attach": "workbench.sql.session.attach",
    "get_session": "workbench.sql.session.attach",
    "new_session": "workbench.spark.session",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from workbench.spark.session import require_supported_pyspark

    require_supported_pyspark()
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_HOMES)
