"""Compacting buckets in Spark tasks, one task for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.format.spec.data_file import CommitMessage
from workbench.metadata.bucket_states import KnownBuckets
from workbench.metadata.store import TableStore
from workbench.spark.items import run_on_items
from workbench.spark.maintenance.tasks import BucketToCompact, CompactTask
from workbench.spark.tasks import pickled
from workbench.write.compact_bucket import BucketCompaction, levels_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.base.progress import Progress


def compact_buckets(
    session: SparkSession,
    task: CompactTask,
    buckets: Sequence[BucketToCompact],
    progress: Progress | None,
) -> list[CommitMessage]:
    """Compact buckets, the largest first, and return their messages, of which none is empty."""
    ordered = sorted(buckets, key=lambda each: sum(file.file_size for file in each.files), reverse=True)
    items = [pickled(each) for each in ordered]
    results = run_on_items(session, items, task.run, f"Compacting {task.store.name}", progress)
    messages = [CommitMessage.from_bytes(each) for each in results]
    return [each for each in messages if not each.is_empty]


def is_due(store: TableStore, bucket: BucketToCompact, *, full: bool = False) -> bool:
    """Return whether the picker chooses files of a bucket."""
    message = bucket.message
    if not store.schema.is_primary_key_table:
        return bool(bucket.files)  # The picker of append tables reads no files, but it is not separate from its task.
    compaction = BucketCompaction(store, message.partition, message.bucket, bucket.index_files, full=full)
    return compaction.choose(levels_of(store.schema, bucket.files)).unit is not None


def with_compactions(
    session: SparkSession,
    store: TableStore,
    known: KnownBuckets,
    messages: Sequence[CommitMessage],
    progress: Progress | None,
    *,
    keeps_changelog: bool = True,
) -> list[CommitMessage]:
    """Return the messages of new files with the compactions that are due in their buckets."""
    due, others = [], []
    for message in messages:
        state = known.state((message.partition, message.bucket))
        bucket = BucketToCompact(message, (*state.files, *message.new_files), state.vectors)
        if is_due(store, bucket):
            due.append(bucket)
        else:
            others.append(message)
    return others + compact_buckets(session, CompactTask(store, keeps_changelog=keeps_changelog), due, progress)
