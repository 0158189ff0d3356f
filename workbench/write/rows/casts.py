"""Casts of columns without nested values; casts that would lose a value are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from workbench.base.errors import SchemaMismatch
from workbench.base.modules import pc
from workbench.format.types import DataType, to_arrow

_MAX_SHOWN = 150
# A decimal that holds all whole numbers of 64 bits has this many digits.
_WHOLE_DIGITS, _MAX_DIGITS = 20, 38
FAILURES = (pa.ArrowException, TypeError, ValueError, OverflowError)
"""What Arrow raises for values that it cannot convert."""


def cast_leaf(values: pa.Array, data_type: DataType, path: str) -> pa.Array:
    """Return values in the Arrow type of a column that is not nested.

    Raises:
        SchemaMismatch: The types are of different families, or a value does not fit; the message names the path.
    """
    target, given = to_arrow(data_type), values.type
    if given == target:
        return values
    if not may_cast(given, target):
        raise SchemaMismatch(f"Column '{path}' is {data_type}, but the values are {given}.", "Cast them first.")
    try:
        if pa.types.is_integer(given) and pa.types.is_decimal(target):
            # Arrow requires the type to fit every possible integer; only the actual values have to fit.
            digits = max(target.precision, min(_MAX_DIGITS, _WHOLE_DIGITS + target.scale))
            values = values.cast(pa.decimal128(digits, target.scale))
        cast = values.cast(target)
    except pa.ArrowException as error:
        raise SchemaMismatch(
            f"Column '{path}' is {data_type}, and values of type {given} do not fit: {first_line(error)}."
        ) from error
    if pa.types.is_floating(given) and _infinities(cast) != _infinities(values):
        raise SchemaMismatch(f"Column '{path}' is {data_type}, and some values of type {given} are too large.")
    return cast


def _infinities(values: pa.Array) -> int:
    return (pc.sum(pc.is_inf(values)).as_py() or 0) if pa.types.is_floating(values.type) else 0


_FAMILIES: tuple[Callable[[Any], bool], ...] = (
    lambda arrow_type: pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type),
    lambda arrow_type: pa.types.is_integer(arrow_type) or pa.types.is_decimal(arrow_type),
    lambda arrow_type: (
        pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type) or pa.types.is_string_view(arrow_type)
    ),
    lambda arrow_type: (
        pa.types.is_binary(arrow_type)
        or pa.types.is_large_binary(arrow_type)
        or pa.types.is_fixed_size_binary(arrow_type)
        or pa.types.is_binary_view(arrow_type)
    ),
    lambda arrow_type: pa.types.is_boolean(arrow_type),
    lambda arrow_type: pa.types.is_date(arrow_type),
    lambda arrow_type: pa.types.is_time(arrow_type),
    lambda arrow_type: pa.types.is_timestamp(arrow_type) and arrow_type.tz is None,
    lambda arrow_type: pa.types.is_timestamp(arrow_type) and arrow_type.tz is not None,
)


def may_cast(given: pa.DataType, target: pa.DataType) -> bool:
    """Return whether a cast is within one type family: within a family, Arrow itself refuses casts that would lose a
    value."""
    return pa.types.is_null(given) or any(family(given) and family(target) for family in _FAMILIES)


def first_line(error: BaseException | str) -> str:
    """Return the first line of an error, without its period and of limited length."""
    line = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN]}…"
