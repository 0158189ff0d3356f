"""The file format Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.datafile.file_format import FileContent, FileFormat, RowGroupFilter, StoredParts
from workbench.datafile.protocol import StoredFile
from workbench.format.file_formats.registry import PARQUET as TRAITS
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.metadata.store import TableStore

if TYPE_CHECKING:
    from workbench.datafile.formats.parquet_reader import ParquetDataFile
    from workbench.datafile.writer_protocol import FileShape, FormatWriter


def _open_reader(
    store: TableStore,
    path: str,
    file: DataFileMeta,
    read_schema: TableSchema,
    row_group_filter: RowGroupFilter | None,
) -> StoredFile:
    from workbench.datafile.formats.parquet_reader import ParquetDataFile

    return ParquetDataFile(store, path, file, read_schema, row_group_filter)


def _open_writer(output: Any, shape: FileShape, first_rows: pa.Table) -> FormatWriter:
    from workbench.datafile.formats.parquet_writer import ParquetWriter

    return ParquetWriter(output, shape, first_rows)


def _measure(reader: ParquetDataFile) -> StoredParts:
    return reader.stored_parts()


def _inspect(file: Any, _path: str) -> FileContent:
    from workbench.base.modules import pq

    opened = pq.ParquetFile(file)
    return FileContent(opened.metadata.num_rows, tuple(opened.schema_arrow.names))


PARQUET = FileFormat(TRAITS, _open_reader, _open_writer, _measure, _inspect)
