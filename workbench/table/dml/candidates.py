"""The data files of append tables in which rows may change, and the decisions of a statement on their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.base.errors import CorruptFile
from workbench.base.progress import Progress
from workbench.datafile.formats.row_groups import row_group_filter
from workbench.datafile.open import open_stored_file
from workbench.datafile.row_ranges import RowRangeCursor
from workbench.format.index.deletion_vector import DeletionVector
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.row_tracking import readable_schema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.scan.scan import Scan
from workbench.scan.split import Split
from workbench.table.dml.batches import rebatched
from workbench.table.dml.changes import KEEP, Decision, RowChange

_BATCH_ROWS = 1 << 17


@dataclass(frozen=True)
class Candidate:
    """A file of a version; ``vector`` marks its rows that are already deleted."""

    store: TableStore
    split: Split
    file: DataFileMeta
    vector: DeletionVector | None
    progress: Progress

    @property
    def bucket(self) -> BucketId:
        """The bucket of the file."""
        return self.split.partition, self.split.bucket

    @property
    def row_count(self) -> int:
        """The number of rows that readers see."""
        return self.file.row_count - (self.vector.cardinality if self.vector else 0)

    def decide(self, change: RowChange) -> Decision:
        """Return the decision for every row of the file by position; deleted rows are kept as they are."""
        action = np.full(self.file.row_count, KEEP, np.int16)
        source: Int64Array | None = None
        for taken, rows in self._relevant_rows(change):
            decision = change.decide(rows)
            action[taken] = decision.action
            if decision.source is not None:
                source = np.full(len(action), -1, np.int64) if source is None else source
                source[taken] = decision.source
        return Decision(action, source)

    def rows(self, decision: Decision) -> Iterator[tuple[pa.Table, Decision]]:
        """Yield all rows of the file, batch by batch, each with its decision, and with row ids and sequence numbers if
        tracked."""
        schema = readable_schema(self.store.schema)
        stored = open_stored_file(self.store, self.split.path(self.file), self.file, schema)
        if schema.core.row_tracking_enabled:
            # Imported here because few tables track rows.
            from workbench.datafile.readers.row_tracking import TrackedRows

            stored = TrackedRows(stored)
        first = 0
        for rows in stored.batches(list(schema.field_names), _BATCH_ROWS):
            self.progress.check()
            self._check_rows(first + rows.num_rows)
            yield rows, decision.of(slice(first, first + rows.num_rows))
            first += rows.num_rows
        if first != self.file.row_count:
            raise CorruptFile(stored.path, f"it has {first} rows and its manifest says {self.file.row_count}")

    def _relevant_rows(self, change: RowChange) -> Iterator[tuple[Int64Array, pa.Table]]:
        """Yield the rows that the statement may change, and their positions in the file."""
        schema = self.store.schema
        # An Arrow table needs a column to have a number of rows.
        names = [name for name in schema.field_names if name in change.reads] or [schema.field_names[0]]
        chosen = row_group_filter(change.where, schema, schema.field_names)
        stored = open_stored_file(self.store, self.split.path(self.file), self.file, schema, chosen)
        self._check_rows(max((rows.stop for rows in stored.row_ranges), default=0))
        positions = RowRangeCursor(stored.row_ranges)
        for rows in rebatched(stored.batches(names, _BATCH_ROWS), change.rows_at_once):
            self.progress.check()
            ranges = positions.take(rows.num_rows)
            taken = np.concatenate([np.arange(each.start, each.stop) for each in ranges])
            if self.vector is not None:
                kept = np.concatenate([self.vector.kept(each.start, len(each)) for each in ranges])
                taken, rows = taken[kept], rows.filter(pa.array(kept))
            yield taken, rows

    def _check_rows(self, end: int) -> None:
        if end > self.file.row_count:
            path = self.split.path(self.file)
            raise CorruptFile(path, f"it has {end} rows and its manifest says {self.file.row_count}")


def candidates(
    store: TableStore, snapshot: Snapshot | None, change: RowChange, progress: Progress
) -> Sequence[Candidate]:
    """Return the files of a version that may have rows for a statement."""
    scan = Scan(store, snapshot, None, change.where, None, progress)
    files = []
    for split in scan.plan():
        for file in split.files:
            deletion = split.deletions.get(file.file_name)
            vector = None if deletion is None else deletion.read(store, file)
            files.append(Candidate(store, split, file, vector, progress))
    return files
