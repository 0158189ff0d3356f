"""The rows of ``$binlog``: each column as a list of the values before and after a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray
from workbench.base.modules import pc
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER
from workbench.format.types import ArrayType, DataField, field_to_arrow
from workbench.lsm.merge_function import RowKind
from workbench.scan.incremental.row_kind_reader import ROW_KIND

_SPECIAL = (ROW_KIND, SEQUENCE_NUMBER)


def binlog_field(field: DataField) -> DataField:
    """Return the column of the binlog for a column of the table: a list of its values."""
    return DataField(field.id, field.name, ArrayType(field.type.as_nullable()), field.description)


def separate_rows(rows: pa.Table, fields: Sequence[DataField]) -> pa.Table:
    """Return rows with their kinds as rows of the binlog, each with lists of one value.

    Args:
        rows: The rows.
        fields: The columns of the binlog.
    """
    return _packed(rows, np.ones(rows.num_rows, bool), fields)


def changed_rows(rows: pa.Table, fields: Sequence[DataField]) -> pa.Table:
    """Return changes as rows of the binlog: -U and the following +U as one +U, and other rows separately.

    Args:
        rows: The changes.
        fields: The columns of the binlog.
    """
    is_before, is_after = (_has_kind(rows, kind) for kind in (RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER))
    begins = np.ones(rows.num_rows, bool)
    begins[1:] = ~(is_before[:-1] & is_after[1:])
    return _packed(rows, begins, fields)


def changed_batches(batches: pa.RecordBatchReader, fields: Sequence[DataField]) -> Iterator[pa.Table]:
    """Return batches of changes as rows of the binlog; a change may continue in the next batch."""
    kept = batches.schema.empty_table()
    for batch in batches:
        rows = pa.concat_tables([kept, pa.Table.from_batches([batch])])
        is_open = rows.num_rows > 0 and bool(_has_kind(rows.slice(rows.num_rows - 1), RowKind.UPDATE_BEFORE)[0])
        kept = rows.slice(rows.num_rows - is_open)
        yield changed_rows(rows.slice(0, rows.num_rows - is_open), fields)
    yield changed_rows(kept, fields)


def _has_kind(rows: pa.Table, kind: RowKind) -> BoolArray:
    return np.asarray(pc.equal(rows.column(ROW_KIND), kind.short))


def _packed(rows: pa.Table, begins: BoolArray, fields: Sequence[DataField]) -> pa.Table:
    """Return one row for each row that ``begins`` (bool[rows]) marks, with lists of the values up to the next marked
    row.

    Each result has the sequence number of its first input row and the kind of its last.
    """
    ends = np.append(np.flatnonzero(begins), rows.num_rows).astype(np.int32)
    types = {field.name: field_to_arrow(field) for field in fields}
    lists = {}
    for name in rows.column_names:
        column = rows.column(name)
        if name in _SPECIAL:
            lists[name] = column.take(pa.array(ends[1:] - 1 if name == ROW_KIND else ends[:-1]))
        else:
            lists[name] = pa.ListArray.from_arrays(pa.array(ends), column.combine_chunks())
    shown = [types.get(field.name, field) for field in rows.schema]
    return pa.table(lists).cast(pa.schema(shown))
