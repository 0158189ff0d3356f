"""What a data file of any format is written through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from workbench.format.core_options import CoreOptions
from workbench.format.types import DataField


@dataclass(frozen=True)
class FileShape:
    """What files are to look like: their columns in file order, and the codec by its name in ``file.compression``."""

    format: str
    fields: Sequence[DataField]
    compression: str
    options: CoreOptions


class FormatWriter(Protocol):
    """One file that is being written. The output stream stays open, for whoever opened it to close."""

    def write(self, table: pa.Table) -> None:
        """Add rows: the columns of the file, in order and under their names, in the Arrow types of their Paimon types.

        Raises Unsupported where the format cannot hold a value.
        """
        ...

    def close(self) -> None:
        """Write what is left, and the end of the file."""
        ...


def as_stored(rows: pa.Table, shape: FileShape) -> pa.Table:
    """The rows as a file of this shape will give them back, which its statistics are about.

    Sums may outgrow their decimal. Parquet keeps them, Java's ORC writer makes null of them, and its Avro reader too.
    Columns of ORC may hold null whatever their type says.
    """
    if shape.format == "parquet":
        return rows
    for each in shape.fields:
        place, takes_null = rows.schema.get_field_index(each.name), each.type.nullable or shape.format == "orc"
        if place >= 0 and takes_null and pa.types.is_decimal(rows.schema.types[place]):
            rows = rows.set_column(place, each.name, _within_precision(rows.column(place)))
    return rows


def _within_precision(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The decimals, null where they have more digits than their type."""
    most = pa.scalar(Decimal((0, (9,) * column.type.precision, -column.type.scale)), column.type)
    fits = pc.less_equal(pc.abs(column), most)
    return column if pc.all(fits, min_count=0).as_py() else pc.if_else(fits, column, None)


def open_writer(output: Any, shape: FileShape, first_rows: pa.Table) -> FormatWriter:
    """A writer of the file's format. ``first_rows``: rows that are like those to come.

    Raises Unsupported where the format knows a type of the columns or the codec not.
    """
    match shape.format:
        case "orc":
            from workbench.table.writing.formats.orc import OrcWriter

            return OrcWriter(output, shape)
        case "avro":
            from workbench.table.writing.formats.avro import AvroWriter

            return AvroWriter(output, shape)
    from workbench.table.writing.formats.parquet import ParquetWriter

    return ParquetWriter(output, shape, first_rows)
