"""Arrow arrays of a Paimon type, made anew around converted leaves: what ORC and Avro files need (format §14, §15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from workbench.format.types import ArrayType, AtomicType, DataType, MapType, MultisetType, RowType, to_arrow

Leaf = Callable[[pa.Array, AtomicType], pa.Array]
"""An array as it lies in the file, and its Paimon type, to the array that `to_arrow` says."""


def with_leaves(column: pa.ChunkedArray, data_type: DataType, leaf: Leaf) -> pa.ChunkedArray:
    """The column with the exact Arrow type of ``data_type``: nested fields by name, their nullability as declared.

    Raises ValueError where the column has another shape.
    """
    return pa.chunked_array([_rebuilt(chunk, data_type, leaf) for chunk in column.chunks], to_arrow(data_type))


def _rebuilt(array: Any, data_type: DataType, leaf: Leaf) -> Any:
    if isinstance(data_type, AtomicType):
        return leaf(array, data_type)
    kind = to_arrow(data_type)
    if isinstance(data_type, RowType):
        children = [_rebuilt(_child(array, field.name), field.type, leaf) for field in data_type.fields]
    elif isinstance(data_type, ArrayType) and pa.types.is_list(array.type):
        children = [_rebuilt(array.values, data_type.element, leaf)]
    elif isinstance(data_type, MapType | MultisetType) and pa.types.is_map(array.type):
        count = AtomicType("INT", nullable=False)
        key, value = (data_type.key, data_type.value) if isinstance(data_type, MapType) else (data_type.element, count)
        pairs = [_rebuilt(array.keys, key, leaf), _rebuilt(array.items, value, leaf)]
        children = [pa.StructArray.from_arrays(pairs, fields=[kind.key_field, kind.item_field])]
    else:
        raise ValueError(f"a column of type {data_type} is stored as {array.type}")
    levels = 1 if isinstance(data_type, RowType) else 2
    return pa.Array.from_buffers(kind, len(array), array.buffers()[:levels], offset=array.offset, children=children)


def _child(array: Any, name: str) -> Any:
    place = array.type.get_field_index(name) if pa.types.is_struct(array.type) else -1
    if place < 0:
        raise ValueError(f"a row of type {array.type} has no field '{name}'")
    return array.field(place)
