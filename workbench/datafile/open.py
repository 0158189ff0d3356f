"""Selection of the reader of a data file by the format in its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from workbench.datafile.file_format import RowGroupFilter
from workbench.datafile.formats.registry import find_file_format
from workbench.datafile.protocol import DataFile, StoredFile
from workbench.format.spec import paths
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.metadata.index_files import DeletionFile
from workbench.metadata.store import TableStore
from workbench.storage.file_io import name

if TYPE_CHECKING:
    from workbench.format.index.deletion_vector import DeletionVector


def open_data_file(
    store: TableStore,
    path: str,
    file: DataFileMeta,
    read_schema: TableSchema,
    *,
    row_group_filter: RowGroupFilter | None = None,
    deletion: DeletionFile | None = None,
) -> DataFile:
    """Open a data file as columns of ``read_schema``, without the rows that ``deletion`` marks.

    Raises:
        Unsupported: The format of the file cannot be read.
    """
    stored = open_stored_file(store, path, file, read_schema, row_group_filter)
    return open_rows(store, stored, None if deletion is None else partial(deletion.read, store, file))


def open_rows(store: TableStore, stored: StoredFile, load: Callable[[], DeletionVector] | None) -> DataFile:
    """Return the rows of a reader, with the columns that derive from the manifest entry, and without the rows that the
    deletion vector returned by ``load`` marks."""
    # Loaded here, as most tables use none of these.
    if store.schema.core.row_tracking_enabled:
        from workbench.datafile.readers.row_tracking import TrackedRows

        stored = TrackedRows(stored)
    if store.schema.core.sequence_snapshot_ordering:
        from workbench.datafile.readers.snapshot_ordering import in_order_of_snapshots

        stored = in_order_of_snapshots(stored)
    if load is None:
        return stored
    from workbench.datafile.readers.deletion_vectors import DeletionVectorReader

    return DeletionVectorReader(stored, load)


def open_stored_file(
    store: TableStore,
    path: str,
    file: DataFileMeta,
    read_schema: TableSchema,
    row_group_filter: RowGroupFilter | None = None,
) -> StoredFile:
    """Open a data file as it is stored, with all its rows."""
    if file.external_path is not None:
        path = store.check_path(file.external_path)
    extension = name(path).rpartition(".")[2]
    if paths.is_packed(path):
        from workbench.datafile.readers.packed_changelog import over_packed

        store, size = over_packed(store, path)
        file, extension = replace(file, file_size=size), extension.removeprefix("cc-")
    file_format = find_file_format(extension, f"Data file {path}")
    return file_format.open_reader(store, path, file, read_schema, row_group_filter)
