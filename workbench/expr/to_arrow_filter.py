"""Translates the part of a predicate that Arrow's own filters, which skip Parquet row groups, evaluate identically."""

from __future__ import annotations

import math
from functools import reduce
from typing import TYPE_CHECKING, Any

from workbench.expr.expressions import And, Column, Comparison, Expr, In, IsNull, Literal, Not, Or
from workbench.expr.kinds import family, timestamp_precision
from workbench.expr.tree import split_conjunction
from workbench.expr.types_of import type_of
from workbench.format.types import to_arrow

if TYPE_CHECKING:
    import pyarrow.compute as pc

_EXACT = frozenset({"integer", "string", "binary", "date", "decimal", "timestamp", "timestamp_ltz"})
_MILLIS_AND_MICROS = 6


def to_parquet_filter(expr: Expr) -> pc.Expression | None:
    """Return a filter that passes every row that satisfies the resolved predicate, and maybe more; None passes all
    rows.

    Only conjuncts with the same meaning in Arrow are included. Floats are included where NaN makes no difference, and
    timestamps up to microseconds (Parquet stores finer ones in a form without statistics, format §13).
    """
    parts = [part for each in split_conjunction(expr) if (part := _translated(each)) is not None]
    return reduce(lambda one, two: one & two, parts) if parts else None


def _translated(expr: Expr, *, negated: bool = False) -> Any:
    """Return the same condition in Arrow, or None."""
    import pyarrow.compute as pc

    match expr:
        case Comparison(operator=operator, left=Column(name=name), right=Literal(value=value)) if value is not None:
            return _comparison(operator, pc.field(name), expr, negated) if _comparable(expr, negated) else None
        case In(operand=Column(name=name) as operand, values=values):
            return _in(name, operand, values)
        case IsNull(operand=Column(name=name)):
            return pc.field(name).is_null()
        case Not(operand=IsNull(operand=Column(name=name))):
            return pc.field(name).is_valid()
        case Not(operand=In()):
            return None  # NULL is handled differently by Arrow's lookup.
        case Not(operand=operand):
            inner = _translated(operand, negated=not negated)
            return None if inner is None else ~inner
        case And(operands=operands) | Or(operands=operands):
            parts = [_translated(each, negated=negated) for each in operands]
            if any(part is None for part in parts):
                return None
            return reduce(
                (lambda one, two: one & two) if isinstance(expr, And) else (lambda one, two: one | two), parts
            )
    return None


def _is_exact(expr: Expr) -> bool:
    data_type = type_of(expr)
    if data_type is None or family(data_type) not in _EXACT:
        return False
    return not family(data_type).startswith("timestamp") or timestamp_precision(data_type) <= _MILLIS_AND_MICROS


def _comparable(expr: Comparison, negated: bool) -> bool:
    if _is_exact(expr.left):
        return True
    data_type = type_of(expr.left)
    value = expr.right.value if isinstance(expr.right, Literal) else None
    # NaN satisfies none of these in either; under a NOT or with > it would.
    is_float = data_type is not None and family(data_type) == "float"
    return is_float and not negated and expr.operator in ("=", "<", "<=") and not math.isnan(float(value or 0))


def _comparison(operator: str, column: Any, expr: Comparison, negated: bool) -> Any:
    constant = _constant(expr.right)
    match operator:
        case "=":
            return column == constant
        case "<>":
            return column != constant
        case "<":
            return column < constant
        case "<=":
            return column <= constant
        case ">":
            return column > constant
        case ">=":
            return column >= constant
    # a <=> constant is never NULL: the same rows as = if it is not negated.
    return None if negated else column == constant


def _constant(expr: Expr) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    assert isinstance(expr, Literal)
    assert expr.type is not None
    return pc.scalar(pa.scalar(expr.value, to_arrow(expr.type)))


def _in(name: str, operand: Column, values: tuple[Expr, ...]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    known = [each.value for each in values if isinstance(each, Literal) and each.value is not None]
    data_type = type_of(operand)
    if data_type is None or len(known) < len(values) or not _is_exact(operand):
        return None
    return pc.field(name).isin(pa.array(known, to_arrow(data_type)))
