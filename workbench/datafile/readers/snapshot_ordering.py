"""Rows ordered by the snapshot that committed them: option ``sequence.snapshot-ordering`` (format §16)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from workbench.base.errors import CorruptFile
from workbench.datafile.protocol import StoredFile
from workbench.datafile.readers.computed_columns import ComputedColumns
from workbench.format.spec.data_file import FileSource
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER


def in_order_of_snapshots(source: StoredFile) -> StoredFile:
    """Return the rows of ``source`` with the sequence numbers that order them.

    Raises:
        CorruptFile: The manifest does not record whether a compaction wrote the file, so its order is unknown.
    """
    if source.file.file_source is None:
        raise CorruptFile(
            source.path,
            "its manifest entry does not record its writer, which option 'sequence.snapshot-ordering' requires",
        )
    # A compaction has stored with each row the number of the snapshot that committed the row.
    return source if source.file.file_source == FileSource.COMPACT else SnapshotOrderedRows(source)


class SnapshotOrderedRows(ComputedColumns):
    """The rows of ``source``, all with the sequence number that the commit assigned to the file."""

    def _completed(self, table: pa.Table, _columns: Sequence[str], _places: Sequence[range], /) -> pa.Table:
        position = table.schema.get_field_index(SEQUENCE_NUMBER)
        if position < 0:
            return table
        numbers = np.full(table.num_rows, self.file.min_sequence_number, np.int64)
        return table.set_column(position, table.schema.field(position), pa.array(numbers))
