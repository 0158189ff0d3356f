"""The file format ORC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.datafile.file_format import FileContent, FileFormat, RowGroupFilter
from workbench.datafile.protocol import StoredFile
from workbench.format.file_formats.registry import ORC as TRAITS
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.metadata.store import TableStore

if TYPE_CHECKING:
    from workbench.datafile.writer_protocol import FileShape, FormatWriter


def _open_reader(
    store: TableStore, path: str, file: DataFileMeta, read_schema: TableSchema, _filter: RowGroupFilter | None
) -> StoredFile:
    from workbench.datafile.formats.orc_reader import OrcDataFile

    return OrcDataFile(store, path, file, read_schema)


def _open_writer(output: Any, shape: FileShape, _first_rows: pa.Table) -> FormatWriter:
    from workbench.datafile.formats.orc_writer import OrcWriter

    return OrcWriter(output, shape)


def _inspect(file: Any, _path: str) -> FileContent:
    from workbench.base.modules import orc

    opened = orc.ORCFile(file)
    return FileContent(opened.nrows, tuple(opened.schema.names))


ORC = FileFormat(TRAITS, _open_reader, _open_writer, inspect=_inspect)
