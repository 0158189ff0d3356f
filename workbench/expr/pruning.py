"""Evaluates predicates on column statistics to find all files (or manifests) that may hold a matching row.

Bounds need not be tight (format §10: stats are truncated, omitted, or read from footers), so every step computes what
the rows of a file *may* be. For each condition it answers three questions: may it be true, may it be false, and may it
be NULL for some row?
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray
from workbench.base.errors import WorkbenchError
from workbench.base.modules import pc
from workbench.expr.casts import cast_values
from workbench.expr.comparison import compare
from workbench.expr.depth import refused_depth
from workbench.expr.expressions import (
    And,
    Cast,
    Column,
    Comparison,
    Expr,
    Function,
    In,
    IsNull,
    Like,
    Literal,
    Not,
    Or,
)
from workbench.expr.kinds import family, to_scalar
from workbench.expr.like_pattern import like_pattern
from workbench.expr.types_of import type_of
from workbench.format.types import DataType, to_arrow

# An IN list with more values than this is judged only by its minimum and maximum.
_MAX_VALUES = 256

# Casts that preserve the order of values, so that the bounds of a column, when cast, are bounds of the cast values.
_KEEP_ORDER = frozenset(
    {
        ("integer", "integer"),
        ("integer", "float"),
        ("integer", "decimal"),
        ("float", "float"),
        ("decimal", "decimal"),
        ("decimal", "float"),
        ("decimal", "integer"),
        ("date", "timestamp"),
        ("timestamp", "date"),
        ("timestamp", "timestamp"),
        ("timestamp_ltz", "timestamp_ltz"),
    }
)


@dataclass(frozen=True)
class ColumnStats:
    """Statistics of one column over N files.

    ``minimum`` and ``maximum`` are Arrow arrays of the column's type, NULL if unknown or if all values are NULL;
    ``null_count`` is an int64 array, NULL if unknown. None means unknown for all.

    ``no_nan``: the bounds cover NaN as well. Bounds of floats usually ignore NaN, so without this flag any file may
    contain NaN, which is greater than any number.
    """

    minimum: pa.Array | None = None
    maximum: pa.Array | None = None
    null_count: pa.Array | None = None
    no_nan: bool = False


@dataclass(frozen=True)
class ColumnStatsBatch:
    """Statistics of N files: ``row_counts`` is an int64 array of length N, NULL where unknown.

    Columns that are not in ``columns`` are unknown. A file of 0 rows matches nothing.
    """

    row_counts: pa.Array
    columns: Mapping[str, ColumnStats] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.row_counts)


_Answer = Callable[[], BoolArray]


@dataclass(frozen=True)
class _Outcomes:
    """The possible outcomes of a condition: true, false, NULL. Each is computed lazily, since most callers need only
    one.
    """

    true: _Answer
    false: _Answer
    null: _Answer


@dataclass(frozen=True)
class _Range:
    """The range of an expression per file: all non-NULL values are in [lower, upper]; a NULL bound means unbounded."""

    lower: Any
    upper: Any
    may_be_null: _Answer
    may_have_value: _Answer


def may_match(expr: Expr, stats: ColumnStatsBatch) -> BoolArray:
    """Return one boolean for each of N files: False only if no row can satisfy the resolved predicate."""
    judge = _Judge(stats)
    with refused_depth():
        return judge.has_rows & judge.condition(expr).true()


def must_match(expr: Expr, stats: ColumnStatsBatch) -> BoolArray:
    """Return one boolean for each of N files: True only if every row satisfies the resolved predicate."""
    judge = _Judge(stats)
    with refused_depth():
        outcomes = judge.condition(expr)
        result: BoolArray = ~(outcomes.false() | outcomes.null()) | ~judge.has_rows
    return result


class _Judge:
    def __init__(self, stats: ColumnStatsBatch) -> None:
        self._stats = stats
        self._size = len(stats)
        # A file of unknown size may have rows.
        self.has_rows = _flags(pc.not_equal(stats.row_counts, 0), True)

    def condition(self, expr: Expr) -> _Outcomes:
        """Return, for each file, the outcomes that the condition may have for some row, assuming that the file has
        rows.
        """
        match expr:
            case And(operands=operands):
                return _all([self.condition(each) for each in operands])
            case Or(operands=operands):
                return _negated(_all([_negated(self.condition(each)) for each in operands]))
            case Not(operand=operand):
                return _negated(self.condition(operand))
            case IsNull(operand=operand):
                value_range = self._range(operand)
                return _Outcomes(value_range.may_be_null, value_range.may_have_value, self._never)
            case Comparison(operator=operator, left=left, right=right):
                return self._comparison(operator, self._range(left), self._range(right))
            case In(operand=operand, values=values):
                return self._in(operand, values)
            case Like(operand=operand, pattern=Literal(value=str() as pattern), escape=escape):
                return self._like(operand, pattern, escape)
            case Function(name="startswith", arguments=(operand, Literal(value=str() as prefix))):
                return self._prefix(operand, prefix, only_prefix=True)
            case Column() | Literal():
                return self._truth(expr)
        return self._unknown()

    def _always(self) -> BoolArray:
        return np.ones(self._size, np.bool_)

    def _never(self) -> BoolArray:
        return np.zeros(self._size, np.bool_)

    def _unknown(self) -> _Outcomes:
        return _Outcomes(self._always, self._always, self._always)

    def _anything(self, data_type: DataType | None) -> _Range:
        nothing = pa.nulls(self._size, pa.null() if data_type is None else to_arrow(data_type))
        return _Range(nothing, nothing, self._always, self._always)

    def _range(self, expr: Expr) -> _Range:
        match expr:
            case Column():
                return self._column(expr)
            case Literal(value=None, type=data_type):
                return _Range(*(self._anything(data_type).lower,) * 2, self._always, self._never)
            case Literal(value=value, type=data_type):
                bound = pa.repeat(to_scalar(value, data_type), self._size)
                return _Range(*_without_nan(bound, bound), self._never, self._always)
            case Cast(operand=operand, type=target) if not isinstance(target, str):
                return self._cast(operand, target)
        return self._anything(type_of(expr))

    def _column(self, expr: Column) -> _Range:
        data_type = type_of(expr)
        stats = self._stats.columns.get(expr.name)
        if stats is None or data_type is None:
            return self._anything(data_type)
        lower, upper = (self._bound(each, data_type) for each in (stats.minimum, stats.maximum))
        if family(data_type) == "float":
            lower, upper = _without_nan(lower, upper)
            if not stats.no_nan:
                upper = pa.nulls(self._size, upper.type)
        if stats.null_count is None:
            return _Range(lower, upper, self._always, self._always)
        nulls, rows = stats.null_count, self._stats.row_counts
        return _Range(
            lower, upper, lambda: _flags(pc.greater(nulls, 0), True), lambda: _flags(pc.less(nulls, rows), True)
        )

    def _bound(self, bound: pa.Array | None, data_type: DataType) -> Any:
        wanted = to_arrow(data_type)
        if bound is None or (bound.type != wanted and family(data_type) == "other"):
            return pa.nulls(self._size, wanted)
        return bound if bound.type == wanted else bound.cast(wanted)

    def _cast(self, operand: Expr, target: DataType) -> _Range:
        source = type_of(operand)
        if source is None or (family(source), family(target)) not in _KEEP_ORDER:
            return self._anything(target)
        value_range = self._range(operand)
        try:
            lower, upper = (cast_values(bound, source, target) for bound in (value_range.lower, value_range.upper))
        except WorkbenchError:
            return self._anything(target)
        if family(source) in ("decimal", "integer") and family(target) == "float":
            lower, upper = _nudged(lower, -np.inf), _nudged(upper, np.inf)
        return _Range(lower, upper, value_range.may_be_null, value_range.may_have_value)

    def _comparison(self, operator: str, left: _Range, right: _Range) -> _Outcomes:
        if operator in (">", ">="):
            return self._comparison("<" if operator == ">" else "<=", right, left)
        if operator == "<>":
            return _negated(self._comparison("=", left, right))

        def both() -> BoolArray:
            return left.may_have_value() & right.may_have_value()

        def null() -> BoolArray:
            return left.may_be_null() | right.may_be_null()

        if operator == "<=>":
            return self._null_safe(left, right)
        if operator == "=":
            return _Outcomes(
                lambda: both() & _holds("<=", left.lower, right.upper) & _holds("<=", right.lower, left.upper),
                lambda: both() & ~_fixed(left, right),
                null,
            )
        opposite = "<=" if operator == "<" else "<"
        return _Outcomes(
            lambda: both() & _holds(operator, left.lower, right.upper),
            lambda: both() & _holds(opposite, right.lower, left.upper),
            null,
        )

    def _null_safe(self, left: _Range, right: _Range) -> _Outcomes:
        equal = self._comparison("=", left, right)
        return _Outcomes(
            lambda: equal.true() | (left.may_be_null() & right.may_be_null()),
            lambda: (
                equal.false()
                | (left.may_be_null() & right.may_have_value())
                | (left.may_have_value() & right.may_be_null())
            ),
            self._never,
        )

    def _in(self, operand: Expr, values: tuple[Expr, ...]) -> _Outcomes:
        """Return the outcomes of an IN list, evaluated as the OR of its equalities."""
        data_type = type_of(operand)
        constants = [each.value for each in values if isinstance(each, Literal)]
        known = [each for each in constants if each is not None]
        value_range = self._range(operand)
        if data_type is None or any(each != each for each in known):
            return self._unknown()
        arrow_type = to_arrow(data_type)
        true, surely = self._never(), self._never()
        if len(known) > _MAX_VALUES:
            lowest, highest = (pa.scalar(pick(known), arrow_type) for pick in (min, max))
            true = _holds("<=", value_range.lower, highest) & _holds("<=", lowest, value_range.upper)
        else:
            for value in known:
                scalar = pa.scalar(value, arrow_type)
                true |= _holds("<=", value_range.lower, scalar) & _holds("<=", scalar, value_range.upper)
                surely |= _surely("=", value_range.lower, scalar) & _surely("=", value_range.upper, scalar)
        has_null = len(known) < len(constants)
        return _Outcomes(
            lambda: value_range.may_have_value() & true,
            self._never if has_null else lambda: value_range.may_have_value() & ~surely,
            self._always if has_null else value_range.may_be_null,
        )

    def _like(self, operand: Expr, pattern: str, escape: str) -> _Outcomes:
        parts = like_pattern(pattern, escape)
        if parts.rest == "":
            literal = Literal(parts.prefix, type_of(operand))
            return self._comparison("=", self._range(operand), self._range(literal))
        return self._prefix(operand, parts.prefix, only_prefix=parts.rest == "%")

    def _prefix(self, operand: Expr, prefix: str, *, only_prefix: bool) -> _Outcomes:
        """Return the outcomes of a prefix match: in sorted order, the strings that start with ``prefix`` form one
        contiguous range.
        """
        value_range = self._range(operand)
        low_starts, high_starts = pc.starts_with(value_range.lower, prefix), pc.starts_with(value_range.upper, prefix)
        text = pa.scalar(prefix, value_range.lower.type)
        true = (_holds("<=", value_range.lower, text) | _flags(low_starts, True)) & _holds(
            "<=", text, value_range.upper
        )
        surely = _flags(low_starts, False) & _flags(high_starts, False) & only_prefix
        return _Outcomes(
            lambda: value_range.may_have_value() & true,
            lambda: value_range.may_have_value() & ~surely,
            value_range.may_be_null,
        )

    def _truth(self, expr: Expr) -> _Outcomes:
        data_type = type_of(expr)
        if data_type is None or data_type.root != "BOOLEAN":
            return self._unknown() if data_type is not None else _Outcomes(self._never, self._never, self._always)
        value_range = self._range(expr)
        return _Outcomes(
            lambda: _flags(value_range.upper, True) & value_range.may_have_value(),
            lambda: _flags(pc.invert(value_range.lower), True) & value_range.may_have_value(),
            value_range.may_be_null,
        )


def _all(parts: list[_Outcomes]) -> _Outcomes:
    return _Outcomes(
        lambda: np.logical_and.reduce([each.true() for each in parts]),
        lambda: np.logical_or.reduce([each.false() for each in parts]),
        lambda: np.logical_or.reduce([each.null() for each in parts]),
    )


def _negated(outcomes: _Outcomes) -> _Outcomes:
    return _Outcomes(outcomes.false, outcomes.true, outcomes.null)


def _flags(values: Any, default: bool) -> BoolArray:
    """Return an Arrow boolean array as NumPy, with ``default`` for NULL."""
    return np.asarray(pc.fill_null(values, default) if values.null_count else values, np.bool_)


def _fixed(left: _Range, right: _Range) -> BoolArray:
    """Return whether two ranges consist of the same single value."""
    return (
        _surely("=", left.lower, left.upper)
        & _surely("=", right.lower, right.upper)
        & _surely("=", left.lower, right.lower)
    )


def _holds(operator: str, left: Any, right: Any) -> BoolArray:
    """Return whether the comparison of two bounds may be true; true if either of them is unbounded."""
    return _flags(compare(operator, left, right), True)


def _surely(operator: str, left: Any, right: Any) -> BoolArray:
    return _flags(compare(operator, left, right), False)


def _without_nan(lower: Any, upper: Any) -> tuple[Any, Any]:
    """Return the bounds with NaN replaced by unknown: writers disagree on the order of NaN."""
    if not pa.types.is_floating(lower.type):
        return lower, upper
    nothing = pa.scalar(None, lower.type)
    lower_out = pc.if_else(pc.is_nan(lower), nothing, lower)
    return lower_out, pc.if_else(pc.is_nan(upper), nothing, upper)


def _nudged(bound: Any, towards: float) -> Any:
    """Return a bound moved outward, since the conversion to floating point may round values differently."""
    values = np.asarray(pc.fill_null(bound, 0.0))
    for _ in range(2):
        values = np.nextafter(values, values.dtype.type(towards))
    return pc.if_else(pc.is_valid(bound), pa.array(values, bound.type), pa.scalar(None, bound.type))
