"""A session in addition to the user's that never becomes the active session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from workbench.spark.progress import classic_context


class GuestSession(SparkSession):
    """A session in which this library plans a statement or answers a call from Spark.

    PySpark makes a session the active session of the process as soon as it creates a DataFrame from rows. This class
    prevents that: the user's session stays active.
    """

    def createDataFrame(self, *args: Any, **kwargs: Any) -> DataFrame:  # noqa: N802
        """Return the rows as `SparkSession.createDataFrame` does."""
        with keep_active_session(self):
            return super().createDataFrame(*args, **kwargs)


@contextmanager
def keep_active_session(session: SparkSession) -> Iterator[None]:
    """Restore the active session of the process, and the active session of this thread in the JVM, after the block.

    Args:
        session: A session of the same application.
    """
    sessions = SparkSession._get_j_spark_session_class(session._jvm)
    of_process, of_thread = SparkSession._activeSession, sessions.getActiveSession()
    try:
        yield
    finally:
        SparkSession._activeSession = of_process
        if of_thread.isDefined():
            sessions.setActiveSession(of_thread.get())
        else:
            sessions.clearActiveSession()


@contextmanager
def as_active_session(session: SparkSession) -> Iterator[None]:
    """Make a session the active one of this thread in the JVM during the block; sessions of Spark Connect have none.

    Args:
        session: The session.
    """
    if classic_context(session) is None:
        yield
        return
    with keep_active_session(session):
        SparkSession._get_j_spark_session_class(session._jvm).setActiveSession(session._jsparkSession)
        yield
