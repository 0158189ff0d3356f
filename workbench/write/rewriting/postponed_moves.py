"""Moving postponed rows of one partition to its buckets (Java ``PostponeBucketCompactOperator``,
``PostponeBucketCommittableRewriter``).

The postponed files are replayed, oldest first, through the writer of real buckets, whose compaction follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from workbench.base.parallel import parallel_map, worker_count
from workbench.base.progress import Progress
from workbench.datafile.open import open_data_file
from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.format.spec.data_file_fields import VALUE_KIND
from workbench.format.spec.index_entry import IndexEntry
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.metadata.bucket_states import KnownBuckets
from workbench.metadata.store import TableStore
from workbench.write.compact_bucket import BucketCompaction
from workbench.write.input import Rows
from workbench.write.writer import TableWriter

_BATCH_ROWS = 1 << 17


@dataclass
class PostponedMove:
    """Moves the postponed rows of one partition, and compacts its buckets. ``known`` has the real buckets."""

    store: TableStore
    known: KnownBuckets
    full: bool = False
    progress: Progress = field(default_factory=Progress)
    workers: int = field(default_factory=worker_count)

    def messages(self, partition: bytes, files: Sequence[DataFileMeta]) -> list[CommitMessage]:
        """Return the messages of the partition. A failure leaves no files behind."""
        writer = TableWriter(self.store, self.known, compacts=False, workers=self.workers)
        written: list[CommitMessage] = []
        try:
            for file in files:
                for rows in _rows(self.store, partition, file):
                    self.progress.check()
                    writer.write_rows(rows)
                self.progress.advance()
            written = writer.prepare()
            messages = self._compacted(partition, written)
        except BaseException:
            writer.abort()
            for message in written:
                for new in (*message.new_files, *message.changelog_files):
                    self.store.discard_data_file(message.partition, message.bucket, new)
            raise
        if files:
            moved = CommitMessage(partition, POSTPONE_BUCKET, POSTPONE_BUCKET, compact_before=tuple(files))
            messages.append(moved)
        return messages

    def _compacted(self, partition: bytes, messages: Sequence[CommitMessage]) -> list[CommitMessage]:
        """Return the messages of the written rows, and of buckets with files on level 0, after the compactions that are
        due."""
        by_bucket = {message.bucket: message for message in messages}
        for bucket in self.known.buckets_of(partition):
            state = self.known.state((partition, bucket))
            if self.full or any(file.level == 0 for file in state.files):
                by_bucket.setdefault(bucket, CommitMessage(partition, bucket, state.total_buckets or 1))
        compactions: list[BucketCompaction] = []

        def compact(message: CommitMessage) -> CommitMessage:
            state = self.known.state((message.partition, message.bucket))
            compaction = BucketCompaction(
                self.store, message.partition, message.bucket, state.vectors, self.progress, self.full
            )
            compactions.append(compaction)
            return compaction.add_to(message, [*state.files, *message.new_files])

        try:
            compacted = parallel_map(compact, list(by_bucket.values()), self.workers)
        except BaseException:
            for compaction in compactions:
                compaction.abort()
            raise
        return [_as_compaction(self.store, message) for message in compacted if not message.is_empty]


def _rows(store: TableStore, partition: bytes, file: DataFileMeta) -> Iterator[Rows]:
    path = store.data_file_path(partition, POSTPONE_BUCKET, file)
    names = list(store.schema.field_names)
    kinds_from_column = store.schema.core.rowkind_field is not None
    for table in open_data_file(store, path, file, store.schema).batches([*names, VALUE_KIND], _BATCH_ROWS):
        kinds = table.column(VALUE_KIND).to_numpy().astype(np.int8)
        yield Rows(table.select(names), None if kinds_from_column else kinds)


def _as_compaction(store: TableStore, message: CommitMessage) -> CommitMessage:
    """Return the message as if it were of a single compaction: files that were written and then compacted away are
    deleted and omitted."""
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
