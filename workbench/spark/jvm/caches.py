"""Cached tables and queries of a session after changes that Spark does not know about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.spark.bucket import quoted
from workbench.spark.classes.compiler import CATALOG_CLASS
from workbench.spark.progress import classic_context

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CATALOG = "spark.sql.catalog."


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


def refresh_attached(session: SparkSession, parts: Sequence[str]) -> None:
    """Do what `refresh_cached` does in all catalogs that are attached to a session, if there are any.

    Args:
        session: The session, which may be one of Spark Connect: those have no catalogs.
        parts: The database and the name of the table.
    """
    if classic_context(session) is None:
        return
    for key, found in session.conf.getAll.items():
        if key.startswith(_CATALOG) and found == CATALOG_CLASS:
            refresh_cached(session, (key.removeprefix(_CATALOG), *parts))
