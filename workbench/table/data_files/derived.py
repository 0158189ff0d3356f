"""Rows of a data file with columns that are worked out while reading, from where the rows lie and what the manifest
says of the file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Self

import pyarrow as pa

from workbench.format.data_file import DataFileMeta
from workbench.table.data_files.places import Places
from workbench.table.data_files.protocol import StoredFile


class DerivedRows(ABC):
    """The rows of ``source``, each piece `_completed`."""

    def __init__(self, source: StoredFile) -> None:
        self._source = source

    @abstractmethod
    def _completed(self, table: pa.Table, columns: Sequence[str], places: Sequence[range], /) -> pa.Table:
        """``columns`` of rows that lie at ``places``, from what is stored of them."""

    def _over(self, part: StoredFile) -> Self:
        """The same for a part of the source."""
        return type(self)(part)

    def _stored(self, columns: Sequence[str]) -> Sequence[str]:
        """Which of the columns are asked of the source."""
        return columns

    @property
    def path(self) -> str:
        """Where the file lies."""
        return self._source.path

    @property
    def file(self) -> DataFileMeta:
        """What its manifest says of it."""
        return self._source.file

    @property
    def rows(self) -> int:
        """How many rows reading brings."""
        return self._source.rows

    @property
    def row_ranges(self) -> Sequence[range]:
        """The places in the file of the rows that reading brings."""
        return self._source.row_ranges

    @property
    def uncompressed_size(self) -> int:
        """About how many bytes the rows take in memory."""
        return self._source.uncompressed_size

    def parts(self, rows: int) -> list[Self]:
        """The parts of the file."""
        return [self._over(part) for part in self._source.parts(rows)]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """All rows."""
        return self._completed(self._source.read(self._stored(columns)), columns, self.row_ranges)

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """The same; what the file holds is kept in memory."""
        return self._completed(self._source.read_kept(self._stored(columns)), columns, self.row_ranges)

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """No rows."""
        return self._completed(self._source.read_none(self._stored(columns)), columns, [])

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """The same rows, at most ``batch_rows`` at a time."""
        places = Places(self.row_ranges)
        for table in self._source.batches(self._stored(columns), batch_rows):
            yield self._completed(table, columns, places.take(table.num_rows))
