"""What a bucket holds before a writer adds to it: the files it may compact, and where its sequence numbers stand
(format §16)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from workbench.format.data_file import CommitMessage, DataFileMeta, ManifestEntry
from workbench.format.index_entry import DELETION_VECTORS, HASH, IndexEntry
from workbench.format.snapshot import Snapshot
from workbench.table.committing.sequences import noted_sequence
from workbench.table.index_files import check_index_files, index_entries
from workbench.table.manifests import ManifestFiles
from workbench.table.store import TableStore

BucketId = tuple[bytes, int]


@dataclass(frozen=True)
class BucketState:
    """The files of one bucket; ``total_buckets`` is the number its files were written for, None for a new one.
    ``vectors``: the index files with its deletion vectors; ``least_sequence``: below it no new sequence number may be.
    """

    files: tuple[DataFileMeta, ...] = ()
    total_buckets: int | None = None
    vectors: tuple[IndexEntry, ...] = ()
    least_sequence: int = 0

    @cached_property
    def next_sequence(self) -> int:
        """One past the greatest sequence number in use."""
        return max(self.least_sequence, *(file.max_sequence_number + 1 for file in self.files), 0)

    def after(self, message: CommitMessage) -> BucketState:
        """The bucket as a message leaves it."""
        gone = {(file.file_name, file.level) for file in message.compact_before}
        kept = (file for file in (*self.files, *message.new_files) if (file.file_name, file.level) not in gone)
        replaced = {entry.file_name for entry in message.compact_deleted_index_files}
        vectors = (entry for entry in self.vectors if entry.file_name not in replaced)
        added = (entry for entry in message.compact_new_index_files if entry.index_type == DELETION_VECTORS)
        return replace(self, files=(*kept, *message.compact_after), vectors=(*vectors, *added))


class BucketStates(Protocol):
    """Where a writer learns of the buckets it touches."""

    def state(self, bucket: BucketId) -> BucketState:
        """The bucket as it was when the write began."""
        ...

    def total_buckets(self, partition: bytes) -> int | None:
        """The bucket number of a partition, None for a new one."""
        ...


@dataclass(frozen=True)
class KnownBuckets:
    """States worked out beforehand: what a plan carries to other processes. Buckets that are not listed are empty.

    ``indexes`` are the hash index files by partition; ``version`` is the one whose states these are, None for a table
    never written, and for one of which all is overwritten. ``numbers``: how many buckets partitions are to have that
    have none yet; ``least_sequence``: below it no bucket takes a new sequence number.
    """

    buckets: Mapping[BucketId, BucketState] = field(default_factory=dict)
    indexes: Mapping[bytes, Sequence[IndexEntry]] = field(default_factory=dict)
    version: Snapshot | None = None
    numbers: Mapping[bytes, int] = field(default_factory=dict)
    least_sequence: int = 0

    def state(self, bucket: BucketId) -> BucketState:
        """The bucket as it was when the plan was made."""
        found = self.buckets.get(bucket, BucketState())
        return replace(found, least_sequence=max(found.least_sequence, self.least_sequence))

    def total_buckets(self, partition: bytes) -> int | None:
        """The bucket number of a partition, None for a new one."""
        return self._totals.get(partition, self.numbers.get(partition))

    def buckets_of(self, partition: bytes) -> Sequence[int]:
        """The buckets of a partition that hold files."""
        return self._numbers.get(partition, ())

    def hash_indexes(self, partition: bytes) -> Sequence[IndexEntry]:
        """The hash index files of a partition: one for each bucket, in tables whose buckets are assigned."""
        return self.indexes.get(partition, ())

    @cached_property
    def _numbers(self) -> dict[bytes, list[int]]:
        numbers: dict[bytes, list[int]] = {}
        for partition, bucket in self.buckets:
            numbers.setdefault(partition, []).append(bucket)
        return numbers

    @cached_property
    def _totals(self) -> dict[bytes, int]:
        return {
            partition: state.total_buckets
            for (partition, _), state in self.buckets.items()
            if state.total_buckets is not None and state.total_buckets > 0
        }


def buckets_to_write(store: TableStore, latest: Snapshot | None, *, overwrite: bool) -> KnownBuckets:
    """What a writer on top of a version knows. ``overwrite``: what the table holds does not matter to it.

    Raises:
        Unsupported: the table has index files that this library does not write.
    """
    core = store.schema.core
    noted = noted_sequence(latest) if core.write_sequence_number_init_mode == "snapshot" else None
    least = 0 if noted is None else noted + 1
    if latest is None or overwrite:
        return KnownBuckets(least_sequence=least)
    check_index_files(store, latest)
    if noted is not None and core.write_only and core.bucket > 0:
        # This is what the option is for: the commit checks the buckets' number, and nothing else matters.
        return KnownBuckets(version=latest, least_sequence=least)
    known = known_buckets(ManifestFiles(store).live_files(latest), index_entries(store, latest), latest)
    return replace(known, least_sequence=least)


def known_buckets(
    live: Iterable[ManifestEntry], index_files: Iterable[IndexEntry] = (), version: Snapshot | None = None
) -> KnownBuckets:
    """States of all buckets that hold files, with those of the index files of the same version that writers need."""
    files: dict[BucketId, list[DataFileMeta]] = {}
    totals: dict[BucketId, int] = {}
    for entry in live:
        bucket = (entry.partition, entry.bucket)
        files.setdefault(bucket, []).append(entry.file)
        totals[bucket] = entry.total_buckets
    indexes: dict[bytes, list[IndexEntry]] = {}
    vectors: dict[BucketId, list[IndexEntry]] = {}
    for index in index_files:
        if index.index_type == HASH:
            indexes.setdefault(index.partition, []).append(index)
        elif index.index_type == DELETION_VECTORS:
            vectors.setdefault((index.partition, index.bucket), []).append(index)
    states = {
        bucket: BucketState(tuple(found), totals[bucket], tuple(vectors.get(bucket, ())))
        for bucket, found in files.items()
    }
    return KnownBuckets(states, indexes, version)
