"""A data file without the rows that its deletion vector marks (format §20, §25.7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa

from workbench.format.data_file import DataFileMeta
from workbench.format.deletion_vector import DeletionVector, Flags
from workbench.table.data_files.places import Places
from workbench.table.data_files.protocol import StoredFile, rows_without_columns


class UndeletedRows:
    """The rows of ``source`` that are still there. ``load`` gives the vector; it is read when first needed."""

    def __init__(self, source: StoredFile, load: Callable[[], DeletionVector]) -> None:
        self._source = source
        self._load = load

    @property
    def path(self) -> str:
        """Where the file lies."""
        return self._source.path

    @property
    def file(self) -> DataFileMeta:
        """What its manifest says of it; its row count holds the deleted rows too."""
        return self._source.file

    @property
    def uncompressed_size(self) -> int:
        """Of all rows, for all have to be read."""
        return self._source.uncompressed_size

    @cached_property
    def rows(self) -> int:
        """How many rows are still there."""
        return sum(int(np.count_nonzero(self._kept(rows))) for rows in self._source.row_ranges)

    def parts(self, rows: int) -> list[UndeletedRows]:
        """The parts of the file, each without its deleted rows."""
        return [UndeletedRows(part, lambda: self._vector) for part in self._source.parts(rows)]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """All rows that are still there."""
        return _only(self._source.read(columns), self._all_kept)

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """The same; of the file all rows are kept, for other versions have other deleted rows."""
        return _only(self._source.read_kept(columns), self._all_kept)

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """No rows."""
        return self._source.read_none(columns)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """The same rows; batches may be empty."""
        places = Places(self._source.row_ranges)
        for table in self._source.batches(columns, batch_rows):
            kept = [self._kept(rows) for rows in places.take(table.num_rows)]
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
