"""``${…}`` in statements: the settings and variables that Spark puts there before it parses a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.spark.guest_session import keep_active_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def with_variables(session: SparkSession, text: str) -> str:
    """Return a statement with the values of its ``${…}``, as Spark replaces them by the settings of a session.

    Args:
        session: The session.
        text: The statement.
    """
    if "${" not in text:
        return text
    jvm = session._jvm
    assert jvm is not None
    with keep_active_session(session):
        jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(session._jsparkSession)
        return str(jvm.org.apache.spark.sql.internal.VariableSubstitution().substitute(text))
