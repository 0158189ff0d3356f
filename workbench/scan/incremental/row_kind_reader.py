"""Reader of rows together with their kinds, including retracts, for changelogs, deltas and ``$audit_log``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.base.lazy import cached_property
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, SEQUENCE_NUMBER_FIELD, VALUE_KIND, data_file_fields
from workbench.format.types import field_to_arrow
from workbench.lsm.key_slices import MergedSlice
from workbench.lsm.merge_function import Kinds, RowKind
from workbench.scan.split import Section
from workbench.scan.split_reader import SplitReader

ROW_KIND = "rowkind"
ROW_KIND_FIELD = pa.field(ROW_KIND, pa.string(), nullable=False)


def kind_texts(kinds: Kinds | Int64Array) -> pa.Array:
    """Return ``+I``, ``-U``, ``+U`` or ``-D`` for each row."""
    texts = pa.DictionaryArray.from_arrays(kinds.astype(np.int8), [kind.short for kind in RowKind])
    return texts.cast(pa.string())


@dataclass(frozen=True)
class KindReader(SplitReader):
    """Reader of splits like `SplitReader` that also returns retracts. The result has `rowkind`, then the columns.

    Rows of a single run are returned as they are stored. Several runs are merged into one row for each key, with the
    kind that results from the merge. ``with_sequence``: `_SEQUENCE_NUMBER` follows the kind; only tables with a primary
    key have it.
    """

    with_sequence: bool = False

    @cached_property
    def arrow_schema(self) -> pa.Schema:
        """The schema of the result."""
        sequence = [field_to_arrow(SEQUENCE_NUMBER_FIELD)] if self.with_sequence else []
        return pa.schema([ROW_KIND_FIELD, *sequence, *map(self.schema.arrow_schema.field, self.columns)])

    def _is_raw(self, section: Section) -> bool:
        return len(section) == 1

    @property
    def _sequence(self) -> list[str]:
        return [SEQUENCE_NUMBER] if self.with_sequence else []

    @cached_property
    def _read_columns(self) -> list[str]:
        stored = {each.name for each in data_file_fields(self.schema)}
        return [*super()._read_columns, *(name for name in (*self._sequence, VALUE_KIND) if name in stored)]

    def _merged_rows(self, merged: MergedSlice) -> pa.Table:
        rows = merged.in_key_order(self._read_columns)
        kinds, positions = merged.merged.kinds, merged.merged.positions
        if kinds is None:
            return rows
        in_order = pa.array(kinds if positions is None else kinds[np.argsort(positions)])
        return rows.set_column(rows.schema.get_field_index(VALUE_KIND), VALUE_KIND, in_order)

    def _shown(self, rows: pa.Table) -> pa.Table:
        if VALUE_KIND in self._read_columns:
            kinds = kind_texts(rows.column(VALUE_KIND).to_numpy())
        else:
            kinds = pa.repeat(RowKind.INSERT.short, rows.num_rows)
        names = [*self._sequence, *self.columns]
        schema = pa.schema([ROW_KIND_FIELD, *(rows.schema.field(name) for name in names)])
        return pa.Table.from_arrays([kinds, *map(rows.column, names)], schema=schema)
