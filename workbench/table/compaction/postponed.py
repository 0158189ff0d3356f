"""Assigning buckets to postponed rows, in one snapshot of kind COMPACT that removes the postponed files and adds files
in buckets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.base.progress import Progress
from workbench.format.spec.data_file import CommitMessage, DataFileMeta, ManifestEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.bucket_states import KnownBuckets, known_buckets
from workbench.metadata.index_files import index_entries
from workbench.metadata.store import TableStore
from workbench.scan.waiting_rows import waiting_files
from workbench.table.compaction.runner import CompactionRunner
from workbench.write.postponed import number_of_buckets


def postponed_messages(
    store: TableStore,
    latest: Snapshot,
    live: Sequence[ManifestEntry],
    full: bool,
    progress: Progress,
    runner: CompactionRunner,
) -> list[CommitMessage]:
    """Move postponed rows into their buckets, then run the compactions that are due there."""
    waiting = waiting_files(live)
    return runner.postponed(store, _buckets(store, latest, live, waiting), waiting, full, progress)


def _buckets(
    store: TableStore,
    latest: Snapshot,
    live: Iterable[ManifestEntry],
    waiting: Mapping[bytes, Sequence[DataFileMeta]],
) -> KnownBuckets:
    """Return the real buckets; for a partition without any, the number of buckets is derived from its postponed
    rows."""
    known = known_buckets((entry for entry in live if entry.bucket >= 0), index_entries(store, latest), latest)
    numbers = {
        partition: number_of_buckets(
            store.schema.core, sum(file.row_count for file in files), sum(file.file_size for file in files)
        )
        for partition, files in waiting.items()
    }
    return replace(known, numbers=numbers)
