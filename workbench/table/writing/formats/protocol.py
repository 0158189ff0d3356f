"""What a data file of any format is written through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

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
