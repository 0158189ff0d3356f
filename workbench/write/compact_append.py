"""Compaction of one bucket of an append table: small files are combined into large ones in row order, and rows that
deletion vectors mark are dropped (Java ``AppendCompactTask``, ``BucketedAppendCompactManager``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from workbench.base.clock import millis_since
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.datafile.ahead import reading_ahead
from workbench.datafile.data_file_writer import DataFileWriter, FileNames
from workbench.datafile.open import open_data_file
from workbench.format.spec.data_file import CommitMessage, DataFileMeta, FileSource
from workbench.format.spec.index_entry import IndexEntry
from workbench.format.spec.row_tracking import readable_schema
from workbench.format.spec.table_kind import BucketMode
from workbench.lsm.append_compaction import (
    AppendCompactionChoice,
    AppendCompactionOptions,
    AppendCompactionUnit,
    FileVector,
    pick_bucketed,
    pick_unaware,
)
from workbench.metadata.store import TableStore
from workbench.write.deletion_vectors import BucketVectors, VectorChange

BATCH_ROWS = 1 << 17
_BATCH_BYTES = 64 << 20


@dataclass
class AppendCompaction:
    """Compaction of one bucket, or of one partition without buckets.

    ``index_files``: the index files of the snapshot, whose deletion vectors are applied and cleared.
    """

    store: TableStore
    partition: bytes
    bucket: int
    index_files: Sequence[IndexEntry] = ()
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        self._names = FileNames(self.store.ids.uuid(), self.store.schema.core.data_file_prefix)
        self._vectors = BucketVectors(self.store, self.partition, self.bucket, self.index_files)
        self._written: list[DataFileMeta] = []

    def choose(self, files: Sequence[DataFileMeta], *, full: bool) -> AppendCompactionChoice:
        """Return which files to compact and why."""
        options = AppendCompactionOptions.of(self.store.schema.kind)
        if self.store.schema.kind.bucket_mode is BucketMode.HASH_FIXED:
            return pick_bucketed(files, self._vectors.data_files, options, full=full)
        vectors = {
            each.data_file: FileVector(entry.file_name, each.cardinality)
            for entry in self._vectors.entries
            for each in entry.vectors
        }
        return pick_unaware(files, vectors, options, full=full)

    def messages(
        self, total_buckets: int, files: Sequence[DataFileMeta], *, full: bool, workers: int | None = None
    ) -> list[CommitMessage]:
        """Compact, and return a message for each unit; the first message also contains the changes of deletion
        vectors."""
        units = self.choose(files, full=full).units
        messages = parallel_map(lambda unit: self.message(total_buckets, unit), units, workers)
        change = self._without_vectors(file for unit in units for file in unit.files)
        if change.deleted:
            messages[0] = replace(
                messages[0], compact_new_index_files=change.new, compact_deleted_index_files=change.deleted
            )
        return messages

    def message(self, total_buckets: int, unit: AppendCompactionUnit) -> CommitMessage:
        """Combine the files of one unit, and return its message without changes of deletion vectors."""
        started = self.store.clock.monotonic()
        written = self._rewrite(unit)
        return CommitMessage(
            self.partition,
            self.bucket,
            total_buckets,
            compact_before=unit.files,
            compact_after=tuple(written),
            compaction={**unit.to_properties(), "millis": millis_since(self.store.clock, started)},
        )

    def add_to(self, message: CommitMessage, files: Sequence[DataFileMeta]) -> CommitMessage:
        """Return the message extended by the bucket's compaction, or unchanged if none is due."""
        for compacted in self.messages(message.total_buckets, files, full=False):
            message = replace(
                message,
                compact_before=compacted.compact_before,
                compact_after=compacted.compact_after,
                compaction=compacted.compaction,
                compact_new_index_files=compacted.compact_new_index_files,
                compact_deleted_index_files=compacted.compact_deleted_index_files,
            )
        return message

    def abort(self) -> None:
        """Remove all files that were written."""
        for file in self._written:
            self.store.discard_data_file(self.partition, self.bucket, file)
        self._written.clear()
        self._vectors.abort()

    def _without_vectors(self, files: Iterable[DataFileMeta]) -> VectorChange:
        for file in files:
            self._vectors.remove(file.file_name)
        return self._vectors.persist()

    def _rewrite(self, unit: AppendCompactionUnit) -> list[DataFileMeta]:
        writer = DataFileWriter(
            self.store,
            self.partition,
            self.bucket,
            self._names,
            source=FileSource.COMPACT,
            keeps_row_ids=self.store.schema.core.row_tracking_enabled,
        )
        sequence = unit.files[0].min_sequence_number
        try:
            for rows in coalesced(self._rows(unit.files)):
                self.progress.check()
                writer.write(rows, sequence)
                sequence += rows.num_rows
            written = writer.close()
        except BaseException:
            writer.abort()
            raise
        self._written.extend(written)
        return written

    def _rows(self, files: Sequence[DataFileMeta]) -> Iterator[pa.Table]:
        paths = [self.store.data_file_path(self.partition, self.bucket, file) for file in files]
        store = reading_ahead(self.store, zip(paths, files, strict=True))
        for file in files:
            yield from file_rows(store, self.partition, self.bucket, file, self._vectors)


def file_rows(
    store: TableStore, partition: bytes, bucket: int, file: DataFileMeta, vectors: BucketVectors
) -> Iterator[pa.Table]:
    """Yield the rows of one data file that are not deleted, piece by piece."""
    path = store.data_file_path(partition, bucket, file)
    schema = readable_schema(store.schema)
    opened = open_data_file(store, path, file, schema, deletion=vectors.stored(file.file_name))
    yield from opened.batches(schema.field_names, BATCH_ROWS)


def coalesced(pieces: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield the same rows in pieces of the size of row groups: many small files must not become many small groups."""
    waiting: list[pa.Table] = []
    for piece in pieces:
        if not piece.num_rows:
            continue
        waiting.append(piece)
        if sum(each.num_rows for each in waiting) >= BATCH_ROWS or sum(each.nbytes for each in waiting) >= _BATCH_BYTES:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)
