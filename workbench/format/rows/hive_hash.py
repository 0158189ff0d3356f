"""The hash of a row as Hive computes it (format §11.2, Java ``HiveBucketFunction`` and ``HiveHasher``).

All arithmetic is that of Java's ``int``: it wraps around at 32 bits, like NumPy's unsigned integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray, UInt32Array
from workbench.format.rows.binary_row_columns import decimal_words, single_array
from workbench.format.rows.binary_row_layout import COMPACT_DECIMAL_PRECISION, decimal_shape
from workbench.format.types import AtomicType, DataType

_FACTOR = np.uint32(31)
_NAN_FLOAT, _NAN_DOUBLE = np.uint32(0x7FC00000), np.uint64(0x7FF8000000000000)
_WORD = 0xFFFFFFFF


def hive_hashes(columns: Sequence[pa.Array | pa.ChunkedArray], types: Sequence[DataType]) -> UInt32Array:
    """Return one hash for each row of the columns, which have the same length and types that `check_bucket_function`
    accepts.

    Null hashes to 0.
    """
    hashes = np.zeros(len(columns[0]), np.uint32)
    for column, data_type in zip(columns, types, strict=True):
        values = single_array(column, data_type)
        hashes *= _FACTOR
        hashes += np.where(values.is_valid().to_numpy(zero_copy_only=False), _hashes_of(values, data_type), 0)
    return hashes


def _hashes_of(values: pa.Array, data_type: DataType) -> UInt32Array:
    assert isinstance(data_type, AtomicType)
    root = data_type.root
    if root in ("CHAR", "VARCHAR", "BINARY", "VARBINARY"):
        return _of_bytes(values)
    if root == "DECIMAL":
        return _of_decimals(values, data_type)
    if root == "BOOLEAN":
        return _numbers(values.cast(pa.int8()), np.int32)
    if root in ("TINYINT", "SMALLINT", "INT"):
        return _numbers(values, np.int32)
    if root in ("DATE", "TIME"):
        return _numbers(values.view(pa.int32()), np.int32)
    if root == "BIGINT":
        return _folded(_numbers(values, np.int64))
    if root == "FLOAT":
        return _of_floats(values, np.float32, _NAN_FLOAT)
    return _folded(_of_floats(values, np.float64, _NAN_DOUBLE))


def _numbers(values: pa.Array, dtype: type[np.int32] | type[np.int64]) -> AnyArray:
    numbers: AnyArray = values.fill_null(0).to_numpy(zero_copy_only=False).astype(dtype)
    return numbers.view(np.uint32 if dtype is np.int32 else np.uint64)


def _folded(words: AnyArray) -> UInt32Array:
    """Return ``Long.hashCode``: both halves of 64 bits combined in 32."""
    return np.asarray(words ^ (words >> np.uint64(32))).astype(np.uint32)


def _of_floats(
    values: pa.Array, dtype: type[np.float32] | type[np.float64], not_a_number: np.uint32 | np.uint64
) -> AnyArray:
    """Return the bits of the numbers; all NaN count as one, and so do both zeros."""
    numbers = values.fill_null(0).to_numpy(zero_copy_only=False).astype(dtype)
    bits: AnyArray = numbers.view(not_a_number.dtype).copy()
    bits[np.isnan(numbers)] = not_a_number
    bits[numbers == 0] = 0
    return bits


def _of_bytes(values: pa.Array) -> UInt32Array:
    """Return ``hash * 31 + byte`` over the signed bytes."""
    large = values.cast(pa.large_binary())
    offsets = np.frombuffer(large.buffers()[1], np.int64, len(large) + 1, large.offset * 8)
    first, last = int(offsets[0]), int(offsets[-1])
    data = large.buffers()[2]
    if data is None or first == last:
        return np.zeros(len(large), np.uint32)
    signed = np.frombuffer(data, np.int8, last - first, first).astype(np.int32).view(np.uint32)
    starts, sizes = offsets[:-1] - first, np.diff(offsets)
    to_end = np.repeat(starts + sizes, sizes) - 1 - np.arange(last - first)
    powers = np.cumprod(np.concatenate([[1], np.full(int(sizes.max()), 31)]).astype(np.uint32), dtype=np.uint32)
    # The hash of each value, including empty ones, is the difference between two running sums.
    sums = np.zeros(last - first + 1, np.uint32)
    np.cumsum(signed * powers[to_end], dtype=np.uint32, out=sums[1:])
    return sums[starts + sizes] - sums[starts]


def _of_decimals(values: pa.Array, data_type: DataType) -> UInt32Array:
    """Return ``BigDecimal.hashCode`` of the value without trailing zeros of its fraction."""
    precision, scale = decimal_shape(data_type)
    if precision > COMPACT_DECIMAL_PRECISION:
        # Such decimals do not fit into a word; each distinct value is hashed once.
        distinct = values.dictionary_encode()
        hashes: UInt32Array = np.array(
            [_of_decimal(each) for each in distinct.dictionary.to_pylist()] or [0], np.uint32
        )
        positions: AnyArray = distinct.indices.fill_null(0).to_numpy()
        return hashes[positions]
    nulls = values.is_null().to_numpy(zero_copy_only=False)
    unscaled = decimal_words(values, nulls)[:, 0].view(np.int64).copy()
    scales = np.where(unscaled == 0, 0, scale).astype(np.int64)
    for _ in range(scale):
        shorter = (unscaled % 10 == 0) & (scales > 0)
        unscaled[shorter] //= 10
        scales[shorter] -= 1
    size = np.abs(unscaled).view(np.uint64)
    digits = (size >> np.uint64(32)).astype(np.uint32) * _FACTOR + size.astype(np.uint32)
    signed = np.where(unscaled < 0, np.uint32(0) - digits, digits)
    return np.asarray(signed * _FACTOR + scales.astype(np.uint32), np.uint32)


def _of_decimal(value: Decimal) -> int:
    sign, digits, exponent = value.as_tuple()
    unscaled, scale = int("".join(map(str, digits))), -int(exponent)
    while scale > 0 and unscaled % 10 == 0:
        unscaled, scale = unscaled // 10, scale - 1
    hashed = 0
    for word in range((unscaled.bit_length() - 1) // 32, -1, -1):
        hashed = (hashed * 31 + (unscaled >> 32 * word & _WORD)) & _WORD
    return ((-hashed if sign else hashed) * 31 + scale) & _WORD
