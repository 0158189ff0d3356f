"""The distinct values of a column, in the order and the form in which file indexes store them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray, Int64Array
from workbench.base.modules import pc
from workbench.format.index.file_index.keys import KeyKind
from workbench.format.rows.ragged_bytes import Pieces, fixed, joined, texts

_NANOSECONDS = 1000


@dataclass(frozen=True)
class DistinctKeys:
    """The distinct keys of a column.

    ``stored`` has each distinct key as stored, ascending; ``codes`` int64[rows] has the index of each row's key, -1 if
    the row has none.
    """

    stored: Pieces
    codes: Int64Array

    @property
    def count(self) -> int:
        """The number of distinct keys."""
        return len(self.stored.sizes)

    def ranges(self, limit: int, more: int) -> list[tuple[int, int]]:
        """Return the keys divided into ranges of up to ``limit`` bytes, counting ``more`` additional bytes per key.

        A range is given by positions and has at least one key, even if that key alone exceeds ``limit``.
        """
        ends = np.cumsum(self.stored.sizes + more)
        ranges, first = [], 0
        while first < self.count:
            start = int(ends[first - 1]) if first else 0
            last = int(np.searchsorted(ends, start + limit, side="right"))
            ranges.append((first, max(first + 1, last)))
            first = ranges[-1][1]
        return ranges


def distinct_keys(column: pa.ChunkedArray, kind: KeyKind) -> DistinctKeys:
    """Return the distinct keys of the values of a column in Java's order."""
    array = column.combine_chunks()
    present = array.is_valid().to_numpy(zero_copy_only=False)
    codes = np.full(len(array), -1, np.int64)
    if kind.stored is None:
        stored, codes[present] = _texts(array.drop_null())
        return DistinctKeys(stored, codes)
    numbers = plain_numbers(array.drop_null(), kind)
    order = kind.ordered(numbers) if kind.is_float else numbers
    _, firsts, codes[present] = np.unique(order, return_index=True, return_inverse=True)
    return DistinctKeys(fixed(numbers[firsts].astype(kind.stored)), codes)


def plain_numbers(array: Any, kind: KeyKind) -> AnyArray:
    """Return the keys of non-null values as machine numbers."""
    if kind.type.root == "DECIMAL":
        # Their low 64 bits: indexes support only decimals that fit into them.
        return np.frombuffer(array.buffers()[1], np.int64)[2 * array.offset :][: 2 * len(array) : 2]
    numbers: AnyArray
    if kind.type.root == "BOOLEAN":
        numbers = array.to_numpy(zero_copy_only=False).astype(np.uint8)
        return numbers
    if kind.is_float:
        values = array.to_numpy()
        numbers = np.where(np.isnan(values), np.nan, values).astype(values.dtype)
        return numbers
    numbers = array.view(getattr(pa, f"int{array.type.bit_width}")()).to_numpy()
    fine = pa.types.is_timestamp(array.type) and array.type.unit == "ns"
    if fine:
        numbers = numbers // _NANOSECONDS
    return numbers


def _texts(array: Any) -> tuple[Pieces, Int64Array]:
    encoded = array.cast(pa.binary()).dictionary_encode()
    order = pc.sort_indices(encoded.dictionary)
    ranks = np.empty(len(order), np.int64)
    ranks[order.to_numpy()] = np.arange(len(order))
    ascending = texts(encoded.dictionary.take(order))
    return joined([fixed(ascending.sizes.astype(">i4")), ascending]), ranks[encoded.indices.to_numpy()]
