"""A data file without the rows that its deletion vector marks (format §20, §25.7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from workbench.base.lazy import cached_property
from workbench.datafile.protocol import StoredFile, rows_without_columns
from workbench.datafile.row_ranges import RowRangeCursor
from workbench.format.index.deletion_vector import DeletionVector, Flags
from workbench.format.spec.data_file import DataFileMeta


class DeletionVectorReader:
    """The rows of ``source`` that are not deleted. ``load`` returns the vector; it is called on first use."""

    def __init__(self, source: StoredFile, load: Callable[[], DeletionVector]) -> None:
        self._source = source
        self._load = load

    @property
    def path(self) -> str:
        """The path of the file."""
        return self._source.path

    @property
    def file(self) -> DataFileMeta:
        """The file's manifest entry; its row count includes the deleted rows."""
        return self._source.file

    @property
    def uncompressed_size(self) -> int:
        """The size of all rows, since all have to be read."""
        return self._source.uncompressed_size

    @cached_property
    def rows(self) -> int:
        """The number of rows that are not deleted."""
        return sum(int(np.count_nonzero(self._kept(rows))) for rows in self._source.row_ranges)

    def parts(self, rows: int) -> list[DeletionVectorReader]:
        """Return the parts of the file, each without its deleted rows."""
        return [DeletionVectorReader(part, lambda: self._vector) for part in self._source.parts(rows)]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read all rows that are not deleted."""
        return _only(self._source.read(columns), self._all_kept)

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """Read the same rows; all rows of the file are kept, since other snapshots have other deleted rows."""
        return _only(self._source.read_kept(columns), self._all_kept)

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """Return no rows."""
        return self._source.read_none(columns)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """Yield the same rows; batches may be empty."""
        positions = RowRangeCursor(self._source.row_ranges)
        for table in self._source.batches(columns, batch_rows):
            kept = [self._kept(rows) for rows in positions.take(table.num_rows)]
            yield _only(table, np.concatenate([np.ones(0, bool), *kept]))

    @cached_property
    def _vector(self) -> DeletionVector:
        return self._load()

    @property
    def _all_kept(self) -> Flags:
        return np.concatenate([np.ones(0, bool), *(self._kept(rows) for rows in self._source.row_ranges)])

    def _kept(self, rows: range) -> Flags:
        return self._vector.kept(rows.start, len(rows))


def _only(table: pa.Table, kept: Flags) -> pa.Table:
    if kept.all():
        return table
    return table.filter(pa.array(kept)) if table.num_columns else rows_without_columns(int(np.count_nonzero(kept)))
