"""Translates literals to values of Spark's types."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa

from workbench.base.modules import exp
from workbench.sql.translate import types
from workbench.sql.translate.types import duckdb_name
from workbench.sql.translate.values import NotTranslated, Typed, text


def number(written: str, sign: str = "") -> Typed:
    """Return a number as Spark types it: INT, BIGINT or DECIMAL by its digits, DECIMAL with a point, DOUBLE with an
    exponent."""
    if "e" in written.lower():
        return Typed(
            f"CAST({text(sign + written)} AS DOUBLE)", types.DOUBLE, constant=float(sign + written), is_constant=True
        )
    if "." in written:
        return _decimal(Decimal(sign + written))
    value = int(sign + written)
    for data_type, bits in ((types.INT, 31), (types.BIGINT, 63)):
        if -(2**bits) <= value < 2**bits:
            return _constant(f"CAST({value} AS {duckdb_name(data_type)})", data_type, value)
    return _decimal(Decimal(value))


def _decimal(value: Decimal) -> Typed:
    _, digits, exponent = value.as_tuple()
    scale = max(0, -int(exponent))
    precision = max(len(digits), scale, 1)
    data_type = types.decimal(precision, scale)
    if data_type is None:
        raise NotTranslated(f"`{value}`", "the number has more digits than a DECIMAL")
    return _constant(f"CAST('{value:f}' AS {duckdb_name(data_type)})", data_type, value)


def _constant(sql: str, data_type: pa.DataType, value: object) -> Typed:
    return Typed(sql, data_type, constant=value, is_constant=True)


def string(value: str) -> Typed:
    """Return a string literal."""
    if "\0" in value:
        raise NotTranslated("A string with a NUL character", "DuckDB does not accept it")
    return _constant(text(value), types.STRING, value)


def literal(node: exp.Expression) -> Typed | None:
    """Return the translation of a literal, or None if the node is not a literal."""
    if isinstance(node, exp.Literal):
        return string(node.name) if node.is_string else number(node.name)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        return number(node.this.name, "-")
    if isinstance(node, exp.Null):
        return _constant("NULL", types.NULL, None)
    if isinstance(node, exp.Boolean):
        return _constant("true" if node.this else "false", types.BOOLEAN, bool(node.this))
    if isinstance(node, exp.RawString):
        return string(str(node.this))
    if isinstance(node, exp.HexString):
        digits = str(node.this)
        return _constant(f"unhex({text(digits.rjust(len(digits) + len(digits) % 2, '0'))})", types.BINARY, digits)
    return None


_SIMPLE = {
    "BOOLEAN": types.BOOLEAN,
    "TINYINT": types.TINYINT,
    "SMALLINT": types.SMALLINT,
    "INT": types.INT,
    "BIGINT": types.BIGINT,
    "FLOAT": types.FLOAT,
    "DOUBLE": types.DOUBLE,
    "TEXT": types.STRING,
    "BINARY": types.BINARY,
    "DATE": types.DATE,
    "TIMESTAMPNTZ": types.TIMESTAMP_NTZ,
    "TIMESTAMPTZ": types.TIMESTAMP,
    "TIMESTAMPLTZ": types.TIMESTAMP,
    "TIMESTAMP": types.TIMESTAMP,
}


def type_of(node: exp.Expression, construct: str) -> pa.DataType:
    """Return the type that a CAST names."""
    name = node.this.name
    parameters = [int(each.this.name) for each in node.expressions if hasattr(each.this, "name")]
    if name == "DECIMAL":
        precision, scale = (*parameters, *((10, 0)[len(parameters) :]))[:2] if parameters else (10, 0)
        data_type = types.decimal(precision, scale)
        if data_type is not None and 0 <= scale <= precision:
            return data_type
    elif name in _SIMPLE and not node.expressions:
        return _SIMPLE[name]
    raise NotTranslated(f"`{construct}`", "the type is not supported on DuckDB")
