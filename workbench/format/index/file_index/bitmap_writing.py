"""Encodes the index ``bitmap`` (Java ``BitmapFileIndex``)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.format.index.file_index.bitmap import VERSIONS
from workbench.format.index.file_index.distinct import DistinctKeys, distinct_keys
from workbench.format.index.file_index.keys import KeyKind
from workbench.format.index.file_index.row_bitmaps import row_bitmaps
from workbench.format.rows.ragged_bytes import fixed, joined

_NO_LENGTH = -1
_ENTRY_NUMBERS_BYTES = 8
_BLOCK_HEAD_BYTES = 4


def bitmap_index(column: pa.ChunkedArray, kind: KeyKind, version: int, block_size: int) -> bytes:
    """Return the encoded rows of each value. In version 2, ``block_size`` is the size of a block of values in bytes."""
    keys = distinct_keys(column, kind)
    order = np.argsort(keys.codes, kind="stable")
    nulls = int(np.count_nonzero(keys.codes < 0))
    counts = np.bincount(keys.codes[order[nulls:]], minlength=keys.count).astype(np.int64)
    alone = counts == 1
    firsts = order[nulls:][np.cumsum(counts) - counts]
    bitmaps = row_bitmaps(order[nulls:][np.repeat(~alone, counts)], counts[~alone]).spread(~alone)
    null_bitmap = row_bitmaps(order[:nulls], np.array([nulls])).data.tobytes() if nulls else b""
    head = _ints(len(keys.codes), keys.count) + bytes([nulls > 0])
    if nulls:
        null_place = -1 - int(order[0]) if nulls == 1 else 0
        head += _ints(null_place) + (_ints(len(null_bitmap)) if version > 1 else b"")
    before = null_bitmap if nulls > 1 else b""
    positions = np.where(alone, -1 - firsts, bitmaps.ends - bitmaps.sizes + len(before))
    lengths = np.where(alone, _NO_LENGTH, bitmaps.sizes)
    listed = _listed(keys, positions) if version == 1 else _in_blocks(keys, positions, lengths, block_size)
    return bytes([version]) + head + listed + before + bitmaps.data.tobytes()


def known_version(version: int) -> bool:
    """Return whether the version of the index exists."""
    return version in VERSIONS


def _listed(keys: DistinctKeys, positions: Int64Array) -> bytes:
    return joined([keys.stored, fixed(positions.astype(">i4"))]).data.tobytes()


def _in_blocks(keys: DistinctKeys, positions: Int64Array, lengths: Int64Array, block_size: int) -> bytes:
    entries = joined([keys.stored, fixed(positions.astype(">i4")), fixed(lengths.astype(">i4"))])
    heads, blocks, position = [], [], 0
    for first, last in keys.ranges(block_size - _BLOCK_HEAD_BYTES, _ENTRY_NUMBERS_BYTES):
        heads.append(keys.stored.take(first, first + 1) + _ints(position))
        blocks.append(_ints(last - first) + entries.take(first, last))
        position += len(blocks[-1])
    return b"".join([_ints(len(heads)), *heads, _ints(position), *blocks])


def _ints(*numbers: int) -> bytes:
    return np.array(numbers, ">i4").tobytes()
