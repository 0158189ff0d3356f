"""Spark's cache of tables and queries, after statements that this library has run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.spark.bucket import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def refresh_cached(session: SparkSession, parts: Sequence[str]) -> None:
    """Let Spark compute cached queries of a table again when they are used next, as it does after its own INSERT.

    Args:
        session: A session that knows the catalog of the table.
        parts: The catalog, the database and the name of the table.
    """
    if session._jsparkSession.sharedState().cacheManager().isEmpty():
        return
    name = ".".join(map(quoted, parts))
    if session.catalog.tableExists(name):
        session.catalog.refreshTable(name)
