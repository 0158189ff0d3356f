"""Changing rows of an append table file by file: a file is rewritten, removed, or kept with a deletion vector (Java
``DeleteFromPaimonTableCommand``, ``UpdatePaimonTableCommand``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int64Array
from workbench.base.errors import Unsupported
from workbench.datafile.data_file_writer import DataFileWriter, FileNames
from workbench.format.index.deletion_vector import DeletionVector
from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER
from workbench.format.spec.row_tracking import ROW_ID
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.write.changes.decision import KEEP, Decision
from workbench.write.changes.stored_rows import StoredRows
from workbench.write.deletion_vectors import BucketVectors

Updated = Callable[[pa.Table, Decision], tuple[Int64Array, pa.Table]]
"""Returns the ascending positions of the updated rows among some rows of a file, and their new values."""


@dataclass(frozen=True)
class Outcome:
    """The result for a file: it is removed, or ``marks`` hide more of its rows. ``new`` files hold its remaining or its
    changed rows. ``deleted`` and ``updated`` count rows."""

    stored: StoredRows
    new: tuple[DataFileMeta, ...] = ()
    marks: DeletionVector | None = None
    deleted: int = 0
    updated: int = 0

    def message(self) -> CommitMessage:
        """Return the change of the data files."""
        split = self.stored.split
        message = CommitMessage(split.partition, split.bucket, split.total_buckets)
        return replace(message, new_files=self.new, deleted_files=() if self.marks else (self.stored.file,))

    def counts(self) -> dict[str, int]:
        """Return the counts for the result of the statement."""
        marked = int(self.marks is not None)
        return {"deleted": self.deleted, "updated": self.updated, "marked": marked, "rewritten": 1 - marked}


def routing_columns(schema: TableSchema) -> frozenset[str]:
    """Return the columns on which the partition and the bucket of a row of an append table depend."""
    return frozenset((*schema.partition_keys, *(schema.bucket_keys if schema.core.bucket > 0 else ())))


@dataclass(frozen=True)
class FileChanges:
    """Applies decisions to files, on any thread.

    ``add`` receives rows that are written to the bucket where they belong; ``routing`` are the columns in which a new
    value may move a row to another bucket.
    """

    store: TableStore
    add: Callable[[pa.Table], None]
    routing: frozenset[str]
    names: FileNames = field(init=False)
    keeps_ids: bool = field(init=False)

    def __post_init__(self) -> None:
        schema = self.store.schema
        object.__setattr__(self, "names", FileNames(self.store.ids.uuid(), schema.core.data_file_prefix))
        object.__setattr__(self, "keeps_ids", schema.core.row_tracking_enabled)

    def apply(self, stored: StoredRows, decision: Decision, deleted: int, updated: Updated) -> Outcome | None:
        """Write what a decision on all rows of a file requires; return None if it changes nothing.

        Args:
            stored: The file.
            decision: The decision, by position in the file.
            deleted: The number of rows that are deleted.
            updated: Returns the new values.
        """
        changed = int(np.count_nonzero(decision.action != KEEP))
        if not changed:
            return None
        if deleted == stored.row_count:
            return removed(stored)
        if not self.store.schema.core.deletion_vectors_enabled:
            left = (self._left_in_place(rows, part, updated) for rows, part in stored.rows(decision))
            return Outcome(stored, self._written(stored, left), None, deleted, changed - deleted)
        marks = DeletionVector.of(np.flatnonzero(decision.action != KEEP))
        new = self._added_beside(stored, decision, updated) if changed > deleted else ()
        return Outcome(stored, new, marks if changed < stored.row_count else None, deleted, changed - deleted)

    def _added_beside(self, stored: StoredRows, decision: Decision, updated: Updated) -> tuple[DataFileMeta, ...]:
        """Write the new versions of rows whose old versions are hidden; rows with ids need separate files."""
        new = (self._updated(rows, part, updated)[1] for rows, part in stored.rows(decision))
        if self.keeps_ids:
            return self._written(stored, new)
        for rows in new:
            self.add(rows)
        return ()

    def _written(self, stored: StoredRows, tables: Iterable[pa.Table]) -> tuple[DataFileMeta, ...]:
        """Write files that replace a file in its bucket."""
        writer = DataFileWriter(self.store, *stored.bucket, self.names, keeps_row_ids=self.keeps_ids)
        try:
            # A bucket is read in the order of these numbers, so the remaining rows keep their position.
            first = stored.file.min_sequence_number
            for rows in tables:
                writer.write(rows, first)
                first += rows.num_rows
            return tuple(writer.close())
        except BaseException:
            writer.abort()
            raise

    def _left_in_place(self, rows: pa.Table, decision: Decision, updated: Updated) -> pa.Table:
        """Return the remaining rows in their order, with changed rows replaced in place unless they move."""
        kept = decision.action == KEEP
        if kept.all():
            return rows
        left = rows.filter(pa.array(kept))
        positions, new = self._updated(rows, decision, updated)
        moved = self._moved(rows, positions, new)
        if moved.any():
            self.add(new.filter(pa.array(moved)))
            positions, new = positions[~moved], new.filter(pa.array(~moved))
        if len(positions):
            order = np.argsort(np.concatenate([np.flatnonzero(kept), positions]))
            left = pa.concat_tables([left, new]).take(pa.array(order))
        return left

    def _moved(self, rows: pa.Table, positions: Int64Array, new: pa.Table) -> BoolArray:
        """Return bool[positions]: which rows may have moved to another partition or bucket."""
        moved = np.zeros(len(positions), bool)
        if not self.routing or not len(positions):
            return moved
        columns = sorted(self.routing)
        old = rows.select(columns).take(pa.array(positions))
        for name in columns:
            before, after = old.column(name).combine_chunks(), new.column(name).combine_chunks()
            # Equal values have equal codes, and so do NULLs.
            codes = pa.concat_arrays([before, after.cast(before.type)]).dictionary_encode("encode").indices
            first, second = np.split(codes.to_numpy(), 2)
            moved |= first != second
        return moved

    def _updated(self, rows: pa.Table, decision: Decision, updated: Updated) -> tuple[Int64Array, pa.Table]:
        positions, new = updated(rows, decision)
        if not self.keeps_ids or not len(positions):
            return positions, new
        if self._moved(rows, positions, new).any():
            raise Unsupported(
                f"With option 'row-tracking.enabled' = 'true' rows of {self.store.name} cannot move to another "
                f"partition or bucket: their ids would change. These depend on {', '.join(sorted(self.routing))}.",
                "Delete the rows and write new ones.",
            )
        # The sequence number of a changed row is assigned by the commit.
        changed = {
            ROW_ID: rows.column(ROW_ID).take(pa.array(positions)),
            SEQUENCE_NUMBER: pa.nulls(len(positions), pa.int64()),
        }
        arrays = [
            changed.get(name, new.column(name) if name in new.column_names else None) for name in rows.column_names
        ]
        return positions, pa.Table.from_arrays(arrays, schema=rows.schema)


def removed(stored: StoredRows) -> Outcome:
    """Return the outcome for a file all of whose rows are deleted."""
    return Outcome(stored, deleted=stored.row_count)


def sum_of_counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Return the counts for the result of a statement, as sums over all files."""
    total: dict[str, int] = {}
    for outcome in outcomes:
        for name, count in outcome.counts().items():
            total[name] = total.get(name, 0) + count
    return total


def outcome_messages(
    store: TableStore, snapshot: Snapshot | None, outcomes: Sequence[Outcome], written: list[BucketVectors]
) -> list[CommitMessage]:
    """Return the changes of the files, and of the deletion vectors of their buckets.

    ``written`` receives the vectors whose new index files must be deleted on failure.
    """
    buckets: dict[BucketId, list[Outcome]] = {}
    for outcome in outcomes:
        buckets.setdefault(outcome.stored.bucket, []).append(outcome)
    messages = []
    for bucket, changed in buckets.items():
        messages += [each.message() for each in changed]
        vectors = BucketVectors.of(store, snapshot, *bucket)
        written.append(vectors)
        messages += _vector_message(vectors, changed)
    return messages


def _vector_message(vectors: BucketVectors, outcomes: Sequence[Outcome]) -> list[CommitMessage]:
    for outcome in outcomes:
        if outcome.marks is None:
            vectors.remove(outcome.stored.file.file_name)
        else:
            vectors.delete(outcome.stored.file, outcome.marks)
    change = vectors.persist()
    if not change.new and not change.deleted:
        return []
    split = outcomes[0].stored.split
    message = CommitMessage(split.partition, split.bucket, split.total_buckets)
    return [replace(message, new_index_files=change.new, deleted_index_files=change.deleted)]
