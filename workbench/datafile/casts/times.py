"""Casts between dates, times, timestamps and numbers. Zoned timestamps are interpreted in the session zone, and all
times are rounded down, before 1970 too (Java does so since 2026-08-13)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray
from workbench.datafile.casts.values import CastError, array_of, numbers_of
from workbench.expr.zones import instant_to_local, local_to_instant
from workbench.format.types import AtomicType, to_arrow

PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY_MILLIS = 86_400_000
_MOST = 2**63 - 1


def is_zoned(data_type: AtomicType) -> bool:
    """Return whether a type is TIMESTAMP_LTZ."""
    return data_type.root == "TIMESTAMP_LTZ"


def ticks_of(values: pa.Array) -> AnyArray:
    """Return timestamps as counts of their unit since 1970; zero for null."""
    return numbers_of(values, pa.int64())


def timestamps_of(counts: AnyArray, per_second: int, like: pa.Array, target: AtomicType) -> pa.Array:
    """Return counts of units since 1970, ``per_second`` of them in a second, as timestamps; null where ``like`` is
    null. Finer digits are truncated.

    Raises CastError if a time is too far from 1970 for the precision of ``target``.
    """
    arrow_type = to_arrow(target)
    wanted = PER_SECOND[arrow_type.unit]
    if wanted < per_second:
        counts = counts // (per_second // wanted)
    else:
        factor = wanted // per_second
        if np.any(np.abs(np.clip(counts, -_MOST, _MOST)) > _MOST // factor):
            raise CastError(f"A time is too far from 1970 for a {target.as_nullable()}")
        counts = counts * factor
    return array_of(counts, like, arrow_type)


def _millis(values: pa.Array) -> AnyArray:
    return ticks_of(values) // (PER_SECOND[values.type.unit] // 1000)


def timestamp_to_date(values: pa.Array, source: AtomicType, _target: AtomicType) -> pa.Array:
    """Return the day."""
    local = instant_to_local(values) if is_zoned(source) else values
    return array_of((_millis(local) // _DAY_MILLIS).astype(np.int32), values, pa.date32())


def timestamp_to_time(values: pa.Array, source: AtomicType, target: AtomicType) -> pa.Array:
    """Return the time of day."""
    local = instant_to_local(values) if is_zoned(source) else values
    return array_of((_millis(local) % _DAY_MILLIS).astype(np.int32), values, to_arrow(target))


def timestamp_to_integer(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Return whole seconds since 1970, rounded down; an INT loses the high bits."""
    arrow_type = to_arrow(target)
    return array_of((_millis(values) // 1000).astype(arrow_type.to_pandas_dtype()), values, arrow_type)


def integer_to_timestamp(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Interpret integers as seconds since 1970. For a zoned timestamp, the local time of that moment in the session
    zone is then interpreted as UTC."""
    millis = numbers_of(values).astype(np.int64) * 1000
    if is_zoned(target):
        moments = array_of(millis, values, pa.timestamp("ms", "UTC"))
        millis = ticks_of(instant_to_local(moments))
    return timestamps_of(millis, 1000, values, target)


def date_to_timestamp(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Return midnight, in the session zone for a zoned timestamp."""
    midnight = array_of(numbers_of(values, pa.int32()).astype(np.int64) * 86_400, values, pa.timestamp("s"))
    if is_zoned(target):
        midnight = local_to_instant(midnight)
    return timestamps_of(ticks_of(midnight), 1, values, target)


def time_to_timestamp(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Return that time on 1970-01-01, regardless of the zone."""
    return timestamps_of(numbers_of(values, pa.int32()).astype(np.int64), 1000, values, target)


def timestamp_to_timestamp(values: pa.Array, source: AtomicType, target: AtomicType) -> pa.Array:
    """Return timestamps with the digits that both types have; zoned and plain ones are converted in the session
    zone."""
    if is_zoned(source) and not is_zoned(target):
        values = instant_to_local(values)
    elif is_zoned(target) and not is_zoned(source):
        values = local_to_instant(values)
    counts, per_second = ticks_of(values), PER_SECOND[values.type.unit]
    digits = target.precision or 0
    if (source.precision or 0) <= digits:
        return timestamps_of(counts, per_second, values, target)
    step = max(per_second // 10**digits, 1)
    return timestamps_of(counts // step * step, per_second, values, target)
