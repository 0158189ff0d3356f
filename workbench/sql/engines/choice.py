"""Chooses the engine of a pipeline if the user did not: Spark, if a session is up or the input is large.

A pipeline is the query of a write, a row change, or maintenance.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from workbench.base.errors import WorkbenchError
from workbench.sql.context import Context
from workbench.sql.statements import Select, TableRef

if TYPE_CHECKING:
    from workbench.table.readable_table import ReadableTable
    from workbench.table.table import Table

AUTO = "auto"
LARGE_ROWS = 5_000_000


def for_pipeline(context: Context, select: Select) -> Context:
    """Return the context in which the query of INSERT, CREATE TABLE AS or MERGE runs, with the reason for the choice.

    Args:
        context: The context of the statement.
        select: The query.
    """
    return _on_spark_if_up(context, lambda: sum(_rows(context, table) for table in select.tables))


def for_work_on(context: Context, table: Table) -> Context:
    """Return the context in which a row change or maintenance of a table runs, with the reason for the choice.

    If the engine is Spark, the work may still run in this process, where small tables are cheaper to change.

    Args:
        context: The context of the statement.
        table: The table.
    """
    return _on_spark_if_up(context, lambda: _stored_rows(table))


def spark_is_installed() -> bool:
    """Return whether PySpark is installed."""
    return find_spec("pyspark") is not None


def session_is_up() -> bool:
    """Return whether there is a running Spark session that this library supports."""
    if "pyspark" not in sys.modules:
        return False
    from workbench.spark.session import existing_session, require_supported_pyspark

    try:
        require_supported_pyspark()
        return existing_session() is not None
    except WorkbenchError:
        # An old PySpark, or a session whose JVM has ended: statements run in this process.
        return False


def _on_spark_if_up(context: Context, count_rows: Callable[[], int]) -> Context:
    """Return the context with engine Spark if a session is up, or if there are many rows and Spark is installed."""
    if context.engine != AUTO:
        return context
    if session_is_up():
        return replace(context, engine="spark", reason="auto: a Spark session is up")
    rows = count_rows()
    if rows > LARGE_ROWS and spark_is_installed():
        reason = f"auto: the input has {rows:,} rows, more than {LARGE_ROWS:,}"
        return replace(context, engine="spark", reason=reason)
    return context


def _rows(context: Context, table: TableRef) -> int:
    """Return the number of stored rows of a table; 0 if the catalog has no such table."""
    try:
        opened = context.readable(table, context.version)
    except WorkbenchError:
        # Registered frames, temporary views and common table expressions; a wrong name is reported by the engine.
        return 0
    return _stored_rows(opened)


def _stored_rows(table: ReadableTable) -> int:
    version = getattr(table, "version", None)
    return 0 if version is None else int(version.total_record_count or 0)
