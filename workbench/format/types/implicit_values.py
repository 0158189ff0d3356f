"""The implicit casts of SQL for values that are known before a statement runs."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa

from workbench.base.zones import statement_zone


def value_of_text(text: str, arrow_type: pa.DataType) -> pa.Array:
    """Return the value of a text as an array of one row; times without a zone are in the statement's time zone.

    Raises:
        pyarrow.ArrowException, ValueError: If the text is not a value of the type.
    """
    if pa.types.is_timestamp(arrow_type):
        moment = datetime.fromisoformat(text.strip())
        return pa.array([moment_of(moment, has_zone=arrow_type.tz is not None)], arrow_type)
    return pa.array([text]).cast(arrow_type)


def implicit_value(value: Any, arrow_type: pa.DataType) -> Any:
    """Return a literal's value in the form that Arrow accepts for the column: Spark's lossless implicit casts."""
    if isinstance(value, bool) and not pa.types.is_boolean(arrow_type):
        raise TypeError("a BOOLEAN is not a number")
    if isinstance(value, Decimal) and pa.types.is_floating(arrow_type):
        return float(value)
    if isinstance(value, Decimal) and pa.types.is_integer(arrow_type) and value == value.to_integral_value():
        return int(value)
    if isinstance(value, date) and pa.types.is_timestamp(arrow_type):
        return moment_of(value, has_zone=arrow_type.tz is not None)
    if isinstance(value, str) and pa.types.is_binary(arrow_type):
        return value.encode()
    return value


def moment_of(value: date, *, has_zone: bool) -> datetime:
    """Return the value of a column of times: a date becomes midnight of that day, and values with and without a zone
    are converted into each other in the statement's time zone.
    """
    moment = value if isinstance(value, datetime) else datetime.combine(value, time())
    if has_zone:
        return moment if moment.tzinfo else moment.replace(tzinfo=statement_zone())
    return moment.astimezone(statement_zone()).replace(tzinfo=None) if moment.tzinfo else moment
