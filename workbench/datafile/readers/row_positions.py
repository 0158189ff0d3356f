"""Rows of a data file with their positions in the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import pyarrow as pa

from workbench.datafile.protocol import StoredFile
from workbench.datafile.readers.computed_columns import ComputedColumns

PLACE = "_PLACE"
_FIELD = pa.field(PLACE, pa.int64(), nullable=False)


class RowPositionReader(ComputedColumns):
    """The rows of ``source``, with a column `PLACE` if it is requested: the position of the row plus ``first``."""

    def __init__(self, source: StoredFile, first: int) -> None:
        super().__init__(source)
        self._first = first

    def _over(self, part: StoredFile, /) -> Self:
        return type(self)(part, self._first)

    def _stored(self, columns: Sequence[str]) -> Sequence[str]:
        return [name for name in columns if name != PLACE]

    def _completed(self, table: pa.Table, columns: Sequence[str], positions: Sequence[range], /) -> pa.Table:
        if PLACE not in columns:
            return table
        found = [np.zeros(0, np.int64), *(np.arange(each.start, each.stop) + self._first for each in positions)]
        numbers = pa.array(np.concatenate(found))
        fields = [_FIELD if name == PLACE else table.schema.field(name) for name in columns]
        return pa.table(
            [numbers if name == PLACE else table.column(name) for name in columns], schema=pa.schema(fields)
        )
