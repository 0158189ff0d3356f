"""Counting distinct values in bounded memory: exactly while there are few, then by HyperLogLog."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from workbench.base.modules import pc
from workbench.format.rows.binary_row_columns import encode_columns
from workbench.format.types import DataType

_MAX_EXACT = 100_000
_INDEX_BITS = 14
_REGISTERS = 1 << _INDEX_BITS
_RANK_BITS = 32 - _INDEX_BITS
_HASHES = 2.0**32
# The bias correction for sums over this many registers (Flajolet et al. 2007).
_ALPHA = 0.7213 / (1 + 1.079 / _REGISTERS)


class DistinctCount:
    """Counter of the distinct non-null values of one column: exact up to 100,000, beyond that within about two
    percent."""

    def __init__(self, data_type: DataType) -> None:
        self._type = data_type
        self._values: pa.Array | None = None
        self._ranks: np.ndarray[tuple[int, ...], np.dtype[np.uint8]] | None = None

    def add(self, values: pa.Array) -> None:
        """Add the values of one more batch of the column."""
        distinct = pc.unique(values.drop_null())
        if self._ranks is not None:
            self._note(distinct)
            return
        self._values = distinct if self._values is None else pc.unique(pa.concat_arrays([self._values, distinct]))
        if len(self._values) > _MAX_EXACT:
            self._estimate()

    def merge(self, other: DistinctCount) -> None:
        """Add the values that another count has seen. The result is the same as if one count had seen all of these
        values."""
        if other._ranks is not None:
            self._estimate()
            assert self._ranks is not None
            np.maximum(self._ranks, other._ranks, out=self._ranks)
        elif other._values is not None:
            self.add(other._values)

    def count(self) -> int:
        """Return the number of distinct values."""
        if self._ranks is None:
            return 0 if self._values is None else len(self._values)
        estimate = _ALPHA * _REGISTERS**2 / float(np.sum(np.exp2(-self._ranks.astype(np.float64))))
        # This corrects for collisions of the 32-bit hashes, which matter if there are very many values.
        return round(-_HASHES * math.log1p(-min(estimate / _HASHES, 0.999)))

    def _estimate(self) -> None:
        """Switch from exact counting to the registers of HyperLogLog."""
        if self._ranks is not None:
            return
        self._ranks = np.zeros(_REGISTERS, np.uint8)
        if self._values is not None:
            self._note(self._values)
            self._values = None

    def _note(self, values: pa.Array) -> None:
        assert self._ranks is not None
        if not len(values):
            return
        hashes = encode_columns([values], [self._type]).hashes().view(np.uint32)
        rest = hashes & np.uint32((1 << _RANK_BITS) - 1)
        # The position of the highest set bit, counted from the left: 1 for the leftmost bit.
        ranks = (_RANK_BITS + 1 - np.frexp(rest.astype(np.float64))[1]).astype(np.uint8)
        np.maximum.at(self._ranks, hashes >> np.uint32(_RANK_BITS), ranks)
