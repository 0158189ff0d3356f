"""BinaryRow: the bytes of keys, partitions and statistics (format §9, Java ``BinaryRowWriter``).

This module handles single rows of Python values; ``binary_row_columns`` handles whole columns and is re-exported here.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from decimal import Context, Decimal
from typing import Any

from workbench.format.rows.binary_row_columns import BinaryRows, decode_columns, encode_columns
from workbench.format.rows.binary_row_layout import (
    ARITY_BYTES,
    COMPACT_DECIMAL_PRECISION,
    DECIMAL_VARIABLE_BYTES,
    INLINE_MARK,
    MAX_INLINE_BYTES,
    TIMESTAMP_VARIABLE_BYTES,
    Slot,
    decimal_shape,
    fixed_bytes,
    null_bit,
    null_bytes,
    padded,
    slot_of,
    units_per_milli,
    unsupported_value,
)
from workbench.format.types import DataType

__all__ = ["BinaryRows", "decode_columns", "decode_row", "encode_columns", "encode_row"]

_FIXED = {
    Slot.BOOLEAN: struct.Struct("<?"),
    Slot.INT8: struct.Struct("<b"),
    Slot.INT16: struct.Struct("<h"),
    Slot.INT32: struct.Struct("<i"),
    Slot.INT64: struct.Struct("<q"),
    Slot.FLOAT: struct.Struct("<f"),
    Slot.DOUBLE: struct.Struct("<d"),
}
_POINTER = struct.Struct("<II")  # Size or nanoseconds, then offset.
_INT64 = _FIXED[Slot.INT64]
_ARITY = struct.Struct(">i")
_RESERVED_FOR_NULL = {Slot.DECIMAL: DECIMAL_VARIABLE_BYTES, Slot.TIMESTAMP: TIMESTAMP_VARIABLE_BYTES}
_EXACT = Context(prec=80)


def encode_row(values: Sequence[Any], types: Sequence[DataType]) -> bytes:
    """Serialize internal values to a BinaryRow with its 4-byte big-endian arity.

    Raises:
        Unsupported: If a value has a complex type.
        ValueError: If a value does not fit its type.
    """
    arity = len(types)
    if len(values) != arity:
        raise ValueError(f"{len(values)} values for {arity} fields")
    row = bytearray(fixed_bytes(arity))
    slots_start = null_bytes(arity)
    try:
        for index, (value, data_type) in enumerate(zip(values, types, strict=True)):
            position = slots_start + 8 * index
            if value is None:
                byte, mask = null_bit(index)
                row[byte] |= mask
                _write_null(row, position, slot_of(data_type))
            else:
                _write_value(row, position, value, data_type)
    except (struct.error, OverflowError) as error:
        raise ValueError(f"value {value!r} does not fit {data_type}") from error
    return _ARITY.pack(arity) + bytes(row)


def _write_null(row: bytearray, position: int, slot: Slot) -> None:
    # A null occupies space in the variable part too: the row length, and therefore the bucket hash, depends on it.
    if reserved := _RESERVED_FOR_NULL.get(slot):
        _POINTER.pack_into(row, position, 0, len(row))
        row.extend(bytes(reserved))


def _write_value(row: bytearray, position: int, value: Any, data_type: DataType) -> None:
    slot = slot_of(data_type)
    if fixed := _FIXED.get(slot):
        fixed.pack_into(row, position, value)
    elif slot is Slot.STRING:
        _write_bytes(row, position, value.encode())
    elif slot is Slot.BINARY:
        _write_bytes(row, position, bytes(value))
    elif slot is Slot.TIMESTAMP:
        millis, fraction = divmod(value, units_per_milli(data_type))
        nanos = fraction * (1_000_000 // units_per_milli(data_type))
        _POINTER.pack_into(row, position, nanos, len(row))
        row.extend(_INT64.pack(millis))
    elif slot is Slot.COMPACT_DECIMAL:
        _INT64.pack_into(row, position, _unscaled(value, data_type))
    elif slot is Slot.DECIMAL:
        unscaled = _unscaled(value, data_type)
        digits = unscaled.to_bytes(_minimal_length(unscaled), "big", signed=True)
        _POINTER.pack_into(row, position, len(digits), len(row))
        row.extend(digits.ljust(DECIMAL_VARIABLE_BYTES, b"\0"))
    else:
        raise unsupported_value(data_type)


def _write_bytes(row: bytearray, position: int, data: bytes) -> None:
    size = len(data)
    if size <= MAX_INLINE_BYTES:
        row[position : position + size] = data
        row[position + 7] = INLINE_MARK | size
    else:
        _POINTER.pack_into(row, position, size, len(row))
        row.extend(data.ljust(padded(size), b"\0"))


def _unscaled(value: Decimal, data_type: DataType) -> int:
    precision, scale = decimal_shape(data_type)
    scaled = Decimal(value).scaleb(scale, _EXACT)
    unscaled = int(scaled)
    # Java adds up decimals that are stored as a long without checking the precision of the sum.
    limit = 1 << 63 if precision <= COMPACT_DECIMAL_PRECISION else 10**precision
    if unscaled != scaled or abs(unscaled) >= limit:
        raise ValueError(f"value {value!r} does not fit {data_type}")
    return unscaled


def _minimal_length(value: int) -> int:
    """Return the size of the shortest two's complement form in bytes, like Java's ``BigInteger.toByteArray``."""
    return (value if value >= 0 else ~value).bit_length() // 8 + 1


def decode_row(data: bytes, types: Sequence[DataType], errors: str = "replace") -> tuple[Any, ...]:
    """Read a serialized BinaryRow with its arity as internal values.

    Null decimals and timestamps may lack the reserved variable bytes, as written by Java 0.9. Text that is not UTF-8 is
    decoded as by Java, with replacement characters, unless ``errors`` names another handler of Python.

    Raises:
        ValueError: If the bytes are not such a row.
    """
    arity = len(types)
    if len(data) < ARITY_BYTES + fixed_bytes(arity) or _ARITY.unpack_from(data)[0] != arity:
        raise ValueError(f"not a serialized row of {arity} fields")
    row = data[ARITY_BYTES:]
    slots_start = null_bytes(arity)
    values: list[Any] = []
    for index, data_type in enumerate(types):
        byte, mask = null_bit(index)
        values.append(None if row[byte] & mask else _read_value(row, slots_start + 8 * index, data_type, errors))
    return tuple(values)


def _read_value(row: bytes, position: int, data_type: DataType, errors: str) -> Any:
    slot = slot_of(data_type)
    if fixed := _FIXED.get(slot):
        return fixed.unpack_from(row, position)[0]
    if slot is Slot.STRING:
        return _read_bytes(row, position).decode(errors=errors)
    if slot is Slot.BINARY:
        return _read_bytes(row, position)
    if slot is Slot.TIMESTAMP:
        nanos, offset = _POINTER.unpack_from(row, position)
        millis = _INT64.unpack(_part(row, offset, TIMESTAMP_VARIABLE_BYTES))[0]
        units = units_per_milli(data_type)
        return millis * units + nanos // (1_000_000 // units)
    scale = decimal_shape(data_type)[1] if slot in (Slot.COMPACT_DECIMAL, Slot.DECIMAL) else 0
    if slot is Slot.COMPACT_DECIMAL:
        return Decimal(_INT64.unpack_from(row, position)[0]).scaleb(-scale, _EXACT)
    if slot is Slot.DECIMAL:
        size, offset = _POINTER.unpack_from(row, position)
        return Decimal(int.from_bytes(_part(row, offset, size), "big", signed=True)).scaleb(-scale, _EXACT)
    raise unsupported_value(data_type)


def _read_bytes(row: bytes, position: int) -> bytes:
    mark = row[position + 7]
    if mark & INLINE_MARK:
        size = mark & ~INLINE_MARK
        if size > MAX_INLINE_BYTES:
            raise ValueError(f"an inline value of {size} bytes")
        return row[position : position + size]
    size, offset = _POINTER.unpack_from(row, position)
    return _part(row, offset, size)


def _part(row: bytes, offset: int, size: int) -> bytes:
    if offset + size > len(row):
        raise ValueError(f"{size} bytes at {offset} of a row of {len(row)}")
    return row[offset : offset + size]
