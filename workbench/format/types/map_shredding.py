"""MAP columns that are stored as rows: 'map.storage-layout' = 'shared-shredding' (format §13).

A row has several value columns, a list with the number of the key whose value each of them holds, and a map of the
values that did not fit into the value columns. The metadata of the column has the dictionary that numbers the keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.base.errors import Unsupported

_PREFIX = b"paimon.map.shared-shredding."
_MAPPING = "__field_mapping"
_OVERFLOW = "__overflow"
_SLOT = "__col_"
_NO_KEY = -1


def is_shared_map(arrow_type: pa.DataType) -> bool:
    """Return whether a MAP column of this type is stored as rows."""
    return bool(pa.types.is_struct(arrow_type) and arrow_type.get_field_index(_MAPPING) >= 0)


def reassemble_maps(column: pa.ChunkedArray, metadata: Mapping[bytes, bytes] | None) -> pa.ChunkedArray:
    """Return the column as maps with their values as stored. ``metadata`` is that of the column's field in the file.

    Raises:
        Unsupported: If the dictionary has another version or compression.
        ValueError: If the dictionary is missing or does not fit the column.
    """
    names = _dictionary(metadata or {})
    arrow_type = pa.map_(pa.string(), column.type.field(_OVERFLOW).type.item_type)
    return pa.chunked_array([_maps(chunk, names, arrow_type) for chunk in column.chunks], arrow_type)


def _dictionary(metadata: Mapping[bytes, bytes]) -> pa.Array:
    """Return the keys in the order of their numbers."""
    version = metadata.get(_PREFIX + b"version")
    if version is None:
        raise ValueError("the dictionary of a map column is missing")
    if version != b"1":
        raise Unsupported(f"Map columns of shared-shredding version {version.decode()} are not supported.")
    codec = metadata.get(_PREFIX + b"field-dict-compression", b"zstd").decode()
    # Java treats each byte as a character of Latin-1 and stores the text as UTF-8.
    packed = metadata.get(_PREFIX + b"field-dict", b"").decode().encode("latin-1")
    if codec == "zstd":
        packed = pa.CompressedInputStream(pa.BufferReader(packed), "zstd").read()
    elif codec != "none":
        raise Unsupported(
            f"Map columns with a dictionary compressed with '{codec}' are not supported.", "Supported: zstd, none."
        )
    numbers = json.loads(packed)
    if not isinstance(numbers, dict) or set(numbers.values()) != set(range(len(numbers))):
        raise ValueError("the dictionary of a map column is corrupt")
    return pa.array(sorted(numbers, key=numbers.__getitem__), pa.string())


def _maps(rows: Any, names: pa.Array, arrow_type: pa.MapType) -> pa.Array:
    """Return the map of each row: the values of its columns, followed by the values of its overflow."""
    numbers = _slots(rows)
    used = np.flatnonzero((numbers != _NO_KEY).any(axis=0))
    row, position = np.nonzero(numbers[:, used] != _NO_KEY)
    overflow = rows.field(_OVERFLOW)
    starts, sizes = _extents(overflow, rows)
    more = _ranges(starts, sizes)
    owner = np.concatenate([row, np.repeat(np.arange(len(rows)), sizes)])
    # A stable sort keeps overflow values after the other values of their row, as in Java.
    order = np.argsort(owner, kind="stable")
    keys = np.concatenate([numbers[:, used][row, position], _integers(overflow.keys)[more]])[order]
    values = pa.concat_arrays([*(rows.field(f"{_SLOT}{slot}") for slot in used), overflow.items])
    taken = np.concatenate([position * len(rows) + row, len(used) * len(rows) + more])[order]
    offsets = np.concatenate([[0], np.bincount(owner, minlength=len(rows)).cumsum()])
    return pa.MapArray.from_arrays(
        pa.array(offsets.astype(np.int32)),
        _names(keys, names),
        values.take(pa.array(taken)),
        arrow_type,
        mask=rows.is_null(),
    )


def _slots(rows: Any) -> Int64Array:
    """Return the number of the key in each slot of each row, -1 if there is none."""
    count = sum(field.name.startswith(_SLOT) for field in rows.type)
    mapping = rows.field(_MAPPING)
    starts, sizes = _extents(mapping, rows)
    present = sizes > 0
    if (sizes[present] != count).any():
        raise ValueError("a row of a map column lacks the keys of some of its columns")
    numbers = np.full((len(rows), count), _NO_KEY, np.int64)
    numbers[present] = _integers(mapping.values)[starts[present][:, None] + np.arange(count)]
    return numbers


def _extents(lists: Any, rows: Any) -> tuple[Int64Array, Int64Array]:
    """Return start and length of each list; the length is 0 if the list, or its row, is null."""
    offsets = _integers(lists.offsets)
    present = lists.is_valid().to_numpy(zero_copy_only=False) & rows.is_valid().to_numpy(zero_copy_only=False)
    return offsets[:-1], np.where(present, np.diff(offsets), 0)


def _ranges(starts: Int64Array, sizes: Int64Array) -> Int64Array:
    before = np.concatenate([[0], sizes.cumsum()[:-1]]) if len(sizes) else sizes
    return np.repeat(starts - before, sizes) + np.arange(sizes.sum())


def _integers(array: pa.Array) -> Int64Array:
    if array.null_count:
        raise ValueError("a key of a map column is null")
    return np.asarray(array.to_numpy(zero_copy_only=False), np.int64)


def _names(keys: Int64Array, names: pa.Array) -> pa.Array:
    if len(keys) and (keys.min() < 0 or keys.max() >= len(names)):
        raise ValueError("a key of a map column is not in its dictionary")
    return names.take(pa.array(keys))
