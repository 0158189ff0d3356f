"""Rows of a data file with columns that are computed while reading, from the positions of the rows and the manifest
entry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Self

import pyarrow as pa

from workbench.datafile.protocol import StoredFile
from workbench.datafile.row_ranges import RowRangeCursor
from workbench.format.spec.data_file import DataFileMeta


class DerivedRows(ABC):
    """The rows of ``source``, each piece `_completed`."""

    def __init__(self, source: StoredFile) -> None:
        self._source = source

    @abstractmethod
    def _completed(self, table: pa.Table, columns: Sequence[str], positions: Sequence[range], /) -> pa.Table:
        """Return ``columns`` of the rows at ``positions``, computed from their stored columns."""

    def _over(self, part: StoredFile) -> Self:
        """Return the same reader for a part of the source."""
        return type(self)(part)

    def _stored(self, columns: Sequence[str]) -> Sequence[str]:
        """Return which of the columns to read from the source."""
        return columns

    @property
    def path(self) -> str:
        """The path of the file."""
        return self._source.path

    @property
    def file(self) -> DataFileMeta:
        """The file's manifest entry."""
        return self._source.file

    @property
    def rows(self) -> int:
        """The number of rows that this reader returns."""
        return self._source.rows

    @property
    def row_ranges(self) -> Sequence[range]:
        """The positions in the file of the rows that this reader returns."""
        return self._source.row_ranges

    @property
    def uncompressed_size(self) -> int:
        """The approximate size of the rows in memory in bytes."""
        return self._source.uncompressed_size

    def parts(self, rows: int) -> list[Self]:
        """Return the parts of the file."""
        return [self._over(part) for part in self._source.parts(rows)]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read all rows."""
        return self._completed(self._source.read(self._stored(columns)), columns, self.row_ranges)

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """Read the same rows; the stored columns are kept in memory."""
        return self._completed(self._source.read_kept(self._stored(columns)), columns, self.row_ranges)

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """Return no rows."""
        return self._completed(self._source.read_none(self._stored(columns)), columns, [])

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """Yield the same rows, at most ``batch_rows`` at a time."""
        positions = RowRangeCursor(self.row_ranges)
        for table in self._source.batches(self._stored(columns), batch_rows):
            yield self._completed(table, columns, positions.take(table.num_rows))
