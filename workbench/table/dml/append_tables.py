"""Changing rows of an append table file by file: files are rewritten, or kept with a deletion vector (Java
``DeleteFromPaimonTableCommand``, ``UpdatePaimonTableCommand``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.base.errors import CommitConflict, CorruptFile, SchemaMismatch, Unsupported
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.datafile.data_file_writer import DataFileWriter, FileNames
from workbench.format.index.deletion_vector import DeletionVector
from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER
from workbench.format.spec.row_tracking import ROW_ID
from workbench.format.spec.snapshot import BATCH_COMMIT_IDENTIFIER, Operation, Snapshot
from workbench.metadata.bucket_states import known_buckets
from workbench.metadata.ids import BucketId
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.measuring import measured
from workbench.metadata.store import TableStore
from workbench.table.dml.candidates import Candidate, candidates
from workbench.table.dml.changes import KEEP, Decision, RowChange
from workbench.table.dml.result import RowChanges, row_changes
from workbench.write.deletion_vectors import BucketVectors
from workbench.write.input import Rows
from workbench.write.writer import TableWriter


@measured("change rows")
def change_rows(
    store: TableStore,
    snapshot: Snapshot | None,
    change: RowChange,
    progress: Progress,
    properties: Mapping[str, str],
    operation: Operation,
) -> RowChanges:
    """Find the files with rows that change, and replace or mark them, all in one commit.

    Memory is bounded by a few bytes for each row of the files that are processed at the same time.

    Raises:
        CommitConflict: Another writer removed or marked one of these files first; nothing is visible.
    """
    started = store.clock.monotonic()
    _check_row_ids(store, change)
    rewrite = _Rewrite(store, snapshot, change, progress)
    messages = rewrite.run()
    try:
        commit = publish.commit(store, messages, BATCH_COMMIT_IDENTIFIER, None, properties, operation)
    except (SchemaMismatch, CommitConflict, CorruptFile):
        publish.remove_files(store, messages)
        raise
    return row_changes(commit, store.clock.monotonic() - started, **rewrite.counts)


def _check_row_ids(store: TableStore, change: RowChange) -> None:
    """Raise Unsupported if rows would move to another partition and so lose their ids."""
    moved = sorted(change.assigned_columns.intersection(store.schema.partition_keys))
    if store.schema.core.row_tracking_enabled and moved:
        raise Unsupported(
            f"With option 'row-tracking.enabled' = 'true' partition column '{moved[0]}' of {store.name} cannot be "
            "updated: the row ids would change.",
            f"Omit '{moved[0]}', or delete the rows and write new ones.",
        )


@dataclass(frozen=True)
class _Outcome:
    """The result for a file: it is removed, or ``marks`` hide more of its rows. ``new`` files hold its remaining or its
    changed rows."""

    candidate: Candidate
    new: tuple[DataFileMeta, ...] = ()
    marks: DeletionVector | None = None


@dataclass
class _Rewrite:
    """The execution of one statement."""

    store: TableStore
    snapshot: Snapshot | None
    change: RowChange
    progress: Progress
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        schema = self.store.schema
        self._lock = Lock()
        self._names = FileNames(self.store.ids.uuid(), schema.core.data_file_prefix)
        self._outcomes: list[_Outcome] = []
        live = ManifestFiles(self.store).live_files(self.snapshot) if self.snapshot else ()
        buckets = known_buckets(live, index_entries(self.store, self.snapshot))
        # Nothing is compacted, because a compaction could include a file that is replaced here. Progress counts files,
        # not the rows of this writer.
        self._added = TableWriter(self.store, buckets, Progress(), compacts=False)
        positions = {*schema.partition_keys, *(schema.bucket_keys if schema.core.bucket > 0 else ())}
        self._keeps_ids = schema.core.row_tracking_enabled
        self._rows_move = not positions.isdisjoint(self.change.assigned_columns)

    def run(self) -> list[CommitMessage]:
        """Write all files, and delete them again on failure."""
        vectors: list[BucketVectors] = []
        try:
            candidate_files = candidates(self.store, self.snapshot, self.change, self.progress)
            whole = self.change.takes_whole_files(self.store, [each.file for each in candidate_files])
            with self.progress.step(f"Changing rows of {self.store.name}", len(candidate_files), "files"):
                parallel_map(self._work_on, list(zip(candidate_files, whole, strict=True)))
            for rows in self.change.inserted():
                self.progress.check()
                self._count(inserted=rows.num_rows)
                self._added.write_rows(Rows(rows))
            self.progress.check()
            return [*self._messages(vectors), *self._added.prepare()]
        except BaseException:
            self._added.abort()
            for each in vectors:
                each.abort()
            publish.remove_files(self.store, [_message(each) for each in self._outcomes])
            raise

    # --- one file, on any thread ----------------------------------------------------------------------------------

    def _work_on(self, item: tuple[Candidate, bool]) -> None:
        candidate, whole = item
        if whole and candidate.row_count:
            self._remove(candidate)
        elif candidate.row_count:
            self._look_through(candidate)
        self.progress.advance()

    def _look_through(self, candidate: Candidate) -> None:
        decision = candidate.decide(self.change)
        changed = int(np.count_nonzero(decision.action != KEEP))
        deleted = int(np.count_nonzero(self.change.deleted(decision)))
        if not changed:
            return
        if deleted == candidate.row_count:
            self._remove(candidate)
            return
        if not self.store.schema.core.deletion_vectors_enabled:
            left = (self._left_in_place(rows, part) for rows, part in candidate.rows(decision))
            outcome = _Outcome(candidate, self._written(candidate, left))
        else:
            marks = DeletionVector.of(np.flatnonzero(decision.action != KEEP))
            new = self._added_beside(candidate, decision) if changed > deleted else ()
            outcome = _Outcome(candidate, new, marks if changed < candidate.row_count else None)
        self._note(outcome)
        marked = int(outcome.marks is not None)
        self._count(deleted=deleted, updated=changed - deleted, marked=marked, rewritten=1 - marked)

    def _remove(self, candidate: Candidate) -> None:
        self._note(_Outcome(candidate))
        self._count(deleted=candidate.row_count, rewritten=1)

    def _added_beside(self, candidate: Candidate, decision: Decision) -> tuple[DataFileMeta, ...]:
        """Write the new versions of rows whose old versions are hidden; rows with ids need separate files."""
        updated = (self._updated(rows, part)[1] for rows, part in candidate.rows(decision))
        if self._keeps_ids:
            return self._written(candidate, updated)
        for rows in updated:
            self._add(rows)
        return ()

    def _written(self, candidate: Candidate, tables: Iterable[pa.Table]) -> tuple[DataFileMeta, ...]:
        """Write files that replace a file in its bucket."""
        writer = DataFileWriter(self.store, *candidate.bucket, self._names, keeps_row_ids=self._keeps_ids)
        try:
            # A bucket is read in the order of these numbers, so the remaining rows keep their position.
            first = candidate.file.min_sequence_number
            for rows in tables:
                writer.write(rows, first)
                first += rows.num_rows
            return tuple(writer.close())
        except BaseException:
            writer.abort()
            raise

    def _left_in_place(self, rows: pa.Table, decision: Decision) -> pa.Table:
        """Return the remaining rows in their order, with changed rows replaced in place."""
        kept = decision.action == KEEP
        if kept.all():
            return rows
        left = rows.filter(pa.array(kept))
        positions, new = self._updated(rows, decision)
        if self._rows_move:
            self._add(new)
        elif len(positions):
            order = np.argsort(np.concatenate([np.flatnonzero(kept), positions]))
            left = pa.concat_tables([left, new]).take(pa.array(order))
        return left

    def _updated(self, rows: pa.Table, decision: Decision) -> tuple[Int64Array, pa.Table]:
        positions, new = self.change.updated(rows, decision)
        if not self._keeps_ids or not len(positions):
            return positions, new
        # The sequence number of a changed row is assigned by the commit.
        changed = {
            ROW_ID: rows.column(ROW_ID).take(pa.array(positions)),
            SEQUENCE_NUMBER: pa.nulls(len(positions), pa.int64()),
        }
        arrays = [
            changed.get(name, new.column(name) if name in new.column_names else None) for name in rows.column_names
        ]
        return positions, pa.Table.from_arrays(arrays, schema=rows.schema)

    def _add(self, rows: pa.Table) -> None:
        with self._lock:
            self._added.write_rows(Rows(rows))

    def _note(self, outcome: _Outcome) -> None:
        with self._lock:
            self._outcomes.append(outcome)

    def _count(self, **more: int) -> None:
        with self._lock:
            for name, count in more.items():
                self.counts[name] = self.counts.get(name, 0) + count

    # --- all files together ---------------------------------------------------------------------------------------

    def _messages(self, written: list[BucketVectors]) -> list[CommitMessage]:
        """Return the changes of the files, and of the deletion vectors of their buckets.

        ``written`` receives the vectors whose new index files must be deleted on failure.
        """
        buckets: dict[BucketId, list[_Outcome]] = {}
        for outcome in self._outcomes:
            buckets.setdefault(outcome.candidate.bucket, []).append(outcome)
        messages = []
        for bucket, outcomes in buckets.items():
            messages += [_message(each) for each in outcomes]
            vectors = BucketVectors.of(self.store, self.snapshot, *bucket)
            written.append(vectors)
            messages += self._vector_message(vectors, outcomes)
        return messages

    def _vector_message(self, vectors: BucketVectors, outcomes: Sequence[_Outcome]) -> list[CommitMessage]:
        for outcome in outcomes:
            if outcome.marks is None:
                vectors.remove(outcome.candidate.file.file_name)
            else:
                vectors.delete(outcome.candidate.file, outcome.marks)
        change = vectors.persist()
        if not change.new and not change.deleted:
            return []
        split = outcomes[0].candidate.split
        message = CommitMessage(split.partition, split.bucket, split.total_buckets)
        return [replace(message, new_index_files=change.new, deleted_index_files=change.deleted)]


def _message(outcome: _Outcome) -> CommitMessage:
    split, file = outcome.candidate.split, outcome.candidate.file
    message = CommitMessage(split.partition, split.bucket, split.total_buckets)
    return replace(message, new_files=outcome.new, deleted_files=() if outcome.marks else (file,))
