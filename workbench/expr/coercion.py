"""Type coercion in comparisons (Spark's ANSI coercion with ``UnwrapCastInBinaryComparison``).

A literal is converted to the column's type if that preserves the result; otherwise the column is promoted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from workbench.base.errors import InvalidExpression
from workbench.expr.casts import can_cast, cast_values
from workbench.expr.char_values import compared
from workbench.expr.expressions import And, Cast, Comparison, Expr, IsNull, Literal, Not, Or
from workbench.expr.kinds import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INT,
    STRING,
    common_type,
    decimal_of,
    decimal_shape,
    family,
    integer_range,
    to_internal,
    to_scalar,
    unit_nanoseconds,
)
from workbench.expr.types_of import type_of
from workbench.format.types import AtomicType, DataType, to_arrow

FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>", "<=>": "<=>"}
_EXACT_INTEGERS_OF_DOUBLE = 1 << 53
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TIMESTAMPS = ("timestamp", "timestamp_ltz")


def typed_literal(value: Any) -> Literal:
    """Return a Python value as a literal: the type that Spark gives it, and the value in the internal form of that
    type.

    Raises:
        InvalidExpression: If the value fits no type: a number of more than 38 digits, a time finer than milliseconds.
    """
    match value:
        case None:
            return Literal(None)
        case bool():
            return Literal(value, BOOLEAN)
        case int() if abs(value) < 1 << 63 or value == -1 << 63:
            low, high = integer_range(INT)
            return Literal(int(value), INT if low <= value <= high else BIGINT)
        case int() | Decimal():
            shape = decimal_of(value) if isinstance(value, int) or value.is_finite() else None
            if shape is None:
                raise InvalidExpression(f"The number {value} does not fit a DECIMAL of 38 digits.")
            return Literal(Decimal(value), shape)
        case float():
            return Literal(float(value), DOUBLE)
        case str():
            return Literal(value, STRING)
        case bytes():
            return Literal(value, AtomicType("BYTES"))
        case datetime():
            root = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMP_LTZ"
            since = (value.replace(tzinfo=UTC) if value.tzinfo is None else value) - _EPOCH
            micros = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
            # Unlike Python's datetime, pandas timestamps have nanoseconds.
            nanoseconds = getattr(value, "nanosecond", 0)
            if nanoseconds:
                return Literal(micros * 1000 + nanoseconds, AtomicType(root, precision=9))
            return Literal(micros, AtomicType(root, precision=6))
        case date():
            return Literal(value.toordinal() - _EPOCH.toordinal(), AtomicType("DATE"))
        case time() if value.tzinfo is None and value.microsecond % 1000 == 0:
            seconds = (value.hour * 60 + value.minute) * 60 + value.second
            return Literal(seconds * 1000 + value.microsecond // 1000, AtomicType("TIME", precision=3))
    raise InvalidExpression(
        f"The value {value!r} has no SQL type.", "Pass times in milliseconds and without a time zone."
    )


def cast_to(expr: Expr, target: DataType) -> Expr:
    """Cast the expression; a literal is converted immediately, and nothing is added if the types agree.

    Raises:
        InvalidExpression: If the types cannot be converted or a literal does not fit.
    """
    source = type_of(expr)
    if isinstance(expr, Literal):
        if expr.value is None or source is None:
            return Literal(None, target)
        if is_same_kind(source, target):
            return Literal(expr.value, target)
        return Literal(to_internal(cast_values(to_scalar(expr.value, source), source, target)), target)
    if source is None or is_same_kind(source, target):
        return expr
    if not can_cast(source, target):
        raise InvalidExpression(f"{expr} has type {source.as_nullable()} and cannot be cast to {target.as_nullable()}.")
    return Cast(expr, target)


def is_same_kind(one: DataType | None, other: DataType) -> bool:
    """Return whether values of two types need no conversion."""
    return one is not None and to_arrow(one) == to_arrow(other) and family(one) == family(other)


def comparison(operator: str, left: Expr, right: Expr) -> Expr:
    """Return ``left operator right`` of two resolved expressions, with the conversions it needs.

    Raises:
        InvalidExpression: If the types cannot be compared, or a string is not a value of the other side's type.
    """
    one, two = type_of(left), type_of(right)
    for side in (one, two):
        if side is not None and family(side) == "other":
            raise InvalidExpression(f"{side.as_nullable()} values cannot be compared in {left} {operator} {right}.")
    if one is None or two is None:
        target = one or two or BOOLEAN
        return Comparison(operator, cast_to(left, target), cast_to(right, target))
    if isinstance(left, Literal) and not isinstance(right, Literal):
        return comparison(FLIPPED[operator], right, left)
    for of_char in (compared(operator, left, right), compared(FLIPPED[operator], right, left)):
        if of_char is not None:
            return of_char
    if isinstance(right, Literal) and not isinstance(left, Literal):
        return _with_literal(operator, left, right, one, two)
    return _promoted(operator, left, right)


def always(operand: Expr) -> Expr:
    """Return TRUE if the operand is not NULL, otherwise NULL."""
    return Or((Not(IsNull(operand)), Literal(None, BOOLEAN)))


def never(operand: Expr) -> Expr:
    """Return FALSE if the operand is not NULL, otherwise NULL."""
    return And((IsNull(operand), Literal(None, BOOLEAN)))


def _folded(operator: str, operand: Expr, outcome: bool) -> Expr:
    if operator == "<=>":
        return Literal(outcome, BOOLEAN)
    return always(operand) if outcome else never(operand)


def _promoted(operator: str, left: Expr, right: Expr) -> Expr:
    one, two = type_of(left), type_of(right)
    assert one is not None
    assert two is not None
    target = common_type(one, two)
    if target is None:
        raise InvalidExpression(
            f"{left} {operator} {right} compares {one.as_nullable()} with {two.as_nullable()}.", "Cast one of them."
        )
    if target.root == "DECIMAL":
        # The operands keep their scales: Arrow compares them exactly, but a common DECIMAL may have too few digits.
        shapes = [AtomicType("DECIMAL", precision=p, scale=s) for p, s in (decimal_shape(one), decimal_shape(two))]
        return Comparison(operator, cast_to(left, shapes[0]), cast_to(right, shapes[1]))
    return Comparison(operator, cast_to(left, target), cast_to(right, target))


def _with_literal(operator: str, operand: Expr, value: Literal, one: DataType, two: DataType) -> Expr:
    if value.value is None:
        return Comparison(operator, operand, Literal(None, one.as_nullable()))
    kind, other = family(one), family(two)
    if other == "string" and kind != "string":
        return comparison(operator, operand, _from_text(value, one))
    if kind == "integer" and other in ("integer", "decimal", "float"):
        return _integer(operator, operand, value, one)
    if kind == "decimal" and other in ("integer", "decimal"):
        return _decimal(operator, operand, value, one)
    if kind == "float" and other in ("integer", "decimal", "float"):
        return _float(operator, operand, float(value.value), one)
    if kind in ("date", *_TIMESTAMPS) and other in ("date", *_TIMESTAMPS):
        return _moment(operator, operand, value, one)
    if kind == other:
        return Comparison(operator, operand, cast_to(value, one.as_nullable()))
    return _promoted(operator, operand, value)


def _from_text(value: Literal, data_type: DataType) -> Literal:
    kind = family(data_type)
    if kind == "integer":
        target: DataType = BIGINT
    elif kind in ("float", "decimal"):
        target = DOUBLE
    elif kind in _TIMESTAMPS:
        fraction = value.value.partition(".")[2]
        digits = len(fraction) - len(fraction.lstrip("0123456789"))
        target = AtomicType(data_type.root, precision=9 if digits > 6 else 6)
    else:
        target = data_type.as_nullable()
    converted = cast_to(value, target)
    assert isinstance(converted, Literal)
    return converted


def _discrete(
    operator: str, operand: Expr, steps: Fraction, bounds: tuple[int, int], make: Callable[[int], Literal]
) -> Expr:
    """Compare an operand whose values are whole steps within ``bounds`` with a number, given in ``steps``. A number
    between two steps or outside the bounds is replaced by an equivalent comparison or a constant result.
    """
    low, high = bounds
    whole = math.floor(steps)
    if whole == steps and low <= whole <= high:
        return Comparison(operator, operand, make(whole))
    if whole < low:  # every value is greater
        return _folded(operator, operand, operator in (">", ">=", "<>"))
    if whole >= high:  # every value is less
        return _folded(operator, operand, operator in ("<", "<=", "<>"))
    if operator in ("<", "<="):
        return Comparison("<=", operand, make(whole))
    if operator in (">", ">="):
        return Comparison(">=", operand, make(whole + 1))
    return _folded(operator, operand, operator == "<>")


def _infinite(operator: str, operand: Expr, value: float) -> Expr:
    """Compare an operand whose type has no infinities with an infinity, or with NaN, which is greater than infinity."""
    greater = math.isnan(value) or value > 0
    return _folded(operator, operand, operator in (("<", "<=", "<>") if greater else (">", ">=", "<>")))


def _integer(operator: str, operand: Expr, value: Literal, data_type: DataType) -> Expr:
    number = value.value
    if isinstance(number, float):
        if not math.isfinite(number):
            return _infinite(operator, operand, number)
        if data_type.root == "BIGINT" and abs(number) >= _EXACT_INTEGERS_OF_DOUBLE:
            return Comparison(operator, cast_to(operand, DOUBLE), Literal(number, DOUBLE))
    plain = data_type.as_nullable()
    return _discrete(operator, operand, Fraction(number), integer_range(data_type), lambda n: Literal(n, plain))


def _decimal(operator: str, operand: Expr, value: Literal, data_type: DataType) -> Expr:
    precision, scale = decimal_shape(data_type)
    greatest = 10**precision - 1
    plain = data_type.as_nullable()
    return _discrete(
        operator,
        operand,
        Fraction(value.value) * 10**scale,
        (-greatest, greatest),
        lambda n: Literal(Decimal((int(n < 0), tuple(map(int, str(abs(n)))), -scale)), plain),
    )


def _float(operator: str, operand: Expr, number: float, data_type: DataType) -> Expr:
    with np.errstate(over="ignore"):
        fits = data_type.root == "DOUBLE" or math.isnan(number) or float(np.float32(number)) == number
    if fits:
        return Comparison(operator, operand, Literal(number, data_type.as_nullable()))
    return Comparison(operator, cast_to(operand, DOUBLE), Literal(number, DOUBLE))


def _moment(operator: str, operand: Expr, value: Literal, data_type: DataType) -> Expr:
    """Compare dates and timestamps.

    A literal with a time zone is converted to the session's local time if the column has no zone, and vice versa, so
    that the column needs no cast.
    """
    kind = family(data_type)
    nanoseconds = _nanoseconds(value, "TIMESTAMP_LTZ" if kind == "timestamp_ltz" else "TIMESTAMP")
    plain = data_type.as_nullable()
    unit, bounds = (
        (86_400 * 10**9, (-(1 << 31), (1 << 31) - 1))
        if kind == "date"
        else (unit_nanoseconds(plain), integer_range(BIGINT))
    )
    return _discrete(operator, operand, Fraction(nanoseconds, unit), bounds, lambda n: Literal(n, plain))


def _nanoseconds(value: Literal, root: str) -> int:
    source = value.type
    assert source is not None
    if family(source) == "date" and root == "TIMESTAMP":
        return int(value.value) * 86_400 * 10**9
    if source.root != root:
        precision = getattr(source, "precision", None) or 6
        value = cast_to(value, AtomicType(root, precision=precision))  # type: ignore[assignment]
        assert value.type is not None
        source = value.type
    return int(value.value) * unit_nanoseconds(source)
