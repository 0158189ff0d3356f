"""Decimals that exceed the precision of their column."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa

from workbench.base.errors import MergeError
from workbench.base.modules import pc
from workbench.datafile.writer_protocol import FileShape


def check_decimals(rows: pa.Table, shape: FileShape) -> None:
    """Refuse decimals that files of this shape would lose.

    Java stores sums with more digits than their type. Parquet keeps them; Java's ORC writer and its Avro reader turn
    them into null.

    Raises:
        MergeError: A decimal has more digits than its type.
    """
    if shape.format.keeps_wide_decimals:
        return
    for each in shape.fields:
        position = rows.schema.get_field_index(each.name)
        if position < 0 or not pa.types.is_decimal(rows.schema.types[position]):
            continue
        wide = rows.column(position).filter(_exceeding(rows.column(position)))
        if len(wide):
            value, kind, title = wide[0].as_py(), each.type.as_nullable(), shape.format.title
            raise MergeError(
                f"Column '{each.name}' holds {value}, which exceeds {kind}. {title} cannot store it.",
                "Change the column to a wider type.",
            )


def _exceeding(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a mask of the decimals with more digits than their type."""
    maximum = pa.scalar(Decimal((0, (9,) * column.type.precision, -column.type.scale)), column.type)
    return pc.greater(pc.abs(column), maximum)
