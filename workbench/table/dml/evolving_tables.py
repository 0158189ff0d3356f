"""Changing rows of a table with data evolution: new values of some columns are written to separate files, which have
the ids of the rows, and deleted rows are marked (format §26, Java ``MergeIntoPaimonDataEvolutionTable``)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from workbench.datafile.data_file_writer import DataFileWriter, FileNames
from workbench.datafile.file_format import RowGroupFilter
from workbench.datafile.protocol import StoredFile
from workbench.format.index.deletion_vector import DeletionVector
from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.metadata.bucket_states import base_version
from workbench.metadata.ids import BucketId
from workbench.scan.data_evolution import anchor, stored_row_range
from workbench.scan.scan import Scan
from workbench.scan.split import Section, Split
from workbench.table.dml.candidates import Candidate
from workbench.table.dml.execution import Execution
from workbench.write.changes.decision import KEEP, Decision
from workbench.write.deletion_vectors import BucketVectors


@dataclass(frozen=True)
class RowRange(Candidate):
    """The files of a range of row ids, read as one; ``file`` is the newest file that contains all rows of the range."""

    section: Section = ()

    def opened(self, schema: TableSchema, chosen: RowGroupFilter | None = None) -> StoredFile:  # noqa: ARG002
        """Open the range with all its rows."""
        return stored_row_range(self.store, self.section, self.split.path, schema)

    @property
    def anchor(self) -> DataFileMeta:
        """The file that the deletion vector of the range refers to."""
        return anchor(file for run in self.section for file in run)


class ColumnUpdates(Execution[RowRange]):
    """An execution that writes new column values for all rows of a range, and marks deleted rows."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._names = FileNames(self.store.ids.uuid(), self.store.schema.core.data_file_prefix)
        assigned = self.change.assigned_columns
        self._columns = tuple(name for name in self.store.schema.field_names if name in assigned)
        self._updates: list[CommitMessage] = []
        self._marks: dict[BucketId, list[tuple[RowRange, DeletionVector]]] = {}

    def _parts(self) -> list[RowRange]:
        plan = Scan(self.store, self.snapshot, None, self.change.where, None, self.progress).plan()
        return [self._range(split, section) for split in plan for section in split.sections]

    def _range(self, split: Split, section: Section) -> RowRange:
        marked = anchor(file for run in section for file in run)
        deletion = split.deletions.get(marked.file_name)
        vector = None if deletion is None else deletion.read(self.store, marked)
        return RowRange(self.store, split, section[0][0], vector, self.progress, section)

    def _work_on(self, part: RowRange) -> None:
        decision = part.decide(self.change)
        is_deleted = self.change.deleted(decision)
        deleted = int(np.count_nonzero(is_deleted))
        updated = int(np.count_nonzero(decision.action != KEEP)) - deleted
        if updated:
            self._write(part, decision)
        if deleted:
            with self._lock:
                marks = DeletionVector.of(np.flatnonzero(is_deleted))
                self._marks.setdefault(part.bucket, []).append((part, marks))
        self._count(deleted=deleted, updated=updated, marked=int(deleted > 0))
        self.progress.advance()

    def _messages(self) -> list[CommitMessage]:
        return [*self._updates, *(self._marked(bucket, marks) for bucket, marks in self._marks.items())]

    def _written(self) -> list[CommitMessage]:
        return self._updates

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
        message = CommitMessage(split.partition, split.bucket, split.total_buckets, base=base_version(self.snapshot))
        with self._lock:
            self._updates.append(replace(message, new_files=(replace(file, first_row_id=rows.file.first_row_id),)))

    def _new_values(self, rows: pa.Table, decision: Decision) -> pa.Table:
        positions, new = self.change.updated(rows, decision)
        old = rows.select(list(self._columns))
        if not len(positions):
            return old
        order = np.arange(rows.num_rows)
        order[positions] = rows.num_rows + np.arange(len(positions))
        return pa.concat_tables([old, new.select(list(self._columns))]).take(pa.array(order))

    def _marked(self, bucket: BucketId, marks: list[tuple[RowRange, DeletionVector]]) -> CommitMessage:
        vectors = BucketVectors.of(self.store, self.snapshot, *bucket)
        self._vectors.append(vectors)
        for rows, marked in marks:
            vectors.delete(rows.anchor, marked)
        change = vectors.persist()
        message = CommitMessage(*bucket, marks[0][0].split.total_buckets)
        return replace(message, new_index_files=change.new, deleted_index_files=change.deleted)
