"""The time zones of Spark sessions, in which statements of a session are evaluated, also by this library."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from workbench.base.zones import evaluating_in, statement_zone_name, zone_name
from workbench.spark.guest_session import GuestSession
from workbench.spark.progress import classic_context

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ZONE = "spark.sql.session.timeZone"


def in_zone_of(session: SparkSession) -> AbstractContextManager[None]:
    """Evaluate the statement of the block in the time zone of a session.

    Args:
        session: The session.

    Example:
        >>> with in_zone_of(session):
        ...     table.delete("l = TIMESTAMP '2026-11-01 12:00:00'")
    """
    return evaluating_in(str(session.conf.get(ZONE)))


def has_statement_zone(session: SparkSession) -> bool:
    """Return whether a session evaluates times in the zone of the current statement."""
    return zone_name(str(session.conf.get(ZONE))) == statement_zone_name()


def with_statement_zone(session: SparkSession) -> SparkSession:
    """Return a session that evaluates times in the zone of the current statement: the session itself, or a copy.

    Sessions of Spark Connect cannot be copied, and are returned unchanged.
    """
    if has_statement_zone(session) or classic_context(session) is None:
        return session
    copy = GuestSession(session.sparkContext, session._jsparkSession.cloneSession())
    copy.conf.set(ZONE, statement_zone_name())
    return copy
