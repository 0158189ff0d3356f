"""The time zone in which a statement evaluates times: that of its Spark session, otherwise ``wb.options.timezone``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from workbench.base.errors import WorkbenchError
from workbench.base.session import session_options

_current: ContextVar[str | None] = ContextVar("workbench_statement_zone", default=None)
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{1,2}))?")
_UTC = ("Z", "UT")
# Java's ZoneId.SHORT_IDS without those that the time zone database knows with the same meaning.
_SHORT = {
    "ACT": "Australia/Darwin",
    "AET": "Australia/Sydney",
    "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo",
    "AST": "America/Anchorage",
    "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare",
    "CNT": "America/St_Johns",
    "CST": "America/Chicago",
    "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa",
    "ECT": "Europe/Paris",
    "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
    "MIT": "Pacific/Apia",
    "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix",
    "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal",
    "VST": "Asia/Ho_Chi_Minh",
}


def zone_name(name: str) -> str:
    """Return a time zone as Spark names it by the name that Arrow knows: a region such as ``Europe/Berlin``, or an
    offset such as ``+05:30``.

    Example:
        >>> zone_name("GMT+5"), zone_name("Z"), zone_name("PST")
        ('+05:00', 'UTC', 'America/Los_Angeles')
    """
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        return f"{offset[1]}{int(offset[2]):02}:{int(offset[3] or 0):02}"
    return "UTC" if name in _UTC else _SHORT.get(name, name)


def statement_zone_name() -> str:
    """Return the name of the zone in which the current statement evaluates times.

    Raises:
        WorkbenchError: The zone is not known.
    """
    statement_zone()
    return _current.get() or session_options.timezone


def statement_zone() -> tzinfo:
    """Return the zone in which the current statement evaluates times.

    Raises:
        WorkbenchError: The zone is not known.
    """
    name = _current.get()
    return session_options.zone() if name is None else _zone(name)


def is_known_zone(name: str) -> bool:
    """Return whether statements can be evaluated in a time zone as Spark names it."""
    try:
        _zone(zone_name(name))
    except WorkbenchError:
        return False
    return True


@contextmanager
def evaluating_in(name: str) -> Iterator[None]:
    """Evaluate the statement of the block in a time zone as Spark names it.

    What is stored in files does not depend on this zone.
    """
    token = _current.set(zone_name(name))
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def as_stored() -> Iterator[None]:
    """Convert stored values inside the block in ``wb.options.timezone``, as Java does in the zone of its process, so
    that all statements see the same values."""
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)


def _zone(name: str) -> tzinfo:
    offset = _OFFSET.fullmatch(name)
    try:
        if offset is None:
            return ZoneInfo(name)
        distance = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        return timezone(-distance if offset[1] == "-" else distance)
    except (ValueError, OSError, KeyError) as error:
        raise WorkbenchError(
            f"The session's time zone '{name}' is not known here.", "SET TIME ZONE to a name such as 'Europe/Berlin'."
        ) from error
