"""Temporary views of the running Spark session, which queries may name."""

from __future__ import annotations

import sys

from workbench.sql.context import Context
from workbench.sql.statements import TableRef


def is_spark_view(context: Context, table: TableRef) -> bool:
    """Return whether a plain name is a temporary view of the running Spark session; catalog tables take precedence."""
    if len(table.parts) > 1 or "pyspark" not in sys.modules:
        return False
    if context.database is not None and table.parts[0] in context.catalog.list_tables(context.database):
        return False
    from pyspark import SparkContext

    from workbench.spark.session import get_session, has_temporary_view

    running = SparkContext._active_spark_context is not None
    return running and has_temporary_view(get_session(), table.parts[0])
