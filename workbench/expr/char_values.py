"""CHAR(n) in expressions: the value of a column is padded with blanks to n characters, as Spark reads it.

In a comparison with a constant or another CHAR, the shorter side is padded to the length of the longer one. The same
holds for IN with only constants or only CHAR columns. Text of other types, the bounds of BETWEEN, the values of
subqueries, results of functions and fields of rows are compared as they are. Stored values need not be padded: rows
that the library wrote have the bytes that it was given, and ORC files lose blanks. Equality therefore becomes a list of
all stored forms, which statistics, indexes and buckets know.
"""

from __future__ import annotations

from workbench.expr.expressions import And, Column, Comparison, Expr, Function, In, IsNull, Literal, Not, conjunction
from workbench.expr.kinds import INT, STRING
from workbench.format.types import AtomicType, DataType, char_length

PADDED = "rpad"
"""The function that pads text."""
BETWEEN = "between"
"""The function that BETWEEN is before its operand is known: unlike a comparison, it does not pad constants."""

UNPADDED = "unpadded"
"""The function that is applied to what is compared with a value as it is, before its operand is known."""

# Equality with more stored forms than this is not a list.
_MAX_FORMS = 256
_BLANK = " "


def padded(value: Expr, length: int, result: DataType = STRING) -> Function:
    """Return text padded with blanks to a length, as an expression of the type ``result``."""
    return Function(PADDED, (value, Literal(length, INT), Literal(_BLANK, STRING)), result)


def stored(value: Expr) -> Expr:
    """Return the stored text of a padded CHAR column, which is NULL for the same rows; other values are unchanged."""
    return value if _length(value) is None else value.arguments[0]  # type: ignore[attr-defined]


def is_char(value: Expr) -> bool:
    """Return whether a value is a padded CHAR column."""
    return _length(value) is not None


def as_text(value: Expr) -> Expr:
    """Return a padded CHAR column as text, with which constants are compared as they are; other values unchanged."""
    length = _length(value)
    return value if length is None else padded(stored(value), length)


def compared(operator: str, left: Expr, right: Expr) -> Expr | None:
    """Return the comparison of a CHAR column with a constant, or with another CHAR column; None if neither applies."""
    length, other = _length(left), _length(right)
    if length is None:
        return None
    if isinstance(right, Literal) and isinstance(right.value, str):
        return _with_text(operator, left, length, right.value)
    if other is None or other == length:
        return None
    longest = max(length, other)
    return Comparison(operator, padded(stored(left), longest), padded(stored(right), longest))


def _length(value: Expr) -> int | None:
    """Return the length of a padded CHAR column."""
    is_padded = isinstance(value, Function) and value.name == PADDED
    return char_length(value.type) if is_padded else None  # type: ignore[attr-defined]


def _with_text(operator: str, left: Expr, length: int, text: str) -> Expr:
    longest = max(length, len(text))
    column, constant = stored(left), Literal(text.ljust(longest), STRING)
    value = left if longest == length else padded(column, longest)
    base = text.rstrip(_BLANK)
    if operator in ("=", "<>", "<=>"):
        if not isinstance(column, Column) or length - len(base) >= _MAX_FORMS:
            return Comparison(operator, value, constant)
        forms = tuple(Literal(base.ljust(size), STRING) for size in range(len(base), length + 1))
        return _among(operator, column, forms)
    return conjunction((*_bound(operator, column, base, constant), Comparison(operator, value, constant)))


def _among(operator: str, column: Expr, forms: tuple[Literal, ...]) -> Expr:
    """Return whether the stored text is one of the forms, of which there are none for a constant that is too long."""
    is_one = In(column, forms) if forms else And((IsNull(column), Literal(None, AtomicType("BOOLEAN"))))
    if operator == "<=>":
        return And((Not(IsNull(column)), is_one))
    return Not(is_one) if operator == "<>" else is_one


def _bound(operator: str, column: Expr, base: str, constant: Literal) -> tuple[Expr, ...]:
    """Return what the comparison implies for the stored text, which is a prefix of the padded one.

    A stored text that is shorter than the constant may still be greater than it if the constant has a character that
    sorts before a blank.
    """
    if operator in ("<", "<="):
        return (Comparison(operator, column, constant),)
    return (Comparison(">=", column, Literal(base, STRING)),) if all(each >= _BLANK for each in base) else ()
