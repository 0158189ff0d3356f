"""Elements of lists and maps as numbers that identify equal elements of any type."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array


def value_codes(values: pa.Array) -> Int64Array:
    """Return int64[values]: equal numbers for equal values, starting at 0; null is a separate value."""
    arrow_type = values.type
    if pa.types.is_struct(arrow_type):
        return _dense([np.asarray(values.is_valid(), np.int64), *(value_codes(each) for each in values.flatten())])
    if pa.types.is_map(arrow_type):
        pairs = _dense([value_codes(values.keys), value_codes(values.items)])
        return _numbered([None if part is None else frozenset(part) for part in _parts(values, pairs)])
    if pa.types.is_nested(arrow_type):
        return _numbered([None if part is None else tuple(part) for part in _parts(values, value_codes(values.values))])
    encoded = values.dictionary_encode(null_encoding="encode")
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), np.int64)


def element_ranges(values: pa.Array) -> list[range | None]:
    """Return for each list or map the positions of its elements among all elements, None for null."""
    offsets = values.offsets.to_pylist()
    valid = values.is_valid().to_pylist()
    return [range(offsets[row], offsets[row + 1]) if valid[row] else None for row in range(len(values))]


def _parts(values: pa.Array, codes: Int64Array) -> list[list[int] | None]:
    listed = codes.tolist()
    return [None if each is None else listed[each.start : each.stop] for each in element_ranges(values)]


def _numbered(values: list[object]) -> Int64Array:
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64)


def _dense(columns: list[Int64Array]) -> Int64Array:
    """Return one number for each row, equal for rows that are equal in all columns."""
    codes = columns[0]
    for column in columns[1:]:
        width = int(column.max(initial=0)) + 1
        _, codes = np.unique(codes * width + column, return_inverse=True)
    return codes.astype(np.int64)
