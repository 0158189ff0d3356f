"""The code of compactions that runs on executors; imports only the standard library, numpy, pyarrow and the core."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.format.spec.index_entry import IndexEntry
from workbench.format.spec.table_kind import AppendOnlyKind, KeyValueKind
from workbench.lsm.append_compaction import AppendCompactionUnit
from workbench.metadata.bucket_states import BucketState, KnownBuckets
from workbench.metadata.store import TableStore
from workbench.write.compact_append import AppendCompaction
from workbench.write.compact_bucket import BucketCompaction
from workbench.write.rewriting.postponed_moves import PostponedMove
from workbench.write.sorting.partition_sort import PartitionSort, SortOrder


@dataclass(frozen=True)
class BucketToCompact:
    """A bucket: its message before the compaction, all of its files, and the index files with deletion vectors.

    ``unit``: in an append table without deletion vectors, the one choice of the picker that this task runs.
    """

    message: CommitMessage
    files: Sequence[DataFileMeta]
    index_files: Sequence[IndexEntry] = ()
    unit: AppendCompactionUnit | None = None

    @property
    def size(self) -> int:
        """The bytes to compact, as far as they are known before the picker has chosen."""
        return sum(file.file_size for file in (self.files if self.unit is None else self.unit.files))


@dataclass(frozen=True)
class PartitionToMove:
    """The waiting files of a partition, and its real buckets."""

    partition: bytes
    files: Sequence[DataFileMeta]
    known: KnownBuckets

    @property
    def size(self) -> int:
        """The bytes of the waiting files."""
        return sum(file.file_size for file in self.files)


@dataclass(frozen=True)
class PartitionToSort:
    """The files of a partition of an append table, the index files with its deletion vectors, and the order."""

    partition: bytes
    bucket: int
    state: BucketState
    order: SortOrder
    index_files: Sequence[IndexEntry] = ()

    @property
    def size(self) -> int:
        """The bytes to sort."""
        return sum(file.file_size for file in self.state.files)


@dataclass(frozen=True)
class CompactTask:
    """Compacts the buckets of one task. Its files are named by unique identifiers, and nothing refers to them before
    the commit."""

    store: TableStore
    full: bool = False
    keeps_changelog: bool = True

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the messages of the pickled work in column 0, for `DataFrame.mapInArrow`."""
        for batch in batches:
            for item in batch.column(0):
                messages = self.compact(pickle.loads(item.as_py()))
                yield pa.record_batch([pa.array([each.to_bytes() for each in messages], pa.binary())], ["result"])

    def compact(self, work: Any) -> list[CommitMessage]:
        """Return the messages of one bucket or partition; a failing task removes its files where possible."""
        if isinstance(work, PartitionToMove):
            # Spark assigns one core to a task.
            return PostponedMove(self.store, work.known, self.full, workers=1).messages(work.partition, work.files)
        if isinstance(work, PartitionToSort):
            return self._of_sorted_partition(work)
        compact = {KeyValueKind: self._of_bucket, AppendOnlyKind: self._of_append_bucket}
        return self.store.schema.kind.choose(compact)(work)

    def _of_sorted_partition(self, work: PartitionToSort) -> list[CommitMessage]:
        sort = PartitionSort(self.store, work.partition, work.bucket, work.order, work.index_files)
        try:
            return [sort.message(work.state)]
        except BaseException:
            sort.abort()
            raise

    def _of_bucket(self, work: BucketToCompact) -> list[CommitMessage]:
        message = work.message
        compaction = BucketCompaction(
            self.store,
            message.partition,
            message.bucket,
            work.index_files,
            full=self.full,
            keeps_changelog=self.keeps_changelog,
        )
        try:
            return [compaction.add_to(message, work.files)]
        except BaseException:
            compaction.abort()
            raise

    def _of_append_bucket(self, work: BucketToCompact) -> list[CommitMessage]:
        message = work.message
        compaction = AppendCompaction(self.store, message.partition, message.bucket, work.index_files)
        try:
            if work.unit is not None:
                return [compaction.message(message.total_buckets, work.unit)]
            return compaction.messages(message.total_buckets, work.files, full=self.full, workers=1)
        except BaseException:
            compaction.abort()
            raise
