"""Assigning buckets to postponed rows (Java ``PostponeBucketCompactOperator``, ``PostponeBucketCommittableRewriter``).

The postponed files of a partition are replayed, oldest first, through the writer of real buckets, whose compaction
follows. All of it is one snapshot of kind COMPACT that removes postponed files and adds files of buckets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from workbench.base.errors import CommitConflict, CorruptFile
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.commit.commit import Commit
from workbench.datafile.open import open_data_file
from workbench.format.spec.data_file import CommitMessage, DataFileMeta, ManifestEntry
from workbench.format.spec.data_file_fields import VALUE_KIND
from workbench.format.spec.index_entry import IndexEntry
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.bucket_states import KnownBuckets, known_buckets
from workbench.metadata.index_files import index_entries
from workbench.metadata.store import TableStore
from workbench.write.compact_bucket import BucketCompaction
from workbench.write.input import Rows
from workbench.write.postponed import bucket_number
from workbench.write.writer import TableWriter

_BATCH_ROWS = 1 << 17


def compact_postponed(
    store: TableStore, latest: Snapshot, live: Sequence[ManifestEntry], full: bool, progress: Progress
) -> Commit:
    """Move postponed rows into their buckets, then run the compactions that are due there.

    Raises:
        CommitConflict: Another compaction moved the same files first; nothing is changed.
    """
    waiting = _waiting_files(live)
    known = _buckets(store, latest, live, waiting)
    writer = TableWriter(store, known, compacts=False)
    written: list[CommitMessage] = []
    try:
        with progress.step(f"Compacting {store.name}", sum(map(len, waiting.values())), "files"):
            for partition, files in waiting.items():
                for file in files:
                    for rows in _rows(store, partition, file):
                        progress.check()
                        writer.write_rows(rows)
                    progress.advance()
            written = writer.prepare()
            messages = _compacted(store, known, written, full, progress)
    except BaseException:
        writer.abort()
        publish.remove_files(store, written)
        raise
    messages += [
        CommitMessage(partition, POSTPONE_BUCKET, POSTPONE_BUCKET, compact_before=tuple(files))
        for partition, files in waiting.items()
    ]
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


def _rows(store: TableStore, partition: bytes, file: DataFileMeta) -> Iterator[Rows]:
    path = store.data_file_path(partition, POSTPONE_BUCKET, file)
    names = list(store.schema.field_names)
    told_by_a_column = store.schema.core.rowkind_field is not None
    for table in open_data_file(store, path, file, store.schema).batches([*names, VALUE_KIND], _BATCH_ROWS):
        kinds = table.column(VALUE_KIND).to_numpy().astype(np.int8)
        yield Rows(table.select(names), None if told_by_a_column else kinds)


def _compacted(
    store: TableStore, known: KnownBuckets, messages: Sequence[CommitMessage], full: bool, progress: Progress
) -> list[CommitMessage]:
    """Return the messages of the written rows, and of buckets with files on level 0, after the compactions that are
    due."""
    by_bucket = {(message.partition, message.bucket): message for message in messages}
    for (partition, bucket), state in known.buckets.items():
        if full or any(file.level == 0 for file in state.files):
            empty = CommitMessage(partition, bucket, state.total_buckets or 1)
            by_bucket.setdefault((partition, bucket), empty)
    compactions: list[BucketCompaction] = []

    def compact(message: CommitMessage) -> CommitMessage:
        state = known.state((message.partition, message.bucket))
        compaction = BucketCompaction(store, message.partition, message.bucket, state.vectors, progress, full)
        compactions.append(compaction)
        return compaction.add_to(message, [*state.files, *message.new_files])

    try:
        compacted = parallel_map(compact, list(by_bucket.values()))
    except BaseException:
        for compaction in compactions:
            compaction.abort()
        raise
    return [_as_compaction(store, message) for message in compacted if not message.is_empty]


def _as_compaction(store: TableStore, message: CommitMessage) -> CommitMessage:
    """Return the message as that of one compaction: files that were written and compacted away again are omitted."""
    written = {file.file_name: file for file in message.new_files}
    before = [file for file in message.compact_before if file.file_name not in written]
    replaced = {file.file_name for file in message.compact_before} & written.keys()
    for name in replaced - {file.file_name for file in message.compact_after}:
        store.delete_data_file(message.partition, message.bucket, written[name])
    kept = [file for name, file in written.items() if name not in replaced]
    index: tuple[IndexEntry, ...] = (*message.new_index_files, *message.compact_new_index_files)
    return replace(
        message,
        new_files=(),
        changelog_files=(),
        new_index_files=(),
        compact_before=tuple(before),
        compact_after=(*kept, *message.compact_after),
        compact_changelog=(*message.changelog_files, *message.compact_changelog),
        compact_new_index_files=index,
    )
