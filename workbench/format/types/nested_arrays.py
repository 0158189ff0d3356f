"""Rebuilds Arrow arrays of a Paimon type around converted leaves, for ORC and Avro files (format §14, §15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.format.types import ArrayType, AtomicType, DataType, MapType, MultisetType, RowType, VectorType, to_arrow

Leaf = Callable[[pa.Array, AtomicType], pa.Array]
"""Converts an array as stored, of a Paimon type, to the Arrow type of `to_arrow`."""


def with_leaves(column: pa.ChunkedArray, data_type: DataType, leaf: Leaf) -> pa.ChunkedArray:
    """Return the column with the exact Arrow type of ``data_type``: nested fields are matched by name, and their
    nullability is as declared.

    Raises:
        ValueError: If the column has another shape.
    """
    return pa.chunked_array([_rebuilt(chunk, data_type, leaf) for chunk in column.chunks], to_arrow(data_type))


def _rebuilt(array: Any, data_type: DataType, leaf: Leaf) -> Any:
    if isinstance(data_type, AtomicType):
        return leaf(array, data_type)
    arrow_type = to_arrow(data_type)
    if isinstance(data_type, VectorType):
        return fixed_lists(_rebuilt(array, ArrayType(data_type.element, data_type.nullable), leaf), arrow_type)
    if isinstance(data_type, RowType) and data_type.fields:
        parts = _parts(array)
        children = [_rebuilt(_part(parts, array, field.name), field.type, leaf) for field in data_type.fields]
        return pa.StructArray.from_arrays(children, fields=list(arrow_type), mask=array.is_null())
    if isinstance(data_type, RowType):
        children = []
    elif isinstance(data_type, ArrayType) and pa.types.is_list(array.type):
        children = [_rebuilt(array.values, data_type.element, leaf)]
    elif isinstance(data_type, MapType | MultisetType) and pa.types.is_map(array.type):
        count = AtomicType("INT", nullable=False)
        key, value = (data_type.key, data_type.value) if isinstance(data_type, MapType) else (data_type.element, count)
        pairs = [_rebuilt(array.keys, key, leaf), _rebuilt(array.items, value, leaf)]
        children = [pa.StructArray.from_arrays(pairs, fields=[arrow_type.key_field, arrow_type.item_field])]
    else:
        raise ValueError(f"a column of type {data_type} is stored as {array.type}")
    levels = 1 if isinstance(data_type, RowType) else 2
    return pa.Array.from_buffers(
        arrow_type, len(array), array.buffers()[:levels], offset=array.offset, children=children
    )


def fixed_lists(lists: Any, arrow_type: pa.FixedSizeListType) -> pa.Array:
    """Return lists as fixed-size lists: Arrow's own cast fails if lists are null or if the array is a slice.

    Raises:
        ValueError: If a list has another length.
    """
    offsets = lists.offsets.to_numpy()
    present = lists.is_valid().to_numpy(zero_copy_only=False)
    if (np.diff(offsets)[present] != arrow_type.list_size).any():
        raise ValueError(f"a vector does not have {arrow_type.list_size} values")
    positions = offsets[:-1, None] + np.arange(arrow_type.list_size)
    missing = np.broadcast_to(~present[:, None], positions.shape)
    values = lists.values.take(pa.array(positions.ravel(), mask=missing.ravel()))
    return pa.FixedSizeListArray.from_arrays(values, type=arrow_type, mask=pa.array(~present))


def _parts(array: Any) -> dict[str, Any]:
    """Return the fields of rows by name: null where the row is null, and sliced like the array."""
    if not pa.types.is_struct(array.type):
        return {}
    return {field.name: part for field, part in zip(array.type, array.flatten(), strict=True)}


def _part(parts: dict[str, Any], array: Any, name: str) -> Any:
    if name not in parts:
        raise ValueError(f"a row of type {array.type} has no field '{name}'")
    return parts[name]
