"""Changing rows of a table with data evolution: new values of some columns are written to separate files, which have
the ids of the rows, and deleted rows are marked (format §26, Java ``MergeIntoPaimonDataEvolutionTable``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from threading import Lock

import numpy as np
import pyarrow as pa

from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.datafile.data_file_writer import DataFileWriter, FileNames
from workbench.datafile.file_format import RowGroupFilter
from workbench.datafile.protocol import StoredFile
from workbench.format.index.deletion_vector import DeletionVector
from workbench.format.spec.data_file import BaseVersion, CommitMessage, DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.bucket_states import known_buckets
from workbench.metadata.ids import BucketId
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.scan.data_evolution import anchor, stored_row_range
from workbench.scan.scan import Scan
from workbench.scan.split import Section
from workbench.table.dml.candidates import Candidate
from workbench.table.dml.changes import RowChange
from workbench.write.changes.decision import KEEP, Decision
from workbench.write.deletion_vectors import BucketVectors
from workbench.write.input import Rows
from workbench.write.writer import TableWriter


@dataclass(frozen=True)
class RowRange(Candidate):
    """The files of a range of row ids, read as one; ``file`` is the newest of those that have all rows."""

    section: Section = ()

    def opened(self, schema: TableSchema, chosen: RowGroupFilter | None = None) -> StoredFile:  # noqa: ARG002
        """Open the range with all its rows."""
        return stored_row_range(self.store, self.section, self.split.path, schema)

    @property
    def anchor(self) -> DataFileMeta:
        """The file that the deletion vector of the range refers to."""
        return anchor(file for run in self.section for file in run)


@dataclass
class ColumnUpdates:
    """The execution of one statement."""

    store: TableStore
    snapshot: Snapshot | None
    change: RowChange
    progress: Progress
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lock = Lock()
        live = ManifestFiles(self.store).live_files(self.snapshot) if self.snapshot else ()
        buckets = known_buckets(live, index_entries(self.store, self.snapshot))
        self._added = TableWriter(self.store, buckets, Progress(), compacts=False)
        self._names = FileNames(self.store.ids.uuid(), self.store.schema.core.data_file_prefix)
        assigned = self.change.assigned_columns
        self._columns = tuple(name for name in self.store.schema.field_names if name in assigned)
        self._written: list[CommitMessage] = []
        self._marks: dict[BucketId, list[tuple[RowRange, DeletionVector]]] = {}

    def run(self) -> list[CommitMessage]:
        """Write all files, and delete them again on failure."""
        vectors: list[BucketVectors] = []
        try:
            ranges = list(self._ranges())
            with self.progress.step(f"Changing rows of {self.store.name}", len(ranges), "files"):
                parallel_map(self._work_on, ranges)
            for rows in self.change.inserted():
                self.progress.check()
                self._count(inserted=rows.num_rows)
                self._added.write_rows(Rows(rows))
            marked = [self._marked(bucket, marks, vectors) for bucket, marks in self._marks.items()]
            return [*self._written, *marked, *self._added.prepare()]
        except BaseException:
            self._added.abort()
            for each in vectors:
                each.abort()
            publish.remove_files(self.store, self._written)
            raise

    def _ranges(self) -> Iterator[RowRange]:
        for split in Scan(self.store, self.snapshot, None, self.change.where, None, self.progress).plan():
            for section in split.sections:
                marked = anchor(file for run in section for file in run)
                deletion = split.deletions.get(marked.file_name)
                vector = None if deletion is None else deletion.read(self.store, marked)
                yield RowRange(self.store, split, section[0][0], vector, self.progress, section)

    # --- one range, on any thread ---------------------------------------------------------------------------------

    def _work_on(self, rows: RowRange) -> None:
        decision = rows.decide(self.change)
        is_deleted = self.change.deleted(decision)
        deleted = int(np.count_nonzero(is_deleted))
        updated = int(np.count_nonzero(decision.action != KEEP)) - deleted
        if updated:
            self._write(rows, decision)
        if deleted:
            with self._lock:
                marks = DeletionVector.of(np.flatnonzero(is_deleted))
                self._marks.setdefault(rows.bucket, []).append((rows, marks))
        self._count(deleted=deleted, updated=updated, marked=int(deleted > 0))
        self.progress.advance()

    def _write(self, rows: RowRange, decision: Decision) -> None:
        """Write the assigned columns of all rows of a range."""
        writer = DataFileWriter(self.store, *rows.bucket, self._names, columns=self._columns)
        try:
            for table, part in rows.rows(decision):
                writer.write(self._new_values(table, part))
            (file,) = writer.close()
        except BaseException:
            writer.abort()
            raise
        split = rows.split
        message = CommitMessage(split.partition, split.bucket, split.total_buckets, base=self._base)
        with self._lock:
            self._written.append(replace(message, new_files=(replace(file, first_row_id=rows.file.first_row_id),)))

    def _new_values(self, rows: pa.Table, decision: Decision) -> pa.Table:
        positions, new = self.change.updated(rows, decision)
        old = rows.select(list(self._columns))
        if not len(positions):
            return old
        order = np.arange(rows.num_rows)
        order[positions] = rows.num_rows + np.arange(len(positions))
        return pa.concat_tables([old, new.select(list(self._columns))]).take(pa.array(order))

    @property
    def _base(self) -> BaseVersion | None:
        version = self.snapshot
        return None if version is None else BaseVersion(version.id, version.delta_manifest_list)

    def _marked(
        self, bucket: BucketId, marks: list[tuple[RowRange, DeletionVector]], written: list[BucketVectors]
    ) -> CommitMessage:
        vectors = BucketVectors.of(self.store, self.snapshot, *bucket)
        written.append(vectors)
        for rows, marked in marks:
            vectors.delete(rows.anchor, marked)
        change = vectors.persist()
        message = CommitMessage(*bucket, marks[0][0].split.total_buckets)
        return replace(message, new_index_files=change.new, deleted_index_files=change.deleted)

    def _count(self, **more: int) -> None:
        with self._lock:
            for name, count in more.items():
                self.counts[name] = self.counts.get(name, 0) + count
