"""Sizes, durations and times as people read them."""

from __future__ import annotations

import datetime
import re

from workbench.base.session import session_options

_LENGTHS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms"))
_ERROR_NUMBER = re.compile(r"\[(?:Errno|WinError) -?\d+\] ")
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def without_error_number(text: str) -> str:
    """Return the message of a system error without its number, which users cannot use: ``[Errno 111] refused``."""
    return _ERROR_NUMBER.sub("", text)


def size_text(size: int) -> str:
    """Return bytes in a suitable unit: ``812 B``, ``1.4 MiB``."""
    value = float(size)
    for unit in _UNITS:
        if value < 1024 or unit == _UNITS[-1]:
            return f"{value:,.0f} {unit}" if unit == "B" or value >= 100 else f"{value:,.1f} {unit}"
        value /= 1024
    raise AssertionError


def duration_text(millis: int) -> str:
    """Return milliseconds in the largest unit that gives a whole number, in the syntax of options: ``90 min``."""
    size, unit = next((each for each in _LENGTHS if millis and millis % each[0] == 0), _LENGTHS[-1])
    return f"{millis // size:,} {unit}"


def time_text(millis: int) -> str:
    """Return milliseconds since the epoch as date and time in the session's time zone, to the second.

    Times outside of the years 1 to 9999 are returned as their milliseconds.
    """
    try:
        moment = datetime.datetime.fromtimestamp(millis / 1000, session_options.zone())
    except (ValueError, OverflowError, OSError):
        return f"{millis:,} ms since 1970"
    return moment.strftime("%Y-%m-%d %H:%M:%S")
