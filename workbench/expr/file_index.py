"""Evaluates predicates on the indexes of a data file to find the rows that can match (format §22)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from workbench.expr.expressions import And, Column, Comparison, Expr, In, IsNull, Literal, Not, Or
from workbench.format.index.file_index.keys import Key, KeyKind, KeySpan
from workbench.format.index.file_index.row_index import RowIndex
from workbench.format.index.file_index.rows import RowSet

_OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

IndexesOf = Callable[[str], tuple[KeyKind, Sequence[RowIndex]] | None]
"""Maps a column of the predicate to its indexes in the file, None if there are none."""


def rows_that_may_match(expr: Expr, indexes: IndexesOf, rows: int) -> RowSet | None:
    """Return the rows of a file of ``rows`` rows that may satisfy the resolved predicate; None if any row may.

    Raises:
        ValueError: If an index is corrupt.
    """
    return _Finder(indexes, rows).outcome(expr, True)


class _Finder:
    def __init__(self, indexes: IndexesOf, rows: int) -> None:
        self._indexes = indexes
        self._none = RowSet.none(rows)

    def outcome(self, expr: Expr, wanted: bool) -> RowSet | None:
        """Return the rows for which a condition may have the ``wanted`` outcome, true or false; a row where it is NULL
        has neither.
        """
        match expr:
            case And(operands=operands) | Or(operands=operands):
                parts = (self.outcome(each, wanted) for each in operands)
                return _all(parts) if isinstance(expr, And) == wanted else _any(parts)
            case Not(operand=operand):
                return self.outcome(operand, not wanted)
            case Literal(value=value):
                return None if value is wanted else self._none
            case IsNull(operand=Column(name=name)):
                return _all(self._nulls(name) if wanted else self._values(name))
            case Comparison(operator="<=>", left=Column(name=name), right=Literal(value=None)):
                return _all(self._nulls(name) if wanted else self._values(name))
            case Comparison(operator=operator, left=Column(name=name), right=Literal(value=value)):
                return self._compared(name, operator, value, wanted)
            case In(operand=Column(name=name), values=values):
                return self._listed(name, [each.value for each in values if isinstance(each, Literal)], wanted)
        return None

    def _compared(self, name: str, operator: str, value: object, wanted: bool) -> RowSet | None:
        if operator == "<=>":
            # With a value that is not NULL, <=> is true for the same rows as =; only its false rows differ.
            return self._listed(name, [value], True) if wanted else None
        if value is None:
            return self._none
        operator = operator if wanted else _OPPOSITE[operator]
        if operator in ("=", "<>"):
            return self._listed(name, [value], operator == "=")
        column_indexes = self._indexes(name)
        if column_indexes is None:
            return None
        kind, indexes = column_indexes
        span = kind.span(value)
        return _all(_ordered(index, operator, span) for index in indexes)

    def _listed(self, name: str, values: Sequence[object], wanted: bool) -> RowSet | None:
        """Return the rows whose value may be in a list or, if not ``wanted``, outside it. As in SQL, no value is
        outside a list that contains NULL.
        """
        known = [value for value in values if value is not None]
        if not wanted and len(known) < len(values):
            return self._none
        column_indexes = self._indexes(name)
        if column_indexes is None:
            return None
        kind, indexes = column_indexes
        spans = [kind.span(value) for value in known]
        keys = [key for span in spans for key in dict.fromkeys((span.low, span.high))]
        if wanted:
            return _all(index.equal_to(keys) for index in indexes)
        exact = all(span.exact for span in spans)
        return _all(_other_values(index, keys if exact else []) for index in indexes)

    def _nulls(self, name: str) -> Iterable[RowSet | None]:
        column_indexes = self._indexes(name)
        return [] if column_indexes is None else [index.nulls() for index in column_indexes[1]]

    def _values(self, name: str) -> Iterable[RowSet | None]:
        return [None if nulls is None else ~nulls for nulls in self._nulls(name)]


def _ordered(index: RowIndex, operator: str, span: KeySpan) -> RowSet | None:
    """Return the rows whose values are less or greater than a value. If keys are not exact, similar values share a key,
    so rows with the same key are included.
    """
    inclusive = operator in ("<=", ">=") or not span.exact
    if operator in ("<", "<="):
        return index.below(span.high if inclusive else span.low, inclusive)
    return index.above(span.low if inclusive else span.high, inclusive)


def _other_values(index: RowIndex, keys: Sequence[Key]) -> RowSet | None:
    nulls, equal = index.nulls(), index.equal_to(keys)
    return None if nulls is None or equal is None else ~(nulls | equal)


def _all(parts: Iterable[RowSet | None]) -> RowSet | None:
    result: RowSet | None = None
    for part in parts:
        if part is not None:
            result = part if result is None else result & part
    return result


def _any(parts: Iterable[RowSet | None]) -> RowSet | None:
    result: RowSet | None = None
    for part in parts:
        if part is None:
            return None
        result = part if result is None else result | part
    return result
