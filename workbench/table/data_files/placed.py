"""Rows of a data file with the places that they have there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from workbench.format.data_file import DataFileMeta
from workbench.table.data_files.places import Places
from workbench.table.data_files.protocol import StoredFile

PLACE = "_PLACE"
_FIELD = pa.field(PLACE, pa.int64(), nullable=False)


class PlacedRows:
    """The rows of ``source``, with a column `PLACE` where it is asked for: the row number there plus ``first``."""

    def __init__(self, source: StoredFile, first: int) -> None:
        self._source = source
        self._first = first

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

    def parts(self, rows: int) -> list[PlacedRows]:
        """The parts of the file."""
        return [PlacedRows(part, self._first) for part in self._source.parts(rows)]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """All rows."""
        return self._placed(self._source.read(_stored(columns)), columns, self.row_ranges)

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """The same; what the file holds is kept in memory."""
        return self._placed(self._source.read_kept(_stored(columns)), columns, self.row_ranges)

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """No rows."""
        return self._placed(self._source.read_none(_stored(columns)), columns, [])

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """The same rows, at most ``batch_rows`` at a time."""
        places = Places(self.row_ranges)
        for table in self._source.batches(_stored(columns), batch_rows):
            yield self._placed(table, columns, places.take(table.num_rows))

    def _placed(self, table: pa.Table, columns: Sequence[str], places: Sequence[range]) -> pa.Table:
        if PLACE not in columns:
            return table
        found = [np.zeros(0, np.int64), *(np.arange(each.start, each.stop) + self._first for each in places)]
        numbers = pa.array(np.concatenate(found))
        fields = [_FIELD if name == PLACE else table.schema.field(name) for name in columns]
        return pa.table(
            [numbers if name == PLACE else table.column(name) for name in columns], schema=pa.schema(fields)
        )


def _stored(columns: Sequence[str]) -> list[str]:
    return [name for name in columns if name != PLACE]
