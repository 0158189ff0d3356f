"""`rbm32`, `rbm64`, `hll_sketch`, `theta_sketch`: unions of serialized sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int64Array
from workbench.base.errors import MergeError
from workbench.format.index.roaring32 import read_blocks, write_blocks
from workbench.format.index.roaring64 import decode_bitmap64, encode_bitmap64, unite
from workbench.format.rows.cursor import Cursor
from workbench.lsm.aggregates.accumulator import Accumulator


class BitmapUnion(Accumulator):
    """The serialized set of each key. Raises MergeError for invalid bytes."""

    def __init__(self, name: str, function: str, column: pa.Array, keys: int, *, ignores_retracts: bool = False):
        super().__init__(name, function, column, keys, ignores_retracts=ignores_retracts)
        self._states: list[bytes | None] = [None] * keys

    def agg(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._each(rows, where, self._united)

    def agg_many(self, key: int, rows: Int64Array) -> None:
        for given in self.column.take(pa.array(rows)).to_pylist():
            self._states[key] = self._united(self._states[key], given)

    def assign(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._each(rows, where, lambda _, given: given)

    def clear(self, count: int, where: BoolArray | None) -> None:
        self._each(np.zeros(count, np.int64), where, lambda _state, _given: None)

    def _values(self) -> pa.Array:
        return pa.array(self._states, self.column.type)

    def _each(
        self, rows: Int64Array, where: BoolArray | None, change: Callable[[bytes | None, bytes | None], bytes | None]
    ) -> None:
        for key in range(len(rows)) if where is None else np.flatnonzero(where).tolist():
            self._states[key] = change(self._states[key], self.column[rows[key]].as_py())

    def _united(self, some: bytes | None, others: bytes | None) -> bytes | None:
        if some is None or others is None:
            return others if some is None else some
        try:
            return _UNIONS[self.function](some, others)
        except (ValueError, LookupError, RuntimeError, MemoryError) as error:
            raise MergeError(f"Column '{self.name}' holds bytes that '{self.function}' cannot read.") from error


# The libraries are loaded here, as reads of other functions do not need them.


def _bitmaps_32(some: bytes, others: bytes) -> bytes:
    blocks = dict(read_blocks(Cursor(some)))
    for block, bits in read_blocks(Cursor(others)):
        blocks[block] = blocks[block] | bits if block in blocks else bits
    return write_blocks(blocks)


def _bitmaps_64(some: bytes, others: bytes) -> bytes:
    return encode_bitmap64(unite(decode_bitmap64(some), decode_bitmap64(others)))


def _hll_sketches(some: bytes, others: bytes) -> bytes:
    from datasketches import hll_sketch, hll_union, tgt_hll_type

    last = hll_sketch.deserialize(others)
    union = hll_union(last.lg_config_k)
    union.update(last)
    union.update(hll_sketch.deserialize(some))
    return bytes(union.get_result(tgt_hll_type.HLL_4).serialize_compact())


def _theta_sketches(some: bytes, others: bytes) -> bytes:
    from datasketches import compact_theta_sketch, theta_union

    union = theta_union()
    for sketch in (some, others):
        union.update(compact_theta_sketch.deserialize(sketch))
    return bytes(union.get_result().serialize())


_UNIONS: dict[str, Callable[[bytes, bytes], bytes]] = {
    "rbm32": _bitmaps_32,
    "rbm64": _bitmaps_64,
    "hll_sketch": _hll_sketches,
    "theta_sketch": _theta_sketches,
}
