"""Compaction of an append table on demand: partitions and buckets in parallel, committed together."""

from __future__ import annotations

from workbench.base.errors import CommitConflict, CorruptFile, Unsupported
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.commit.commit import Commit
from workbench.format.spec.data_file import CommitMessage, ManifestEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.bucket_states import BucketState, known_buckets
from workbench.metadata.ids import BucketId
from workbench.metadata.index_files import index_entries
from workbench.metadata.store import TableStore
from workbench.write.compact_append import AppendCompaction


def compact_append_table(
    store: TableStore, latest: Snapshot, live: list[ManifestEntry], full: bool, progress: Progress
) -> Commit:
    """Select and run the compactions that are due among the ``live`` data files of a version.

    Raises:
        Unsupported: The table stores the columns of a row in several files.
        CommitConflict: Another writer changed the same files first; nothing is changed.
    """
    if store.schema.core.data_evolution_enabled:
        raise Unsupported(f"Compacting {store.name} is not supported: it has option 'data-evolution.enabled' = 'true'.")
    index_files = index_entries(store, latest)
    buckets = list(known_buckets(live).buckets.items())
    compactions: list[AppendCompaction] = []

    def compact(item: tuple[BucketId, BucketState]) -> list[CommitMessage]:
        (partition, bucket), state = item
        compaction = AppendCompaction(store, partition, bucket, index_files, progress)
        compactions.append(compaction)
        total = state.total_buckets if state.total_buckets is not None else store.schema.core.bucket
        bucket_messages = compaction.messages(total, state.files, full=full, workers=1 if len(buckets) > 1 else None)
        progress.advance()
        return bucket_messages

    try:
        with progress.step(f"Compacting {store.name}", len(buckets), "buckets"):
            messages = [message for bucket_messages in parallel_map(compact, buckets) for message in bucket_messages]
    except BaseException:
        _abort(compactions)
        raise
    try:
        return publish.compact(store, messages)
    except (CommitConflict, CorruptFile):
        _abort(compactions)
        raise


def _abort(compactions: list[AppendCompaction]) -> None:
    for compaction in compactions:
        compaction.abort()
