"""Arrow values as literals of Spark's SQL that evaluate to the same values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.modules import pc
from workbench.expr.sql_text import quote_text
from workbench.format.types import ArrayType, DataField, DataType, MapType, RowType

_HINT = "Export the rows with to_arrow(), or leave the column out."
_LAST_MICRO = 6


def literals_of(column: pa.ChunkedArray, field: DataField) -> list[str]:
    """Return a literal for each value of a column.

    Raises:
        Unsupported: The type or a value has no literal; the message names the column.
    """
    printer = _printer(field.type, field.name)
    if pa.types.is_timestamp(column.type) and column.type.unit == "ns":
        micros = pa.timestamp("us", column.type.tz)
        if pc.any(pc.not_equal(column.cast(micros, safe=False).cast(column.type, safe=False), column)).as_py():
            raise _no_literal(field.name, f"a {field.type.sql()} with nanoseconds")
        column = column.cast(micros)
    try:
        values = column.to_pylist()
    except (ValueError, OverflowError) as error:
        raise _no_literal(field.name, f"a {field.type.sql()} beyond the year 9999") from error
    return ["NULL" if value is None else printer(value) for value in values]


def _no_literal(column: str, what: str) -> Unsupported:
    return Unsupported(f"Column '{column}' holds {what}, which SQL cannot write.", _HINT)


def _printer(data_type: DataType, column: str) -> Callable[[Any], str]:
    if isinstance(data_type, ArrayType):
        element = _nested(data_type.element, column)
        return lambda values: f"array({', '.join(map(element, values))})"
    if isinstance(data_type, MapType):
        key, item = _nested(data_type.key, column), _nested(data_type.value, column)
        return lambda pairs: _map_text(pairs.items() if isinstance(pairs, dict) else pairs, key, item)
    if isinstance(data_type, RowType):
        parts = [(each.name, _nested(each.type, column)) for each in data_type.fields]
        return lambda row: (
            f"named_struct({', '.join(f'{quote_text(name)}, {text(row[name])}' for name, text in parts)})"
        )
    printer = _SCALARS.get(data_type.root)
    if printer is None:
        raise _no_literal(column, f"values of type {data_type.sql()}")
    return printer


def _map_text(pairs: Iterable[Any], key: Callable[[Any], str], item: Callable[[Any], str]) -> str:
    return f"map({', '.join(f'{key(each)}, {item(value)}' for each, value in pairs)})"


def _nested(data_type: DataType, column: str) -> Callable[[Any], str]:
    """Return the printer of nested values, whose literals must have exactly the declared type."""
    if (getattr(data_type, "precision", None) or 0) > _LAST_MICRO and data_type.root.startswith("TIMESTAMP"):
        raise _no_literal(column, f"values of type {data_type.sql()}")
    printer = _printer(data_type, column)
    sql = spark_type(data_type, column)
    typed = data_type.root in _TYPED
    return lambda value: (
        f"CAST(NULL AS {sql})" if value is None else f"CAST({printer(value)} AS {sql})" if typed else printer(value)
    )


def spark_type(data_type: DataType, column: str) -> str:
    """Return a type as Spark's SQL names it."""
    if isinstance(data_type, ArrayType):
        return f"ARRAY<{spark_type(data_type.element, column)}>"
    if isinstance(data_type, MapType):
        return f"MAP<{spark_type(data_type.key, column)}, {spark_type(data_type.value, column)}>"
    if isinstance(data_type, RowType):
        fields = (f"`{each.name.replace('`', '``')}`: {spark_type(each.type, column)}" for each in data_type.fields)
        return f"STRUCT<{', '.join(fields)}>"
    if data_type.root in _SPARK_TYPES:
        return _SPARK_TYPES[data_type.root]
    if data_type.root in _SCALARS:
        return data_type.as_nullable().sql()
    raise _no_literal(column, f"values of type {data_type.sql()}")


def _float(name: str) -> Callable[[float], str]:
    def text(value: float) -> str:
        shown = "NaN" if math.isnan(value) else repr(value).replace("inf", "Infinity")
        return f"CAST('{shown}' AS {name})"

    return text


def _decimal(value: Decimal) -> str:
    return f"{value:f}BD"


def _moment(word: str) -> Callable[[datetime], str]:
    def text(value: datetime) -> str:
        if value.tzinfo is not None:
            value = value.astimezone(UTC).replace(tzinfo=None)
        zone = "Z" if word == "TIMESTAMP_LTZ" else ""
        return f"{word} '{value.isoformat(sep=' ')}{zone}'"

    return text


def _date(value: date) -> str:
    return f"DATE '{value.isoformat()}'"


# Numeric types whose literals may get another type where nothing else determines the type.
_TYPED = frozenset({"TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL"})
_SPARK_TYPES = {
    "CHAR": "STRING",
    "VARCHAR": "STRING",
    "BINARY": "BINARY",
    "VARBINARY": "BINARY",
    "TIMESTAMP": "TIMESTAMP_NTZ",
    "TIMESTAMP_LTZ": "TIMESTAMP_LTZ",
}
_SCALARS: dict[str, Callable[[Any], str]] = {
    "BOOLEAN": lambda value: "TRUE" if value else "FALSE",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT"), str),
    "FLOAT": _float("FLOAT"),
    "DOUBLE": _float("DOUBLE"),
    "DECIMAL": _decimal,
    **dict.fromkeys(("CHAR", "VARCHAR"), quote_text),
    **dict.fromkeys(("BINARY", "VARBINARY"), lambda value: f"X'{value.hex().upper()}'"),
    "DATE": _date,
    "TIMESTAMP": _moment("TIMESTAMP_NTZ"),
    "TIMESTAMP_LTZ": _moment("TIMESTAMP_LTZ"),
}
