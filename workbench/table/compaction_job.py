"""Compaction of a whole table on demand: every bucket by itself, in parallel, committed together."""

from __future__ import annotations

from workbench.base.errors import CommitConflict, InvalidExpression, Unsupported
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.expr.tree import referenced_columns
from workbench.format.data_file import CommitMessage
from workbench.format.snapshot import Snapshot
from workbench.table import two_phase
from workbench.table.bucket_states import BucketId, BucketState, known_buckets
from workbench.table.commit import Commit
from workbench.table.compact import BucketCompaction
from workbench.table.index_files import check_index_files
from workbench.table.manifests import ManifestFiles
from workbench.table.store import TableStore


def compact_table(
    store: TableStore, latest: Snapshot | None, where: Expr | None, full: bool, progress: Progress
) -> Commit:
    """Pick and run the compactions that are due.

    Raises:
        Unsupported: an append table.
        InvalidExpression: ``where`` looks at columns that are not of the partition.
        CommitConflict: another writer compacted the same files first; nothing is changed.
    """
    if not store.schema.is_primary_key_table:
        raise Unsupported(f"{store.name} is an append table, and compaction of append tables is not supported.")
    if where is not None and not referenced_columns(where) <= set(store.schema.partition_keys):
        raise InvalidExpression(
            "Compaction can be limited to partitions only.", "Use partition columns in the condition."
        )
    if latest is None:
        return Commit(store.name, ())
    check_index_files(store, latest)
    # Loaded here, for it brings Arrow's compute module, which plain reads do without.
    from workbench.table.pruning import FilePruner

    live = FilePruner(store, store.schema, where).partitions_and_buckets(ManifestFiles(store).live_files(latest), [])
    compactions: list[BucketCompaction] = []

    def compact(item: tuple[BucketId, BucketState]) -> CommitMessage:
        (partition, bucket), state = item
        compaction = BucketCompaction(store, partition, bucket, progress)
        compactions.append(compaction)
        total = state.total_buckets if state.total_buckets is not None else store.schema.core.bucket
        message = compaction.add_to(CommitMessage(partition, bucket, total), state.files, full=full)
        progress.advance()
        return message

    buckets = list(known_buckets(live).buckets.items())
    try:
        with progress.step(f"Compacting {store.name}", len(buckets), "buckets"):
            messages = parallel_map(compact, buckets)
    except BaseException:
        for compaction in compactions:
            compaction.abort()
        raise
    try:
        return two_phase.compact(store, messages)
    except CommitConflict:
        for compaction in compactions:
            compaction.abort()
        raise
