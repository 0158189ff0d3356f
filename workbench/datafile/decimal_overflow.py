"""Decimals that exceed the precision of their column."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa

from workbench.base.modules import pc
from workbench.datafile.writer_protocol import FileShape


def as_stored(rows: pa.Table, shape: FileShape) -> pa.Table:
    """Return the rows as a file of this shape will return them, since its statistics describe these values.

    Sums may exceed the precision of their type. Parquet keeps them; Java's ORC writer and its Avro reader turn them
    into null.
    """
    if shape.format.keeps_wide_decimals:
        return rows
    for each in shape.fields:
        position = rows.schema.get_field_index(each.name)
        takes_null = each.type.nullable or not shape.format.keeps_not_null
        if position >= 0 and takes_null and pa.types.is_decimal(rows.schema.types[position]):
            rows = rows.set_column(position, each.name, _within_precision(rows.column(position)))
    return rows


def _within_precision(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the decimals, null if they have more digits than their type."""
    maximum = pa.scalar(Decimal((0, (9,) * column.type.precision, -column.type.scale)), column.type)
    fits = pc.less_equal(pc.abs(column), maximum)
    return column if pc.all(fits, min_count=0).as_py() else pc.if_else(fits, column, None)
