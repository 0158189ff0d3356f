"""Rows whose age is that of the commit that brought them: option ``sequence.snapshot-ordering`` (format §16)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from workbench.base.errors import CorruptFile
from workbench.format.data_file import DataFileMeta, FileSource
from workbench.format.parquet import SEQUENCE_NUMBER
from workbench.table.data_files.protocol import StoredFile


def in_order_of_snapshots(source: StoredFile) -> StoredFile:
    """The rows of ``source`` with the sequence numbers that count.

    Raises:
        CorruptFile: the manifest does not tell whether a compaction wrote the file: then its order is not known.
    """
    if source.file.file_source is None:
        raise CorruptFile(
            source.path, "its manifest does not say who wrote it, which option 'sequence.snapshot-ordering' needs"
        )
    # A compaction has stored the numbers of the commits with the rows.
    return source if source.file.file_source == FileSource.COMPACT else SnapshotOrderedRows(source)


class SnapshotOrderedRows:
    """The rows of ``source``, all with the sequence number that the commit gave to the file."""

    def __init__(self, source: StoredFile) -> None:
        self._source = source

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

    def parts(self, rows: int) -> list[SnapshotOrderedRows]:
        """The parts of the file."""
        return [SnapshotOrderedRows(part) for part in self._source.parts(rows)]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """All rows."""
        return self._ordered(self._source.read(columns))

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """The same; what the file holds is kept in memory."""
        return self._ordered(self._source.read_kept(columns))

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """No rows."""
        return self._source.read_none(columns)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """The same rows, at most ``batch_rows`` at a time."""
        return map(self._ordered, self._source.batches(columns, batch_rows))

    def _ordered(self, table: pa.Table) -> pa.Table:
        place = table.schema.get_field_index(SEQUENCE_NUMBER)
        if place < 0:
            return table
        numbers = np.full(table.num_rows, self.file.min_sequence_number, np.int64)
        return table.set_column(place, table.schema.field(place), pa.array(numbers))
