"""Arrays of lists, maps and rows, put together from their parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int64Array
from workbench.base.errors import SchemaMismatch
from workbench.base.modules import pc

_MAX_OFFSET = 2**31 - 1


def lists_of(arrow_type: pa.DataType, lengths: Int64Array, missing: BoolArray, child: pa.Array) -> Any:
    """Return an array of a list or map type.

    Args:
        arrow_type: The type of the array.
        lengths: int64[n]: the number of elements of each list, 0 where it is null.
        missing: bool[n]: which lists are null.
        child: The elements of all lists; the entries of maps.
    """
    ends = np.cumsum(lengths)
    if len(ends) and ends[-1] > _MAX_OFFSET:
        raise SchemaMismatch("The lists have too many elements.", "Write the rows in smaller pieces.")
    offsets = np.concatenate([[0], ends]).astype(np.int32)
    return pa.Array.from_buffers(arrow_type, len(lengths), [_bitmap(missing), pa.py_buffer(offsets)], children=[child])


def entries_of(arrow_type: pa.MapType, keys: pa.Array, items: pa.Array) -> pa.Array:
    """Return the entries of maps, as the child of an array of a map type."""
    return pa.StructArray.from_arrays([keys, items], fields=[arrow_type.key_field, arrow_type.item_field])


def rows_of(fields: list[pa.Field], children: list[pa.Array], missing: BoolArray) -> Any:
    """Return an array of structs; ``missing`` is bool[n]: which of them are null."""
    if fields:
        return pa.StructArray.from_arrays(children, fields=fields, mask=pa.array(missing))
    return pa.Array.from_buffers(pa.struct([]), len(missing), [_bitmap(missing)])


def lengths_of(lists: pa.Array) -> Int64Array:
    """Return int64[n]: the number of elements of each list, 0 where it is null."""
    lengths: Int64Array = pc.fill_null(pc.list_value_length(lists), 0).to_numpy().astype(np.int64)
    return lengths


def nulls_of(values: pa.Array) -> BoolArray:
    """Return bool[n]: which values are null."""
    missing: BoolArray = values.is_null().to_numpy(zero_copy_only=False)
    return missing


def _bitmap(missing: BoolArray) -> pa.Buffer | None:
    return pa.array(~missing).buffers()[1] if missing.any() else None
