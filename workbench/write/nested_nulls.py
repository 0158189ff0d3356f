"""Nulls inside nested columns. A null in a NOT NULL field is refused, or filled with a value if only the enclosing row
is null, as Arrow's writers do not distinguish the two cases."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import SchemaMismatch

_INTEGERS = {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}


def with_required_values(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Return the column with a value in every field that is NOT NULL.

    Raises:
        SchemaMismatch: Such a field is null; the message names it by its path.
    """
    if not _requires(column.type):
        return column
    return pa.chunked_array([_settled(chunk, name) for chunk in column.chunks], column.type)


def _requires(arrow_type: pa.DataType) -> bool:
    """Return whether the type contains a NOT NULL field. Keys of maps cannot be null anyway."""
    if pa.types.is_struct(arrow_type):
        return any(not part.nullable or _requires(part.type) for part in arrow_type)
    if pa.types.is_map(arrow_type):
        return not arrow_type.item_field.nullable or _requires(arrow_type.key_type) or _requires(arrow_type.item_type)
    return pa.types.is_list(arrow_type) and (not arrow_type.value_field.nullable or _requires(arrow_type.value_type))


def _settled(array: Any, path: str) -> Any:
    arrow_type = array.type
    if not _requires(arrow_type):
        return array
    if pa.types.is_struct(arrow_type):
        parts = [
            _part(child, part, array, f"{path}.{part.name}")
            for child, part in zip(array.flatten(), arrow_type, strict=True)
        ]
        return pa.StructArray.from_arrays(parts, fields=list(arrow_type), mask=array.is_null())
    if pa.types.is_map(arrow_type):
        items = _elements(array.items, arrow_type.item_field, f"{path}.value")
        pairs = [_settled(array.keys, f"{path}.key"), items]
        children = [pa.StructArray.from_arrays(pairs, fields=[arrow_type.key_field, arrow_type.item_field])]
    else:
        children = [_elements(array.values, arrow_type.value_field, f"{path}.element")]
    return pa.Array.from_buffers(arrow_type, len(array), array.buffers()[:2], offset=array.offset, children=children)


def _part(child: Any, part: pa.Field, around: Any, path: str) -> Any:
    child = _settled(child, path)
    if part.nullable or not child.null_count:
        return child
    missing = child.is_null().to_numpy(zero_copy_only=False)
    if (missing & around.is_valid().to_numpy(zero_copy_only=False)).any():
        raise _refusal(path)
    positions = np.where(missing, len(child), np.arange(len(child)))
    return pa.concat_arrays([child, _placeholder(child.type)]).take(pa.array(positions))


def _elements(values: Any, element: pa.Field, path: str) -> Any:
    values = _settled(values, path)
    if not element.nullable and values.null_count:
        raise _refusal(path)
    return values


def _refusal(path: str) -> SchemaMismatch:
    return SchemaMismatch(f"'{path}' is NOT NULL and some of the values are null.")


def _placeholder(arrow_type: pa.DataType) -> pa.Array:
    """Return an arbitrary value of a type, which is never read."""
    if pa.types.is_struct(arrow_type):
        return pa.StructArray.from_arrays([_placeholder(part.type) for part in arrow_type], fields=list(arrow_type))
    if pa.types.is_list(arrow_type) or pa.types.is_map(arrow_type):
        return pa.array([[]], arrow_type)
    if pa.types.is_fixed_size_list(arrow_type):
        return pa.FixedSizeListArray.from_arrays(
            pa.concat_arrays([_placeholder(arrow_type.value_type)] * arrow_type.list_size), type=arrow_type
        )
    if pa.types.is_string(arrow_type):
        return pa.array([""], arrow_type)
    if pa.types.is_fixed_size_binary(arrow_type) or pa.types.is_binary(arrow_type):
        return pa.array(
            [bytes(arrow_type.byte_width) if pa.types.is_fixed_size_binary(arrow_type) else b""], arrow_type
        )
    if pa.types.is_decimal(arrow_type):
        return pa.array([Decimal(0)], arrow_type)
    if pa.types.is_boolean(arrow_type):
        return pa.array([False], arrow_type)
    return pa.array([0], _INTEGERS[arrow_type.bit_width]).view(arrow_type)
