"""The file format Avro."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.datafile.file_format import FileContent, FileFormat, RowGroupFilter
from workbench.datafile.protocol import StoredFile
from workbench.format.file_formats.registry import AVRO as TRAITS
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.metadata.store import TableStore

if TYPE_CHECKING:
    from workbench.datafile.writer_protocol import FileShape, FormatWriter


def _open_reader(
    store: TableStore, path: str, file: DataFileMeta, read_schema: TableSchema, _filter: RowGroupFilter | None
) -> StoredFile:
    from workbench.datafile.formats.avro_reader import AvroDataFile

    return AvroDataFile(store, path, file, read_schema)


def _open_writer(output: Any, shape: FileShape, _first_rows: pa.Table) -> FormatWriter:
    from workbench.datafile.formats.avro_writer import AvroWriter

    return AvroWriter(output, shape)


def _inspect(file: Any, path: str) -> FileContent:
    from workbench.format.avro.blocks import blocks, read_header

    header = read_header(file, path)
    return FileContent(sum(count for count, _ in blocks(file, header, path)), tuple(header.fields))


AVRO = FileFormat(TRAITS, _open_reader, _open_writer, inspect=_inspect)
