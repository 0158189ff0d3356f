"""The data files of append tables in which rows may change, and the decisions of a statement on their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.base.progress import Progress
from workbench.datafile.formats.row_groups import row_group_filter
from workbench.datafile.row_ranges import RowRangeCursor
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.store import TableStore
from workbench.scan.scan import Scan
from workbench.table.dml.batches import rebatched
from workbench.table.dml.changes import RowChange
from workbench.write.changes.decision import KEEP, Decision
from workbench.write.changes.stored_rows import BATCH_ROWS, StoredRows


@dataclass(frozen=True)
class Candidate(StoredRows):
    """A file of a version in which rows may change."""

    def decide(self, change: RowChange) -> Decision:
        """Return the decision for every row of the file by position; rows that are already deleted stay unchanged."""
        action = np.full(self.file.row_count, KEEP, np.int16)
        source: Int64Array | None = None
        for taken, rows in self._relevant_rows(change):
            decision = change.decide(rows)
            action[taken] = decision.action
            if decision.source is not None:
                source = np.full(len(action), -1, np.int64) if source is None else source
                source[taken] = decision.source
        return Decision(action, source)

    def _relevant_rows(self, change: RowChange) -> Iterator[tuple[Int64Array, pa.Table]]:
        """Yield the rows that the statement may change, and their positions in the file."""
        schema = self.store.schema
        # At least one column is read, because an Arrow table without columns has no row count.
        names = [name for name in schema.field_names if name in change.reads] or [schema.field_names[0]]
        chosen = row_group_filter(change.where, schema, schema.field_names)
        stored = self.opened(schema, chosen)
        self.check_rows(max((rows.stop for rows in stored.row_ranges), default=0))
        positions = RowRangeCursor(stored.row_ranges)
        for rows in rebatched(stored.batches(names, BATCH_ROWS), change.rows_at_once):
            self.progress.check()
            ranges = positions.take(rows.num_rows)
            taken = np.concatenate([np.arange(each.start, each.stop) for each in ranges])
            if self.vector is not None:
                kept = np.concatenate([self.vector.kept(each.start, len(each)) for each in ranges])
                taken, rows = taken[kept], rows.filter(pa.array(kept))
            yield taken, rows


def candidates(
    store: TableStore, snapshot: Snapshot | None, change: RowChange, progress: Progress
) -> Sequence[Candidate]:
    """Return the files of a version that may contain rows for a statement to change."""
    scan = Scan(store, snapshot, None, change.where, None, progress)
    files = []
    for split in scan.plan():
        for file in split.files:
            deletion = split.deletions.get(file.file_name)
            vector = None if deletion is None else deletion.read(store, file)
            files.append(Candidate(store, split, file, vector, progress))
    return files
