"""Compaction of an append table on demand: partitions and buckets in parallel, committed together."""

from __future__ import annotations

from workbench.base.errors import CommitConflict, CorruptFile, Unsupported
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.commit.commit import Commit
from workbench.format.spec.data_file import ManifestEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.bucket_states import known_buckets
from workbench.metadata.index_files import index_entries
from workbench.metadata.store import TableStore
from workbench.table.compaction.runner import CompactionRunner


def compact_append_table(
    store: TableStore,
    latest: Snapshot,
    live: list[ManifestEntry],
    full: bool,
    progress: Progress,
    runner: CompactionRunner,
) -> Commit:
    """Select and run the compactions that are due among the ``live`` data files of a version.

    Raises:
        Unsupported: The table stores the columns of a row in several files.
        CommitConflict: Another writer changed the same files first; nothing is changed.
    """
    if store.schema.core.data_evolution_enabled:
        raise Unsupported(f"Compacting {store.name} is not supported: it has option 'data-evolution.enabled' = 'true'.")
    buckets = known_buckets(live, index_entries(store, latest)).buckets
    messages = runner.buckets(store, buckets, full, progress)
    try:
        return publish.compact(store, messages)
    except (CommitConflict, CorruptFile):
        publish.remove_files(store, messages)
        raise
