"""Which engine runs the query of a write if its user did not choose one: Spark, if it is up or the input is large."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec

from workbench.base.errors import WorkbenchError
from workbench.sql.context import Context
from workbench.sql.statements import Select, TableRef

AUTO = "auto"
LARGE_ROWS = 5_000_000


def for_pipeline(context: Context, select: Select) -> Context:
    """Return the context in which the query of INSERT, CREATE TABLE AS or MERGE runs, with the reason of the choice.

    Args:
        context: The context of the statement.
        select: The query.
    """
    reason = _reason_for_spark(context, select) if context.engine == AUTO else None
    return context if reason is None else replace(context, engine="spark", reason=f"auto: {reason}")


def session_is_up() -> bool:
    """Return whether there is a Spark session on which this library runs."""
    if "pyspark" not in sys.modules:
        return False
    from workbench.spark.session import existing_session, require_supported_pyspark

    try:
        require_supported_pyspark()
    except WorkbenchError:
        return False
    return existing_session() is not None


def _reason_for_spark(context: Context, select: Select) -> str | None:
    if session_is_up():
        return "a Spark session is up"
    rows = sum(_rows(context, table) for table in select.tables)
    if rows > LARGE_ROWS and find_spec("pyspark") is not None:
        return f"the input has {rows:,} rows, more than {LARGE_ROWS:,}"
    return None


def _rows(context: Context, table: TableRef) -> int:
    """Return the number of stored rows of a table; 0 if the catalog has no such table."""
    try:
        opened = context.table(table, context.version)
    except WorkbenchError:
        # Registered frames, temporary views and common table expressions; a wrong name is reported by the engine.
        return 0
    version = getattr(opened, "version", None)
    return 0 if version is None else int(version.total_record_count or 0)
