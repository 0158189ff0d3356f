"""Fetching of large objects by their descriptors: at the end, only for the rows that a read returns (format §26)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.base.errors import CorruptFile, Unsupported
from workbench.format.blob.descriptor import TO_THE_END, References, references
from workbench.format.blob.file import FRAME_BYTES, HEAD_BYTES, binary_column, objects_of
from workbench.format.types import DataType, to_arrow
from workbench.metadata.errors import reading
from workbench.metadata.store import TableStore
from workbench.storage.file_io import qualify

_PIECE_BYTES = 32 << 20
# The maximum size of an object, so that each piece of rows fits into one Arrow array.
_LARGEST = (1 << 31) - 2 * _PIECE_BYTES
_BLOB_FILE = ".blob"
_AS_DESCRIPTORS = "Set option 'blob-as-descriptor' to 'true' to read only the descriptors."


def with_objects(store: TableStore, table: pa.Table, columns: Mapping[str, DataType]) -> Iterator[pa.Table]:
    """Yield the rows in pieces of bounded size. ``columns`` are the columns of descriptors, with the types of the
    objects.

    Raises:
        Unsupported: The location of an object may not be opened, or an object has about 2 GB or more.
        CorruptFile: The file of an object is missing, too short or damaged.
    """
    columns = {
        name: data_type for name, data_type in columns.items() if _is_stored_separately(table.column(name), name)
    }
    sizes = np.zeros(table.num_rows, np.int64)
    for name in columns:
        for references_of_chunk in _references(store, table.column(name)):
            sizes[references_of_chunk.rows] += references_of_chunk.lengths
    numbers = np.cumsum(sizes) // _PIECE_BYTES
    cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), table.num_rows]
    for first, end in pairwise(cuts):
        piece = table.slice(first, end - first)
        for name, data_type in columns.items():
            objects = _objects(store, piece.column(name), data_type)
            piece = piece.set_column(piece.schema.get_field_index(name), name, objects)
        yield piece


def _is_stored_separately(column: pa.ChunkedArray, name: str) -> bool:
    """Return whether a column holds descriptors, which a column that exists in no file does not."""
    if pa.types.is_binary(column.type):
        return True
    if column.null_count < len(column):
        raise Unsupported(f"Column '{name}' has several large objects in a row of a data file, which is not supported.")
    return False


def _references(store: TableStore, column: pa.ChunkedArray) -> Iterator[References]:
    """Return the references of a column, with known lengths, to files that may be opened."""
    try:
        for references_of_chunk in references(column.combine_chunks()):
            path = store.check_path(references_of_chunk.uri)
            lengths = references_of_chunk.lengths
            if (lengths == TO_THE_END).any():
                status = store.file_io.status(path)
                if status is None:
                    raise CorruptFile(path, "the file of a large object is missing")
                lengths = np.where(
                    lengths == TO_THE_END, np.maximum(status.size - references_of_chunk.offsets, 0), lengths
                )
            if (lengths > _LARGEST).any():
                raise Unsupported(f"{path} has a large object of about 2 GB or more.", _AS_DESCRIPTORS)
            yield References(path, references_of_chunk.rows, references_of_chunk.offsets, lengths)
    except ValueError as error:
        raise CorruptFile(store.location, str(error)) from error


def _objects(store: TableStore, column: pa.ChunkedArray, data_type: DataType) -> pa.Array:
    arrays = [pa.nulls(1, to_arrow(data_type))]
    # For each row, the position of its object among all objects; position 0 is NULL.
    positions = np.zeros(len(column), np.int64)
    objects = 1
    own = qualify(store.location) + "/"
    for references_of_chunk in _references(store, column):
        # Only the table's own blob files have frames; references that engines set may point to any file.
        framed = references_of_chunk.uri.endswith(_BLOB_FILE) and references_of_chunk.uri.startswith(own)
        for run in _runs(references_of_chunk, FRAME_BYTES if framed else 0):
            arrays.append(_read(store, references_of_chunk, run, data_type, framed=framed))
            positions[references_of_chunk.rows[run]] = np.arange(objects, objects + len(run))
            objects += len(run)
    return pa.concat_arrays(arrays).take(pa.array(positions))


def _runs(located: References, around: int) -> list[Int64Array]:
    """Return groups of adjacent objects, each of which one request can fetch."""
    order = np.argsort(located.offsets, kind="stable")
    offsets, lengths = located.offsets[order], located.lengths[order]
    apart = np.flatnonzero(offsets[1:] != offsets[:-1] + lengths[:-1] + around) + 1
    return np.split(order, apart)


def _read(store: TableStore, located: References, run: Int64Array, data_type: DataType, *, framed: bool) -> pa.Array:
    before, around = (HEAD_BYTES, FRAME_BYTES) if framed else (0, 0)
    sizes = located.lengths[run] + around
    wanted = int(sizes.sum())
    with reading(located.uri):
        data = store.file_io.read_range(located.uri, int(located.offsets[run[0]]) - before, wanted)
    if len(data) < wanted:
        raise CorruptFile(located.uri, "it ends within a large object")
    try:
        objects = objects_of(data, sizes) if framed else binary_column(np.frombuffer(data, np.uint8), sizes)
        return objects if data_type.root == "BLOB" else _collections(objects, data_type)
    except ValueError as error:
        raise CorruptFile(located.uri, str(error)) from error


def _collections(entries: pa.Array, data_type: DataType) -> pa.Array:
    # Loaded here, as few columns have several objects in a row.
    from workbench.format.blob.collections import blob_collections

    return blob_collections(entries, data_type)
