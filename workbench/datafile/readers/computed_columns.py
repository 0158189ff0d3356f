"""Rows of a data file with columns that are computed while reading, from the positions of the rows and the manifest
entry."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Self

import pyarrow as pa

from workbench.datafile.protocol import StoredFile
from workbench.datafile.readers.derived_rows import DerivedRows
from workbench.datafile.row_ranges import RowRangeCursor


class ComputedColumns(DerivedRows[StoredFile]):
    """The rows of ``source``, with each table passed through `_completed`."""

    @abstractmethod
    def _completed(self, table: pa.Table, columns: Sequence[str], positions: Sequence[range], /) -> pa.Table:
        """Return ``columns`` of the rows at ``positions``, computed from their stored columns."""

    @property
    def rows(self) -> int:
        """The number of rows that this reader returns."""
        return self._source.rows

    @property
    def row_ranges(self) -> Sequence[range]:
        """The positions in the file of the rows that this reader returns."""
        return self._source.row_ranges

    def _over(self, part: StoredFile, /) -> Self:
        return type(self)(part)

    def _derived(self, tables: Iterable[pa.Table], columns: Sequence[str], /) -> Iterator[pa.Table]:
        positions = RowRangeCursor(self.row_ranges)
        for table in tables:
            yield self._completed(table, columns, positions.take(table.num_rows))
