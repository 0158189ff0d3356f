"""A session in addition to the user's that never becomes the active session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame, SparkSession


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
