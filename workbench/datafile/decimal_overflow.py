"""Decimals that exceed the precision of their column."""

from __future__ import annotations

import pyarrow as pa

from workbench.base.errors import MergeError
from workbench.datafile.writer_protocol import FileShape
from workbench.format.types.wide_decimals import exceeding


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
        mask = exceeding(rows.column(position))
        if mask is not None:
            wide = rows.column(position).filter(mask)
            value, kind, title = wide[0].as_py(), each.type.as_nullable(), shape.format.title
            raise MergeError(
                f"Column '{each.name}' holds {value}, which exceeds {kind}. {title} cannot store it.",
                "Change the column to a wider type.",
            )
