"""The statistics in a Parquet footer, decoded from its bytes.

Arrow's own access to statistics crashes the process if one of them is corrupt, and fails for dates that Python cannot
represent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.format.parquet.thrift import picked

# Field numbers in parquet.thrift.
_ROW_GROUPS, _COLUMNS, _COLUMN_METADATA = 4, 1, 3
_TYPE, _STATISTICS = 1, 12
_STATED = _NULL_COUNT, _MAXIMUM, _MINIMUM = 3, 5, 6
_BOOLEAN, _INT32, _INT64, _FLOAT, _DOUBLE_TYPE, _BYTE_ARRAY, _FIXED = 0, 1, 2, 4, 5, 6, 7
_PLAIN = {_BOOLEAN: "?", _INT32: "<i4", _INT64: "<i8", _FLOAT: "<f4", _DOUBLE_TYPE: "<f8"}
_DECIMAL_BYTES = 16
_MAGIC = b"PAR1"


@dataclass(frozen=True)
class ChunkStatistics:
    """Statistics of one column in one row group: physical type, stored bounds and number of nulls, each None if
    missing.
    """

    physical_type: int | None
    minimum: bytes | None = None
    maximum: bytes | None = None
    null_count: int | None = None


@dataclass(frozen=True)
class Bounds:
    """Bounds of one column by row group.

    ``minimum`` and ``maximum`` are null where unknown, None if all are unknown; ``null_count`` is int64.
    """

    minimum: pa.Array | None
    maximum: pa.Array | None
    null_count: pa.Array


_WANTED: Mapping[int, Any] = {
    _ROW_GROUPS: {_COLUMNS: {_COLUMN_METADATA: {_TYPE: {}, _STATISTICS: {each: {} for each in _STATED}}}}
}


def read_statistics(file: bytes) -> list[list[ChunkStatistics]]:
    """Return the statistics of a footer by row group and column, in the order of the file.

    Raises:
        ValueError: If it is not a footer.
    """
    try:
        fields, end = picked(file, len(_MAGIC), _WANTED)
        groups = [[_chunk(column) for column in group[_COLUMNS]] for group in fields[_ROW_GROUPS]]
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError("a footer is corrupt") from error
    if end > len(file):
        raise ValueError("a footer is truncated")
    return groups


def _chunk(column: Mapping[int, Any]) -> ChunkStatistics:
    metadata = column.get(_COLUMN_METADATA, {})
    stated = metadata.get(_STATISTICS, {})
    return ChunkStatistics(
        _number(metadata.get(_TYPE)), stated.get(_MINIMUM), stated.get(_MAXIMUM), _number(stated.get(_NULL_COUNT))
    )


def _number(zigzag: Any) -> int | None:
    return None if zigzag is None else (zigzag >> 1) ^ -(zigzag & 1)


def bounds(chunks: Sequence[ChunkStatistics], arrow_type: pa.DataType) -> Bounds:
    """Return the bounds of the chunks of one column in ``arrow_type``, the type in which Arrow reads the column."""
    nulls = pa.array([chunk.null_count for chunk in chunks], pa.int64())
    physical = chunks[0].physical_type
    decode = _decoder(physical, arrow_type)
    if decode is None or any(chunk.physical_type != physical for chunk in chunks):
        return Bounds(None, None, nulls)
    whole = [chunk.minimum is not None and chunk.maximum is not None for chunk in chunks]
    lows = [chunk.minimum if known else None for chunk, known in zip(chunks, whole, strict=True)]
    highs = [chunk.maximum if known else None for chunk, known in zip(chunks, whole, strict=True)]
    try:
        return Bounds(decode(lows), decode(highs), nulls)
    except (ValueError, OverflowError, pa.ArrowException):
        return Bounds(None, None, nulls)


def _decoder(physical: int | None, arrow_type: pa.DataType) -> Callable[[Sequence[bytes | None]], pa.Array] | None:
    """Return a converter of stored bounds to an array; it raises ValueError if they have the wrong width."""
    if pa.types.is_decimal128(arrow_type):
        if physical in (_INT32, _INT64, _FIXED):
            order = "big" if physical == _FIXED else "little"
            return lambda stored: _decimals(stored, order, arrow_type)
        return None
    if physical == _BYTE_ARRAY:
        return lambda stored: pa.array(stored, pa.binary()).cast(arrow_type)
    plain = _PLAIN.get(-1 if physical is None else physical)
    return None if plain is None else lambda stored: _numbers(stored, np.dtype(plain), arrow_type)


def _numbers(stored: Sequence[bytes | None], plain: np.dtype[Any], arrow_type: pa.DataType) -> pa.Array:
    missing = np.array([value is None for value in stored])
    filled = [bytes(plain.itemsize) if value is None else value for value in stored]
    if any(len(value) != plain.itemsize for value in filled):
        raise ValueError("a bound of the wrong width")
    numbers = pa.array(np.frombuffer(b"".join(filled), plain), mask=missing)
    if pa.types.is_temporal(arrow_type):
        return numbers.view(arrow_type)
    return numbers.cast(arrow_type)


def _decimals(stored: Sequence[bytes | None], order: Any, arrow_type: pa.DataType) -> pa.Array:
    numbers = [None if value is None else int.from_bytes(value, order, signed=True) for value in stored]
    if any(number is not None and abs(number) >= 10**arrow_type.precision for number in numbers):
        raise ValueError("a bound of the wrong width")
    values = b"".join((number or 0).to_bytes(_DECIMAL_BYTES, "little", signed=True) for number in numbers)
    known = np.packbits([number is not None for number in numbers], bitorder="little")
    return pa.Array.from_buffers(arrow_type, len(numbers), [pa.py_buffer(known.tobytes()), pa.py_buffer(values)])
