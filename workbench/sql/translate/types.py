"""The types of SQL values as Arrow types, with Spark's rules for common types and the precision of decimals."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

BOOLEAN = pa.bool_()
TINYINT, SMALLINT, INT, BIGINT = pa.int8(), pa.int16(), pa.int32(), pa.int64()
FLOAT, DOUBLE = pa.float32(), pa.float64()
STRING, BINARY, DATE, NULL = pa.string(), pa.binary(), pa.date32(), pa.null()
TIMESTAMP, TIMESTAMP_NTZ = pa.timestamp("us", "UTC"), pa.timestamp("us")

MAX_PRECISION = 38
_INTEGERS = (TINYINT, SMALLINT, INT, BIGINT)
_DIGITS = {TINYINT: 3, SMALLINT: 5, INT: 10, BIGINT: 20}
_NAMES = {
    BOOLEAN: "BOOLEAN",
    TINYINT: "TINYINT",
    SMALLINT: "SMALLINT",
    INT: "INTEGER",
    BIGINT: "BIGINT",
    FLOAT: "FLOAT",
    DOUBLE: "DOUBLE",
    STRING: "VARCHAR",
    BINARY: "BLOB",
    DATE: "DATE",
    TIMESTAMP: "TIMESTAMPTZ",
    TIMESTAMP_NTZ: "TIMESTAMP",
}


def is_integer(data_type: pa.DataType) -> bool:
    """Return whether the type is TINYINT, SMALLINT, INT or BIGINT."""
    return data_type in _INTEGERS


def is_real(data_type: pa.DataType) -> bool:
    """Return whether the type is FLOAT or DOUBLE."""
    return data_type in (FLOAT, DOUBLE)


def is_decimal(data_type: pa.DataType) -> bool:
    """Return whether the type is a DECIMAL."""
    return bool(pa.types.is_decimal128(data_type))


def is_number(data_type: pa.DataType) -> bool:
    """Return whether values of the type are numbers."""
    return is_integer(data_type) or is_real(data_type) or is_decimal(data_type)


def is_moment(data_type: pa.DataType) -> bool:
    """Return whether the type is DATE, TIMESTAMP or TIMESTAMP_NTZ."""
    return data_type in (DATE, TIMESTAMP, TIMESTAMP_NTZ)


def is_scalar(data_type: pa.DataType) -> bool:
    """Return whether values of the type can be compared, grouped and sorted as in Spark."""
    return data_type in _NAMES or is_decimal(data_type)


def is_readable(data_type: pa.DataType) -> bool:
    """Return whether values of the type pass through DuckDB unchanged: scalars, arrays, maps, structs."""
    if pa.types.is_list(data_type):
        return is_readable(data_type.value_type)
    if pa.types.is_map(data_type):
        return is_readable(data_type.key_type) and is_readable(data_type.item_type)
    if pa.types.is_struct(data_type):
        return all(is_readable(data_type.field(index).type) for index in range(data_type.num_fields))
    return is_scalar(data_type) or data_type == NULL


def decimal(precision: int, scale: int) -> pa.DataType | None:
    """Return the decimal type, or None if it has more digits than a decimal can have."""
    return pa.decimal128(precision, scale) if precision <= MAX_PRECISION else None


def as_decimal(data_type: pa.DataType) -> pa.DataType:
    """Return the narrowest decimal type that holds all values of an integer or decimal type."""
    return data_type if is_decimal(data_type) else pa.decimal128(_DIGITS[data_type], 0)


def duckdb_name(data_type: pa.DataType) -> str:
    """Return DuckDB's name of the type."""
    if is_decimal(data_type):
        return f"DECIMAL({data_type.precision}, {data_type.scale})"
    if pa.types.is_list(data_type):
        return f"{duckdb_name(data_type.value_type)}[]"
    return _NAMES[data_type]


def common_type(types: Iterable[pa.DataType]) -> pa.DataType | None:
    """Return the type to which CASE, COALESCE, UNION and comparisons convert the types; None if there is none."""
    result = NULL
    for data_type in types:
        wider = _wider(result, data_type)
        if wider is None:
            return None
        result = wider
    return result


def _wider(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    if one == other or other == NULL:
        return one
    if one == NULL:
        return other
    if is_number(one) and is_number(other):
        return _wider_number(one, other)
    if is_moment(one) and is_moment(other):
        return TIMESTAMP if TIMESTAMP in (one, other) else TIMESTAMP_NTZ
    return None


def _wider_number(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    if is_real(one) or is_real(other):
        return DOUBLE
    if is_integer(one) and is_integer(other):
        return max(one, other, key=_INTEGERS.index)
    one, other = as_decimal(one), as_decimal(other)
    scale = max(one.scale, other.scale)
    return decimal(max(one.precision - one.scale, other.precision - other.scale) + scale, scale)
