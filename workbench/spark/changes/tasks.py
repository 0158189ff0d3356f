"""The code of row changes that runs on executors; imports only the standard library, numpy, pyarrow and the core."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.base.modules import pc
from workbench.base.progress import Progress
from workbench.format.index.deletion_vector import DeletionVector
from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.lsm.merge_function import RowKind
from workbench.scan.split import Split
from workbench.spark.tasks import for_spark
from workbench.spark.writing.tasks import WriteTask
from workbench.write.changes.decision import KEEP, Decision
from workbench.write.changes.lost_changes import check_deletes, check_updates
from workbench.write.changes.rewrite import FileChanges, Outcome, routing_columns
from workbench.write.changes.stored_rows import StoredRows
from workbench.write.elsewhere.assigned import KIND
from workbench.write.input import Rows, conform
from workbench.write.value_limits import padded
from workbench.write.writer import TableWriter

OPERATION = "__row_operation"
"""Spark's INT column that says what happens to a row."""
DELETE, UPDATE, INSERT = 1, 2, 3
PATH, POSITION = "__workbench_path", "__workbench_position"
OLD = "__workbench_old"
_DELETES, _UPDATES = 0, 1
_COUNTS = b"counts:"


@dataclass(frozen=True)
class ChangedFile:
    """What a task did with one file, which the driver knows by its path."""

    path: str
    new: tuple[DataFileMeta, ...]
    marks: DeletionVector | None
    deleted: int
    updated: int


@dataclass(frozen=True)
class TaskResult:
    """What a task wrote: changed files, and messages of rows that it added. ``deleted`` counts deleted rows where
    several files may hold the same row."""

    files: tuple[ChangedFile, ...] = ()
    messages: tuple[bytes, ...] = ()
    inserted: int = 0
    deleted: int = 0


@dataclass(frozen=True)
class FilesTask:
    """Changes files of an append table, and adds new rows.

    The rows arrive ordered by file and position; rows without a file are new. All rows of a file are in one task.
    ``files`` has a split with a single file for each file of the version, by the path of the file.
    """

    write: WriteTask
    files: Mapping[str, Split]

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the pickled `TaskResult`, for `DataFrame.mapInArrow`."""
        result = _FilesWork(self).run(batches)
        yield pa.record_batch([pa.array([pickle.dumps(result)], pa.binary())], ["result"])


class _FilesWork:
    """The work of one task."""

    def __init__(self, task: FilesTask) -> None:
        self._task = task
        self._store = task.write.store
        self._schema = self._store.schema
        self._writer: TableWriter = task.write.table_writer()
        self._changes = FileChanges(self._store, self._add, routing_columns(self._schema))
        self._outcomes: list[tuple[str, Outcome]] = []
        self._inserted = 0

    def run(self, batches: Iterator[pa.RecordBatch]) -> TaskResult:
        try:
            for path, rows in _by_file(batches):
                if path is None:
                    self._insert(rows)
                else:
                    self._change(path, rows)
            messages = tuple(message.to_bytes() for message in self._writer.prepare())
        except BaseException:
            self._writer.abort()
            for _, outcome in self._outcomes:
                self._discard(outcome)
            raise
        files = (ChangedFile(path, each.new, each.marks, each.deleted, each.updated) for path, each in self._outcomes)
        return TaskResult(tuple(files), messages, self._inserted)

    def _insert(self, rows: pa.Table) -> None:
        self._add(self._values(rows))
        self._inserted += rows.num_rows

    def _change(self, path: str, rows: pa.Table) -> None:
        split = self._task.files[path]
        (file,) = split.files
        deletion = split.deletions.get(file.file_name)
        vector = None if deletion is None else deletion.read(self._store, file)
        stored = StoredRows(self._store, split, file, vector, Progress())
        position = rows.column(POSITION).to_numpy()
        is_update = rows.column(OPERATION).to_numpy() == UPDATE
        action = np.full(file.row_count, KEEP, np.int16)
        action[position] = np.where(is_update, _UPDATES, _DELETES)
        source = np.full(file.row_count, -1, np.int64)
        source[position[is_update]] = np.arange(np.count_nonzero(is_update))
        new = self._values(rows.filter(pa.array(is_update))) if is_update.any() else None

        def updated(some: pa.Table, decision: Decision) -> tuple[Int64Array, pa.Table]:
            places = np.flatnonzero(decision.action == _UPDATES)
            if new is None or decision.source is None:
                return places, some.slice(0, 0)
            found = new.take(pa.array(decision.source[places]))
            return places, _with_kept_values(found, some.take(pa.array(places)), self._schema)

        deleted = int(np.count_nonzero(action == _DELETES))
        outcome = self._changes.apply(stored, Decision(action, source), deleted, updated)
        if outcome is not None:
            self._outcomes.append((path, outcome))

    def _values(self, rows: pa.Table) -> pa.Table:
        return conform(rows.select(self._schema.field_names), self._schema)

    def _add(self, rows: pa.Table) -> None:
        self._writer.write_rows(Rows(rows))

    def _discard(self, outcome: Outcome) -> None:
        for file in outcome.new:
            self._store.discard_data_file(*outcome.stored.bucket, file)


def _with_kept_values(new: pa.Table, old: pa.Table, schema: TableSchema) -> pa.Table:
    """Return new rows in which unchanged values are stored as before: Spark sees only the microseconds of times, and
    CHAR with blanks."""
    for position, name in enumerate(new.column_names):
        before = old.column(name)
        # Spark does not pad CHAR inside of other types.
        seen = before if pa.types.is_nested(before.type) else padded(before, schema.field(name).type)
        if pa.types.is_timestamp(before.type) and before.type.unit == "ns":
            seen = pc.floor_temporal(before, unit="microsecond")
        if seen is not before:
            is_same = pc.fill_null(pc.equal(seen, new.column(name)), False)
            new = new.set_column(position, new.schema.field(position), pc.if_else(is_same, before, new.column(name)))
    return new


def _by_file(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str | None, pa.Table]]:
    """Yield all rows of each file together, and rows without a file batch by batch."""
    path: str | None = None
    waiting: list[pa.Table] = []
    for batch in batches:
        for name, rows in _runs(pa.Table.from_batches([batch])):
            if name is None:
                yield None, rows
                continue
            if name != path and waiting:
                yield path, pa.concat_tables(waiting)
                waiting = []
            path = name
            waiting.append(rows)
    if waiting:
        yield path, pa.concat_tables(waiting)


def _runs(rows: pa.Table) -> Iterator[tuple[str | None, pa.Table]]:
    """Yield each run of consecutive rows with the same path."""
    if not rows.num_rows:
        return
    codes = rows.column(PATH).combine_chunks().dictionary_encode("encode").indices.to_numpy()
    starts = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist(), rows.num_rows]
    for first, end in pairwise(starts):
        yield rows.column(PATH)[first].as_py(), rows.slice(first, end - first)


@dataclass(frozen=True)
class KindsTask(WriteTask):
    """Writes rows with row kinds into a table with a key, and counts them by kind."""

    counts: Counter[int] = field(default_factory=Counter)

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the messages, and a further message for `counts_of`, for `DataFrame.mapInArrow`."""
        self.counts.clear()
        messages = [*self.write(batches), _COUNTS + pickle.dumps(dict(self.counts))]
        yield pa.record_batch([pa.array(messages, pa.binary())], ["message"])

    def _rows(self, batch: pa.RecordBatch) -> Iterator[Rows]:
        for rows in super()._rows(batch):
            kinds = rows.table.column(KIND).to_numpy() if self.assigned else rows.kinds
            assert kinds is not None
            for kind, count in zip(*np.unique(kinds, return_counts=True), strict=True):
                self.counts[int(kind)] += int(count)
            yield rows


def counts_of(
    messages: Sequence[bytes | CommitMessage],
) -> tuple[list[bytes | CommitMessage], Counter[int]]:
    """Return the messages of `KindsTask` that are to be committed, and the number of rows of each kind."""
    counts: Counter[int] = Counter()
    left: list[bytes | CommitMessage] = []
    for message in messages:
        if isinstance(message, bytes) and message.startswith(_COUNTS):
            counts.update(pickle.loads(message.removeprefix(_COUNTS)))
        else:
            left.append(message)
    return left, counts


@dataclass(frozen=True)
class CheckTask:
    """Checks that the merge engine of a table keeps the changes. The old row of each row is in the column `OLD`."""

    schema: TableSchema
    kind: str

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the rows without the old ones, for `DataFrame.mapInArrow`.

        Raises:
            Unsupported: A row would not change.
        """
        for batch in batches:
            rows = pa.Table.from_batches([batch])
            self._check_deletes(rows.filter(pc.equal(rows.column(self.kind), RowKind.DELETE.short)))
            self._check_updates(rows.filter(pc.equal(rows.column(self.kind), RowKind.UPDATE_AFTER.short)))
            yield from for_spark(rows.drop_columns([OLD]).to_reader())

    def _check_deletes(self, rows: pa.Table) -> None:
        check_deletes(self.schema, self._conformed(rows))

    def _check_updates(self, rows: pa.Table) -> None:
        schema = self.schema
        before = rows.column(OLD).combine_chunks()
        old = self._conformed(pa.table([before.field(name) for name in schema.field_names], schema.field_names))
        new = self._conformed(rows)
        for name in schema.field_names:
            changed = _differ(old.column(name), new.column(name))
            if pc.any(changed).as_py():
                check_updates(schema, [name], old.filter(changed), new.filter(changed))

    def _conformed(self, rows: pa.Table) -> pa.Table:
        return conform(rows.select(self.schema.field_names), self.schema)


def _differ(old: pa.ChunkedArray, new: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return bool[rows]: whether the values of a row may differ; NULL equals NULL."""
    if pa.types.is_nested(old.type):
        return pa.chunked_array([pa.repeat(not old.equals(new), len(old))])
    unequal = pc.fill_null(pc.not_equal(old, new), False)
    return pc.or_(unequal, pc.xor(pc.is_null(old), pc.is_null(new)))
