"""Encodes the index ``bloom-filter`` (Java ``BloomFilterFileIndex``, ``BloomFilter64``, ``FastHash``)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array, UInt8Array, UInt64Array
from workbench.format.index.file_index.distinct import plain_numbers
from workbench.format.index.file_index.hashes import PRIMES
from workbench.format.index.file_index.keys import KeyKind
from workbench.format.rows.ragged_bytes import texts

_PRIMES = tuple(np.uint64(prime) for prime in PRIMES)
_STRIPE = 32
_LANE_TURNS = (1, 7, 12, 18)


def bloom_filter_index(column: pa.ChunkedArray, kind: KeyKind, items: int, error_rate: float) -> bytes:
    """Return a filter that is sized for ``items`` values and a false-positive rate of ``error_rate``."""
    bits = int(-items * math.log(error_rate) / math.log(2) ** 2)
    bits += 8 - bits % 8
    functions = max(1, math.floor(bits / items * math.log(2) + 0.5))
    marks = np.zeros(bits, bool)
    hashes = hashes_of(column.combine_chunks().drop_null(), kind).view(np.int64)
    low, high = hashes.astype(np.int32), (hashes >> 32).astype(np.int32)
    for number in range(1, functions + 1):
        position = low + np.int32(number) * high
        marks[np.where(position < 0, ~position, position) % bits] = True
    return functions.to_bytes(4, "big") + np.packbits(marks, bitorder="little").tobytes()


def hashes_of(array: Any, kind: KeyKind) -> UInt64Array:
    """Return uint64[rows]: the hashes of non-null values, each at least once."""
    if kind.stored is None:
        return _hashes_of_texts(array.cast(pa.binary()).unique())
    numbers = plain_numbers(array, kind)
    bits = numbers.view(f"i{numbers.itemsize}") if kind.is_float else numbers
    return wang64_of(bits.astype(np.int64))


def wang64_of(numbers: Int64Array) -> UInt64Array:
    """Return Thomas Wang's hash of each number; see `hashes.wang64`."""
    key = ~numbers + (numbers << 21)
    key ^= key >> 24
    key *= 265
    key ^= key >> 14
    key *= 21
    key ^= key >> 28
    hashes: UInt64Array = (key + (key << 31)).view(np.uint64)
    return hashes


def _hashes_of_texts(array: Any) -> UInt64Array:
    pieces = texts(array)
    starts, hashes = pieces.ends - pieces.sizes, np.empty(len(array), np.uint64)
    for size in np.unique(pieces.sizes).tolist():
        at = np.flatnonzero(pieces.sizes == size)
        hashes[at] = xxhash64_of(pieces.data[starts[at][:, None] + np.arange(size)])
    return hashes


def xxhash64_of(data: UInt8Array) -> UInt64Array:
    """Return xxHash64 with seed 0 of rows of equal length, uint8[rows, bytes]; see `hashes.xxhash64`."""
    rows, size = data.shape
    one, two, three, four, five = _PRIMES
    position = 0
    if size < _STRIPE:
        hashes = np.full(rows, five, np.uint64)
    else:
        start = np.array([PRIMES[0] + PRIMES[1] & (1 << 64) - 1, PRIMES[1], 0, -PRIMES[0] & (1 << 64) - 1], np.uint64)
        lanes = [np.full(rows, lane, np.uint64) for lane in start]
        while position + _STRIPE <= size:
            lanes = [_round(lane, _word(data, position + 8 * index, 8)) for index, lane in enumerate(lanes)]
            position += _STRIPE
        hashes = np.sum([_rotated(lane, turn) for lane, turn in zip(lanes, _LANE_TURNS, strict=True)], axis=0)
        for lane in lanes:
            hashes = (hashes ^ _round(np.zeros(rows, np.uint64), lane)) * one + four
    hashes = hashes + np.uint64(size)
    while position + 8 <= size:
        word = _round(np.zeros(rows, np.uint64), _word(data, position, 8))
        hashes = _rotated(hashes ^ word, 27) * one + four
        position += 8
    if position + 4 <= size:
        hashes = _rotated(hashes ^ _word(data, position, 4) * one, 23) * two + three
        position += 4
    for byte in range(position, size):
        hashes = _rotated(hashes ^ data[:, byte].astype(np.uint64) * five, 11) * one
    hashes = (hashes ^ hashes >> np.uint64(33)) * two
    hashes = (hashes ^ hashes >> np.uint64(29)) * three
    return hashes ^ hashes >> np.uint64(32)


def _word(data: UInt8Array, position: int, size: int) -> UInt64Array:
    words = np.ascontiguousarray(data[:, position : position + size]).view(f"<u{size}")
    return words[:, 0].astype(np.uint64)


def _round(lane: UInt64Array, word: UInt64Array) -> UInt64Array:
    one, two, *_ = _PRIMES
    return _rotated(lane + word * two, 31) * one


def _rotated(number: UInt64Array, bits: int) -> UInt64Array:
    return number << np.uint64(bits) | number >> np.uint64(64 - bits)
