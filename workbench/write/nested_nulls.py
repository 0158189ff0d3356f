"""Nulls inside of columns: they are refused if a field is NOT NULL, and filled if only the enclosing row is null, as
Arrow's writers do not distinguish the two."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import SchemaMismatch

_INTEGERS = {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}


def settled(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Return the column with a value in every field that is NOT NULL.

    Raises:
        SchemaMismatch: Such a field is null; the message names it by its path.
    """
    if not _requires(column.type):
        return column
    return pa.chunked_array([_settled(chunk, name) for chunk in column.chunks], column.type)


def _requires(kind: pa.DataType) -> bool:
    """Return whether the type contains a NOT NULL field. Keys of maps cannot be null anyway."""
    if pa.types.is_struct(kind):
        return any(not part.nullable or _requires(part.type) for part in kind)
    if pa.types.is_map(kind):
        return not kind.item_field.nullable or _requires(kind.key_type) or _requires(kind.item_type)
    return pa.types.is_list(kind) and (not kind.value_field.nullable or _requires(kind.value_type))


def _settled(array: Any, path: str) -> Any:
    kind = array.type
    if not _requires(kind):
        return array
    if pa.types.is_struct(kind):
        parts = [
            _part(child, part, array, f"{path}.{part.name}") for child, part in zip(array.flatten(), kind, strict=True)
        ]
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=array.is_null())
    if pa.types.is_map(kind):
        items = _elements(array.items, kind.item_field, f"{path}.value")
        pairs = [_settled(array.keys, f"{path}.key"), items]
        children = [pa.StructArray.from_arrays(pairs, fields=[kind.key_field, kind.item_field])]
    else:
        children = [_elements(array.values, kind.value_field, f"{path}.element")]
    return pa.Array.from_buffers(kind, len(array), array.buffers()[:2], offset=array.offset, children=children)


def _part(child: Any, part: pa.Field, around: Any, path: str) -> Any:
    child = _settled(child, path)
    if part.nullable or not child.null_count:
        return child
    missing = child.is_null().to_numpy(zero_copy_only=False)
    if (missing & around.is_valid().to_numpy(zero_copy_only=False)).any():
        raise _refusal(path)
    positions = np.where(missing, len(child), np.arange(len(child)))
    return pa.concat_arrays([child, _anything(child.type)]).take(pa.array(positions))


def _elements(values: Any, element: pa.Field, path: str) -> Any:
    values = _settled(values, path)
    if not element.nullable and values.null_count:
        raise _refusal(path)
    return values


def _refusal(path: str) -> SchemaMismatch:
    return SchemaMismatch(f"'{path}' is NOT NULL and some of the values are null.")


def _anything(kind: pa.DataType) -> pa.Array:
    """Return an arbitrary value of a type, which is never read."""
    if pa.types.is_struct(kind):
        return pa.StructArray.from_arrays([_anything(part.type) for part in kind], fields=list(kind))
    if pa.types.is_list(kind) or pa.types.is_map(kind):
        return pa.array([[]], kind)
    if pa.types.is_fixed_size_list(kind):
        return pa.FixedSizeListArray.from_arrays(
            pa.concat_arrays([_anything(kind.value_type)] * kind.list_size), type=kind
        )
    if pa.types.is_string(kind):
        return pa.array([""], kind)
    if pa.types.is_fixed_size_binary(kind) or pa.types.is_binary(kind):
        return pa.array([bytes(kind.byte_width) if pa.types.is_fixed_size_binary(kind) else b""], kind)
    if pa.types.is_decimal(kind):
        return pa.array([Decimal(0)], kind)
    if pa.types.is_boolean(kind):
        return pa.array([False], kind)
    return pa.array([0], _INTEGERS[kind.bit_width]).view(kind)
