"""The expression tree and its builder, ``wb.col``. Trees are immutable; ``str()`` gives SQL text back.

Two states share the classes: a tree as the user wrote it (`Literal.type` and `Column.type` are None, values are plain
Python ones), and a resolved tree (`resolve.resolve`): every column and literal has its type, literals hold internal
values (epoch days, milliseconds, …) and every conversion is an explicit `Cast`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from workbench.base.errors import InvalidExpression

if TYPE_CHECKING:
    from workbench.format.types import DataType

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "<=>")


class Expr:
    """Any expression. Operators build larger ones: ``(col("id") > 3) & col("name").like("a%")``."""

    def __eq__(self, other: object) -> Comparison:  # type: ignore[override]
        return Comparison("=", self, literal(other))

    def __ne__(self, other: object) -> Comparison:  # type: ignore[override]
        return Comparison("<>", self, literal(other))

    def __hash__(self) -> int:
        return id(self)

    def __lt__(self, other: object) -> Comparison:
        return Comparison("<", self, literal(other))

    def __le__(self, other: object) -> Comparison:
        return Comparison("<=", self, literal(other))

    def __gt__(self, other: object) -> Comparison:
        return Comparison(">", self, literal(other))

    def __ge__(self, other: object) -> Comparison:
        return Comparison(">=", self, literal(other))

    def __and__(self, other: object) -> Expr:
        return conjunction((self, literal(other)))

    def __rand__(self, other: object) -> Expr:
        return conjunction((literal(other), self))

    def __or__(self, other: object) -> Expr:
        return disjunction((self, literal(other)))

    def __ror__(self, other: object) -> Expr:
        return disjunction((literal(other), self))

    def __invert__(self) -> Expr:
        return Not(self)

    def __add__(self, other: object) -> Expr:
        return Arithmetic("+", self, literal(other))

    def __radd__(self, other: object) -> Expr:
        return Arithmetic("+", literal(other), self)

    def __sub__(self, other: object) -> Expr:
        return Arithmetic("-", self, literal(other))

    def __rsub__(self, other: object) -> Expr:
        return Arithmetic("-", literal(other), self)

    def __mul__(self, other: object) -> Expr:
        return Arithmetic("*", self, literal(other))

    def __rmul__(self, other: object) -> Expr:
        return Arithmetic("*", literal(other), self)

    def __truediv__(self, other: object) -> Expr:
        return Arithmetic("/", self, literal(other))

    def __rtruediv__(self, other: object) -> Expr:
        return Arithmetic("/", literal(other), self)

    def __mod__(self, other: object) -> Expr:
        return Arithmetic("%", self, literal(other))

    def __rmod__(self, other: object) -> Expr:
        return Arithmetic("%", literal(other), self)

    def __neg__(self) -> Expr:
        return Negate(self)

    def __bool__(self) -> bool:
        raise InvalidExpression(
            f"The expression {self} is neither true nor false by itself.",
            "Write & for and, | for or, ~ for not, .isin() for in, and .between() for a < b < c.",
        )

    def equal_null_safe(self, other: object) -> Expr:
        """``<=>``: like ``=``, but two NULLs are equal and the answer is never NULL."""
        return Comparison("<=>", self, literal(other))

    def isin(self, values: Iterable[object]) -> Expr:
        """Whether the value is one of ``values``."""
        if isinstance(values, (str, bytes)):
            raise InvalidExpression("isin() takes a list of values, not one text.", f"Write .isin([{values!r}]).")
        return In(self, tuple(literal(value) for value in values))

    def between(self, low: object, high: object) -> Expr:
        """``low <= self AND self <= high``."""
        return conjunction((self >= low, self <= high))

    def is_null(self) -> Expr:
        """Whether the value is NULL."""
        return IsNull(self)

    def is_not_null(self) -> Expr:
        """Whether the value is not NULL."""
        return Not(IsNull(self))

    def like(self, pattern: str, escape: str = "\\") -> Expr:
        """SQL LIKE: ``%`` is any text, ``_`` any one character, after ``escape`` they stand for themselves."""
        return Like(self, literal(pattern), escape)

    def startswith(self, prefix: object) -> Expr:
        """Whether the text begins with ``prefix``."""
        return Function("startswith", (self, literal(prefix)))

    def endswith(self, suffix: object) -> Expr:
        """Whether the text ends with ``suffix``."""
        return Function("endswith", (self, literal(suffix)))

    def contains(self, part: object) -> Expr:
        """Whether the text has ``part`` in it."""
        return Function("contains", (self, literal(part)))

    def cast(self, data_type: DataType | str) -> Expr:
        """The value as another type, such as ``"BIGINT"``; an error where it does not fit."""
        return Cast(self, data_type)

    def field(self, name: str) -> Expr:
        """A field of a ROW."""
        return Field(self, name)

    def __str__(self) -> str:
        from workbench.expr.sql_text import sql_text

        return sql_text(self)

    def __repr__(self) -> str:
        return str(self)

    # An expression offers [] for nothing, and iterating over one by accident must not loop for ever.
    __iter__ = None


@dataclass(frozen=True, eq=False, repr=False)
class Column(Expr):
    """A column by its whole name; dots in it are part of the name. ``type`` is None until resolved."""

    name: str
    type: DataType | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Literal(Expr):
    """A constant. Without a type it is a Python value; with one, an internal value of that type; None is NULL."""

    value: Any
    type: DataType | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Field(Expr):
    """A field of a ROW value."""

    operand: Expr
    name: str


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Expr):
    """``operator`` is one of `COMPARISONS`."""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, eq=False, repr=False)
class And(Expr):
    """All of two or more; build with `conjunction`."""

    operands: tuple[Expr, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Or(Expr):
    """Any of two or more; build with `disjunction`."""

    operands: tuple[Expr, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Not(Expr):
    """SQL NOT: NULL stays NULL."""

    operand: Expr


@dataclass(frozen=True, eq=False, repr=False)
class In(Expr):
    """Whether the operand is one of the values; in a resolved tree they are literals of its type, NULLs among them."""

    operand: Expr
    values: tuple[Expr, ...]


@dataclass(frozen=True, eq=False, repr=False)
class IsNull(Expr):
    """Whether the operand is NULL; never NULL itself."""

    operand: Expr


@dataclass(frozen=True, eq=False, repr=False)
class Like(Expr):
    """SQL LIKE with its escape character."""

    operand: Expr
    pattern: Expr
    escape: str = "\\"


@dataclass(frozen=True, eq=False, repr=False)
class Arithmetic(Expr):
    """``operator`` is one of ``+ - * / % div``. ``type`` is that of the result, None until resolved."""

    operator: str
    left: Expr
    right: Expr
    type: DataType | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Negate(Expr):
    """The unary minus."""

    operand: Expr


@dataclass(frozen=True, eq=False, repr=False)
class Cast(Expr):
    """The operand as another type. ``type`` is text until resolved."""

    operand: Expr
    type: DataType | str


@dataclass(frozen=True, eq=False, repr=False)
class Case(Expr):
    """``CASE WHEN condition THEN value … ELSE otherwise END``; the first true condition counts."""

    branches: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr = Literal(None)


@dataclass(frozen=True, eq=False, repr=False)
class Function(Expr):
    """A call of one of the functions in `functions.FUNCTIONS`; ``name`` is in lower case."""

    name: str
    arguments: tuple[Expr, ...]
    type: DataType | None = None


def col(name: str) -> Column:
    """The column ``name``. Dots are part of the name; a field of a ROW is ``col("address").field("city")``."""
    if not isinstance(name, str) or not name:
        raise InvalidExpression(f"col() takes a column name, not {name!r}.")
    return Column(name)


def function(name: str, *arguments: object) -> Function:
    """A function call, such as ``function("lower", col("name"))``."""
    return Function(name.lower(), tuple(literal(argument) for argument in arguments))


def literal(value: object) -> Expr:
    """A Python value as an expression; expressions pass through.

    Takes int, float, str, bytes, bool, Decimal, date, datetime (with or without zone), time, None, and NumPy scalars
    of those kinds.

    Raises:
        InvalidExpression: a value of another kind.
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, datetime) and value != value:  # pandas' NaT
        return Literal(None)
    if value is None or isinstance(value, (bool, int, float, str, bytes, Decimal, date, datetime, time)):
        return Literal(value)
    if isinstance(value, (bytearray, memoryview)):
        return Literal(bytes(value))
    unboxed = getattr(value, "item", None)
    if callable(unboxed) and getattr(value, "shape", None) == ():
        plain, kind = unboxed(), str(getattr(value, "dtype", ""))
        # What Python's times are too coarse for, NumPy gives as a bare number.
        if not isinstance(plain, int) or not kind.startswith(("datetime64", "timedelta64")):
            return literal(plain)
        if kind == "datetime64[ns]":
            return Literal(plain, _finest_timestamp())
    raise InvalidExpression(
        f"A value of type {type(value).__name__} cannot stand in an expression.",
        "Use a number, text, bytes, date, datetime, time, Decimal, bool or None.",
    )


def _finest_timestamp() -> DataType:
    from workbench.format.types import AtomicType

    return AtomicType("TIMESTAMP", precision=9)


def conjunction(operands: Iterable[Expr]) -> Expr:
    """AND of any number, flattened; of none, TRUE."""
    flat = [part for each in operands for part in (each.operands if isinstance(each, And) else (each,))]
    if not flat:
        return Literal(True)
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def disjunction(operands: Iterable[Expr]) -> Expr:
    """OR of any number, flattened; of none, FALSE."""
    flat = [part for each in operands for part in (each.operands if isinstance(each, Or) else (each,))]
    if not flat:
        return Literal(False)
    return flat[0] if len(flat) == 1 else Or(tuple(flat))


def negated(value: Any) -> Any:
    """``-value``, exactly: Python's minus rounds a Decimal to the digits of its context."""
    return value.copy_negate() if isinstance(value, Decimal) else -value
