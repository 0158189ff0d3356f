"""Offsets of time zones at instants, like those of Java's `TimeZone`, for whole columns.

Arrow's own conversion has no daylight saving time after 2037. Java uses only the standard time before 1900.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np

from workbench.base.arrays import Int64Array
from workbench.format.types.java_text import offset_seconds

UTC_NAMES = ("UTC", "GMT", "Etc/UTC")
YEAR_1900 = -2_208_988_800
"""Epoch seconds."""

_SECONDS_PER_DAY = 86_400
_CYCLE = 146_097 * _SECONDS_PER_DAY
_LATE = 253_000_000_000
# Clocks change on the quarter hour, and at most once a day.
_QUARTER = 900


def wall_clock_offsets(seconds: Int64Array, zone_name: str) -> Int64Array:
    """Return the offset of a zone's local time from UTC at instants, in seconds.

    Raises:
        ValueError: If the zone does not exist.
    """
    if zone_name in UTC_NAMES:
        return np.zeros(len(seconds), np.int64)
    zone = _zone(zone_name)
    offsets = np.full(len(seconds), _standard_offset(zone_name), np.int64)
    known = np.flatnonzero(seconds >= YEAR_1900)
    offsets[known] = _offsets(_earlier(seconds[known]), zone)
    return offsets


def _earlier(seconds: Int64Array) -> Int64Array:
    """Return the instants, with those near the end of Python's calendar moved back by multiples of 400 years, after
    which the calendar repeats.
    """
    earlier: Int64Array = seconds - np.maximum((seconds - _LATE) // _CYCLE + 1, 0) * _CYCLE
    return earlier


def _offsets(seconds: Int64Array, zone: tzinfo) -> Int64Array:
    days, positions = np.unique(seconds // _SECONDS_PER_DAY, return_inverse=True)
    begins = _offsets_at(days * _SECONDS_PER_DAY, zone)
    ends = _offsets_at((days + 1) * _SECONDS_PER_DAY - 1, zone)
    offsets = begins[positions]
    changing = (begins != ends)[positions]
    quarters, positions = np.unique(seconds[changing] // _QUARTER, return_inverse=True)
    offsets[changing] = _offsets_at(quarters * _QUARTER, zone)[positions]
    return offsets


def _offsets_at(seconds: Int64Array, zone: tzinfo) -> Int64Array:
    return np.array([offset_seconds(each, zone) for each in seconds.tolist()], np.int64)


@lru_cache(maxsize=64)
def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (KeyError, OSError) as error:
        raise ValueError(f"'{name}' is not a time zone") from error


@lru_cache(maxsize=64)
def _standard_offset(name: str) -> int:
    """Return the smaller of the offsets in winter and in summer: some zones call their summer time standard time."""
    moments = (int(datetime(2037, month, 1, tzinfo=UTC).timestamp()) for month in (1, 7))
    return min(offset_seconds(moment, _zone(name)) for moment in moments)
