"""Encodes the indexes ``range-bitmap`` and ``bsi`` (Java ``RangeBitmap``, ``BitSliceIndexRoaringBitmap``)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.format.index.file_index import bit_slices as bsi
from workbench.format.index.file_index.distinct import DistinctKeys, distinct_keys, plain_numbers
from workbench.format.index.file_index.keys import KeyKind
from workbench.format.index.file_index.range_bitmap import VERSION
from workbench.format.index.file_index.row_bitmaps import bit_slices

_INT_BYTES = 4
_WORD_BITS = 64


def range_bitmap_index(column: pa.ChunkedArray, kind: KeyKind, chunk_size: int) -> bytes:
    """Return a sorted dictionary of the values, in chunks of ``chunk_size`` bytes, and the rank of each row's value."""
    keys = distinct_keys(column, kind)
    ends = b"" if not keys.count else keys.stored.take(0, 1) + keys.stored.take(keys.count - 1, keys.count)
    dictionary = _dictionary(keys, kind, chunk_size)
    head = bytes([VERSION]) + _ints(len(keys.codes), keys.count) + ends + _ints(len(dictionary))
    return _ints(len(head)) + head + dictionary + _ranks(keys)


def _dictionary(keys: DistinctKeys, kind: KeyKind, chunk_size: int) -> bytes:
    """Return the chunks, each with its first value, followed by the remaining values of all chunks; strings are
    preceded by their offsets.
    """
    chunks: list[bytes] = []
    bodies: list[bytes] = []
    first = position = 0
    while first < keys.count:
        last = _chunk_end(keys, kind, chunk_size, first)
        offsets = b""
        body = keys.stored.take(first + 1, last)
        length = int(keys.stored.sizes[first])
        if kind.stored is None:
            starts = keys.stored.ends[first:last] - keys.stored.ends[first]
            offsets = starts[:-1].astype(">i4").tobytes()
        sizes = (len(offsets), len(body)) if kind.stored is None else (len(body), length)
        chunks.append(
            bytes([VERSION]) + keys.stored.take(first, first + 1) + _ints(first, position, last - first - 1, *sizes)
        )
        bodies.append(offsets + body)
        position += len(offsets) + len(body)
        first = last
    starts_of_chunks = np.cumsum([0, *map(len, chunks)])[:-1].astype(">i4").tobytes()
    lengths = (len(chunks), len(starts_of_chunks), sum(map(len, chunks)))
    head = bytes([VERSION]) + _ints(*lengths)
    return b"".join([_ints(len(head)), head, starts_of_chunks, *chunks, *bodies])


def _chunk_end(keys: DistinctKeys, kind: KeyKind, chunk_size: int, first: int) -> int:
    """Return the end of a chunk: its first value is followed by up to ``chunk_size`` bytes of values and, for strings,
    up to ``chunk_size`` bytes of offsets.
    """
    ends = keys.stored.ends
    last = int(np.searchsorted(ends, ends[first] + chunk_size, side="right"))
    return min(last, first + 1 + chunk_size // _INT_BYTES) if kind.stored is None else last


def _ranks(keys: DistinctKeys) -> bytes:
    # Java counts the bits of -1 if there are no values.
    count = max((keys.count - 1).bit_length(), 1) if keys.count else _WORD_BITS
    rows = np.flatnonzero(keys.codes >= 0)
    existing, slices = bit_slices(keys.codes[rows], rows, count)
    sizes = np.array([len(each) for each in slices])
    positions = np.stack([np.cumsum(sizes) - sizes, sizes], axis=1).astype(">i4").tobytes()
    head = bytes([VERSION, count]) + _ints(len(existing), len(positions)) + positions
    return b"".join([_ints(len(head)), head, existing, *slices])


def bit_slice_index(column: pa.ChunkedArray, kind: KeyKind) -> bytes:
    """Return integers as bit slices: the non-negative integers, and the absolute values of the negative ones.

    Raises:
        ValueError: If a value is the smallest 64-bit integer, whose absolute value does not fit.
    """
    array = column.combine_chunks()
    rows = np.flatnonzero(array.is_valid().to_numpy(zero_copy_only=False))
    numbers = plain_numbers(array.drop_null(), kind).astype(np.int64)
    if len(numbers) and numbers.min() == np.iinfo(np.int64).min:
        raise ValueError("it cannot hold the smallest number")
    below = numbers < 0
    parts = [_signed(numbers[~below], rows[~below]), _signed(-numbers[below], rows[below])]
    return bytes([bsi.VERSION]) + _ints(len(array)) + b"".join(parts)


def _signed(numbers: Int64Array, rows: Int64Array) -> bytes:
    if not len(rows):
        return b"\0"
    maximum = int(numbers.max())
    existing, slices = bit_slices(numbers, rows, maximum.bit_length())
    # Java does not subtract the minimum: it counts from zero.
    bounds = np.array([0, maximum], ">i8").tobytes()
    return b"".join([b"\1", bytes([bsi.VERSION]), bounds, existing, _ints(len(slices)), *slices])


def _ints(*numbers: int) -> bytes:
    return np.array(numbers, ">i4").tobytes()
