"""The interface of the writers of all data file formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

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
    """Writer of one file. It leaves the output stream open; the owner of the stream closes it."""

    def write(self, table: pa.Table) -> None:
        """Add rows: the columns of the file, in order and under their names, in the Arrow types of their Paimon types.

        Raises Unsupported if the format cannot represent a value.
        """
        ...

    def close(self) -> None:
        """Write the remaining rows and the end of the file."""
        ...
