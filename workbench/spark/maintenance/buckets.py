"""Compacting buckets in Spark tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.base.progress import Progress
from workbench.format.spec.data_file import CommitMessage, DataFileMeta, ManifestEntry
from workbench.format.spec.index_entry import IndexEntry
from workbench.format.spec.table_kind import AppendOnlyKind, KeyValueKind
from workbench.metadata.bucket_states import BucketState, KnownBuckets
from workbench.metadata.ids import BucketId
from workbench.metadata.index_files import DataFileId, DeletionFile
from workbench.metadata.store import TableStore
from workbench.scan.planner import splits_of
from workbench.spark.items import run_on_items
from workbench.spark.maintenance.split_tasks import RescaleTask
from workbench.spark.maintenance.splits import run_largest_first
from workbench.spark.maintenance.tasks import BucketToCompact, CompactTask, PartitionToMove, PartitionToSort
from workbench.spark.tasks import pickled
from workbench.table.compaction.runner import CompactionRunner, partitions_of
from workbench.write.compact_append import AppendCompaction
from workbench.write.compact_bucket import BucketCompaction, levels_of
from workbench.write.rewriting.rescale import BucketRescale, independent_buckets
from workbench.write.sorting.partition_sort import SortOrder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class SparkRunner(CompactionRunner):
    """Runs the compactions of buckets as tasks of one job. The pickers run in this process, so that buckets without
    work do not become tasks."""

    session: SparkSession

    def buckets(
        self, store: TableStore, buckets: Mapping[BucketId, BucketState], full: bool, progress: Progress
    ) -> list[CommitMessage]:
        """Compact the buckets of a table, and return their messages."""
        work: list[BucketToCompact] = []
        for (partition, bucket), state in buckets.items():
            total = state.total_buckets if state.total_buckets is not None else store.schema.core.bucket
            message = CommitMessage(partition, bucket, total)
            work += _due(store, BucketToCompact(message, state.files, state.vectors), full=full)
        return _compacted(self.session, CompactTask(store, full), work, progress)

    def postponed(
        self,
        store: TableStore,
        known: KnownBuckets,
        waiting: Mapping[bytes, Sequence[DataFileMeta]],
        full: bool,
        progress: Progress,
    ) -> list[CommitMessage]:
        """Move the waiting files of each partition in one task, and return the messages."""
        work = []
        for partition in partitions_of(known, waiting):
            states = {bucket: state for bucket, state in known.buckets.items() if bucket[0] == partition}
            work.append(PartitionToMove(partition, waiting.get(partition, ()), replace(known, buckets=states)))
        return _compacted(self.session, CompactTask(store, full), work, progress)

    def sorted(
        self,
        store: TableStore,
        partitions: Sequence[tuple[BucketId, BucketState]],
        order: SortOrder,
        index_files: Sequence[IndexEntry],
        progress: Progress,
    ) -> list[CommitMessage]:
        """Sort each partition in one task, and return the messages."""
        work = [PartitionToSort(*bucket, state, order, index_files) for bucket, state in partitions]
        return _compacted(self.session, CompactTask(store), work, progress)

    def rescaled(
        self,
        rescale: BucketRescale,
        base: Sequence[ManifestEntry],
        deletions: Mapping[DataFileId, DeletionFile],
        progress: Progress,
    ) -> list[CommitMessage]:
        """Rewrite buckets in groups that share new buckets, with one task per group, and return the messages."""
        groups = independent_buckets(base, rescale.target.schema.core.bucket)
        work = [splits_of(rescale.source, group, deletions) for group in groups]
        return [
            CommitMessage.from_bytes(message)
            for messages in run_largest_first(
                self.session, RescaleTask(rescale), work, f"Rescaling {rescale.source.name}", progress
            )
            for message in messages
        ]


def with_compactions(
    session: SparkSession,
    store: TableStore,
    known: KnownBuckets,
    messages: Sequence[CommitMessage],
    progress: Progress | None,
    *,
    keeps_changelog: bool = True,
) -> list[CommitMessage]:
    """Return the messages of new files, extended by the compactions that are due in their buckets."""
    work: list[BucketToCompact] = []
    others = []
    for message in messages:
        state = known.state((message.partition, message.bucket))
        due = _due(store, BucketToCompact(message, (*state.files, *message.new_files), state.vectors), full=False)
        work += due
        others += [] if due else [message]
    return others + _compacted(session, CompactTask(store, keeps_changelog=keeps_changelog), work, progress)


def _compacted(
    session: SparkSession,
    task: CompactTask,
    work: Sequence[BucketToCompact | PartitionToMove | PartitionToSort],
    progress: Progress | None,
) -> list[CommitMessage]:
    """Run the work, starting with the largest, and return its messages, omitting empty ones."""
    items = [pickled(each) for each in sorted(work, key=lambda each: each.size, reverse=True)]
    results = run_on_items(session, items, task.run, f"Compacting {task.store.name}", progress)
    messages = [CommitMessage.from_bytes(each) for each in results]
    return [each for each in messages if not each.is_empty]


def _due(store: TableStore, bucket: BucketToCompact, *, full: bool) -> list[BucketToCompact]:
    """Return the work that the picker chooses in a bucket, as independent parts."""
    return store.schema.kind.choose({KeyValueKind: _due_by_key, AppendOnlyKind: _due_appended})(store, bucket, full)


def _due_by_key(store: TableStore, bucket: BucketToCompact, full: bool) -> list[BucketToCompact]:
    message = bucket.message
    compaction = BucketCompaction(store, message.partition, message.bucket, bucket.index_files, full=full)
    return [] if compaction.choose(levels_of(store.schema, bucket.files)).unit is None else [bucket]


def _due_appended(store: TableStore, bucket: BucketToCompact, full: bool) -> list[BucketToCompact]:
    message = bucket.message
    append = AppendCompaction(store, message.partition, message.bucket, bucket.index_files)
    units = append.choose(bucket.files, full=full).units
    if bucket.index_files:
        return [bucket] if units else []
    return [replace(bucket, files=(), unit=unit) for unit in units]
