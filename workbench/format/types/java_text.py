"""Prints values as Java does."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import numpy as np

from workbench.format.types import timestamp_unit

_UNITS_PER_SECOND = {"ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def java_number_text(value: float, single: bool = False) -> str:
    """Return a DOUBLE, or a FLOAT if ``single``, as Java prints it: ``1.0``, ``1.0E10``, ``NaN``."""
    import numpy as np

    number: np.floating[Any] = np.float32(value) if single else np.float64(value)
    magnitude = abs(float(number))
    if math.isnan(magnitude):
        return "NaN"
    if math.isinf(magnitude):
        return "Infinity" if value > 0 else "-Infinity"
    if magnitude == 0 or 1e-3 <= magnitude < 1e7:
        return str(np.format_float_positional(number, unique=True, trim="0"))
    mantissa, exponent = np.format_float_scientific(number, unique=True, trim="0").split("e")
    if len(mantissa.lstrip("-")) == len("1.0") and mantissa.endswith("0"):
        # Where one digit suffices, Java prints the two closest ones: 4.9E-324, not 5.0E-324.
        mantissa, exponent = f"{float(number):.1e}".split("e")
    return f"{mantissa}E{int(exponent)}"


def seconds_and_nanos(value: int, precision: int) -> tuple[int, int]:
    """Split a timestamp into seconds since the epoch and nanoseconds of the second."""
    per_second = _UNITS_PER_SECOND[timestamp_unit(precision)]
    seconds, rest = divmod(value, per_second)
    return seconds, rest * (1_000_000_000 // per_second)


def offset_seconds(seconds: int, zone: tzinfo) -> int:
    """Return the offset of a zone from UTC at an instant in epoch seconds."""
    moment = datetime.fromtimestamp(0, UTC) + timedelta(seconds=seconds)
    return int((moment.astimezone(zone).utcoffset() or timedelta()).total_seconds())


def _civil(days: int) -> tuple[int, int, int]:
    """Return year, month and day of an epoch day; Python's own dates end in the year 9999."""
    eras, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    return year_of_era + eras * 400 + (month <= 2), month, day


def date_text(days: int, signed: bool) -> str:
    """Return an epoch day as text; years of more than four digits have a plus sign if ``signed``."""
    year, month, day = _civil(days)
    plus = "+" if signed and year > 9999 else ""
    minus = "-" if year < 0 else ""
    return f"{plus}{minus}{abs(year):04d}-{month:02d}-{day:02d}"


def _clock(seconds: int) -> tuple[int, int, int]:
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return hour, minute, second


def iso_text(seconds: int, nanos: int) -> str:
    """Return `LocalDateTime.toString`: seconds only if they or their fraction are not zero, fraction in groups of
    three digits.
    """
    days, rest = divmod(seconds, 86_400)
    hour, minute, second = _clock(rest)
    text = f"{date_text(days, signed=True)}T{hour:02d}:{minute:02d}"
    if second or nanos:
        text += f":{second:02d}"
    if nanos:
        digits = f"{nanos:09d}"
        while digits.endswith("000"):
            digits = digits[:-3]
        text += f".{digits}"
    return text


def sql_timestamp(seconds: int, nanos: int, precision: int, signed: bool = False) -> str:
    """Return an instant as SQL text, the second with ``precision`` digits or more; ``signed`` as in `date_text`."""
    days, rest = divmod(seconds, 86_400)
    hour, minute, second = _clock(rest)
    text = f"{date_text(days, signed)} {hour:02d}:{minute:02d}:{second:02d}"
    digits = f"{nanos:09d}"
    while len(digits) > precision and digits.endswith("0"):
        digits = digits[:-1]
    return f"{text}.{digits}" if digits else text


def sql_time(millis: int, precision: int) -> str:
    """Return `DateTimeUtils.formatTimestampMillis`: at least one digit of the fraction, without trailing zeros."""
    hour, minute, second = _clock(millis % 86_400_000 // 1_000)
    text = f"{hour:02d}:{minute:02d}:{second:02d}"
    if precision == 0:
        return text
    digits = f"{millis % 1_000:03d}"[:precision]
    return f"{text}.{digits.rstrip('0') or '0'}"
