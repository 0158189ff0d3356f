"""Converts literal expressions of SQL to Python values, and Python values to literals."""

from __future__ import annotations

import datetime
import decimal
import struct
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from workbench.base.errors import InvalidExpression, Unsupported
from workbench.base.modules import exp


def literal_value(node: exp.Expression) -> Any:
    """Return the Python value of a literal: None, bool, int, float, Decimal, str, bytes, date, datetime, list or dict.

    A zone-less TIMESTAMP literal becomes a datetime without a zone; the column determines its zone.

    Raises:
        InvalidExpression: If the literal is not a value of its type (``DATE 'tomorrow'``).
        Unsupported: If the expression is not a literal.
    """
    if isinstance(node, exp.Null):
        return None
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.Paren):
        return literal_value(node.this)
    if isinstance(node, exp.Literal):
        return node.name if node.is_string else _number(node.name)
    if isinstance(node, exp.Neg):
        return _negative(node)
    if isinstance(node, exp.HexString):
        return bytes.fromhex(node.name if len(node.name) % 2 == 0 else f"0{node.name}")
    if isinstance(node, exp.Cast):
        return _cast(node)
    if isinstance(node, exp.Array):
        return [literal_value(item) for item in node.expressions]
    if isinstance(node, exp.Map | exp.VarMap):
        return list(zip(literal_value(node.args["keys"]), literal_value(node.args["values"]), strict=True))
    if isinstance(node, exp.Struct):
        return {str(part.this.name): literal_value(part.expression) for part in node.expressions}
    raise _no_literal(node)


def is_literal(node: exp.Expression) -> bool:
    """Return whether `literal_value` supports the expression."""
    try:
        literal_value(node)
    except (Unsupported, InvalidExpression):
        return False
    return True


def _number(text: str) -> int | float | decimal.Decimal:
    """Return a number as in Spark: digits are an integer, a decimal point makes a decimal, an exponent a double."""
    if "e" in text.lower():
        return float(text)
    return decimal.Decimal(text) if "." in text else int(text)


def _negative(node: exp.Neg) -> Any:
    value = literal_value(node.this)
    if isinstance(value, bool) or not isinstance(value, int | float | decimal.Decimal):
        raise InvalidExpression(f"'{node.sql(dialect='spark')}' is not a number.")
    return -value


def _cast(node: exp.Cast) -> Any:
    """Return the value of ``DATE '…'``, ``TIMESTAMP '…'``, ``1.5D``, or another cast that keeps a literal as it is.

    Casts that compute a value, such as those of 1.5 to INT or of BINARY to STRING, are expressions for an engine.
    """
    value = literal_value(node.this)
    if value is None:
        return None
    if isinstance(value, str) and "_" in value and node.to.this.name != "TEXT":
        raise _no_literal(node)  # Python would ignore it in numbers.
    type_name = "TIMESTAMP" if node.to.this.name.startswith("TIMESTAMP") else node.to.this.name
    keep = None if node.args.get("safe") else _KEPT.get(type_name)
    try:
        kept = None if keep is None else keep(value, *(int(each.name) for each in node.to.expressions))
    except (ValueError, ArithmeticError) as error:
        raise InvalidExpression(f"{value!r} is not a {type_name} value.") from error
    if kept is None:
        raise _no_literal(node)
    return kept


def _whole(bits: int) -> Callable[[Any], int | None]:
    def whole(value: Any) -> int | None:
        number = int(value) if isinstance(value, int | str) else None
        return number if number is not None and -(2 ** (bits - 1)) <= number < 2 ** (bits - 1) else None

    return whole


def _double(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float | decimal.Decimal | str) else None


def _float(value: Any) -> float | None:
    """Return the nearest value of 32 bits."""
    number = _double(value)
    return None if number is None else struct.unpack("f", struct.pack("f", number))[0]


def _decimal(value: Any, precision: int | None = None, scale: int = 0) -> decimal.Decimal | None:
    """Return the value if it has no more digits than the type."""
    number = decimal.Decimal(str(value)) if isinstance(value, int | float | decimal.Decimal | str) else None
    if number is None or precision is None or not number.is_finite():
        return None
    exponent = number.normalize().as_tuple().exponent
    return number if -int(exponent) <= scale and number.adjusted() < precision - scale else None


# What each type makes of a Python value that it represents exactly; None if a cast changes it.
_KEPT: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "BOOLEAN": lambda value: value if isinstance(value, bool) else None,
        "TINYINT": _whole(8),
        "SMALLINT": _whole(16),
        "INT": _whole(32),
        "BIGINT": _whole(64),
        "FLOAT": _float,
        "DOUBLE": _double,
        "DECIMAL": _decimal,
        "TEXT": lambda value: str(value) if type(value) in (str, int, datetime.date) else None,
        "BINARY": lambda value: value if isinstance(value, bytes) else None,
        "DATE": lambda value: datetime.date.fromisoformat(value) if isinstance(value, str) else None,
        "TIMESTAMP": lambda value: datetime.datetime.fromisoformat(value) if isinstance(value, str) else None,
    }
)


def _no_literal(node: exp.Expression) -> Unsupported:
    return Unsupported(
        f"'{node.sql(dialect='spark')}' is not a literal, and only literals are accepted here.", "Write its value."
    )


def literal_text(value: Any) -> str:
    """Return the SQL literal of a Python value; a list or tuple becomes ``(a, b)`` for use after IN.

    Raises:
        InvalidExpression: If the value's type has no literal.
    """
    from workbench.sql.statements import quote_text

    if hasattr(value, "item") and not isinstance(value, str | bytes):
        value = value.item()
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"CAST('{value!r}' AS DOUBLE)"
    if isinstance(value, decimal.Decimal):
        return f"{value:f}BD" if value.is_finite() else "NULL"
    if isinstance(value, str):
        return quote_text(value)
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, list | tuple | set | frozenset) and value:
        return f"({', '.join(literal_text(item) for item in value)})"
    raise InvalidExpression(
        f"A value of type {type(value).__name__} has no SQL literal.", "Pass a text, number, date or list."
    )
