"""Which reader a data file takes: its name says its format."""

from __future__ import annotations

from functools import partial

from workbench.base.errors import Unsupported
from workbench.format.data_file import DataFileMeta
from workbench.format.schema import TableSchema
from workbench.storage.file_io import name
from workbench.table.data_files.parquet import ParquetDataFile, RowGroupFilter
from workbench.table.data_files.protocol import DataFile, StoredFile
from workbench.table.index_files import DeletionFile
from workbench.table.store import TableStore


def open_data_file(
    store: TableStore,
    path: str,
    file: DataFileMeta,
    read_schema: TableSchema,
    *,
    row_group_filter: RowGroupFilter | None = None,
    deletion: DeletionFile | None = None,
) -> DataFile:
    """A data file as columns of ``read_schema``, without the rows that ``deletion`` marks.

    Raises:
        Unsupported: the file has a format that cannot be read.
    """
    found = _open(store, path, file, read_schema, row_group_filter)
    if deletion is None:
        return found
    # Loaded here, for most tables have no deletion vectors.
    from workbench.table.data_files.deleted import UndeletedRows

    return UndeletedRows(found, partial(deletion.read, store, file))


def _open(
    store: TableStore, path: str, file: DataFileMeta, read_schema: TableSchema, row_group_filter: RowGroupFilter | None
) -> StoredFile:
    extension = name(path).rpartition(".")[2]
    if extension == "parquet":
        return ParquetDataFile(store, path, file, read_schema, row_group_filter)
    if extension == "orc":
        from workbench.table.data_files.orc import OrcDataFile

        return OrcDataFile(store, path, file, read_schema)
    if extension == "avro":
        from workbench.table.data_files.avro import AvroDataFile

        return AvroDataFile(store, path, file, read_schema)
    raise Unsupported(
        f"Data file {path} is of format '{extension}', which is not supported.", "Supported: parquet, orc, avro."
    )
