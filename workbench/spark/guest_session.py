"""A session beside the user's that never becomes the active one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame, SparkSession


class GuestSession(SparkSession):
    """A session in which this library plans a statement, or answers a call of Spark.

    PySpark makes a session the active one of the process as soon as it creates a DataFrame from rows. The user's
    session stays the active one instead.
    """

    def createDataFrame(self, *args: Any, **kwargs: Any) -> DataFrame:  # noqa: N802
        """Return the rows as `SparkSession.createDataFrame` does."""
        with active_session_kept(self):
            return super().createDataFrame(*args, **kwargs)


@contextmanager
def active_session_kept(session: SparkSession) -> Iterator[None]:
    """Keep the active session of the process and that of this thread in the JVM.

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
