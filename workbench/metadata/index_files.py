"""Index files that a snapshot names (format §7): deletion vectors hide rows; other indexes only speed up reads and may
be ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.errors import CorruptFile, Unsupported
from workbench.format.spec import paths
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.index_entry import IndexEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.errors import reading
from workbench.metadata.store import TableStore
from workbench.storage.file_io import join

if TYPE_CHECKING:
    from workbench.base.arrays import Int32Array
    from workbench.format.index.deletion_vector import DeletionVector

_ENTRY_WEIGHT = 300
_VECTOR_WEIGHT = 200
FRAME_BYTES = 8

DataFileId = tuple[bytes, int, str]
"""Serialized partition, bucket and name of a data file."""


@dataclass(frozen=True)
class DeletionFile:
    """The location of the deletion vector of one data file. Picklable."""

    path: str
    offset: int
    length: int
    cardinality: int | None

    def read(self, store: TableStore, file: DataFileMeta) -> DeletionVector:
        """Return the vector of ``file``. Raises CorruptFile, naming the index file, if it is missing or damaged."""
        if self.offset < 1 or self.length < 0:
            raise CorruptFile(self.path, "the index manifest contains an invalid deletion vector offset")
        key = (self.path, self.offset, self.length)

        def load() -> DeletionVector:
            # Loaded here, because many tables have no deletion vectors.
            from workbench.format.index.deletion_vector import read_deletion_vector

            with reading(self.path):
                data = store.file_io.read_range(self.path, self.offset, self.length + FRAME_BYTES)
            return read_deletion_vector(data, self.path, file.row_count, self.length, self.cardinality)

        return store.cache.get_or_load(key, load, lambda vector: vector.weight)


def index_entries(store: TableStore, snapshot: Snapshot | None) -> tuple[IndexEntry, ...]:
    """Return the entries of a snapshot's index manifest."""
    if snapshot is None or snapshot.index_manifest is None:
        return ()
    # Loaded here, because many tables have no index files.
    from workbench.format.spec.index_manifest import read_index_manifest

    path = store.path(paths.MANIFEST_DIRECTORY, snapshot.index_manifest)

    def weigh(entries: tuple[IndexEntry, ...]) -> int:
        return sum(_ENTRY_WEIGHT + _VECTOR_WEIGHT * len(entry.vectors) for entry in entries)

    return store.cache.get_or_load(path, lambda: tuple(read_index_manifest(store.read_metadata(path), path)), weigh)


def read_hashes(store: TableStore, entry: IndexEntry) -> Int32Array:
    """Return the hashes of the keys of a bucket. Raises FileNotFoundError, or CorruptFile for a damaged file."""
    # Loaded here, because few tables have hash indexes.
    from workbench.format.index.hash_index import read_hash_index

    path = index_file_path(store, entry)
    return read_hash_index(store.file_io.read_bytes(path), path, entry.row_count)


def deletion_files(store: TableStore, snapshot: Snapshot | None) -> Mapping[DataFileId, DeletionFile]:
    """Return the deletion vectors of a snapshot by data file.

    Raises:
        Unsupported: The snapshot has deletion vectors, and option 'deletion-vectors.enabled' is off: engines differ in
            whether such rows are visible.
        CorruptFile: A data file has two vectors.
    """
    found: dict[DataFileId, DeletionFile] = {}
    for entry in index_entries(store, snapshot):
        if not entry.vectors:
            continue
        if not store.schema.core.deletion_vectors_enabled:
            raise Unsupported(
                f"{store.name} has deletion vectors, and option 'deletion-vectors.enabled' = 'false'.",
                "Set the option to 'true', or rewrite the files.",
            )
        path = index_file_path(store, entry)
        for each in entry.vectors:
            key = (entry.partition, entry.bucket, each.data_file)
            if key in found:
                raise CorruptFile(path, f"it contains a second deletion vector for data file {each.data_file}")
            found[key] = DeletionFile(path, each.offset, each.length, each.cardinality)
    return found


def index_file_path(store: TableStore, entry: IndexEntry) -> str:
    """Return the full path of an index file. Raises Unsupported if `TableStore.check_path` does not permit it."""
    if entry.external_path is not None:
        return store.check_path(entry.external_path)
    if store.schema.core.index_file_in_data_file_dir:
        return join(store.bucket_directory(entry.partition, entry.bucket), entry.file_name)
    return store.path(paths.INDEX_DIRECTORY, entry.file_name)


def check_index_files(store: TableStore, snapshot: Snapshot | None) -> None:
    """Refuse a table that has deletion vectors although its options do not enable them: engines differ in whether such
    rows are visible, and a compaction would make one of the answers permanent. Raises Unsupported."""
    if store.schema.core.deletion_vectors_enabled:
        return
    if any(entry.vectors for entry in index_entries(store, snapshot)):
        raise Unsupported(
            f"{store.name} has deletion vectors, and option 'deletion-vectors.enabled' = 'false'.",
            "Set the option to 'true'.",
        )
