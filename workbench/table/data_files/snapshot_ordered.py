"""Rows whose age is that of the commit that brought them: option ``sequence.snapshot-ordering`` (format §16)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from workbench.base.errors import CorruptFile
from workbench.format.data_file import FileSource
from workbench.format.parquet import SEQUENCE_NUMBER
from workbench.table.data_files.derived import DerivedRows
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


class SnapshotOrderedRows(DerivedRows):
    """The rows of ``source``, all with the sequence number that the commit gave to the file."""

    def _completed(self, table: pa.Table, _columns: Sequence[str], _places: Sequence[range], /) -> pa.Table:
        place = table.schema.get_field_index(SEQUENCE_NUMBER)
        if place < 0:
            return table
        numbers = np.full(table.num_rows, self.file.min_sequence_number, np.int64)
        return table.set_column(place, table.schema.field(place), pa.array(numbers))
