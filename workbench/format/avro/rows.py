"""Encodes Arrow columns as Avro records: whole columns first, then joined row by row with NumPy (format §15)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.format.avro.schema import COUNT, is_text
from workbench.format.rows.ragged_bytes import Pieces, fixed, joined, texts
from workbench.format.types import (
    ArrayType,
    AtomicType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
)

_LONGEST = 10
_DECIMAL_BYTES = 16


def encode_rows(table: pa.Table, fields: Sequence[DataField]) -> Pieces:
    """Return the Avro record of each row, with the columns ``fields``, in the schema that `avro_schema` returns."""
    columns = [table.column(field.name).combine_chunks() for field in fields]
    return joined([part for column, field in zip(columns, fields, strict=True) for part in _parts(column, field.type)])


def _parts(array: Any, data_type: DataType) -> list[Pieces]:
    """Return the encoded parts of each value; for a nullable type, the first part is the branch of its union."""
    if not data_type.nullable:
        return _values(array, data_type)
    present = array.is_valid().to_numpy(zero_copy_only=False)
    side = fixed(present.astype(np.uint8) * 2)
    if present.all():
        return [side, *_values(array, data_type)]
    return [side, *(part.spread(present) for part in _values(array.drop_null(), data_type))]


def _values(array: Any, data_type: DataType) -> list[Pieces]:
    if isinstance(data_type, RowType):
        parts = [
            part
            for each, child in zip(data_type.fields, array.flatten(), strict=True)
            for part in _parts(child, each.type)
        ]
        return parts or [fixed(np.empty((len(array), 0), np.uint8))]
    if isinstance(data_type, VectorType):
        return _list(np.full(len(array), data_type.length), _parts(array.flatten(), data_type.element))
    if isinstance(data_type, ArrayType):
        return _list(_counts(array), _parts(array.flatten(), data_type.element))
    if isinstance(data_type, MapType):
        return _map(array, data_type.key, data_type.value)
    if isinstance(data_type, MultisetType):
        return _map(array, data_type.element, COUNT)
    assert isinstance(data_type, AtomicType)
    return _atoms(array, data_type)


def _counts(lists: Any) -> Int64Array:
    counts: Int64Array = np.diff(lists.offsets.to_numpy()).astype(np.int64)
    return counts


def _map(array: Any, key: DataType, value: DataType) -> list[Pieces]:
    """Return the parts of a map: a map and an array of key-value records have the same bytes. Only non-text keys
    may be null.
    """
    first, last = (array.offsets[0].as_py(), array.offsets[-1].as_py()) if len(array) else (0, 0)
    keys, items = array.keys[first:last], array.items[first:last]
    key = key.not_null() if is_text(key) else key
    return _list(_counts(array), [*_parts(keys, key), *_parts(items, value)])


def _list(counts: Int64Array, parts: list[Pieces]) -> list[Pieces]:
    """Return the parts of each list: one block of items, if it has any, and the end of the list."""
    some = counts > 0
    end = fixed(np.zeros(len(counts), np.uint8))
    return [_longs(counts[some]).spread(some), joined(parts).grouped(counts), end]


def _atoms(array: Any, data_type: AtomicType) -> list[Pieces]:
    match data_type.root:
        case "BOOLEAN":
            return [fixed(array.to_numpy(zero_copy_only=False).astype(np.uint8))]
        case "FLOAT":
            return [fixed(array.to_numpy().astype("<f4"))]
        case "DOUBLE":
            return [fixed(array.to_numpy().astype("<f8"))]
        case "CHAR" | "VARCHAR" | "BINARY" | "VARBINARY":
            return _texts(array)
        case "DECIMAL":
            return _decimals(array)
    width = array.type.bit_width
    return [_longs(array.view(pa.int64() if width == 64 else getattr(pa, f"int{width}")()).to_numpy().astype(np.int64))]


def _longs(values: Int64Array) -> Pieces:
    """Return Avro's variable-length numbers: the sign in the lowest bit, seven bits per byte, the lowest bits first."""
    folded = ((values << 1) ^ (values >> 63)).view(np.uint64)
    sizes = np.ones(len(values), np.int64)
    for position in range(1, _LONGEST):
        longer = folded >= np.uint64(1 << 7 * position)
        if not longer.any():
            break
        sizes += longer
    ends = np.cumsum(sizes)
    data = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    starts = ends - sizes
    for position in range(int(sizes.max(initial=0))):
        at = np.flatnonzero(sizes > position)
        low = (folded[at] >> np.uint64(7 * position)).astype(np.uint8) & 0x7F
        data[starts[at] + position] = low | np.where(sizes[at] > position + 1, 0x80, 0).astype(np.uint8)
    return Pieces(sizes, data)


def _texts(array: Any) -> list[Pieces]:
    strings = texts(array)
    return [_longs(strings.sizes), strings]


def _decimals(array: Any) -> list[Pieces]:
    """Return unscaled values in the fewest bytes that hold value and sign, the high bytes first."""
    start = array.offset * _DECIMAL_BYTES
    stored = np.frombuffer(array.buffers()[1], np.uint8)[start : start + len(array) * _DECIMAL_BYTES]
    digits = stored.reshape(-1, _DECIMAL_BYTES)[:, ::-1]
    sign = np.where(digits[:, :1] >= 0x80, 0xFF, 0).astype(np.uint8)
    # The first byte that differs from the sign starts the number; one more byte is needed if the sign would be lost.
    differs = np.concatenate([digits[:, :-1] != sign, np.ones((len(digits), 1), bool)], axis=1)
    first = differs.argmax(axis=1)
    lost = (digits[np.arange(len(digits)), first] >= 0x80) != (sign[:, 0] == 0xFF)
    sizes = (_DECIMAL_BYTES - first + lost).astype(np.int64)
    kept = np.arange(_DECIMAL_BYTES) >= (_DECIMAL_BYTES - sizes)[:, None]
    return [_longs(sizes), Pieces(sizes, digits[kept])]
