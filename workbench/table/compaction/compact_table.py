"""Compaction of a whole table on demand: the buckets are compacted in parallel and committed together."""

from __future__ import annotations

from workbench.base.errors import CommitConflict, CorruptFile, InvalidExpression
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.commit.commit import Commit
from workbench.expr.expressions import Expr
from workbench.expr.tree import referenced_columns
from workbench.format.spec.data_file import ManifestEntry
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.bucket_states import known_buckets
from workbench.metadata.index_files import check_index_files, index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.measuring import measured
from workbench.metadata.schemas import check_key_types
from workbench.metadata.store import TableStore
from workbench.scan.pruning import FilePruner
from workbench.table.compaction.runner import CompactionRunner


@measured("compact")
def compact_table(
    store: TableStore,
    latest: Snapshot | None,
    where: Expr | None,
    full: bool,
    progress: Progress,
    idle_time: int | None = None,
    runner: CompactionRunner | None = None,
) -> Commit:
    """Select the compactions that are due, and let ``runner`` run them; with ``idle_time``, only in partitions without
    writes for that many milliseconds.

    Raises:
        InvalidExpression: ``where`` uses columns that are not partition columns.
        CommitConflict: Another writer compacted the same files first; nothing is changed.
    """
    if latest is None:
        return Commit(store.name, ())
    runner = runner or CompactionRunner()
    check_index_files(store, latest)
    live = live_files(store, latest, where)
    if idle_time is not None:
        live = _of_idle_partitions(store, latest, live, idle_time)
    if not store.schema.is_primary_key_table:
        from workbench.table.compaction.compact_append_table import compact_append_table

        return compact_append_table(store, latest, live, full, progress, runner)
    check_key_types(store, (entry.file.schema_id for entry in live))
    if store.schema.core.bucket == POSTPONE_BUCKET:
        from workbench.table.compaction.compact_postponed import compact_postponed

        return compact_postponed(store, latest, live, full, progress, runner)
    buckets = known_buckets(live, index_entries(store, latest)).buckets
    messages = runner.buckets(store, buckets, full, progress)
    try:
        return publish.compact(store, messages)
    except (CommitConflict, CorruptFile):
        publish.remove_files(store, messages)
        raise


def live_files(store: TableStore, latest: Snapshot, where: Expr | None) -> list[ManifestEntry]:
    """Return the data files of a version in the partitions that ``where`` selects.

    Raises:
        InvalidExpression: ``where`` uses other columns.
    """
    if where is not None and not referenced_columns(where) <= set(store.schema.partition_keys):
        raise InvalidExpression("Compaction can be limited to partitions only.", "Use only partition columns in where.")
    live = ManifestFiles(store).live_files(latest)
    return list(FilePruner(store, store.schema, where).partitions_and_buckets(live).items)


def _of_idle_partitions(
    store: TableStore, latest: Snapshot, live: list[ManifestEntry], idle_time: int
) -> list[ManifestEntry]:
    """Return the data files of partitions without writes for ``idle_time`` milliseconds.

    Old writers did not record the time of writing.
    """
    from workbench.scan.totals import partition_totals

    limit = store.clock.local_wall_millis() - idle_time
    totals = partition_totals(store, latest, with_postponed=True)
    idle = {partition for partition, total in totals.items() if (total.last_creation or 0) <= limit}
    return [entry for entry in live if entry.partition in idle]
