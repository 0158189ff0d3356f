"""Which reader a data file takes: its name says its format."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from workbench.base.errors import Unsupported
from workbench.format.data_file import DataFileMeta
from workbench.format.deletion_vector import DeletionVector
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
    found = open_stored_file(store, path, file, read_schema, row_group_filter)
    return open_rows(store, found, None if deletion is None else partial(deletion.read, store, file))


def open_rows(store: TableStore, found: StoredFile, load: Callable[[], DeletionVector] | None) -> DataFile:
    """The rows that a reader gives of a file: with the columns that its manifest tells of them, without those rows that
    the vector marks which ``load`` brings."""
    # Loaded here, for most tables have none of these.
    if store.schema.core.row_tracking_enabled:
        from workbench.table.data_files.tracked import TrackedRows

        found = TrackedRows(found)
    if store.schema.core.sequence_snapshot_ordering:
        from workbench.table.data_files.snapshot_ordered import in_order_of_snapshots

        found = in_order_of_snapshots(found)
    if load is None:
        return found
    from workbench.table.data_files.deleted import UndeletedRows

    return UndeletedRows(found, load)


def open_stored_file(
    store: TableStore,
    path: str,
    file: DataFileMeta,
    read_schema: TableSchema,
    row_group_filter: RowGroupFilter | None = None,
) -> StoredFile:
    """A data file as it is, with all its rows."""
    if file.external_path is not None:
        path = store.allowed(file.external_path)
    extension = name(path).rpartition(".")[2]
    if extension.startswith("cc-"):
        from workbench.table.data_files.packed import over_packed

        store, extension = over_packed(store, path), extension.removeprefix("cc-")
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
