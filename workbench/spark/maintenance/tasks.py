"""The code of compactions that runs on executors; imports only the standard library, numpy, pyarrow and the core."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.format.spec.index_entry import IndexEntry
from workbench.metadata.store import TableStore
from workbench.write.compact_append import AppendCompaction
from workbench.write.compact_bucket import BucketCompaction


@dataclass(frozen=True)
class BucketToCompact:
    """A bucket: its message before the compaction, all of its files, and the index files with deletion vectors."""

    message: CommitMessage
    files: Sequence[DataFileMeta]
    index_files: Sequence[IndexEntry] = ()


@dataclass(frozen=True)
class CompactTask:
    """Compacts the buckets of one task. Its files are named by unique identifiers, and nothing refers to them before
    the commit."""

    store: TableStore
    full: bool = False
    keeps_changelog: bool = True

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the messages of the pickled buckets in column 0, for `DataFrame.mapInArrow`."""
        for batch in batches:
            for item in batch.column(0):
                messages = self.compact(pickle.loads(item.as_py()))
                yield pa.record_batch([pa.array([each.to_bytes() for each in messages], pa.binary())], ["result"])

    def compact(self, bucket: BucketToCompact) -> list[CommitMessage]:
        """Return the messages of one bucket; a failing task removes its files where possible."""
        message = bucket.message
        where = (self.store, message.partition, message.bucket, bucket.index_files)
        if not self.store.schema.is_primary_key_table:
            append = AppendCompaction(*where)
            try:
                # Spark assigns one core to a task.
                return append.messages(message.total_buckets, bucket.files, full=self.full, workers=1)
            except BaseException:
                append.abort()
                raise
        compaction = BucketCompaction(*where, full=self.full, keeps_changelog=self.keeps_changelog)
        try:
            return [compaction.add_to(message, bucket.files)]
        except BaseException:
            compaction.abort()
            raise
