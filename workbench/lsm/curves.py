"""Space-filling curves over columns: sort keys that keep rows close together if they are close in several columns.

Keys of integers, times, text and binary are those of Java Paimon's ``ZIndexer`` and ``HilbertIndexer``. Java's z-order
keys of floating-point numbers and decimals do not preserve the order of the values; the keys here do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from workbench.base.arrays import Int64Array, UInt8Array
from workbench.base.modules import pc

_WORD_BYTES = 8
_SIGN = np.int64(-(1 << 63))
_HILBERT_BITS = 63
_HILBERT_NULL = np.int64((1 << 63) - 1)
_BLOCK_ROWS = 1 << 15


def z_order_keys(columns: Sequence[pa.ChunkedArray], var_length_contribution: int = 8) -> pa.Array:
    """Return fixed_size_binary[rows] whose byte order is the z-order of the columns: their bits interleaved, most
    significant first.

    A column contributes 8 bytes, or for text and binary the first ``var_length_contribution`` bytes; NULL contributes
    zeros.
    """
    parts = [_z_order_bytes(column, var_length_contribution) for column in columns]
    return _fixed_binary(np.concatenate([_interleaved(block) for block in _blocks(parts)], axis=0))


def hilbert_keys(columns: Sequence[pa.ChunkedArray]) -> pa.Array:
    """Return fixed_size_binary[rows] whose byte order is the order along a Hilbert curve through 63 bits of each
    column.

    As in Java, the sign of a number is ignored: negative numbers follow all others; NULL is last.
    """
    points = [_hilbert_longs(column) for column in columns]
    return _fixed_binary(np.concatenate([_interleaved(_transposed(block)) for block in _blocks(points)], axis=0))


def _blocks(parts: Sequence[npt.NDArray[np.generic]]) -> Iterator[list[npt.NDArray[np.generic]]]:
    """Yield the rows block by block, as unpacked bits occupy eight times the memory of bytes."""
    for start in range(0, max(len(parts[0]), 1), _BLOCK_ROWS):
        yield [part[start : start + _BLOCK_ROWS] for part in parts]


def _interleaved(parts: Sequence[npt.NDArray[np.generic]]) -> UInt8Array:
    """Return the bits of all parts interleaved: the first bit of every part, then the second bit of every part, and so
    on. Parts that have ended are skipped."""
    bits = [np.unpackbits(np.asarray(part, np.uint8), axis=1) for part in parts]
    width = max(each.shape[1] for each in bits)
    positions = [
        (position, column) for position in range(width) for column, each in enumerate(bits) if position < each.shape[1]
    ]
    turned = np.empty((len(bits[0]), len(positions)), np.uint8)
    for target, (position, column) in enumerate(positions):
        turned[:, target] = bits[column][:, position]
    return np.packbits(turned, axis=1)


def _z_order_bytes(column: pa.ChunkedArray, var_length: int) -> UInt8Array:
    """Return uint8[rows, bytes]: bytes whose order is that of the values."""
    if _is_text(column.type):
        return _prefixes(column, var_length)
    missing = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
    if pa.types.is_boolean(column.type):
        # Only the first of the eight bytes is used, as in Java: -127 for true, 0 for false.
        values = np.where(_filled(column).to_numpy(zero_copy_only=False), np.int64(129) << np.int64(56), np.int64(0))
    elif pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
        bits = _filled(column.cast(pa.float64(), safe=False)).to_numpy().astype(np.float64).view(np.int64)
        values = bits ^ ((bits >> np.int64(63)) | _SIGN)
    else:
        values = _longs(column) ^ _SIGN
    if missing is not None:
        values = np.where(missing, np.int64(0), values)
    return values.astype(">i8").view(np.uint8).reshape(-1, _WORD_BYTES)


def _hilbert_longs(column: pa.ChunkedArray) -> Int64Array:
    """Return int64[rows]: a coordinate for each value."""
    if _is_text(column.type):
        longs = _right_aligned(column)
    elif pa.types.is_boolean(column.type):
        longs = np.where(_filled(column).to_numpy(zero_copy_only=False), _HILBERT_NULL, np.int64(0))
    elif pa.types.is_int8(column.type):
        longs = _filled(column).to_numpy().astype(np.uint8).astype(np.int64)
    elif pa.types.is_floating(column.type):
        longs = _filled(column.cast(pa.float64(), safe=False)).to_numpy().astype(np.float64).view(np.int64)
    elif pa.types.is_decimal(column.type):
        longs = _filled(column.cast(pa.float64(), safe=False)).to_numpy()
        longs = np.clip(np.trunc(longs), -(2.0**63), np.nextafter(2.0**63, 0)).astype(np.int64)
    else:
        longs = _longs(column)
    if column.null_count:
        longs = np.where(column.is_null().to_numpy(zero_copy_only=False), _HILBERT_NULL, longs)
    return longs


def _transposed(points: Sequence[npt.NDArray[np.generic]]) -> list[UInt8Array]:
    """Apply Skilling's transform, which Java's library uses: it converts coordinates to the index along the curve,
    whose bits are distributed over the results.

    Returns 8 bytes for each coordinate, of which the first bit is cleared.
    """
    axes = [np.asarray(point, np.int64).copy() for point in points]
    bits = [np.int64(1) << np.int64(bit) for bit in range(_HILBERT_BITS - 1, 0, -1)]
    for bit in bits:
        below = bit - np.int64(1)
        for axis in axes:
            is_set = (axis & bit) != 0
            swapped = np.where(is_set, np.int64(0), (axes[0] ^ axis) & below)
            axis ^= swapped
            axes[0] ^= np.where(is_set, below, swapped)
    for before, axis in pairwise(axes):
        axis ^= before
    turned = np.zeros_like(axes[0])
    for bit in bits:
        turned ^= np.where((axes[-1] & bit) != 0, bit - np.int64(1), np.int64(0))
    return [((axis ^ turned) & _HILBERT_NULL).astype(">i8").view(np.uint8).reshape(-1, _WORD_BYTES) for axis in axes]


def _longs(column: pa.ChunkedArray) -> Int64Array:
    """Return integers unchanged, dates in days, times and timestamps in milliseconds."""
    arrow_type = column.type
    if pa.types.is_timestamp(arrow_type):
        per_milli = {"s": 0, "ms": 1, "us": 1_000, "ns": 1_000_000}[arrow_type.unit]
        stored: Int64Array = _filled(column.cast(pa.int64())).to_numpy()
        return stored * np.int64(1_000) if not per_milli else np.floor_divide(stored, np.int64(per_milli))
    if pa.types.is_date(arrow_type) or pa.types.is_time(arrow_type):
        column = column.cast(pa.int32())
    return np.asarray(_filled(column).to_numpy(), np.int64)


def _filled(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not column.null_count:
        return column
    return pc.fill_null(column, pa.scalar(0).cast(column.type))


def _is_text(arrow_type: pa.DataType) -> bool:
    text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    return any(each(arrow_type) for each in text) or pa.types.is_fixed_size_binary(arrow_type)


def _prefixes(column: pa.ChunkedArray, size: int) -> UInt8Array:
    """Return uint8[rows, size]: the first bytes of each value, padded with zeros."""
    data, starts, lengths = _text_buffers(column)
    prefixes = np.zeros((len(starts), size), np.uint8)
    for position in range(size):
        has = lengths > position
        prefixes[has, position] = data[starts[has] + position]
    return prefixes


def _right_aligned(column: pa.ChunkedArray) -> Int64Array:
    """Return the first 8 bytes of each value as a number; a shorter value is padded with leading zeros, as in Java."""
    data, starts, lengths = _text_buffers(column)
    words = np.zeros(len(starts), np.uint64)
    for position in range(_WORD_BYTES):
        has = lengths > position
        words[has] = words[has] << np.uint64(8) | data[starts[has] + position].astype(np.uint64)
    return words.view(np.int64)


def _text_buffers(column: pa.ChunkedArray) -> tuple[UInt8Array, Int64Array, Int64Array]:
    """Return the bytes of all values, and the beginning and length of each; NULL has no bytes."""
    whole = column.cast(pa.large_binary()).combine_chunks()
    offsets = np.frombuffer(whole.buffers()[1], np.int64, len(whole) + 1, whole.offset * 8)
    lengths = np.diff(offsets)
    if whole.null_count:
        lengths = np.where(whole.is_null().to_numpy(zero_copy_only=False), 0, lengths)
    buffer = whole.buffers()[2]
    data = np.frombuffer(buffer, np.uint8) if buffer is not None else np.zeros(0, np.uint8)
    return data, offsets[:-1], lengths


def _fixed_binary(keys: UInt8Array) -> pa.Array:
    rows, width = keys.shape
    return pa.Array.from_buffers(pa.binary(width), rows, [None, pa.py_buffer(np.ascontiguousarray(keys))])
