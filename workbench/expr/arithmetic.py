"""``+ - * / % div`` on Arrow columns: overflow and division by zero are errors (Spark's ANSI mode)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.modules import pc
from workbench.expr.casts import fit_decimal, whole_part

_KERNELS = {"+": "add_checked", "-": "subtract_checked", "*": "multiply_checked"}
_WIDEST = 76


def calculate(operator: str, left: Any, right: Any, result: pa.DataType) -> Any:
    """Return ``left operator right`` for operands of the same type or for decimals; scalars, arrays and chunked arrays
    may be mixed.

    Raises:
        pyarrow.ArrowInvalid: On overflow or division by zero.
    """
    if pa.types.is_decimal(result):
        return _decimal(operator, left, right, result)
    if operator in _KERNELS:
        return getattr(pc, _KERNELS[operator])(left, right)
    if operator == "%":
        return _float_remainder(left, right) if pa.types.is_floating(result) else _integer_remainder(left, right)
    return pc.divide_checked(left, right)


def _integer_remainder(left: Any, right: Any) -> Any:
    # Anything % -1 is 0, but the underlying division may overflow.
    divisor = pc.if_else(pc.equal(right, pa.scalar(-1, right.type)), pa.scalar(1, right.type), right)
    return pc.subtract(left, pc.multiply(pc.divide_checked(left, divisor), divisor))


def _float_remainder(left: Any, right: Any) -> Any:
    pc.divide_checked(left, right)
    if isinstance(left, pa.Scalar) and isinstance(right, pa.Scalar):
        return _float_remainder(pa.array([left], left.type), right)[0]
    valid = pc.is_valid(pc.add(left, right))
    with np.errstate(invalid="ignore"):
        values = np.fmod(_numbers(left), _numbers(right))
    return pa.array(values, mask=np.asarray(pc.invert(valid)))


def _numbers(side: Any) -> Any:
    if isinstance(side, pa.Scalar):
        return 1.0 if not side.is_valid else side.as_py()
    filled = pc.fill_null(side, 1.0)
    return filled.to_numpy()


def _decimal(operator: str, left: Any, right: Any, result: pa.DataType) -> Any:
    compute: Callable[[Any, Any], Any]
    if operator in _KERNELS:
        kernel = getattr(pc, _KERNELS[operator])
        compute = lambda one, two: kernel(_wide(one), _wide(two))  # noqa: E731
    elif operator == "/":
        compute = lambda one, two: _quotient(one, two, result.scale + 1)  # noqa: E731
    else:
        compute = _decimal_remainder
    try:
        value = compute(left, right)
    except pa.ArrowInvalid as error:
        if "out of range" not in str(error):
            raise
        value = compute(_tightened(left), _tightened(right))
    return fit_decimal(value, result)


def _wide(values: Any) -> Any:
    return values.cast(pa.decimal256(values.type.precision, values.type.scale))


def _tightened(values: Any) -> Any:
    """Return the same numbers in the narrowest decimal type that holds them, for operations whose result type would
    otherwise exceed 76 digits.
    """
    if isinstance(values, pa.Scalar):
        extremes = [values.as_py()]
    else:
        min_max = pc.min_max(values)
        extremes = [min_max["min"].as_py(), min_max["max"].as_py()]
    scale = values.type.scale
    digits = [len(str(abs(int(each.scaleb(scale))))) for each in extremes if each is not None]
    return values.cast(pa.decimal256(max([scale, 1, *digits]), scale))


def _quotient(left: Any, right: Any, scale: int) -> Any:
    """Return the quotient truncated after at least ``scale`` decimal places; the caller rounds to fewer."""
    # Arrow returns max(4, s1 + p2 - s2 + 1) decimal places, so a larger scale of the left side yields more of them.
    precision, own = left.type.precision, left.type.scale
    finer = max(own, scale - 1 - right.type.precision + right.type.scale)
    return pc.divide_checked(left.cast(pa.decimal256(precision - own + finer, finer)), _wide(right))


def _decimal_remainder(left: Any, right: Any) -> Any:
    whole = whole_part(_quotient(left, right, 1))
    quotient = whole.cast(pa.decimal256(min(_WIDEST, whole.type.precision - whole.type.scale), 0))
    return pc.subtract_checked(_wide(left), pc.multiply_checked(_tightened(quotient), _tightened(right)))
