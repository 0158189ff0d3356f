"""Prints expressions as SQL text that `parse.parse` accepts."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from workbench.base.errors import WorkbenchError
from workbench.expr.depth import refused_depth
from workbench.expr.expressions import (
    SUMS,
    And,
    Arithmetic,
    Case,
    Cast,
    Column,
    Comparison,
    Expr,
    Field,
    Function,
    In,
    IsNull,
    Like,
    Literal,
    Negate,
    Not,
    Or,
)

if TYPE_CHECKING:
    from workbench.format.types import DataType

_OR, _AND, _NOT, _PREDICATE, _SUM, _PRODUCT, _UNARY, _PRIMARY = range(8)
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Words that SQL does not read as a column name where a value is expected.
_RESERVED_WORDS = """
all and any array between by case cast current_date current_timestamp date distinct div else end
escape exists false from group having ilike in interval is like limit map not null on or order row
select struct table then time timestamp timestamp_ltz timestamp_ntz true union unknown when where
with
"""
_RESERVED = frozenset(_RESERVED_WORDS.split())
_SPARK_TYPES = {"TIMESTAMP": "TIMESTAMP_NTZ", "TIMESTAMP_LTZ": "TIMESTAMP_LTZ", "TIME": "TIME", "VARBINARY": "BINARY"}
_NANOSECONDS = {"ms": 1_000_000, "us": 1_000, "ns": 1}


def sql_text(expr: Expr) -> str:
    """Return the expression as SQL text.

    Raises:
        InvalidExpression: If it is nested too deeply.
    """
    with refused_depth():
        return _text(expr)


def quote_name(name: str) -> str:
    """Return a column name as SQL: in backticks unless it is a plain word."""
    if _PLAIN_NAME.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def quote_text(text: str) -> str:
    """Return a string as a SQL literal."""
    escaped = text.replace("\\", "\\\\").replace("'", "''")
    return "'" + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t").replace("\0", "\\0") + "'"


def _text(expr: Expr) -> str:
    return _render(expr)[0]


def _at_least(expr: Expr, precedence: int) -> str:
    text, own = _render(expr)
    return text if own >= precedence else f"({text})"


def _render(expr: Expr) -> tuple[str, int]:
    """Return the SQL text and the precedence of its outermost operator."""
    match expr:
        case Column(name=name):
            return quote_name(name), _PRIMARY
        case Literal():
            text = _literal_text(expr)
            return text, _UNARY if text.startswith("-") else _PRIMARY
        case Or(operands=operands):
            return " OR ".join(_at_least(each, _AND) for each in operands), _OR
        case And(operands=operands):
            return " AND ".join(_at_least(each, _NOT) for each in operands), _AND
        case Not(operand=IsNull(operand=operand)):
            return f"{_at_least(operand, _SUM)} IS NOT NULL", _PREDICATE
        case Not(operand=In(operand=operand, values=values)):
            return f"{_at_least(operand, _SUM)} NOT IN ({_list_text(values)})", _PREDICATE
        case Not(operand=operand):
            return f"NOT {_at_least(operand, _PREDICATE)}", _NOT
        case Comparison(operator=operator, left=left, right=right):
            return f"{_at_least(left, _SUM)} {operator} {_at_least(right, _SUM)}", _PREDICATE
        case In(operand=operand, values=values):
            return f"{_at_least(operand, _SUM)} IN ({_list_text(values)})", _PREDICATE
        case IsNull(operand=operand):
            return f"{_at_least(operand, _SUM)} IS NULL", _PREDICATE
        case Like(operand=operand, pattern=pattern, escape=escape):
            suffix = "" if escape == "\\" else f" ESCAPE {quote_text(escape)}"
            return f"{_at_least(operand, _SUM)} LIKE {_at_least(pattern, _SUM)}{suffix}", _PREDICATE
        case Arithmetic():
            return _arithmetic_text(expr)
        case Negate(operand=operand):
            return f"-{_at_least(operand, _PRIMARY)}", _UNARY
        case _:
            return _call_text(expr), _PRIMARY


def _arithmetic_text(expr: Arithmetic) -> tuple[str, int]:
    own = _SUM if expr.steps[0][0] in SUMS else _PRODUCT
    texts = [_at_least(expr.first, own)]
    for number, (operator, operand) in enumerate(expr.steps):
        target = expr.types[number][0] if expr.types else None
        if target is not None:
            texts = [f"CAST({' '.join(texts)} AS {_type_text(target)})"]
        texts += [operator.upper(), _at_least(operand, own + 1)]
    return " ".join(texts), own


def _call_text(expr: Expr) -> str:
    match expr:
        case Cast(operand=Literal(value=str() as text, type=None), type=data_type) if _is_moment(data_type):
            return f"{_type_text(data_type)} {quote_text(text)}"
        case Cast(operand=operand, type=data_type):
            return f"CAST({_text(operand)} AS {_type_text(data_type)})"
        case Field(operand=operand, name=name):
            return f"{_at_least(operand, _PRIMARY)}.{quote_name(name)}"
        case Function(name=name, arguments=arguments):
            return f"{name}({_list_text(arguments)})"
        case Case(branches=branches, otherwise=otherwise):
            when = " ".join(f"WHEN {_text(test)} THEN {_text(value)}" for test, value in branches)
            tail = "" if isinstance(otherwise, Literal) and otherwise.value is None else f" ELSE {_text(otherwise)}"
            return f"CASE {when}{tail} END"
    raise TypeError(f"{type(expr).__name__} is not an expression")


def _list_text(items: tuple[Expr, ...]) -> str:
    return ", ".join(_text(item) for item in items)


def _is_moment(data_type: DataType | str) -> bool:
    return _type_text(data_type) in ("DATE", "TIME", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ")


def _type_text(data_type: DataType | str) -> str:
    """Return the Spark SQL name of a type: one name per timestamp type, no precision of timestamps and times."""
    if isinstance(data_type, str):
        from workbench.format.types import parse_type

        try:
            data_type = parse_type(data_type)
        except WorkbenchError:
            return str(data_type)
    return _SPARK_TYPES.get(data_type.root, str(data_type.as_nullable()))


def _literal_text(expr: Literal) -> str:
    value: Any = expr.value
    if expr.type is not None and value is not None:
        value = _python_value(value, expr.type)
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return str(value)
        case str():
            return quote_text(value)
        case bytes():
            return f"X'{value.hex().upper()}'"
        case float():
            return f"{value!r}D" if math.isfinite(value) else f"CAST('{_unusual_float(value)}' AS DOUBLE)"
        case Decimal():
            text = format(value, "f")
            return text if "." in text else f"{text}BD"
        case datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case time():
            return f"TIME '{value.isoformat()}'"
        case _Raw():
            return str(value)
    raise TypeError(f"{type(value).__name__} is not a literal")


def _unusual_float(value: float) -> str:
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


class _Raw(tuple[str]):
    """Text that is already SQL, for values that Python types cannot hold."""

    def __str__(self) -> str:
        return self[0]


def _python_value(value: Any, data_type: DataType) -> Any:
    """Return the Python value of an internal value of a type."""
    if data_type.root == "DATE":
        return _moment("DATE", value * 86_400_000_000_000, with_time=False, zone="")
    if data_type.root == "TIME":
        return (datetime.min + timedelta(milliseconds=value)).time()
    if data_type.root in ("TIMESTAMP", "TIMESTAMP_LTZ"):
        precision = getattr(data_type, "precision", 6)
        unit = "ms" if precision <= 3 else "us" if precision <= 6 else "ns"
        zone = "+00:00" if data_type.root == "TIMESTAMP_LTZ" else ""
        return _moment("TIMESTAMP", value * _NANOSECONDS[unit], with_time=True, zone=zone)
    return value


def _moment(word: str, nanoseconds: int, *, with_time: bool, zone: str) -> _Raw:
    seconds, fraction = divmod(nanoseconds, 1_000_000_000)
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    except OverflowError:
        return _Raw((f"{word} '{seconds} seconds since 1970'",))
    text = moment.strftime(f"{moment.year:04d}-%m-%d" + (" %H:%M:%S" if with_time else ""))
    digits = f".{fraction:09d}".rstrip("0") if fraction else ""
    return _Raw((f"{word} '{text}{digits}{zone}'",))


Expr._print = sql_text
