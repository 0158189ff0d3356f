"""Families of types, and the common type of two values (Spark's ANSI rules, ``AnsiTypeCoercion``)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa

from workbench.format.types import AtomicType, DataType, to_arrow

BOOLEAN = AtomicType("BOOLEAN")
INT = AtomicType("INT")
BIGINT = AtomicType("BIGINT")
DOUBLE = AtomicType("DOUBLE")
STRING = AtomicType("STRING")

MAX_DECIMAL_PRECISION = 38
_INTEGERS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
_FAMILIES = {
    **dict.fromkeys(_INTEGERS, "integer"),
    "FLOAT": "float",
    "DOUBLE": "float",
    "DECIMAL": "decimal",
    "CHAR": "string",
    "VARCHAR": "string",
    "BINARY": "binary",
    "VARBINARY": "binary",
    "BLOB": "binary",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIME": "time",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP_LTZ": "timestamp_ltz",
}
_DECIMAL_OF_INTEGER = {"TINYINT": 3, "SMALLINT": 5, "INT": 10, "BIGINT": 20}
_NANOSECONDS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


def family(data_type: DataType) -> str:
    """Return the family: integer, float, decimal, string, binary, boolean, date, time, timestamp, timestamp_ltz, or
    other.
    """
    return _FAMILIES.get(data_type.root, "other")


def is_numeric(data_type: DataType) -> bool:
    """Return whether the type supports arithmetic."""
    return family(data_type) in ("integer", "float", "decimal")


def integer_range(data_type: DataType) -> tuple[int, int]:
    """Return the minimum and maximum value of an integer type."""
    half = 1 << (_INTEGERS[data_type.root] - 1)
    return -half, half - 1


def decimal_shape(data_type: DataType) -> tuple[int, int]:
    """Return precision and scale of a DECIMAL, or of the DECIMAL that represents an integer type
    (``DecimalType.forType``).
    """
    if isinstance(data_type, AtomicType) and data_type.root == "DECIMAL":
        return data_type.precision or 10, data_type.scale or 0
    return _DECIMAL_OF_INTEGER[data_type.root], 0


def decimal_type(precision: int, scale: int) -> AtomicType:
    """Return a DECIMAL; if it would be too wide, its scale is reduced, down to six digits
    (``DecimalType.adjustPrecisionScale``).
    """
    if precision > MAX_DECIMAL_PRECISION:
        scale = max(MAX_DECIMAL_PRECISION - (precision - scale), min(scale, 6))
        precision = MAX_DECIMAL_PRECISION
    return AtomicType("DECIMAL", precision=precision, scale=scale)


def decimal_of(value: Decimal | int) -> AtomicType | None:
    """Return the smallest DECIMAL that holds a value, or None if no DECIMAL can."""
    _, digits, exponent = Decimal(value).as_tuple()
    assert isinstance(exponent, int)
    scale = max(-exponent, 0)
    precision = max(len(digits) + max(exponent, 0), scale, 1)
    return AtomicType("DECIMAL", precision=precision, scale=scale) if precision <= MAX_DECIMAL_PRECISION else None


def timestamp_precision(data_type: DataType) -> int:
    """Return the number of fractional digits of a second that a timestamp type keeps."""
    precision = getattr(data_type, "precision", None)
    return 6 if precision is None else int(precision)


def unit_nanoseconds(data_type: DataType) -> int:
    """Return the nanoseconds in one unit of the internal value of a timestamp type."""
    unit: str = to_arrow(data_type).unit
    return _NANOSECONDS[unit]


def common_type(left: DataType, right: DataType) -> DataType | None:
    """Return the type to which both types convert, or None if Spark refuses to mix them."""
    one, two = family(left), family(right)
    if one == two and one not in ("decimal", "integer", "float", "timestamp", "timestamp_ltz", "other"):
        return STRING if one == "string" else AtomicType("BYTES") if one == "binary" else left.as_nullable()
    if is_numeric(left) and is_numeric(right):
        return _common_number(left, right)
    if "string" in (one, two):
        return _common_with_string(right if one == "string" else left)
    temporal = ("date", "timestamp", "timestamp_ltz")
    if one in temporal and two in temporal:
        root = "TIMESTAMP_LTZ" if "timestamp_ltz" in (one, two) else "TIMESTAMP"
        precision = max(timestamp_precision(each) for each in (left, right) if family(each) != "date")
        return AtomicType(root, precision=precision)
    return left.as_nullable() if left.as_nullable() == right.as_nullable() else None


def _common_number(left: DataType, right: DataType) -> DataType:
    one, two = family(left), family(right)
    if "float" in (one, two):
        return AtomicType("FLOAT") if left.root == right.root == "FLOAT" else DOUBLE
    if "decimal" in (one, two):
        (precision, scale), (other_precision, other_scale) = decimal_shape(left), decimal_shape(right)
        widest = max(scale, other_scale)
        return decimal_type(max(precision - scale, other_precision - other_scale) + widest, widest)
    return max(left, right, key=lambda each: _INTEGERS[each.root]).as_nullable()


def _common_with_string(other: DataType) -> DataType | None:
    match family(other):
        case "integer":
            return BIGINT
        case "float" | "decimal":
            return DOUBLE
        case "other":
            return None
        case _:
            return other.as_nullable()


def to_internal(scalar: Any) -> Any:
    """Return the internal value of an Arrow scalar: temporal values are integers of their unit."""
    if not scalar.is_valid:
        return None
    if pa.types.is_temporal(scalar.type):
        return scalar.value
    return scalar.as_py()


def to_scalar(value: Any, data_type: DataType | None) -> pa.Scalar:
    """Return the Arrow scalar of an internal value; NULL without a type is Arrow's null."""
    return pa.scalar(None) if data_type is None else pa.scalar(value, to_arrow(data_type))
