"""The expression tree and its builder, ``wb.col``. Trees are immutable; ``str()`` returns SQL text.

The classes represent two states: a tree as the user wrote it (`Literal.type` and `Column.type` are None, values are
plain Python values), and a resolved tree (`resolve.resolve`): every column and literal has its type, literals hold
internal values (epoch days, milliseconds, …) and every conversion is an explicit `Cast`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, ClassVar

from workbench.base.arguments import checked
from workbench.base.checkers import is_utf8
from workbench.base.errors import InvalidExpression

if TYPE_CHECKING:
    from workbench.format.types import DataType

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "<=>")
SUMS = ("+", "-")
"""The operators that are evaluated after those of products."""


class Expr:
    """Base class of expressions. Operators build larger ones: ``(col("id") > 3) & col("name").like("a%")``."""

    # Set by `sql_text` and `tree`, which import expression classes and therefore cannot be imported here.
    _print: ClassVar[Callable[[Expr], str]]
    _reduced: ClassVar[Callable[[Expr], tuple[Any, ...]]]

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
        return negation(self)

    def __add__(self, other: object) -> Expr:
        return arithmetic(self, ("+", literal(other)))

    def __radd__(self, other: object) -> Expr:
        return arithmetic(literal(other), ("+", self))

    def __sub__(self, other: object) -> Expr:
        return arithmetic(self, ("-", literal(other)))

    def __rsub__(self, other: object) -> Expr:
        return arithmetic(literal(other), ("-", self))

    def __mul__(self, other: object) -> Expr:
        return arithmetic(self, ("*", literal(other)))

    def __rmul__(self, other: object) -> Expr:
        return arithmetic(literal(other), ("*", self))

    def __truediv__(self, other: object) -> Expr:
        return arithmetic(self, ("/", literal(other)))

    def __rtruediv__(self, other: object) -> Expr:
        return arithmetic(literal(other), ("/", self))

    def __mod__(self, other: object) -> Expr:
        return arithmetic(self, ("%", literal(other)))

    def __rmod__(self, other: object) -> Expr:
        return arithmetic(literal(other), ("%", self))

    def __neg__(self) -> Expr:
        return Negate(self)

    def __bool__(self) -> bool:
        raise InvalidExpression(
            f"The expression {self} cannot be used as a Python truth value.",
            "Write & for and, | for or, ~ for not, .isin() for in, and .between() for a < b < c.",
        )

    def equal_null_safe(self, other: object) -> Expr:
        """Return the comparison ``<=>``: like ``=``, but two NULLs are equal and the result is never NULL."""
        return Comparison("<=>", self, literal(other))

    @checked
    def isin(self, values: Iterable[object]) -> Expr:
        """Return whether the value is one of ``values``."""
        return In(self, tuple(literal(value) for value in values))

    def between(self, low: object, high: object) -> Expr:
        """Return ``low <= self AND self <= high``."""
        return conjunction((self >= low, self <= high))

    def is_null(self) -> Expr:
        """Return whether the value is NULL."""
        return IsNull(self)

    def is_not_null(self) -> Expr:
        """Return whether the value is not NULL."""
        return Not(IsNull(self))

    @checked(pattern="str | Expr")
    def like(self, pattern: str, escape: str = "\\") -> Expr:
        """Return the condition LIKE: ``%`` matches any text, ``_`` any one character; preceded by ``escape``, both
        match themselves.
        """
        return Like(self, literal(pattern), escape)

    def startswith(self, prefix: object) -> Expr:
        """Return whether the text starts with ``prefix``."""
        return Function("startswith", (self, literal(prefix)))

    def endswith(self, suffix: object) -> Expr:
        """Return whether the text ends with ``suffix``."""
        return Function("endswith", (self, literal(suffix)))

    def contains(self, part: object) -> Expr:
        """Return whether the text contains ``part``."""
        return Function("contains", (self, literal(part)))

    @checked
    def cast(self, data_type: DataType | str) -> Expr:
        """Return a cast to another type, such as ``"BIGINT"``; evaluation fails for a value that does not fit."""
        return Cast(self, data_type)

    @checked
    def field(self, name: str) -> Expr:
        """Return a field of a ROW."""
        return Field(self, name)

    def to_sql(self) -> str:
        """Return the expression as SQL text, which `expr` accepts."""
        return Expr._print(self)

    def __repr__(self) -> str:
        return self.to_sql()

    def __reduce__(self) -> tuple[Any, ...]:
        return Expr._reduced(self)

    # Without this, iterating over an expression by accident would call [] forever.
    __iter__ = None


@dataclass(frozen=True, eq=False, repr=False)
class Column(Expr):
    """A column by its full name; dots in it are part of the name. ``type`` is None until resolved."""

    name: str
    type: DataType | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Literal(Expr):
    """A constant: a Python value if ``type`` is None, otherwise an internal value of that type; None is NULL."""

    value: Any
    type: DataType | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Field(Expr):
    """A field of a ROW value."""

    operand: Expr
    name: str


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Expr):
    """A comparison whose ``operator`` is one of `COMPARISONS`."""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, eq=False, repr=False)
class And(Expr):
    """A conjunction of two or more operands; build it with `conjunction`."""

    operands: tuple[Expr, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Or(Expr):
    """A disjunction of two or more operands; build it with `disjunction`."""

    operands: tuple[Expr, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Not(Expr):
    """The SQL NOT: NULL stays NULL."""

    operand: Expr


@dataclass(frozen=True, eq=False, repr=False)
class In(Expr):
    """A test for membership; in a resolved tree the values are literals of the operand's type, possibly NULL."""

    operand: Expr
    values: tuple[Expr, ...]


@dataclass(frozen=True, eq=False, repr=False)
class IsNull(Expr):
    """A test for NULL, which is never NULL itself."""

    operand: Expr


@dataclass(frozen=True, eq=False, repr=False)
class Like(Expr):
    """The SQL LIKE with its escape character."""

    operand: Expr
    pattern: Expr
    escape: str = "\\"


@dataclass(frozen=True, eq=False, repr=False)
class Arithmetic(Expr):
    """Operations of one precedence, evaluated from left to right; build it with `arithmetic`.

    ``steps`` are operators, each one of ``+ - * / % div``, with their right operands. ``types`` is empty until
    resolved; then it has two types for each step: the one to which the left operand is converted, None if it has it
    already, and the result's. A chain is one node, so that a long one is not a deep tree.
    """

    first: Expr
    steps: tuple[tuple[str, Expr], ...]
    types: tuple[tuple[DataType | None, DataType], ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Negate(Expr):
    """The unary minus."""

    operand: Expr


@dataclass(frozen=True, eq=False, repr=False)
class Cast(Expr):
    """A conversion of the operand to another type. ``type`` may be SQL text until resolved."""

    operand: Expr
    type: DataType | str


@dataclass(frozen=True, eq=False, repr=False)
class Case(Expr):
    """``CASE WHEN condition THEN value … ELSE otherwise END``; the first true condition decides."""

    branches: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr = Literal(None)


@dataclass(frozen=True, eq=False, repr=False)
class Function(Expr):
    """A call of one of the functions in `functions.FUNCTIONS`; ``name`` is in lower case."""

    name: str
    arguments: tuple[Expr, ...]
    type: DataType | None = None


@checked
def col(name: str) -> Column:
    """Return the column with the given name, for building predicates.

    Args:
        name: The name of the column. Dots are part of it; a field of a ROW is ``col("address").field("city")``.

    Returns:
        The column as an expression.

    Raises:
        InvalidExpression: If the name is empty.

    Example:
        >>> table.to_arrow(where=(wb.col("id") > 3) & wb.col("name").like("a%"))
    """
    if not name:
        raise InvalidExpression("A column name must not be empty.", "Write col('name').")
    return Column(name)


def function(name: str, *arguments: object) -> Function:
    """Return a function call, such as ``function("lower", col("name"))``."""
    return Function(name.lower(), tuple(literal(argument) for argument in arguments))


def literal(value: object) -> Expr:
    """Return a Python value as an expression; expressions are returned unchanged.

    Accepts int, float, str, bytes, bool, Decimal, date, datetime (with or without zone), time, None, and the
    corresponding NumPy scalars.

    Raises:
        InvalidExpression: If the value has another type.
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, str) and not is_utf8(value):
        raise InvalidExpression(f"{value!r:.60} cannot be written as UTF-8.", "Remove its unpaired surrogates.")
    if isinstance(value, datetime) and value != value:  # pandas' NaT
        return Literal(None)
    if value is None or isinstance(value, (bool, int, float, str, bytes, Decimal, date, datetime, time)):
        return Literal(value)
    if isinstance(value, (bytearray, memoryview)):
        return Literal(bytes(value))
    unboxed = getattr(value, "item", None)
    if callable(unboxed) and getattr(value, "shape", None) == ():
        plain, kind = unboxed(), str(getattr(value, "dtype", ""))
        # NumPy returns a plain integer for instants that are too fine for Python's datetime.
        if not isinstance(plain, int) or not kind.startswith(("datetime64", "timedelta64")):
            return literal(plain)
        if kind == "datetime64[ns]":
            from workbench.format.types import AtomicType

            return Literal(plain, AtomicType("TIMESTAMP", precision=9))
    raise InvalidExpression(
        f"A value of type {type(value).__name__} cannot be used in an expression.",
        "Use a number, text, bytes, date, datetime, time, Decimal, bool or None.",
    )


def conjunction(operands: Iterable[Expr]) -> Expr:
    """Return the AND of any number of operands, flattened; TRUE if there are none."""
    return _connected(And, operands, empty=True)


def disjunction(operands: Iterable[Expr]) -> Expr:
    """Return the OR of any number of operands, flattened; FALSE if there are none."""
    return _connected(Or, operands, empty=False)


def _connected(kind: type[And | Or], operands: Iterable[Expr], *, empty: bool) -> Expr:
    flat = tuple(chain.from_iterable(each.operands if isinstance(each, kind) else (each,) for each in operands))
    if len(flat) < 2:
        return flat[0] if flat else Literal(empty)
    return kind(flat)


def arithmetic(first: Expr, *steps: tuple[str, Expr]) -> Expr:
    """Return operations with the given operators and right operands, evaluated from left to right.

    Operations that continue a chain of the same precedence become part of it.
    """
    for is_sum, group in groupby(steps, lambda step: step[0] in SUMS):
        if isinstance(first, Arithmetic) and (first.steps[0][0] in SUMS) == is_sum:
            first = Arithmetic(first.first, (*first.steps, *group))
        else:
            first = Arithmetic(first, tuple(group))
    return first


def negation(operand: Expr) -> Expr:
    """Return NOT; a third one in a row cancels the second."""
    return operand.operand if isinstance(operand, Not) and isinstance(operand.operand, Not) else Not(operand)


def negated(value: Any) -> Any:
    """Return ``-value`` exactly: Python's minus rounds a Decimal to the precision of its context."""
    return value.copy_negate() if isinstance(value, Decimal) else -value
