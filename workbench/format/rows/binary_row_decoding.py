"""Decodes BinaryRows of many files to Arrow columns without a Python step per row (format §9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray, BoolArray, Int64Array, UInt64Array
from workbench.format.rows.binary_row_layout import (
    ARITY_BYTES,
    DECIMAL_VARIABLE_BYTES,
    INLINE_MARK,
    MAX_INLINE_BYTES,
    TIMESTAMP_VARIABLE_BYTES,
    Slot,
    fixed_bytes,
    null_bit,
    null_bytes,
    slot_of,
    units_per_milli,
    unsupported_value,
)
from workbench.format.rows.byte_words import ByteWords
from workbench.format.types import DataType, to_arrow

_LOW_HALF = np.uint64(0xFFFFFFFF)
_NUMPY_TYPES: dict[Slot, Any] = {
    Slot.INT8: np.int8,
    Slot.INT16: np.int16,
    Slot.INT32: np.int32,
    Slot.INT64: np.int64,
    Slot.FLOAT: np.uint32,
    Slot.DOUBLE: np.uint64,
}
_MAX_INT64 = (1 << 63) - 1


def decode_columns(
    rows: Sequence[bytes],
    types: Sequence[DataType],
    positions: Sequence[int] | None = None,
    *,
    replaces: bool = True,
) -> list[pa.Array]:
    """Return one Arrow array per field, in the field's own Arrow type, from serialized rows with their arity.

    If ``positions`` is given, only the fields at these positions are decoded. Null decimals and timestamps may lack the
    reserved variable bytes, as written by Java 0.9. Text that is not UTF-8 has replacement characters, as in Java, or
    is NULL if ``replaces`` is false.

    Raises:
        ValueError: If a row is too short or corrupt.
        Unsupported: If a value has a complex type.
    """
    decoder = _Decoder(rows, len(types), replaces)
    return [decoder.column(index, types[index]) for index in (range(len(types)) if positions is None else positions)]


class _Decoder:
    def __init__(self, rows: Sequence[bytes], arity: int, replaces: bool) -> None:
        self.replaces = replaces
        self.source = ByteWords.copy_of(b"".join(rows))
        sizes = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
        if len(rows) and int(sizes.min()) < ARITY_BYTES + fixed_bytes(arity):
            raise ValueError(f"a serialized row of {int(sizes.min())} bytes is too short for {arity} fields")
        self.starts: Int64Array = np.cumsum(sizes) - sizes + ARITY_BYTES
        self.sizes: Int64Array = sizes - ARITY_BYTES
        self.first_slot = null_bytes(arity)
        arities = (self.source.at(self.starts - ARITY_BYTES) & _LOW_HALF).astype(np.uint32).byteswap()
        if (arities != arity).any():
            raise ValueError(f"a serialized row does not have {arity} fields")

    def column(self, index: int, data_type: DataType) -> pa.Array:
        byte, mask = null_bit(index)
        nulls: BoolArray = (self.source.bytes[self.starts + byte] & mask) != 0
        position = self.first_slot + 8 * index
        words = self.source.at(self.starts + position)
        kind = slot_of(data_type)
        if kind is Slot.COMPLEX:
            if not nulls.all():
                raise unsupported_value(data_type)
            return pa.nulls(len(nulls), to_arrow(data_type))
        if kind in (Slot.STRING, Slot.BINARY):
            return self._bytes(words, nulls, position, data_type)
        return _fixed_array(self._values(words, nulls, kind, data_type), nulls, data_type)

    def _values(self, words: UInt64Array, nulls: BoolArray, kind: Slot, data_type: DataType) -> AnyArray:
        if kind is Slot.TIMESTAMP:
            return self._timestamps(words, nulls, units_per_milli(data_type))
        if kind is Slot.COMPACT_DECIMAL:
            return np.stack([words, _sign(words)], axis=1)
        if kind is Slot.DECIMAL:
            return self._decimals(words, nulls)
        if kind is Slot.BOOLEAN:
            return np.packbits((words & np.uint64(0xFF)) != 0, bitorder="little")
        dtype = np.dtype(_NUMPY_TYPES[kind])
        values: AnyArray = words.view(dtype)[:: 8 // dtype.itemsize].copy()
        return values

    def _parts(self, words: UInt64Array, nulls: BoolArray, sizes: Int64Array, inline: Any = False) -> Int64Array:
        """Return the verified positions of the variable parts in the buffer, 0 for nulls and inline values."""
        offsets = (words >> np.uint64(32)).astype(np.int64)
        ignored = nulls | inline
        if ((offsets + sizes > self.sizes) & ~ignored).any():
            raise ValueError("a variable part is outside its row")
        return np.where(ignored, 0, self.starts + offsets)

    def _timestamps(self, words: UInt64Array, nulls: BoolArray, units: int) -> Int64Array:
        sizes = np.full(len(words), TIMESTAMP_VARIABLE_BYTES, dtype=np.int64)
        millis = self.source.at(self._parts(words, nulls, sizes)).view(np.int64)
        millis = np.where(nulls, 0, millis)
        finer = (words & _LOW_HALF).astype(np.int64) // (1_000_000 // units)
        # The product may leave the range by less than one step and return to it when the finer part is added.
        minimum, min_finer = divmod(-_MAX_INT64 - 1, units)
        greatest, greatest_finer = divmod(_MAX_INT64, units)
        too_early = (millis < minimum) | ((millis == minimum) & (finer < min_finer))
        too_late = (millis > greatest) | ((millis == greatest) & (finer > greatest_finer))
        if ((too_early | too_late) & ~nulls).any():
            raise ValueError("a timestamp is out of the range of its Arrow type")
        return millis * units + finer

    def _decimals(self, words: UInt64Array, nulls: BoolArray) -> UInt64Array:
        sizes = (words & _LOW_HALF).astype(np.int64)
        if (((sizes < 1) | (sizes > DECIMAL_VARIABLE_BYTES)) & ~nulls).any():
            raise ValueError("a decimal has the wrong number of bytes")
        sizes = np.where(nulls, DECIMAL_VARIABLE_BYTES, sizes)
        position = self._parts(words, nulls, sizes)
        left = self.source.at(position).byteswap()
        right = self.source.at(position + 8).byteswap()
        shift = ((DECIMAL_VARIABLE_BYTES - sizes) << 3).astype(np.uint64)
        far = shift >= 64
        near_low = right >> shift | left << (np.uint64(64) - shift)
        low = np.where(far, _shift_signed(left, shift - np.uint64(64)), near_low)
        high = np.where(far, _sign(left), _shift_signed(left, shift))
        return np.stack([low, high], axis=1)

    def _bytes(self, words: UInt64Array, nulls: BoolArray, slot: int, data_type: DataType) -> pa.Array:
        mark = (words >> np.uint64(56)).astype(np.int64)
        inline = (mark & INLINE_MARK) != 0
        inline_sizes = mark & ~INLINE_MARK
        if (inline & ~nulls & (inline_sizes > MAX_INLINE_BYTES)).any():
            raise ValueError("an inline value is too long")
        sizes = np.where(inline, inline_sizes, (words & _LOW_HALF).astype(np.int64))
        sizes[nulls] = 0
        positions = np.where(inline, self.starts + slot, self._parts(words, nulls, sizes, inline))
        ends = np.cumsum(sizes)
        # Statistics are short: one index per byte costs less than a loop over words.
        index = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(positions - (ends - sizes), sizes)
        offsets = np.concatenate([np.zeros(1, np.int64), ends])
        target = to_arrow(data_type)
        buffers = [_validity(nulls), pa.py_buffer(offsets), pa.py_buffer(self.source.bytes[index])]
        values = pa.Array.from_buffers(pa.large_binary(), len(nulls), buffers)
        values.validate(full=True)
        return _texts(values, target, self.replaces) if pa.types.is_string(target) else values.cast(target)


def _texts(values: pa.Array, target: pa.DataType, replaces: bool) -> pa.Array:
    """Return the bytes as text."""
    try:
        return values.cast(target)
    except pa.ArrowInvalid:
        texts = [None if each is None else _text(each, replaces) for each in values.to_pylist()]
    return pa.array(texts, target)


def _text(value: bytes, replaces: bool) -> str | None:
    text = value.decode(errors="replace")
    return text if replaces or text.encode() == value else None


def _fixed_array(values: AnyArray, nulls: BoolArray, data_type: DataType) -> pa.Array:
    values_buffer = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(to_arrow(data_type), len(nulls), [_validity(nulls), values_buffer])


def _validity(nulls: BoolArray) -> pa.Buffer | None:
    return pa.py_buffer(np.packbits(~nulls, bitorder="little")) if nulls.any() else None


def _shift_signed(words: UInt64Array, shift: UInt64Array) -> UInt64Array:
    amount = np.minimum(shift, np.uint64(63)).astype(np.int64)
    return (words.view(np.int64) >> amount).view(np.uint64)


def _sign(words: UInt64Array) -> UInt64Array:
    return (words.view(np.int64) >> np.int64(63)).view(np.uint64)
