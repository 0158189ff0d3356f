"""Assigning buckets to postponed rows: all of it is one snapshot of kind COMPACT that removes postponed files and adds
files of buckets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.base.errors import CommitConflict, CorruptFile
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.commit.commit import Commit
from workbench.format.spec.data_file import DataFileMeta, ManifestEntry
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.bucket_states import KnownBuckets, known_buckets
from workbench.metadata.index_files import index_entries
from workbench.metadata.store import TableStore
from workbench.table.compaction.runner import CompactionRunner
from workbench.write.postponed import bucket_number


def compact_postponed(
    store: TableStore,
    latest: Snapshot,
    live: Sequence[ManifestEntry],
    full: bool,
    progress: Progress,
    runner: CompactionRunner,
) -> Commit:
    """Move postponed rows into their buckets, then run the compactions that are due there.

    Raises:
        CommitConflict: Another compaction moved the same files first; nothing is changed.
    """
    waiting = _waiting_files(live)
    known = _buckets(store, latest, live, waiting)
    messages = runner.postponed(store, known, waiting, full, progress)
    try:
        return publish.compact(store, messages)
    except (CommitConflict, CorruptFile):
        publish.remove_files(store, messages)
        raise


def _waiting_files(live: Iterable[ManifestEntry]) -> dict[bytes, list[DataFileMeta]]:
    """Return the postponed files by partition, in the order of writing as far as the writers' clocks show it."""
    waiting: dict[bytes, list[DataFileMeta]] = {}
    for entry in live:
        if entry.bucket == POSTPONE_BUCKET:
            waiting.setdefault(entry.partition, []).append(entry.file)
    return {partition: sorted(files, key=lambda file: file.creation_time or 0) for partition, files in waiting.items()}


def _buckets(
    store: TableStore,
    latest: Snapshot,
    live: Iterable[ManifestEntry],
    waiting: Mapping[bytes, Sequence[DataFileMeta]],
) -> KnownBuckets:
    """Return the real buckets; a partition without any gets a number of buckets by its postponed rows."""
    known = known_buckets((entry for entry in live if entry.bucket >= 0), index_entries(store, latest), latest)
    rows = {partition: sum(file.row_count for file in files) for partition, files in waiting.items()}
    return replace(known, numbers={each: bucket_number(store.schema.core, count) for each, count in rows.items()})
