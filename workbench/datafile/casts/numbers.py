"""Casts of numbers and booleans to numbers of another type."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray
from workbench.base.modules import pc
from workbench.datafile.casts.values import array_of, low_bits, numbers_of, unscaled
from workbench.format.types import AtomicType, to_arrow

_MAX_DIGITS = 76
_COMPACT_DIGITS = 18


def unchecked(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Cast integers to integers, which may lose high bits, and integers and floats to floats."""
    return values.cast(to_arrow(target), safe=False)


def float_to_integer(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Drop the fraction; NaN is 0, and values that are too large are clamped to the bounds of INT or BIGINT, then lose
    high bits."""
    arrow_type = to_arrow(target)
    whole = np.trunc(numbers_of(values).astype(np.float64))
    wide = np.int64 if target.root == "BIGINT" else np.int32
    limit = 2.0 ** (63 if target.root == "BIGINT" else 31)
    result = np.where(np.abs(whole) < limit, whole, 0).astype(wide)
    result[whole >= limit] = np.iinfo(wide).max
    result[whole <= -limit] = np.iinfo(wide).min
    return array_of(result.astype(arrow_type.to_pandas_dtype()), values, arrow_type)


def decimal_to_integer(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Drop the fraction; values that are too large lose their high bits."""
    arrow_type = to_arrow(target)
    wide = values.cast(pa.decimal256(_MAX_DIGITS, values.type.scale))
    whole = pc.round(wide, ndigits=0, round_mode="towards_zero").cast(pa.decimal128(38, 0))
    return array_of(low_bits(whole).astype(arrow_type.to_pandas_dtype()), values, arrow_type)


def decimal_to_float(values: pa.Array, source: AtomicType, target: AtomicType) -> pa.Array:
    """Return the nearest DOUBLE; a FLOAT is the one nearest to that DOUBLE."""
    if (source.precision or 0) <= _COMPACT_DIGITS:
        doubles: AnyArray = low_bits(unscaled(values)) / 10.0 ** (source.scale or 0)
        floats = array_of(doubles, values, pa.float64())
    else:
        # Arrow's own conversion does not always return the nearest number, but its parser does.
        floats = values.cast(pa.string()).cast(pa.float64())
    return floats.cast(to_arrow(target), safe=False)


def integer_to_decimal(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Cast to decimals; null if a value does not fit."""
    return fitted(values.cast(pa.decimal256(_MAX_DIGITS, 0)), target)


def decimal_to_decimal(values: pa.Array, source: AtomicType, target: AtomicType) -> pa.Array:
    """Round half up; null if a value does not fit."""
    return fitted(values.cast(pa.decimal256(_MAX_DIGITS, source.scale)), target)


def fitted(values: pa.Array, target: AtomicType) -> pa.Array:
    """Round decimals of 76 digits half up to the scale of ``target``; null if they do not fit."""
    arrow_type = to_arrow(target)
    if values.type.scale > arrow_type.scale:
        values = pc.round(values, ndigits=arrow_type.scale, round_mode="half_towards_infinity")
    values = values.cast(pa.decimal256(_MAX_DIGITS, arrow_type.scale))
    limit = pa.scalar(Decimal(10) ** (arrow_type.precision - arrow_type.scale), values.type)
    return pc.if_else(pc.less(pc.abs(values), limit), values, pa.scalar(None, values.type)).cast(arrow_type)


def boolean_to_number(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Return one and zero."""
    return values.cast(pa.int8()).cast(to_arrow(target))


def boolean_to_decimal(values: pa.Array, source: AtomicType, target: AtomicType) -> pa.Array:
    """Return one and zero; null if the type has no digit before the decimal point."""
    return integer_to_decimal(values.cast(pa.int8()), source, target)


def integer_to_boolean(values: pa.Array, _source: AtomicType, _target: AtomicType) -> pa.Array:
    """Return whether the number is not zero."""
    return pc.not_equal(values, pa.scalar(0, values.type))
