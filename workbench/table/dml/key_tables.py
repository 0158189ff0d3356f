"""Changing rows of a primary-key table by writing them again: +U with new values, -D for deleted rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.commit.publication import Publication
from workbench.format.spec.snapshot import Operation, Snapshot
from workbench.lsm.merge_function import RowKind
from workbench.metadata.bucket_states import BucketStates
from workbench.metadata.measuring import measured
from workbench.metadata.store import TableStore
from workbench.scan.scan import Scan
from workbench.table.commits.commit_messages import commit_messages
from workbench.table.dml.batches import rebatched
from workbench.table.dml.changes import RowChange
from workbench.table.dml.result import RowChanges, row_changes
from workbench.write.batch import batch_writer
from workbench.write.changes.lost_changes import check_deletes, check_updates
from workbench.write.input import Rows

if TYPE_CHECKING:
    from workbench.write.postponed import PostponedWriter
    from workbench.write.writer import TableWriter


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
    """Read the candidate rows, and write the changed ones, as a stream.

    Concurrent writes to the same keys are neither read nor lost: if two rows have the same key, the one committed later
    wins, as with every write.

    Raises:
        Unsupported: The merge engine would leave rows unchanged; nothing is visible.
        CommitConflict: Another writer changed the same files first; nothing is visible.
    """
    started = store.clock.monotonic()
    user = store.ids.uuid()
    writer = batch_writer(store, buckets, user, progress)
    deleted = updated = inserted = 0
    try:
        with progress.step(f"Changing rows of {store.name}", unit="rows"):
            # Progress counts the written rows, so the read gets a separate progress that is not shown.
            batches = Scan(store, snapshot, None, change.where, None, Progress()).to_batches()
            for rows in rebatched((pa.Table.from_batches([batch]) for batch in batches), change.rows_at_once):
                progress.check()
                decision = change.decide(rows)
                deleted_rows = rows.filter(pa.array(change.deleted(decision)))
                positions, new = change.updated(rows, decision)
                check_deletes(store.schema, deleted_rows)
                check_updates(store.schema, change.assigned_columns, rows.take(pa.array(positions)), new)
                _write(writer, deleted_rows, RowKind.DELETE)
                _write(writer, new, RowKind.UPDATE_AFTER)
                deleted, updated = deleted + deleted_rows.num_rows, updated + new.num_rows
            for rows in change.inserted():
                _write(writer, rows, RowKind.INSERT)
                inserted += rows.num_rows
        messages = writer.prepare()
    except BaseException:
        writer.abort()
        raise
    publication = Publication(store, user, properties=properties, operation=operation)
    commit = commit_messages(publication, messages, publish.commit)
    seconds = store.clock.monotonic() - started
    return row_changes(commit, seconds, deleted=deleted, updated=updated, inserted=inserted)


def _write(writer: TableWriter | PostponedWriter, rows: pa.Table, kind: RowKind) -> None:
    if rows.num_rows:
        writer.write_rows(Rows(rows, np.full(rows.num_rows, kind, np.int8)))
