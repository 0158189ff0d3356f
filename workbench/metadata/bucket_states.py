"""The state of a bucket before a writer adds to it: the files it may compact, and its last sequence number (format
§16)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from workbench.base.lazy import cached_property
from workbench.format.spec.data_file import BaseVersion, CommitMessage, DataFileMeta, ManifestEntry
from workbench.format.spec.index_entry import DELETION_VECTORS, HASH, IndexEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.ids import BucketId
from workbench.metadata.index_files import check_index_files, index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.sequences import recorded_sequence
from workbench.metadata.store import TableStore

# The scope of a digest, with which it begins: its message may later drop the level-0 files that determined it.
_WITH_FILES, _VECTORS_ALONE = "files", "vectors"


@dataclass(frozen=True)
class BucketState:
    """The files of one bucket; ``total_buckets`` is the number of buckets of the partition when they were written, None
    for a new bucket. ``vectors``: the index files with its deletion vectors; ``min_sequence``: the minimum for new
    sequence numbers.
    """

    files: tuple[DataFileMeta, ...] = ()
    total_buckets: int | None = None
    vectors: tuple[IndexEntry, ...] = ()
    min_sequence: int = 0

    @cached_property
    def next_sequence(self) -> int:
        """The number after the largest sequence number in use."""
        return max(self.min_sequence, *(file.max_sequence_number + 1 for file in self.files), 0)

    def lookup_digest(self, compacted: Iterable[DataFileMeta]) -> str:
        """Return a digest of everything that a compaction of some files depends on: the deletion vectors of the bucket
        and, if some files are at level 0, the files above it, in which older rows of their keys are looked up."""
        return self._digest(_WITH_FILES if any(file.level == 0 for file in compacted) else _VECTORS_ALONE)

    def matches(self, digest: str) -> bool:
        """Return whether a bucket in this state still has all that the compaction with this digest depended on."""
        return digest == self._digest(digest.partition(":")[0])

    def _digest(self, scope: str) -> str:
        names = [entry.file_name for entry in self.vectors]
        if scope == _WITH_FILES:
            names += [f"{file.level} {file.file_name}" for file in self.files if file.level > 0]
        # Loaded here: it is slow to import, and most compactions do not look up rows.
        import hashlib

        return f"{scope}:{hashlib.sha256(chr(10).join(sorted(names)).encode()).hexdigest()}"

    def after(self, message: CommitMessage) -> BucketState:
        """Return the state of the bucket after a message."""
        removed = {(file.file_name, file.level) for file in message.compact_before}
        kept = (file for file in (*self.files, *message.new_files) if (file.file_name, file.level) not in removed)
        replaced = {entry.file_name for entry in message.compact_deleted_index_files}
        vectors = (entry for entry in self.vectors if entry.file_name not in replaced)
        added = (entry for entry in message.compact_new_index_files if entry.index_type == DELETION_VECTORS)
        return replace(self, files=(*kept, *message.compact_after), vectors=(*vectors, *added))


class BucketStates(Protocol):
    """Source of the states of the buckets that a writer touches."""

    @property
    def version(self) -> Snapshot | None:
        """The snapshot whose buckets these are, None if there is none."""
        ...

    @property
    def base(self) -> BaseVersion | None:
        """The version from which sequence numbers continue; None if there is none, and in tables without a key."""
        ...

    def state(self, bucket: BucketId) -> BucketState:
        """Return the state of the bucket when the write began."""
        ...

    def total_buckets(self, partition: bytes) -> int | None:
        """Return the number of buckets of a partition, None for a new partition."""
        ...


@dataclass(frozen=True)
class KnownBuckets:
    """States computed in advance, which a plan carries to other processes. Buckets that are not listed are empty.

    ``indexes`` are the hash index files by partition; ``version`` is the snapshot of these states, None for a table
    that was never written or is overwritten completely. ``numbers``: the numbers of buckets for partitions in which no
    file records one; ``min_sequence``: the minimum for new sequence numbers in all buckets; ``base``: see
    `BucketStates`.
    """

    buckets: Mapping[BucketId, BucketState] = field(default_factory=dict)
    indexes: Mapping[bytes, Sequence[IndexEntry]] = field(default_factory=dict)
    version: Snapshot | None = None
    numbers: Mapping[bytes, int] = field(default_factory=dict)
    min_sequence: int = 0
    base: BaseVersion | None = None

    def state(self, bucket: BucketId) -> BucketState:
        """Return the state of the bucket when the plan was made."""
        found = self.buckets.get(bucket, BucketState())
        return replace(found, min_sequence=max(found.min_sequence, self.min_sequence))

    def total_buckets(self, partition: bytes) -> int | None:
        """Return the number of buckets of a partition, None for a new partition."""
        return self._totals.get(partition, self.numbers.get(partition))

    def buckets_of(self, partition: bytes) -> Sequence[int]:
        """Return the buckets of a partition that hold files."""
        return self._numbers.get(partition, ())

    def hash_indexes(self, partition: bytes) -> Sequence[IndexEntry]:
        """Return the hash index files of a partition: one for each bucket in tables with dynamic buckets."""
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
    """Return the bucket states that a writer needs to add to a snapshot. ``overwrite``: the current content of the
    table is ignored.

    Raises:
        Unsupported: The table has index files that this library does not write.
    """
    core = store.schema.core
    noted = recorded_sequence(latest) if core.write_sequence_number_init_mode == "snapshot" else None
    least = 0 if noted is None else noted + 1
    if latest is None or overwrite:
        return KnownBuckets(min_sequence=least)
    base = base_version(latest) if store.schema.is_primary_key_table else None
    check_index_files(store, latest)
    if noted is not None and core.write_only and core.bucket > 0:
        # Skipping the scan is the point of the option: the commit checks the number of buckets, and nothing else
        # matters.
        return KnownBuckets(version=latest, min_sequence=least, base=base)
    known = known_buckets(ManifestFiles(store).live_files(latest), index_entries(store, latest), latest)
    return replace(known, min_sequence=least, base=base)


def base_version(snapshot: Snapshot | None) -> BaseVersion | None:
    """Return what identifies the snapshot that a writer begins with."""
    return None if snapshot is None else BaseVersion(snapshot.id, snapshot.delta_manifest_list)


def known_buckets(
    live: Iterable[ManifestEntry], index_files: Iterable[IndexEntry] = (), version: Snapshot | None = None
) -> KnownBuckets:
    """Return the states of all buckets that hold files, with the index files of the same snapshot that writers need."""
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
