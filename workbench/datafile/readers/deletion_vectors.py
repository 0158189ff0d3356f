"""A data file without the rows that its deletion vector marks (format §20, §25.7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Self

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray
from workbench.base.lazy import cached_property
from workbench.datafile.protocol import StoredFile, rows_without_columns
from workbench.datafile.readers.derived_rows import DerivedRows
from workbench.datafile.row_ranges import RowRangeCursor
from workbench.format.index.deletion_vector import DeletionVector


class DeletionVectorReader(DerivedRows[StoredFile]):
    """The rows of ``source`` that are not deleted. ``load`` returns the vector; it is called on first use.

    `read_kept` keeps all rows of the file in memory, since other snapshots have other deleted rows.
    """

    def __init__(self, source: StoredFile, load: Callable[[], DeletionVector]) -> None:
        super().__init__(source)
        self._load = load

    @cached_property
    def rows(self) -> int:
        """The number of rows that are not deleted."""
        return sum(int(np.count_nonzero(self._kept(rows))) for rows in self._source.row_ranges)

    def _over(self, part: StoredFile, /) -> Self:
        return type(self)(part, lambda: self._vector)

    def _derived(self, tables: Iterable[pa.Table], _columns: Sequence[str], /) -> Iterator[pa.Table]:
        positions = RowRangeCursor(self._source.row_ranges)
        for table in tables:
            kept = [self._kept(rows) for rows in positions.take(table.num_rows)]
            yield _only(table, np.concatenate([np.ones(0, bool), *kept]))

    @cached_property
    def _vector(self) -> DeletionVector:
        return self._load()

    def _kept(self, rows: range) -> BoolArray:
        return self._vector.kept(rows.start, len(rows))


def _only(table: pa.Table, kept: BoolArray) -> pa.Table:
    if kept.all():
        return table
    return table.filter(pa.array(kept)) if table.num_columns else rows_without_columns(int(np.count_nonzero(kept)))
