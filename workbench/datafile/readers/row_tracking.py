"""The columns that row tracking adds to the rows of a file (format §26)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import WorkbenchError
from workbench.base.modules import pc
from workbench.datafile.readers.computed_columns import ComputedColumns
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER
from workbench.format.spec.row_tracking import ROW_ID, TRACKING_COLUMNS, TRACKING_FIELDS
from workbench.format.types import field_to_arrow

_FIELDS = {field.name: field_to_arrow(field) for field in TRACKING_FIELDS}


class TrackedRows(ComputedColumns):
    """The rows of ``source`` with their ids and sequence numbers. Rewritten rows store both in the file; for all other
    rows they are derived from the manifest: the id is the first row id of the file plus the row's position, the
    sequence number is the largest one of the file."""

    def _completed(self, table: pa.Table, _columns: Sequence[str], positions: Sequence[range], /) -> pa.Table:
        for name in TRACKING_COLUMNS:
            position = table.schema.get_field_index(name)
            if position >= 0:
                table = table.set_column(position, _FIELDS[name], self._values(name, table.column(name), positions))
        return table

    def _values(self, name: str, stored: pa.ChunkedArray, positions: Sequence[range]) -> Any:
        if not stored.null_count:
            return stored
        inherited = pa.array(self._sequence_numbers(len(stored)) if name == SEQUENCE_NUMBER else self._ids(positions))
        if stored.null_count == len(stored):
            return inherited
        return pc.coalesce(stored, inherited)

    def _sequence_numbers(self, rows: int) -> Any:
        return np.full(rows, self.file.max_sequence_number, np.int64)

    def _ids(self, positions: Sequence[range]) -> Any:
        first = self.file.first_row_id
        if first is None:
            raise WorkbenchError(
                f"{self.path} has no row ids: they were lost when it was rewritten.", f"Do not select {ROW_ID}."
            )
        return np.concatenate(
            [np.zeros(0, np.int64), *(np.arange(each.start, each.stop) + first for each in positions)]
        )
