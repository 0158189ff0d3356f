"""Compaction of a whole table on demand: the buckets are compacted in parallel and committed together."""

from __future__ import annotations

from dataclasses import replace

from workbench.base.errors import InvalidExpression, Unsupported
from workbench.base.progress import Progress
from workbench.base.texts import duration_text
from workbench.commit import publish
from workbench.commit.publication import Publication
from workbench.expr.expressions import Expr
from workbench.expr.tree import referenced_columns
from workbench.format.spec.data_file import CommitMessage, ManifestEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.table_kind import BucketMode
from workbench.metadata.bucket_states import known_buckets
from workbench.metadata.index_files import check_index_files, index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.measuring import measured
from workbench.metadata.schemas import check_key_types
from workbench.metadata.store import TableStore
from workbench.scan.pruning import FilePruner
from workbench.table.commits.commit import Commit
from workbench.table.commits.commit_messages import commit_messages
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
    """Use ``runner`` to run the compactions that are due, and commit them. With ``idle_time``, only partitions without
    writes for that many milliseconds are compacted.

    Raises:
        InvalidExpression: ``where`` uses columns that are not partition columns.
        Unsupported: The table stores the columns of a row in several files.
        CommitConflict: Another writer compacted the same files first; nothing is changed.
    """
    if latest is None:
        return Commit(store.name, ())
    check_index_files(store, latest)
    live = live_files(store, latest, where)
    if idle_time is not None:
        live = _of_idle_partitions(store, latest, live, idle_time)
    messages = _messages(store, latest, live, full, progress, runner or CompactionRunner())
    if idle_time is not None:
        messages = [_of_idle_partition(message, idle_time) for message in messages]
    return commit_messages(Publication.by_new_user(store), messages, publish.compact, name="commit compaction")


def _messages(
    store: TableStore,
    latest: Snapshot,
    live: list[ManifestEntry],
    full: bool,
    progress: Progress,
    runner: CompactionRunner,
) -> list[CommitMessage]:
    """Run the compactions that are due among the ``live`` data files of a version."""
    if store.schema.core.data_evolution_enabled:
        raise Unsupported(f"Compacting {store.name} is not supported: it has option 'data-evolution.enabled' = 'true'.")
    if store.schema.key_fields:
        check_key_types(store, (entry.file.schema_id for entry in live))
    if store.schema.kind.bucket_mode is BucketMode.POSTPONE_MODE:
        from workbench.table.compaction.postponed import postponed_messages

        return postponed_messages(store, latest, live, full, progress, runner)
    return runner.buckets(store, known_buckets(live, index_entries(store, latest)).buckets, full, progress)


def _of_idle_partition(message: CommitMessage, idle_time: int) -> CommitMessage:
    """Record in the message, next to the rule that selected its files, that the partition was compacted because it was
    idle."""
    if message.compaction is None:
        return message
    why = f"{message.compaction['why']} The partition had no writes for {duration_text(idle_time)} or longer."
    return replace(message, compaction={**message.compaction, "idle_millis": idle_time, "why": why})


def live_files(store: TableStore, latest: Snapshot, where: Expr | None) -> list[ManifestEntry]:
    """Return the data files of a version in the partitions that ``where`` selects.

    Raises:
        InvalidExpression: ``where`` uses columns that are not partition columns.
    """
    if where is not None and not referenced_columns(where) <= set(store.schema.partition_keys):
        raise InvalidExpression("Compaction can be limited to partitions only.", "Use only partition columns in where.")
    live = ManifestFiles(store).live_files(latest)
    return list(FilePruner(store, store.schema, where).partitions_and_buckets(live).items)


def _of_idle_partitions(
    store: TableStore, latest: Snapshot, live: list[ManifestEntry], idle_time: int
) -> list[ManifestEntry]:
    """Return the data files of partitions without writes for ``idle_time`` milliseconds.

    Files of old writers, which did not record the time of writing, do not make a partition active.
    """
    from workbench.scan.totals import partition_totals

    limit = store.clock.local_wall_millis() - idle_time
    totals = partition_totals(store, latest, with_postponed=True)
    idle = {partition for partition, total in totals.items() if (total.last_creation or 0) <= limit}
    return [entry for entry in live if entry.partition in idle]
