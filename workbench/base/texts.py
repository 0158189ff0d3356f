"""Sizes and times as people read them."""

from __future__ import annotations

import datetime

from workbench.base.session import session_options

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def size_text(size: int) -> str:
    """Return bytes in a suitable unit: ``812 B``, ``1.4 MiB``."""
    value = float(size)
    for unit in _UNITS:
        if value < 1024 or unit == _UNITS[-1]:
            return f"{value:,.0f} {unit}" if unit == "B" or value >= 100 else f"{value:,.1f} {unit}"
        value /= 1024
    raise AssertionError


def time_text(millis: int) -> str:
    """Return milliseconds since the epoch as date and time in the session's time zone, to the second.

    Times outside of the years 1 to 9999 are returned as their milliseconds.
    """
    try:
        moment = datetime.datetime.fromtimestamp(millis / 1000, session_options.zone())
    except (ValueError, OverflowError, OSError):
        return f"{millis:,} ms since 1970"
    return moment.strftime("%Y-%m-%d %H:%M:%S")
