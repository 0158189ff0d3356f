"""Rows of a data file that are derived from those of another reader."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, Self, TypeVar, cast

import pyarrow as pa

from workbench.datafile.protocol import DataFile
from workbench.format.spec.data_file import DataFileMeta

Source = TypeVar("Source", bound=DataFile)


class DerivedRows(ABC, Generic[Source]):
    """The rows of ``source``, passed through `_derived`; a subclass adds `DataFile.rows`."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @abstractmethod
    def _derived(self, tables: Iterable[pa.Table], columns: Sequence[str], /) -> Iterator[pa.Table]:
        """Yield ``columns`` of the rows to return for each of the given consecutive tables, which start at the first
        row of the source."""

    @abstractmethod
    def _over(self, part: Source, /) -> Self:
        """Return the same reader for a part of the source."""

    def _stored(self, columns: Sequence[str]) -> Sequence[str]:
        """Return which columns to read from the source."""
        return columns

    @property
    def path(self) -> str:
        """The path of the file."""
        return self._source.path

    @property
    def file(self) -> DataFileMeta:
        """The file's manifest entry; its row count includes rows that this reader does not return."""
        return self._source.file

    @property
    def uncompressed_size(self) -> int:
        """The approximate size in memory in bytes of all rows of the source, since all of them have to be read."""
        return self._source.uncompressed_size

    def parts(self, rows: int) -> list[Self]:
        """Return the parts of the file."""
        return [self._over(cast("Source", part)) for part in self._source.parts(rows)]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read all rows."""
        return self._one(self._source.read(self._stored(columns)), columns)

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """Read the same rows; the rows of the source are kept in memory."""
        return self._one(self._source.read_kept(self._stored(columns)), columns)

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """Return no rows."""
        return self._one(self._source.read_none(self._stored(columns)), columns)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """Yield the same rows, at most ``batch_rows`` at a time; batches may be empty."""
        return self._derived(self._source.batches(self._stored(columns), batch_rows), columns)

    def _one(self, table: pa.Table, columns: Sequence[str]) -> pa.Table:
        return next(self._derived([table], columns))
