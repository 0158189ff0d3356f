"""Changes of the deletion vectors of one bucket, with new index files for the changed ones (format §20.1; Java
``BucketedDvMaintainer``, ``AppendDeleteFileMaintainer``).

A bucket has one index file, which is rewritten with every change. In tables without buckets a partition has any number
of them: only those with a changed vector are rewritten, and files are closed at a target size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.format.index.deletion_vector import (
    VERSION,
    DeletionVector,
    encode_deletion_vector,
    stored_deletion_vector,
)
from workbench.format.spec import paths
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.index_entry import DELETION_VECTORS, DeletionRange, IndexEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.errors import reading
from workbench.metadata.index_files import FRAME_BYTES, DeletionFile, index_entries, index_file_path
from workbench.metadata.store import TableStore

# Java stores a vector's offset in its index file as an int.
_MAX_BYTES = (1 << 31) - 1


@dataclass(frozen=True)
class VectorChange:
    """Index files that a commit adds and removes; both empty if nothing changed."""

    new: tuple[IndexEntry, ...] = ()
    deleted: tuple[IndexEntry, ...] = ()


@dataclass(frozen=True)
class _Stored:
    """A serialized vector with its metadata for the index file."""

    data_file: str
    data: bytes
    length: int
    cardinality: int | None


class BucketVectors:
    """The deletion vectors of one bucket in a snapshot, and their changes.

    ``entries`` may include entries of other buckets, which are ignored. Nothing is written before `persist`.
    """

    def __init__(self, store: TableStore, partition: bytes, bucket: int, entries: Iterable[IndexEntry]) -> None:
        self._store = store
        self._partition = partition
        self._bucket = bucket
        self.entries = [
            entry
            for entry in entries
            if (entry.partition, entry.bucket, entry.index_type) == (partition, bucket, DELETION_VECTORS)
        ]
        self._places = {
            each.data_file: DeletionFile(path, each.offset, each.length, each.cardinality)
            for entry in self.entries
            for path in [index_file_path(store, entry)]
            for each in entry.vectors
        }
        self._changed: dict[str, DeletionVector] = {}
        self._removed: set[str] = set()
        self._written: list[IndexEntry] = []

    @classmethod
    def of(cls, store: TableStore, snapshot: Snapshot | None, partition: bytes, bucket: int) -> BucketVectors:
        """Return the vectors of a bucket in a snapshot."""
        return cls(store, partition, bucket, index_entries(store, snapshot))

    @property
    def data_files(self) -> frozenset[str]:
        """The names of the data files that have a vector now."""
        return frozenset((self._places.keys() | self._changed.keys()) - self._removed)

    def stored(self, data_file: str) -> DeletionFile | None:
        """Return the location of the vector of a data file in the snapshot, regardless of later changes."""
        return self._places.get(data_file)

    def cardinality(self, data_file: str) -> int | None:
        """Return the number of deleted rows of a file; None if an old writer did not record it."""
        if data_file in self._changed:
            return self._changed[data_file].cardinality
        return self._places[data_file].cardinality if data_file in self.data_files else 0

    def vector(self, file: DataFileMeta) -> DeletionVector | None:
        """Return the current vector of a data file, including changes; None if it has none."""
        if file.file_name in self._changed:
            return self._changed[file.file_name]
        return self._places[file.file_name].read(self._store, file) if file.file_name in self.data_files else None

    def delete(self, file: DataFileMeta, rows: DeletionVector) -> None:
        """Mark rows of a data file as deleted, in addition to those already marked."""
        known = self.vector(file)
        vector = rows if known is None else known.merged(rows)
        if known is None or vector.cardinality != known.cardinality:
            self._changed[file.file_name] = vector
            self._removed.discard(file.file_name)

    def remove(self, data_file: str) -> None:
        """Remove the vector of a data file that is itself removed."""
        if data_file in self.data_files:
            self._changed.pop(data_file, None)
            self._removed.add(data_file)

    def persist(self) -> VectorChange:
        """Write the index files of the changes. The caller commits the change, or calls `abort`."""
        touched = self._changed.keys() | self._removed
        if not touched:
            return VectorChange()
        replaced = [
            entry
            for entry in self.entries
            if self._one_file or any(each.data_file in touched for each in entry.vectors)
        ]
        kept = (
            self._carried(self._places[each.data_file], each)
            for entry in replaced
            for each in entry.vectors
            if each.data_file not in touched
        )
        if self._one_file:
            self._write([*kept, *self._encoded()], _MAX_BYTES)
        else:
            target = self._store.schema.core.deletion_vector_target_size
            self._write(kept, target)
            self._write(self._encoded(), target)
        return VectorChange(tuple(self._written), tuple(replaced))

    def abort(self) -> None:
        """Remove the index files that were written."""
        for entry in self._written:
            self._store.discard(index_file_path(self._store, entry))
        self._written.clear()

    @property
    def _one_file(self) -> bool:
        return not self._store.schema.is_bucket_unaware

    def _encoded(self) -> Iterator[_Stored]:
        bitmap64 = self._store.schema.core.deletion_vectors_bitmap64
        for name, vector in self._changed.items():
            data, length = encode_deletion_vector(vector, bitmap64=bitmap64)
            yield _Stored(name, data, length, vector.cardinality)

    def _carried(self, position: DeletionFile, known: DeletionRange) -> _Stored:
        with reading(position.path):
            data = self._store.file_io.read_range(position.path, position.offset, position.length + FRAME_BYTES)
        stored = stored_deletion_vector(data, position.path, position.length)
        return _Stored(known.data_file, stored, known.length, known.cardinality)

    def _write(self, vectors: Iterable[_Stored], target: int) -> None:
        body = bytearray([VERSION])
        ranges: list[DeletionRange] = []
        for each in vectors:
            ranges.append(DeletionRange(each.data_file, len(body), each.length, each.cardinality))
            body += each.data
            if len(body) > target:
                self._write_file(body, ranges)
                body, ranges = bytearray([VERSION]), []
        if ranges:
            self._write_file(body, ranges)

    def _write_file(self, body: bytearray, ranges: list[DeletionRange]) -> None:
        entry = IndexEntry(
            self._partition,
            self._bucket,
            DELETION_VECTORS,
            paths.index_name(self._store.ids.uuid(), 0),
            None,
            tuple(ranges),
            len(body),
            len(ranges),
        )
        self._written.append(entry)
        self._store.file_io.write_bytes(index_file_path(self._store, entry), bytes(body))
