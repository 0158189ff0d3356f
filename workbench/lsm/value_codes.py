"""Equal numbers for equal values of any type, to compare rows without a key and nested values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array


def value_codes(column: pa.ChunkedArray | pa.Array) -> Int64Array:
    """Return int64[rows]: equal for equal values; null is a separate value, and NaN equals NaN."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    if not pa.types.is_nested(array.type):
        encoded = array.dictionary_encode(null_encoding="encode")
        return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), np.int64)
    present = np.asarray(array.is_valid())
    # The stored value of a null is meaningless.
    return np.where(present, 1 + _nested_codes(array), 0)


def row_codes(columns: list[Int64Array], rows: int) -> Int64Array:
    """Return int64[rows]: equal for rows that are equal in all columns, and smaller than the number of rows."""
    codes = np.zeros(rows, np.int64)
    for values in columns:
        _, codes = np.unique(codes * (int(values.max(initial=0)) + 1) + values, return_inverse=True)
    return codes


def _nested_codes(array: pa.Array) -> Int64Array:
    if pa.types.is_struct(array.type):
        # Flattened fields are null where the struct is, and sliced like it.
        return row_codes([value_codes(field) for field in array.flatten()], len(array))
    if pa.types.is_fixed_size_list(array.type):
        width = array.type.list_size
        ends = np.arange(array.offset, array.offset + len(array) + 1, dtype=np.int64) * width
        return _sequence_codes(value_codes(array.values), ends)
    if pa.types.is_map(array.type):
        elements = row_codes([value_codes(array.keys), value_codes(array.items)], len(array.keys))
    else:
        elements = value_codes(array.values)
    return _sequence_codes(elements, np.asarray(array.offsets, np.int64))


def _sequence_codes(elements: Int64Array, ends: Int64Array) -> Int64Array:
    """Return codes of sequences of elements. Arrow compares the concatenated codes of their elements as bytes."""
    texts = pa.Array.from_buffers(
        pa.large_binary(),
        len(ends) - 1,
        [None, pa.py_buffer(ends * elements.itemsize), pa.py_buffer(np.ascontiguousarray(elements))],
    )
    return value_codes(texts)
