"""The runner of compactions: it compacts buckets in this process; subclasses do so elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.commit.cleanup import remove_files
from workbench.format.spec.data_file import CommitMessage, DataFileMeta, ManifestEntry
from workbench.format.spec.index_entry import IndexEntry
from workbench.format.spec.table_kind import AppendOnlyKind, KeyValueKind
from workbench.metadata.bucket_states import BucketState, KnownBuckets
from workbench.metadata.ids import BucketId
from workbench.metadata.index_files import DataFileId, DeletionFile
from workbench.metadata.store import TableStore
from workbench.scan.planner import splits_of
from workbench.write.compact_append import AppendCompaction
from workbench.write.compact_bucket import compact_buckets
from workbench.write.rewriting.postponed_moves import PostponedMove
from workbench.write.rewriting.rescale import BucketRescale
from workbench.write.sorting.partition_sort import PartitionSort, SortOrder


class CompactionRunner:
    """Runs the compactions of buckets on threads of this process. A failure leaves no files behind."""

    def buckets(
        self, store: TableStore, buckets: Mapping[BucketId, BucketState], full: bool, progress: Progress
    ) -> list[CommitMessage]:
        """Compact the buckets of a table, and return their messages."""
        with progress.step(f"Compacting {store.name}", len(buckets), "buckets"):
            compact = store.schema.kind.choose({KeyValueKind: compact_buckets, AppendOnlyKind: _compact_append_buckets})
            return compact(store, buckets, progress, full)

    def postponed(
        self,
        store: TableStore,
        known: KnownBuckets,
        waiting: Mapping[bytes, Sequence[DataFileMeta]],
        full: bool,
        progress: Progress,
    ) -> list[CommitMessage]:
        """Move the waiting files of each partition to its buckets, compact the buckets, and return the messages."""
        moved: list[CommitMessage] = []
        with progress.step(f"Compacting {store.name}", sum(map(len, waiting.values())), "files"):
            try:
                for partition in partitions_of(known, waiting):
                    moved += PostponedMove(store, known, full, progress).messages(partition, waiting.get(partition, ()))
            except BaseException:
                remove_files(store, moved)
                raise
        return moved

    def sorted(
        self,
        store: TableStore,
        partitions: Sequence[tuple[BucketId, BucketState]],
        order: SortOrder,
        index_files: Sequence[IndexEntry],
        progress: Progress,
    ) -> list[CommitMessage]:
        """Sort the rows of partitions of an append table, and return their messages."""
        sorts = [PartitionSort(store, *bucket, order, index_files, progress) for bucket, _ in partitions]
        messages: list[CommitMessage] = []
        try:
            with progress.step(f"Sorting {store.name}", len(partitions), "partitions"):
                for sort, (_, state) in zip(sorts, partitions, strict=True):
                    messages.append(sort.message(state))
                    progress.advance()
        except BaseException:
            for sort in sorts:
                sort.abort()
            raise
        return messages

    def rescaled(
        self,
        rescale: BucketRescale,
        base: Sequence[ManifestEntry],
        deletions: Mapping[DataFileId, DeletionFile],
        progress: Progress,
    ) -> list[CommitMessage]:
        """Rewrite the rows of ``base``, which is all files of some buckets, and return the messages."""
        store = rescale.source
        with progress.step(f"Rescaling {store.name}", sum(each.file.row_count for each in base), "rows"):
            return rescale.messages(splits_of(store, base, deletions), progress)


def partitions_of(known: KnownBuckets, waiting: Mapping[bytes, Sequence[DataFileMeta]]) -> list[bytes]:
    """Return the partitions that have waiting files or buckets."""
    return list(dict.fromkeys([*waiting, *(partition for partition, _ in known.buckets)]))


def _compact_append_buckets(
    store: TableStore, buckets: Mapping[BucketId, BucketState], progress: Progress, full: bool
) -> list[CommitMessage]:
    compactions: list[AppendCompaction] = []
    workers = 1 if len(buckets) > 1 else None

    def compact(item: tuple[BucketId, BucketState]) -> list[CommitMessage]:
        (partition, bucket), state = item
        compaction = AppendCompaction(store, partition, bucket, state.vectors, progress)
        compactions.append(compaction)
        total = state.total_buckets if state.total_buckets is not None else store.schema.core.bucket
        messages = compaction.messages(total, state.files, full=full, workers=workers)
        progress.advance()
        return messages

    try:
        return [message for messages in parallel_map(compact, list(buckets.items())) for message in messages]
    except BaseException:
        for compaction in compactions:
            compaction.abort()
        raise
