"""Conversion of times and durations that users pass to milliseconds."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from workbench.base.errors import WorkbenchError
from workbench.base.zones import statement_zone
from workbench.format.options.values import parse_duration


def to_millis(moment: int | str | datetime | date) -> int:
    """Return milliseconds since the epoch. Text and times without a zone are in the statement's zone; numbers
    already are milliseconds.

    Raises:
        WorkbenchError: The text is not a time.
    """
    if isinstance(moment, int):
        return moment
    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment.strip())
        except ValueError as error:
            raise WorkbenchError(
                f"'{moment}' is not a valid time.", "Write it as 2026-11-01 or 2026-11-01 12:30:00."
            ) from error
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=statement_zone())
    return int(moment.timestamp() * 1000)


def to_length(duration: timedelta | str) -> int:
    """Return the milliseconds of a duration such as ``7 d``. Raises InvalidSchema for text that is not a duration."""
    return parse_duration(duration) if isinstance(duration, str) else duration // timedelta(milliseconds=1)
