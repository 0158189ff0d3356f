"""Encodes BinaryRows of whole Arrow columns without a Python step per row (format §9)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray, BoolArray, Int32Array, Int64Array, UInt64Array
from workbench.format.rows.binary_row_decoding import decode_columns
from workbench.format.rows.binary_row_layout import (
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
from workbench.format.rows.byte_words import WORD_BYTES, ByteWords, low_bytes_mask
from workbench.format.rows.murmur import hash_words
from workbench.format.types import DataType, to_arrow

__all__ = ["BinaryRows", "decimal_words", "decode_columns", "encode_columns", "single_array"]

_NUMPY_TYPES: dict[Slot, Any] = {
    Slot.INT8: np.int8,
    Slot.INT16: np.int16,
    Slot.INT32: np.int32,
    Slot.INT64: np.int64,
    Slot.FLOAT: np.float32,
    Slot.DOUBLE: np.float64,
}
_LARGE = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}
_FEW = 16


@dataclass(frozen=True, slots=True)
class BinaryRows:
    """Encoded rows in columnar form: ``fixed[w, i]`` is word w of row i.

    The variable part of row i is ``variable`` from word ``starts[i]`` to ``starts[i + 1]``.
    """

    arity: int
    fixed: UInt64Array
    variable: UInt64Array
    starts: Int64Array

    def __len__(self) -> int:
        return int(self.fixed.shape[1])

    def hashes(self) -> Int32Array:
        """Return the bucket hash of each row (format §11.1)."""
        return hash_words(self.fixed, self.variable, self.starts)

    def to_bytes(self, index: int) -> bytes:
        """Return one row with its 4-byte big-endian arity, as manifests store it."""
        variable = self.variable[self.starts[index] : self.starts[index + 1]]
        return struct.pack(">i", self.arity) + self.fixed[:, index].tobytes() + variable.tobytes()


def encode_columns(columns: Sequence[pa.Array | pa.ChunkedArray], types: Sequence[DataType]) -> BinaryRows:
    """Encode the rows of columns of equal length. The encoded rows equal those of `encode_row`.

    Columns may have any Arrow type that can be cast to the Arrow type of their Paimon type.

    Raises:
        Unsupported: If a value has a complex type.
    """
    if len(columns) != len(types):
        raise ValueError(f"{len(columns)} columns for {len(types)} fields")
    encoder = _Encoder(len(types), len(columns[0]) if columns else 1)
    for index, (column, data_type) in enumerate(zip(columns, types, strict=True)):
        encoder.add(index, single_array(column, data_type), data_type)
    return encoder.rows()


def single_array(column: pa.Array | pa.ChunkedArray, data_type: DataType) -> pa.Array:
    """Return the column as one array of the Arrow type of ``data_type``, or of its large variant."""
    target = to_arrow(data_type)
    large = _LARGE.get(target, target)
    if column.type not in (target, large):
        column = column.cast(target)
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    # Chunks of text may together exceed the 2 GB limit of 32-bit offsets.
    return pa.concat_arrays(column.cast(large).chunks) if column.num_chunks else pa.array([], large)


@dataclass(slots=True)
class _WordPart:
    """A variable part of the same number of words in every row: ``words[j, i]`` is word j for row i."""

    before: Int64Array
    words: list[UInt64Array]

    def write(self, variable: UInt64Array, starts: Int64Array) -> None:
        target = starts + self.before
        for offset, words in enumerate(self.words):
            variable[target + offset] = words


@dataclass(slots=True)
class _BytesPart:
    """A variable part of text or bytes; values that fit into their slot have no words."""

    before: Int64Array
    source: ByteWords
    positions: Int64Array
    sizes: Int64Array

    def write(self, variable: UInt64Array, starts: Int64Array) -> None:
        rows = np.flatnonzero(self.sizes > MAX_INLINE_BYTES)
        source, left = self.positions[rows], self.sizes[rows]
        target = starts[rows] + self.before[rows]
        while source.size > _FEW:
            variable[target] = self.source.at(source) & low_bytes_mask(left)
            more = left > WORD_BYTES
            source, left, target = source[more] + WORD_BYTES, left[more] - WORD_BYTES, target[more] + 1
        # A whole NumPy step per word is too expensive for a few very long values.
        as_bytes = variable.view(np.uint8)
        for start, size, word in zip(source.tolist(), left.tolist(), target.tolist(), strict=True):
            as_bytes[word * WORD_BYTES : word * WORD_BYTES + size] = self.source.bytes[start : start + size]


class _Encoder:
    """Fills the fixed part column by column and remembers the variable parts until their positions are known."""

    def __init__(self, arity: int, rows: int) -> None:
        self.arity = arity
        self.fixed_bytes = fixed_bytes(arity)
        self.first_slot = null_bytes(arity) // WORD_BYTES
        self.fixed: UInt64Array = np.zeros((self.fixed_bytes // WORD_BYTES, rows), dtype=np.uint64)
        self.variable_words: Int64Array = np.zeros(rows, dtype=np.int64)
        self.parts: list[_WordPart | _BytesPart] = []

    def rows(self) -> BinaryRows:
        starts = np.zeros(len(self.variable_words) + 1, dtype=np.int64)
        np.cumsum(self.variable_words, out=starts[1:])
        variable: UInt64Array = np.zeros(int(starts[-1]), dtype=np.uint64)
        for part in self.parts:
            part.write(variable, starts[:-1])
        return BinaryRows(self.arity, self.fixed, variable, starts)

    def add(self, index: int, column: pa.Array, data_type: DataType) -> None:
        if len(column) != self.fixed.shape[1]:
            raise ValueError(f"a column of {len(column)} values, expected {self.fixed.shape[1]}")
        nulls: BoolArray | None = None
        if column.null_count:
            nulls = column.is_null().to_numpy(zero_copy_only=False)
            byte, mask = null_bit(index)
            self.fixed[byte >> 3][nulls] |= np.uint64(mask << 8 * (byte & 7))
        self._write(self.fixed[self.first_slot + index], column, nulls, data_type)

    def _write(self, slot: UInt64Array, column: pa.Array, nulls: BoolArray | None, data_type: DataType) -> None:
        kind = slot_of(data_type)
        if kind is Slot.COMPLEX:
            if column.null_count != len(column):
                raise unsupported_value(data_type)
        elif kind in (Slot.STRING, Slot.BINARY):
            self._add_bytes(slot, column, nulls)
        elif kind is Slot.TIMESTAMP:
            self._add_timestamps(slot, _values(column, np.int64, nulls), units_per_milli(data_type))
        elif kind is Slot.DECIMAL:
            self._add_decimals(slot, decimal_words(column, nulls), nulls)
        elif kind is Slot.COMPACT_DECIMAL:
            slot[:] = decimal_words(column, nulls)[:, 0]
        elif kind is Slot.BOOLEAN:
            slot[:] = column.fill_null(False).to_numpy(zero_copy_only=False)
        else:
            dtype = np.dtype(_NUMPY_TYPES[kind])
            slot.view(dtype)[:: WORD_BYTES // dtype.itemsize] = _values(column, dtype, nulls)

    def _point(self, slot: UInt64Array, low: Any, rows: Any = slice(None)) -> None:
        """Fill a slot with ``low`` in its lower half and the position of its variable part, relative to the row, in its
        upper half.
        """
        offsets = (self.fixed_bytes + self.variable_words[rows] * WORD_BYTES).astype(np.uint64)
        slot[rows] = offsets << np.uint64(32) | low

    def _add_timestamps(self, slot: UInt64Array, values: Int64Array, units: int) -> None:
        millis = values // units
        nanos = ((values - millis * units) * (1_000_000 // units)).astype(np.uint64)
        self._point(slot, nanos)
        self._add_words([millis.view(np.uint64)], TIMESTAMP_VARIABLE_BYTES)

    def _add_decimals(self, slot: UInt64Array, values: UInt64Array, nulls: BoolArray | None) -> None:
        sizes, words = _minimal_big_endian(values[:, 0], values[:, 1])
        if nulls is not None:
            sizes[nulls] = 0
        self._point(slot, sizes)
        self._add_words(words, DECIMAL_VARIABLE_BYTES)

    def _add_words(self, words: list[UInt64Array], size: int) -> None:
        self.parts.append(_WordPart(self.variable_words.copy(), words))
        self.variable_words += size // WORD_BYTES

    def _add_bytes(self, slot: UInt64Array, column: pa.Array, nulls: BoolArray | None) -> None:
        source, positions, sizes = _byte_values(column)
        if nulls is not None:
            sizes[nulls] = 0
        short = low_bytes_mask(sizes)
        short &= source.at(positions)
        short |= (sizes | INLINE_MARK).astype(np.uint64) << np.uint64(56)
        slot[:] = short
        if nulls is not None:
            slot[nulls] = 0
        long = np.flatnonzero(sizes > MAX_INLINE_BYTES)
        if long.size:
            self._point(slot, sizes[long].astype(np.uint64), long)
            self.parts.append(_BytesPart(self.variable_words.copy(), source, positions, sizes))
            self.variable_words[long] += (sizes[long] + WORD_BYTES - 1) // WORD_BYTES


def _values(column: pa.Array, dtype: Any, nulls: BoolArray | None) -> AnyArray:
    """Return the raw values of a fixed-width column; zero where null, as in the slot of a null."""
    values = _buffer(column, 1, np.dtype(dtype), len(column), column.offset)
    if nulls is not None:
        values = np.where(nulls, np.zeros(1, dtype), values)
    return values


def decimal_words(column: pa.Array, nulls: BoolArray | None) -> UInt64Array:
    """Return unscaled values as two little-endian words each, low word first."""
    words = _buffer(column, 1, np.dtype(np.uint64), 2 * len(column), 2 * column.offset).reshape(-1, 2)
    return words if nulls is None else np.where(nulls[:, None], np.uint64(0), words)


def _buffer(column: pa.Array, index: int, dtype: np.dtype[Any], count: int, offset: int) -> AnyArray:
    buffer = column.buffers()[index]
    if buffer is None or not count:
        return np.zeros(count, dtype)
    return np.frombuffer(buffer, dtype, count, offset * dtype.itemsize)


def _byte_values(column: pa.Array) -> tuple[ByteWords, Int64Array, Int64Array]:
    """Return the bytes of a text or binary column, with position and size of each value in them."""
    is_large = column.type in _LARGE.values()
    offsets = _buffer(column, 1, np.dtype(np.int64 if is_large else np.int32), len(column) + 1, column.offset)
    offsets = offsets.astype(np.int64)
    first, last = (int(offsets[0]), int(offsets[-1])) if len(column) else (0, 0)
    data = column.buffers()[2]
    source = ByteWords(0) if data is None else ByteWords.copy_of(data[first:last])
    offsets -= first
    return source, offsets[:-1], np.diff(offsets)


_SIGN_LIMITS = np.array([1 << (8 * size - 1) for size in range(1, 9)], dtype=np.uint64)


def _minimal_big_endian(low: UInt64Array, high: UInt64Array) -> tuple[UInt64Array, list[UInt64Array]]:
    """Return 128-bit integers as Java's ``BigInteger.toByteArray``: sizes in bytes, and the two words that hold the
    bytes.
    """
    sign = (high.view(np.int64) >> np.int64(63)).view(np.uint64)
    in_low = np.searchsorted(_SIGN_LIMITS, low ^ sign, side="right") + 1
    in_high = np.searchsorted(_SIGN_LIMITS, high ^ sign, side="right") + 1 + WORD_BYTES
    sizes = np.where(high == sign, in_low, in_high).astype(np.uint64)
    shift = (np.uint64(DECIMAL_VARIABLE_BYTES) - sizes) << np.uint64(3)
    # A shift that does not apply wraps around to a number out of range, for which NumPy returns 0: no case needs a
    # branch.
    from_low = low >> (np.uint64(64) - shift) | low << (shift - np.uint64(64))
    left = high << shift | from_low
    return sizes, [left.byteswap(), (low << shift).byteswap()]
