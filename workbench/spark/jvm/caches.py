"""Cached tables and queries of Spark sessions after changes of this process, of which Spark itself does not know."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from workbench.base.observers import observe_changes
from workbench.spark.bucket import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_log = logging.getLogger("workbench.spark")
# A session that knows the catalog, by the catalog's name. Sessions of one application share their caches.
_sessions: dict[str, SparkSession] = {}


def keep_fresh(session: SparkSession, name: str) -> None:
    """Let Spark compute cached queries again after a change of their tables, as it does after its own INSERT.

    This covers every change that this process commits: by methods of tables, statements of the library, and writes of
    Spark.

    Args:
        session: The session.
        name: The name by which it knows a catalog.
    """
    _sessions[name] = session
    observe_changes(_refresh)


def _refresh(table: str) -> None:
    """Refresh what is cached of a table, in every catalog."""
    parts = table.partition("$")[0].split(".", 1)
    for name, session in list(_sessions.items()):
        if session.sparkContext._jsc is None:
            del _sessions[name]
            continue
        try:
            _refresh_cached(session, ".".join(map(quoted, (name, *parts))))
        except (Py4JError, PySparkException, ConnectionError) as error:
            _log.warning("%s was changed, but the caches of Spark were not refreshed: %s", table, error)


def _refresh_cached(session: SparkSession, name: str) -> None:
    if session._jsparkSession.sharedState().cacheManager().isEmpty():
        return
    if session.catalog.tableExists(name):
        session.catalog.refreshTable(name)
