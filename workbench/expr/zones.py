"""Conversions between instants and the local time of the statement's time zone, on whole Arrow columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.modules import pc
from workbench.base.zones import statement_zone_name

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY_SECONDS = 86_400
# Arrow knows the clock changes of each year up to 2037 but no rule for later years.
_LAST_KNOWN_SECOND = 2_114_380_800
_FIRST_YEAR, _LAST_YEAR = 2026, 2036


def local_to_instant(values: Any) -> Any:
    """Return timestamps without a zone, interpreted in the statement's time zone, as UTC.

    Times that a clock change skips are moved forward by the length of the gap; of times that occur twice, the earlier
    instant is used (as in ``java.time``).
    """
    shift = _to_known_years(values)
    values = _minus(values, shift)
    earliest = pc.assume_timezone(values, statement_zone_name(), ambiguous="earliest", nonexistent="earliest")
    moved = pc.add(earliest, pc.subtract(values, pc.local_timestamp(earliest)))
    return _plus(moved.cast(pa.timestamp(values.type.unit, tz="UTC")), shift)


def instant_to_local(values: Any) -> Any:
    """Return UTC timestamps as local times of the statement's time zone."""
    shift = _to_known_years(values)
    zoned = _minus(values, shift).cast(pa.timestamp(values.type.unit, tz=statement_zone_name()))
    return _plus(pc.local_timestamp(zoned), shift)


def _to_known_years(values: Any) -> pa.Array | None:
    """Return the offsets to years with the same clock changes on the same days of the week; None if all years are
    known.

    Years that are counted from March to March differ only in the day of the week on which they begin.
    """
    maximum = pc.max(values.cast(pa.int64())).as_py()
    per_second = _PER_SECOND[values.type.unit]
    if maximum is None or maximum < _LAST_KNOWN_SECOND * per_second:
        return None
    seconds = values.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False) // per_second
    months = (seconds // _DAY_SECONDS).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    first_days = _first_of_march((months - 2) // 12)
    known_years = np.arange(_FIRST_YEAR, _LAST_YEAR + 1) - 1970
    known_days = np.zeros(7, np.int64)
    known_days[_first_of_march(known_years) % 7] = _first_of_march(known_years)
    days = np.where(seconds < _LAST_KNOWN_SECOND, 0, first_days - known_days[first_days % 7])
    return pa.array(days * _DAY_SECONDS * per_second).view(pa.duration(values.type.unit))


def _first_of_march(years: Any) -> Any:
    return (years * 12 + 2).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


def _minus(values: Any, shift: pa.Array | None) -> Any:
    return values if shift is None else pc.subtract(values, shift)


def _plus(values: Any, shift: pa.Array | None) -> Any:
    return values if shift is None else pc.add(values, shift)
