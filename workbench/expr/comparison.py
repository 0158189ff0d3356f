"""Comparisons of Arrow columns with Spark's semantics: NaN equals NaN and is greater than every other number."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from workbench.base.modules import pc

_KERNELS = {
    "=": "equal",
    "<>": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}


def compare(operator: str, left: Any, right: Any) -> Any:
    """Compare element by element; scalars, arrays and chunked arrays may be mixed.

    The result is NULL if a side is NULL, except for ``<=>``.
    """
    if operator == "<=>":
        equal = compare("=", left, right)
        both_null = pc.and_(pc.is_null(left), pc.is_null(right))
        return pc.if_else(pc.is_null(equal), both_null, equal)
    if pa.types.is_floating(left.type):
        return _compare_floats(operator, left, right)
    if pa.types.is_decimal(left.type) and left.type != right.type:
        left, right = _at_one_scale(left, right)
    return getattr(pc, _KERNELS[operator])(left, right)


def is_in(values: Any, choices: pa.Array) -> Any:
    """Return whether each value is among ``choices`` (without NULL); FALSE for NULL."""
    if pa.types.is_floating(values.type):
        # The lookup distinguishes -0.0 from 0.0; adding 0.0 makes them equal. It handles NaN correctly.
        values, choices = _without_negative_zero(values), _without_negative_zero(choices)
    return pc.is_in(values, value_set=choices)


def _without_negative_zero(values: Any) -> Any:
    return pc.add(values, pa.scalar(0.0, values.type))


def _compare_floats(operator: str, left: Any, right: Any) -> Any:
    if operator in (">", ">="):
        return _compare_floats("<" if operator == ">" else "<=", right, left)
    if operator == "<>":
        return pc.invert(_compare_floats("=", left, right))
    plain = getattr(pc, _KERNELS[operator])(left, right)
    if operator == "=":
        return pc.or_(plain, pc.and_(pc.is_nan(left), pc.is_nan(right)))
    # pc.or_ keeps NULL if either side is NULL, so NULL compared with NaN remains NULL.
    right_is_nan = pc.is_nan(right)
    if operator == "<=":
        return pc.or_(plain, right_is_nan)
    return pc.or_(plain, pc.and_(right_is_nan, pc.invert(pc.is_nan(left))))


def _at_one_scale(left: Any, right: Any) -> tuple[Any, Any]:
    scale = max(left.type.scale, right.type.scale)
    whole = max(left.type.precision - left.type.scale, right.type.precision - right.type.scale)
    common = pa.decimal256(whole + scale, scale)
    return left.cast(common), right.cast(common)
