"""The interface of the writers of all data file formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

import pyarrow as pa

from workbench.base.modules import pc
from workbench.format.file_formats.traits import FileFormatTraits
from workbench.format.options.core_options import CoreOptions
from workbench.format.types import DataField


@dataclass(frozen=True)
class FileShape:
    """The shape of files: their columns in file order, and the codec by its name in ``file.compression``."""

    format: FileFormatTraits
    fields: Sequence[DataField]
    compression: str
    options: CoreOptions


class FormatWriter(Protocol):
    """Writer of one file. It leaves the output stream open; its owner closes it."""

    def write(self, table: pa.Table) -> None:
        """Add rows: the columns of the file, in order and under their names, in the Arrow types of their Paimon types.

        Raises Unsupported if the format cannot represent a value.
        """
        ...

    def close(self) -> None:
        """Write the remaining rows and the end of the file."""
        ...


def as_stored(rows: pa.Table, shape: FileShape) -> pa.Table:
    """Return the rows as a file of this shape will return them, since its statistics describe these.

    Sums may outgrow their decimal. Parquet keeps them, Java's ORC writer makes null of them, and its Avro reader too.
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
    most = pa.scalar(Decimal((0, (9,) * column.type.precision, -column.type.scale)), column.type)
    fits = pc.less_equal(pc.abs(column), most)
    return column if pc.all(fits, min_count=0).as_py() else pc.if_else(fits, column, None)
