"""Rows of a primary-key table are changed by writing them again: +U with new values, -D for those that go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from workbench.base.errors import CommitConflict, SchemaMismatch
from workbench.base.progress import Progress
from workbench.format.snapshot import BATCH_COMMIT_IDENTIFIER, Operation, Snapshot
from workbench.lsm.merge_function import RowKind
from workbench.table.committing import two_phase
from workbench.table.measuring import measured
from workbench.table.row_level.batches import gathered
from workbench.table.row_level.changes import RowChange
from workbench.table.row_level.lost_changes import check_deletes, check_updates
from workbench.table.row_level.result import RowChanges, row_changes
from workbench.table.scan import Scan
from workbench.table.store import TableStore
from workbench.table.writing.bucket_states import BucketStates
from workbench.table.writing.input import Rows

if TYPE_CHECKING:
    from workbench.table.writing.postponed import PostponedWriter
    from workbench.table.writing.writer import TableWriter


@measured("change rows")
def change_rows(
    store: TableStore,
    snapshot: Snapshot | None,
    buckets: BucketStates,
    change: RowChange,
    progress: Progress,
    properties: Mapping[str, str],
    operation: Operation,
) -> RowChanges:
    """Read what may change, and write what it becomes, as a stream. What others write meanwhile to the same keys is
    neither seen nor lost: of two rows of a key the one committed later counts, as with every write.

    Raises:
        Unsupported: the merge engine would leave rows as they were; nothing of this is visible.
        CommitConflict: another writer changed the same files first; nothing of this is visible.
    """
    started = store.clock.monotonic()
    user = store.ids.uuid()
    writer = two_phase.batch_writer(store, buckets, user, progress)
    deleted = updated = inserted = 0
    try:
        with progress.step(f"Changing rows of {store.name}", unit="rows"):
            # Progress is told in the rows that are written, so what is read does not count.
            found = Scan(store, snapshot, None, change.where, None, Progress()).to_batches()
            for rows in gathered((pa.Table.from_batches([batch]) for batch in found), change.rows_at_once):
                progress.check()
                decision = change.decide(rows)
                gone = rows.filter(pa.array(change.deleted(decision)))
                places, new = change.updated(rows, decision)
                check_deletes(store.schema, gone)
                check_updates(store.schema, change.assigned_columns, rows.take(pa.array(places)), new)
                _write(writer, gone, RowKind.DELETE)
                _write(writer, new, RowKind.UPDATE_AFTER)
                deleted, updated = deleted + gone.num_rows, updated + new.num_rows
            for rows in change.inserted():
                _write(writer, rows, RowKind.INSERT)
                inserted += rows.num_rows
        messages = writer.prepare()
    except BaseException:
        writer.abort()
        raise
    try:
        made = two_phase.commit(store, messages, BATCH_COMMIT_IDENTIFIER, user, properties, operation)
    except (SchemaMismatch, CommitConflict):
        two_phase.remove_files(store, messages)
        raise
    seconds = store.clock.monotonic() - started
    return row_changes(made, seconds, deleted=deleted, updated=updated, inserted=inserted)


def _write(writer: TableWriter | PostponedWriter, rows: pa.Table, kind: RowKind) -> None:
    if rows.num_rows:
        writer.write_rows(Rows(rows, np.full(rows.num_rows, kind, np.int8)))
