"""Compaction of a whole table on demand: every bucket by itself, in parallel, committed together."""

from __future__ import annotations

from workbench.base.errors import CommitConflict, InvalidExpression
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.expr.tree import referenced_columns
from workbench.format.data_file import CommitMessage, ManifestEntry
from workbench.format.paths import POSTPONE_BUCKET
from workbench.format.snapshot import Snapshot
from workbench.table.committing import two_phase
from workbench.table.committing.commit import Commit
from workbench.table.compaction.bucket_compaction import BucketCompaction
from workbench.table.index_files import check_index_files, index_entries
from workbench.table.manifests import ManifestFiles
from workbench.table.measuring import measured
from workbench.table.schemas import check_key_types
from workbench.table.store import TableStore
from workbench.table.writing.bucket_states import BucketId, BucketState, known_buckets


@measured("compact")
def compact_table(
    store: TableStore,
    latest: Snapshot | None,
    where: Expr | None,
    full: bool,
    progress: Progress,
    idle_time: int | None = None,
) -> Commit:
    """Pick and run the compactions that are due. ``idle_time``: only in partitions to which nothing was written for so
    many milliseconds.

    Raises:
        InvalidExpression: ``where`` looks at columns that are not of the partition.
        CommitConflict: another writer compacted the same files first; nothing is changed.
    """
    if latest is None:
        return Commit(store.name, ())
    check_index_files(store, latest)
    live = live_files(store, latest, where)
    if idle_time is not None:
        live = _of_idle_partitions(store, latest, live, idle_time)
    if not store.schema.is_primary_key_table:
        from workbench.table.compaction.append_job import compact_append_table

        return compact_append_table(store, latest, live, full, progress)
    check_key_types(store, (entry.file.schema_id for entry in live))
    if store.schema.core.bucket == POSTPONE_BUCKET:
        from workbench.table.compaction.postponed_job import compact_postponed

        return compact_postponed(store, latest, live, full, progress)
    compactions: list[BucketCompaction] = []

    def compact(item: tuple[BucketId, BucketState]) -> CommitMessage:
        (partition, bucket), state = item
        compaction = BucketCompaction(store, partition, bucket, state.vectors, progress, full)
        compactions.append(compaction)
        total = state.total_buckets if state.total_buckets is not None else store.schema.core.bucket
        message = compaction.add_to(CommitMessage(partition, bucket, total), state.files)
        progress.advance()
        return message

    buckets = list(known_buckets(live, index_entries(store, latest)).buckets.items())
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


def live_files(store: TableStore, latest: Snapshot, where: Expr | None) -> list[ManifestEntry]:
    """The data files of a version, of the partitions that ``where`` chooses.

    Raises InvalidExpression where it looks at other columns.
    """
    if where is not None and not referenced_columns(where) <= set(store.schema.partition_keys):
        raise InvalidExpression(
            "Compaction can be limited to partitions only.", "Use partition columns in the condition."
        )
    # Loaded here, for it brings Arrow's compute module, which plain reads do without.
    from workbench.table.pruning import FilePruner

    return FilePruner(store, store.schema, where).partitions_and_buckets(ManifestFiles(store).live_files(latest), [])


def _of_idle_partitions(
    store: TableStore, latest: Snapshot, live: list[ManifestEntry], idle_time: int
) -> list[ManifestEntry]:
    """The data files of partitions to which nothing was written for ``idle_time`` milliseconds. Old writers did not
    note when they wrote."""
    from workbench.table.system.totals import partition_totals

    limit = store.clock.local_wall_millis() - idle_time
    totals = partition_totals(store, latest, with_postponed=True)
    idle = {partition for partition, total in totals.items() if (total.last_creation or 0) <= limit}
    return [entry for entry in live if entry.partition in idle]
