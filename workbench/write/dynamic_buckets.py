"""Buckets that are assigned by key and recorded by the hashes of the keys (format §11.3, §21; Java
``HashBucketAssigner``, ``PartitionIndex``, ``DynamicBucketIndexMaintainer``).

A key stays in the bucket that was first assigned to its hash. New hashes fill the buckets of a partition one after the
other up to a target, then open new ones. The index file of each bucket that receives new hashes is rewritten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int16Array, Int32Array, Int64Array
from workbench.base.errors import CorruptFile, Unsupported
from workbench.base.lazy import cached_property
from workbench.base.parallel import parallel_map
from workbench.format.index.hash_index import hash_index_bytes
from workbench.format.rows.binary_row_columns import encode_columns
from workbench.format.rows.murmur import murmur_hash
from workbench.format.spec import paths
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.index_entry import HASH, IndexEntry
from workbench.lsm.merge_function import Kinds
from workbench.metadata.bucket_states import KnownBuckets
from workbench.metadata.errors import reading
from workbench.metadata.index_files import index_file_path, read_hashes
from workbench.metadata.store import TableStore
from workbench.write.routing import Routed, distinct_partitions, shares

MAX_BUCKETS = 32767
"""Java stores the bucket numbers of these tables as signed 16-bit integers."""
_ARITY_BYTES = 4


@dataclass
class DynamicRouter:
    """Router to the buckets of the hash index, which adds new keys to it."""

    store: TableStore
    buckets: KnownBuckets
    _partitions: dict[bytes, PartitionIndex] = field(default_factory=dict)

    def route(self, table: pa.Table, kinds: Kinds | None) -> Routed:
        """Route the next rows (at least one) in the order in which they were written."""
        partitions, partition_of_row = distinct_partitions(self.store, table)
        hashes = key_hashes(self.store, table)
        bucket_of_row = np.zeros(table.num_rows, np.int32)
        for partition, rows in _rows_by_partition(partitions, partition_of_row, table.num_rows):
            bucket_of_row[rows] = self._index(partition).assign(hashes[rows])
        return Routed(table, kinds, shares(table.num_rows, partitions, partition_of_row, bucket_of_row))

    def total_buckets(self, partition: bytes) -> int:  # noqa: ARG002
        """Return -1, since the number of buckets is not fixed."""
        return -1

    def indexed(self, messages: Sequence[CommitMessage]) -> list[CommitMessage]:
        """Return the messages with new index files for the buckets that received new keys.

        Each message also names the index file that it replaces, or that already has all of its keys: the commit is
        refused if another writer replaced that file first, or removed keys.
        """
        written: list[IndexEntry] = []

        def index(message: CommitMessage) -> CommitMessage:
            known = self._index(message.partition)
            if message.bucket not in known.changed:
                return replace(message, assigned_by=known.files.get(message.bucket))
            hashes = known.hashes_of(message.bucket)
            entry = write_hash_index(self.store, message.partition, message.bucket, hashes)
            written.append(entry)
            before = known.files.get(message.bucket)
            return replace(message, new_index_files=(entry,), deleted_index_files=() if before is None else (before,))

        try:
            indexed = parallel_map(index, messages)
        except BaseException:
            for entry in written:
                self.store.discard(index_file_path(self.store, entry))
            raise
        for entry in written:
            self._index(entry.partition).note_written(entry)
        return indexed

    def _index(self, partition: bytes) -> PartitionIndex:
        if partition not in self._partitions:
            self._partitions[partition] = self._read_index(partition)
        return self._partitions[partition]

    def _read_index(self, partition: bytes) -> PartitionIndex:
        files = {entry.bucket: entry for entry in self.buckets.hash_indexes(partition)}
        for bucket, entry in files.items():
            if not 0 <= bucket < MAX_BUCKETS:
                raise CorruptFile(index_file_path(self.store, entry), f"there is no bucket {bucket}")
        for bucket in self.buckets.buckets_of(partition):
            if bucket not in files:
                directory = self.store.bucket_directory(partition, bucket)
                raise CorruptFile(directory, "it has data files, but the snapshot has no hash index of its keys")
        read = parallel_map(self._read, list(files.values()))
        return PartitionIndex.of(partition, files, read, AssignerOptions.of(self.store))

    def _read(self, entry: IndexEntry) -> Int32Array:
        with reading(index_file_path(self.store, entry)):
            return read_hashes(self.store, entry)


def write_hash_index(store: TableStore, partition: bytes, bucket: int, hashes: Int32Array) -> IndexEntry:
    """Write the index file of a bucket, and return its entry."""
    name = paths.index_name(store.ids.uuid(), 0)
    data = hash_index_bytes(hashes)
    entry = IndexEntry(partition, bucket, HASH, name, None, (), len(data), len(hashes))
    store.file_io.write_bytes(index_file_path(store, entry), data)
    return entry


@dataclass(frozen=True)
class AssignerOptions:
    """Options of the assignment of buckets. ``target_rows``: the number of keys of a full bucket; ``max_buckets``: the
    maximum number of buckets, None for the maximum of the integer type; ``assigners``: the number of independent parts
    of a partition's keys, each with its own buckets."""

    target_rows: int
    max_buckets: int | None = None
    assigners: int = 1

    @classmethod
    def of(cls, store: TableStore, *, is_limited: bool = True) -> AssignerOptions:
        """Return the values of the options ``dynamic-bucket.*``; without ``is_limited``, ``max-buckets`` is ignored, as
        Java applies it only if the hashes of keys are stored. Raises Unsupported if ``max-buckets`` allows no
        bucket."""
        core = store.schema.core
        max_buckets = core.dynamic_bucket_max_buckets
        if max_buckets < 1 and max_buckets != -1:
            raise Unsupported(
                f"Option 'dynamic-bucket.max-buckets' must be -1 or at least 1, got '{max_buckets}'.",
                "Set it to 1 or more, or to -1 for no limit.",
            )
        assigners = max(1, core.dynamic_bucket_initial_buckets or 1)
        limit = None if max_buckets == -1 or not is_limited else min(max_buckets, MAX_BUCKETS)
        target = max(1, core.dynamic_bucket_target_row_num)
        return cls(target, limit, assigners if limit is None else min(assigners, limit))


@dataclass
class PartitionIndex:
    """The bucket of each hash of a partition: ``hashes`` ascending without duplicates, ``buckets`` parallel to them.

    ``files`` are the index files by bucket, ``changed`` the buckets whose files lack some hashes.
    """

    partition: bytes
    files: dict[int, IndexEntry]
    hashes: Int32Array
    buckets: Int16Array
    options: AssignerOptions
    changed: set[int] = field(default_factory=set)

    @classmethod
    def of(
        cls, partition: bytes, files: dict[int, IndexEntry], read: Sequence[Int32Array], options: AssignerOptions
    ) -> PartitionIndex:
        """Build the index from the hashes ``read`` from ``files``, in their order."""
        hashes = np.concatenate([np.zeros(0, np.int32), *read])
        buckets = np.repeat(np.fromiter(files, np.int16, len(files)), [len(each) for each in read])
        distinct, firsts = np.unique(hashes, return_index=True)
        return cls(partition, files, distinct, buckets[firsts], options)

    def assign(self, hashes: Int32Array) -> Int32Array:
        """Return the bucket of each hash; new hashes are added in the order in which they occur.

        Raises Unsupported if no bucket is left for them.
        """
        distinct, firsts, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        at = np.searchsorted(self.hashes, distinct)
        is_known = np.zeros(len(distinct), bool)
        within = at < len(self.hashes)
        is_known[within] = self.hashes[at[within]] == distinct[within]
        assigned = np.zeros(len(distinct), np.int32)
        assigned[is_known] = self.buckets[at[is_known]]
        new = np.flatnonzero(~is_known)
        if len(new):
            by_arrival = new[np.argsort(firsts[new])]
            assigned[by_arrival] = self._assign_new(distinct[by_arrival])
            self.hashes = np.insert(self.hashes, at[new], distinct[new])
            self.buckets = np.insert(self.buckets, at[new], assigned[new])
            self.changed.update(np.flatnonzero(np.bincount(assigned[new])).tolist())
        return assigned[inverse.reshape(-1)]

    def hashes_of(self, bucket: int) -> Int32Array:
        """Return all hashes of a bucket."""
        hashes: Int32Array = self.hashes[self.buckets == bucket]
        return hashes

    def note_written(self, entry: IndexEntry) -> None:
        """Record the new index file of a bucket."""
        self.files[entry.bucket] = entry
        self.changed.discard(entry.bucket)

    def _assign_new(self, hashes: Int32Array) -> Int32Array:
        counts = np.bincount(self.buckets, minlength=1)
        parts = self.options.assigners
        if parts == 1:
            return self._fill(hashes, 0, counts)
        # 64 bits can hold the absolute value of every hash; the remainder is that of Java's %.
        part = (self._partition_hash % parts + np.abs(hashes.astype(np.int64)) % parts) % parts
        assigned = np.zeros(len(hashes), np.int32)
        for number in np.flatnonzero(np.bincount(part)).tolist():
            mine = np.flatnonzero(part == number)
            assigned[mine] = self._fill(hashes[mine], number, counts)
        return assigned

    def _fill(self, hashes: Int32Array, part: int, counts: Int64Array) -> Int32Array:
        """Fill the buckets of one part; once the limit of buckets is reached, the remaining hashes are distributed over
        them.

        Java picks a random bucket in that case. Here the hash determines the bucket, so two writers that start from the
        same index choose the same one, and their conflict is detected in its index file.
        """
        filled = fill_buckets(len(hashes), counts, self.options, part)
        over = hashes[len(filled) :]
        if not len(over):
            return filled
        if self.options.max_buckets is None:
            raise no_bucket_left()
        mine = np.union1d(np.flatnonzero(counts), filled)
        mine = mine[mine % self.options.assigners == part]
        return np.concatenate([filled, mine[np.abs(over.astype(np.int64)) % len(mine)].astype(np.int32)])

    @cached_property
    def _partition_hash(self) -> int:
        return abs(murmur_hash(self.partition[_ARITY_BYTES:]))


def fill_buckets(rows: int, counts: Int64Array, options: AssignerOptions, part: int = 0) -> Int32Array:
    """Return buckets for new rows: existing buckets that are not full, in ascending order, then new ones.

    ``counts`` has the number of rows of each bucket of the partition; ``part`` owns every ``options.assigners``-th
    bucket. The result is shorter than ``rows`` if the maximum number of buckets is reached and all of them are full.
    """
    target, step = options.target_rows, options.assigners
    limit = MAX_BUCKETS if options.max_buckets is None else options.max_buckets
    taken = np.flatnonzero(counts)
    taken = taken[taken % step == part]
    room = np.maximum(target - counts[taken], 0)
    wanted = -(-max(0, rows - int(room.sum())) // target)
    new = np.setdiff1d(np.arange(part, limit, step), taken, assume_unique=True)[:wanted]
    numbers = np.concatenate([taken, new])
    ends = np.cumsum(np.concatenate([room, np.full(len(new), target)]))
    positions = np.searchsorted(ends, np.arange(rows), side="right")
    filled: Int32Array = numbers[positions[positions < len(numbers)]].astype(np.int32)
    return filled


def no_bucket_left() -> Unsupported:
    """Return the error of a partition that has reached the maximum number of buckets."""
    return Unsupported(
        f"A partition cannot have more than {MAX_BUCKETS:,} buckets.",
        "Raise option 'dynamic-bucket.target-row-num'.",
    )


def key_hashes(store: TableStore, table: pa.Table) -> Int32Array:
    """Return int32[rows]: the hash of each row's trimmed primary key (format §11.1)."""
    fields = store.schema.key_fields
    return encode_columns([table.column(each.name) for each in fields], [each.type for each in fields]).hashes()


def _rows_by_partition(
    partitions: Sequence[bytes], partition_of_row: Int64Array | None, rows: int
) -> Iterator[tuple[bytes, Int64Array]]:
    if partition_of_row is None:
        yield partitions[0], np.arange(rows)
        return
    order = np.argsort(partition_of_row, kind="stable")
    ends = np.cumsum(np.bincount(partition_of_row, minlength=len(partitions)))
    yield from zip(partitions, np.split(order, ends[:-1]), strict=True)
