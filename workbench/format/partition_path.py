"""Partition values as directory names (format §1.1), after `PartitionPathUtils` and `InternalRowPartitionComputer`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Any

from workbench.base.errors import Unsupported
from workbench.format.types import AtomicType, DataType, timestamp_unit

DEFAULT_PARTITION_NAME = "__DEFAULT_PARTITION__"

_ESCAPED = {chr(code) for code in (*range(0x20), 0x7F)} | set("\"#%'*/:=?\\{}[]^")
_ESCAPES = str.maketrans({char: f"%{ord(char):02X}" for char in _ESCAPED})
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
# Java does not count these as white space, Python does.
_NO_BREAK = "\u00a0\u2007\u202f\u0085"
_UNITS_PER_SECOND = {"ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def escape(text: str) -> str:
    """Text as part of a directory name: what file systems may trip over becomes ``%XX``."""
    return text.translate(_ESCAPES)


def unescape(text: str) -> str:
    """The text of which `escape` made this; a ``%`` without two hex digits stays."""
    return _ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), text)


def partition_path(
    values: Sequence[Any],
    types: Sequence[DataType],
    names: Sequence[str],
    default_name: str = DEFAULT_PARTITION_NAME,
    legacy: bool = True,
    zone: tzinfo = UTC,
) -> str:
    """The directory of a partition, ``dt=2026-11-01/region=eu``; empty for a table without partitions.

    ``values`` are internal values: dates as days, times as ms, timestamps in the unit of their type. ``legacy`` is
    option ``partition.legacy-name``: texts as Java prints its objects, else as SQL casts them. ``zone`` is that in
    which the latter shows zoned timestamps (Java takes the zone of its machine).

    Raises:
        Unsupported: a value has no stable text.
    """
    parts = []
    for name, value, data_type in zip(names, values, types, strict=True):
        shown = named_value(partition_text(value, data_type, legacy, zone), default_name)
        parts.append(f"{escape(name)}={escape(shown)}")
    return "/".join(parts)


def partition_text(value: Any, data_type: DataType, legacy: bool = True, zone: tzinfo = UTC) -> str | None:
    """One partition value as text, None for null.

    Raises:
        Unsupported: the value has no stable text.
    """
    if value is None:
        return None
    root = data_type.root
    precision = (data_type.precision or 0) if isinstance(data_type, AtomicType) else 0
    if isinstance(value, bytes):
        if legacy:
            # Java prints the address of the array, another one each time.
            raise Unsupported(
                f"A partition column of type {data_type} has no directory name.",
                "Create the table with option 'partition.legacy-name' = 'false'.",
            )
        return value.decode("utf-8", "replace")
    if root == "BOOLEAN":
        return "true" if value else "false"
    if root in ("FLOAT", "DOUBLE"):
        return java_number_text(value, single=root == "FLOAT")
    if root == "DECIMAL":
        scale = data_type.scale if isinstance(data_type, AtomicType) else None
        return format(Decimal(value), f".{scale or 0}f")
    if root in ("TIMESTAMP", "TIMESTAMP_LTZ"):
        seconds, nanos = _seconds_and_nanos(value, precision)
        if legacy:
            return _iso_text(seconds, nanos)
        if root == "TIMESTAMP_LTZ":
            seconds += offset_seconds(seconds, zone)
        return sql_timestamp(seconds, nanos, precision)
    if not legacy and root == "DATE":
        return date_text(value, signed=False)
    if not legacy and root == "TIME":
        return _sql_time(value, precision)
    return str(value)


def named_value(text: str | None, default_name: str = DEFAULT_PARTITION_NAME) -> str:
    """The text of a partition value in a name: null and blank texts have none of their own."""
    return default_name if text is None or _is_blank(text) else text


def _is_blank(text: str) -> bool:
    return all(char.isspace() and char not in _NO_BREAK for char in text)


def java_number_text(value: float, single: bool = False) -> str:
    """A DOUBLE, or a FLOAT where ``single``, as Java prints it: ``1.0``, ``1.0E10``, ``NaN``."""
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
        # Where one digit would do, Java prints the two that come nearest: 4.9E-324, not 5.0E-324.
        mantissa, exponent = f"{float(number):.1e}".split("e")
    return f"{mantissa}E{int(exponent)}"


def _seconds_and_nanos(value: int, precision: int) -> tuple[int, int]:
    per_second = _UNITS_PER_SECOND[timestamp_unit(precision)]
    seconds, rest = divmod(value, per_second)
    return seconds, rest * (1_000_000_000 // per_second)


def offset_seconds(seconds: int, zone: tzinfo) -> int:
    """How far a zone is from UTC at a moment, which is told in seconds of the epoch."""
    moment = datetime.fromtimestamp(0, UTC) + timedelta(seconds=seconds)
    return int((moment.astimezone(zone).utcoffset() or timedelta()).total_seconds())


def _civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of an epoch day; Python's own dates end at the year 9999."""
    eras, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    return year_of_era + eras * 400 + (month <= 2), month, day


def date_text(days: int, signed: bool) -> str:
    """An epoch day as text; years of more than four digits have a plus where ``signed``."""
    year, month, day = _civil(days)
    plus = "+" if signed and year > 9999 else ""
    minus = "-" if year < 0 else ""
    return f"{plus}{minus}{abs(year):04d}-{month:02d}-{day:02d}"


def _clock(seconds: int) -> tuple[int, int, int]:
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return hour, minute, second


def _iso_text(seconds: int, nanos: int) -> str:
    """As `LocalDateTime.toString`: seconds only where they or their parts are not zero, parts in groups of three."""
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
    """A moment as SQL text, the second with ``precision`` digits or more; ``signed`` as in `date_text`."""
    days, rest = divmod(seconds, 86_400)
    hour, minute, second = _clock(rest)
    text = f"{date_text(days, signed)} {hour:02d}:{minute:02d}:{second:02d}"
    digits = f"{nanos:09d}"
    while len(digits) > precision and digits.endswith("0"):
        digits = digits[:-1]
    return f"{text}.{digits}" if digits else text


def _sql_time(millis: int, precision: int) -> str:
    """As `DateTimeUtils.formatTimestampMillis`: at least one digit of the second's part, no zeros after it."""
    hour, minute, second = _clock(millis % 86_400_000 // 1_000)
    text = f"{hour:02d}:{minute:02d}:{second:02d}"
    if precision == 0:
        return text
    digits = f"{millis % 1_000:03d}"[:precision]
    return f"{text}.{digits.rstrip('0') or '0'}"
