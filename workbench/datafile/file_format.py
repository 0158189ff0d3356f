"""The definition of a file format: its traits, its reader and its writer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from workbench.datafile.protocol import StoredFile
from workbench.format.file_formats.traits import FileFormatTraits
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.metadata.store import TableStore

if TYPE_CHECKING:
    from workbench.datafile.writer_protocol import FileShape, FormatWriter
    from workbench.format.parquet.statistics import Bounds

RowGroupFilter: TypeAlias = Callable[[Sequence[int], Callable[[str], "Bounds | None"]], Sequence[int]]
"""A function that returns the row groups worth reading, given the number of rows of each row group, and a function that
returns the bounds of a table column according to the footer (None if they do not hold for the table)."""


@dataclass(frozen=True)
class StoredParts:
    """What the footer of a file says about its row groups: how many there are, how many a reader chose, the positions
    of the chosen rows in the file, the bytes of each column of the table or the system in the chosen row groups, and
    the bytes of the row groups that are skipped."""

    row_groups: int
    chosen: int
    ranges: Sequence[range]
    column_bytes: Mapping[str, int]
    skipped_bytes: int

    @property
    def rows(self) -> int:
        """The number of rows in the chosen row groups."""
        return sum(map(len, self.ranges))


@dataclass(frozen=True)
class FileContent:
    """What a file says about itself, for files that no manifest describes yet."""

    rows: int
    """The number of rows."""

    names: tuple[str, ...]
    """The names of its columns."""


OpenReader: TypeAlias = Callable[[TableStore, str, DataFileMeta, TableSchema, RowGroupFilter | None], StoredFile]
"""A function that opens a reader, given the table, the path and metadata of a file, and the columns to read. The filter
returns which row groups may contain matching rows; a reader may ignore it."""

OpenWriter: TypeAlias = "Callable[[Any, FileShape, pa.Table], FormatWriter]"
"""A function that opens a writer, given an output stream, the shape of the file and its first rows. The first rows are
only a sample: they still have to be written. Raises Unsupported if the format does not have the type of a column, or
the codec."""


@dataclass(frozen=True)
class FileFormat:
    """A format of data files, to be registered with `workbench.datafile.formats.registry.register_file_format`.

    Args:
        traits: The name of the format and how its files differ from those of other formats.
        open_reader: Open one file for reading. It should import the reader only when it is called.
        open_writer: Open one file for writing. It should import the writer only when it is called.
        measure: Return the parts of a file that its reader reads, according to its footer; None if footers do not
            contain this.
        inspect: Return the content of a file of another program, given an open file and its path; None if only files
            of tables are read.

    Example:
        >>> register_file_format(FileFormat(FileFormatTraits("arrow", "Arrow"), ArrowDataFile, ArrowWriter))
        >>> catalog.create_table("db.t", {"id": "INT"}, options={"file.format": "arrow"})
    """

    traits: FileFormatTraits
    open_reader: OpenReader
    open_writer: OpenWriter
    measure: Callable[[Any], StoredParts] | None = None
    inspect: Callable[[Any, str], FileContent] | None = None
