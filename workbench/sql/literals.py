"""Converts literal expressions of SQL to Python values, and Python values to literals."""

from __future__ import annotations

import datetime
import decimal
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
    raise Unsupported(
        f"'{node.sql(dialect='spark')}' is not a literal, and only literals are accepted here.",
        "Write its value. To insert rows with expressions, use INSERT INTO … SELECT.",
    )


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
    """Return the value of ``DATE '…'``, ``TIMESTAMP '…'`` or a cast of a literal to a scalar type."""
    value = literal_value(node.this)
    type_name = node.to.this.name
    if value is None:
        return None
    try:
        if type_name == "DATE":
            return datetime.date.fromisoformat(str(value))
        if type_name.startswith("TIMESTAMP"):
            return datetime.datetime.fromisoformat(str(value))
        if type_name in ("TINYINT", "SMALLINT", "INT", "BIGINT"):
            return int(value)
        if type_name in ("FLOAT", "DOUBLE"):
            return float(value)
        if type_name == "DECIMAL":
            return decimal.Decimal(str(value))
    except (ValueError, ArithmeticError) as error:
        raise InvalidExpression(f"{value!r} is not a {type_name} value.") from error
    if type_name in ("TEXT", "VARCHAR", "CHAR"):
        return str(value)
    raise Unsupported(f"A literal of type {node.to.sql(dialect='spark')} is not supported here.")


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
