"""Changing rows of an append table in this process, in all files where the statement may find rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from workbench.base.errors import CommitConflict, CorruptFile, SchemaMismatch, Unsupported
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import BATCH_COMMIT_IDENTIFIER, Operation, Snapshot
from workbench.metadata.bucket_states import known_buckets
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.measuring import measured
from workbench.metadata.store import TableStore
from workbench.table.dml.candidates import Candidate, candidates
from workbench.table.dml.changes import RowChange
from workbench.table.dml.result import RowChanges, row_changes
from workbench.write.changes.rewrite import FileChanges, Outcome, outcome_messages, placing_columns, removed
from workbench.write.deletion_vectors import BucketVectors
from workbench.write.input import Rows
from workbench.write.writer import TableWriter

if TYPE_CHECKING:
    from workbench.table.dml.evolving_tables import ColumnUpdates


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
    rewrite = _rewrite(store, snapshot, change, progress)
    messages = rewrite.run()
    try:
        commit = publish.commit(store, messages, BATCH_COMMIT_IDENTIFIER, None, properties, operation)
    except (SchemaMismatch, CommitConflict, CorruptFile):
        publish.remove_files(store, messages)
        raise
    return row_changes(commit, store.clock.monotonic() - started, **rewrite.counts)


def _rewrite(
    store: TableStore, snapshot: Snapshot | None, change: RowChange, progress: Progress
) -> _Rewrite | ColumnUpdates:
    if not store.schema.core.data_evolution_enabled:
        return _Rewrite(store, snapshot, change, progress)
    # Imported here because few tables store columns separately.
    from workbench.table.dml.evolving_tables import ColumnUpdates

    return ColumnUpdates(store, snapshot, change, progress)


def _check_row_ids(store: TableStore, change: RowChange) -> None:
    """Raise Unsupported if rows would move to another partition and so lose their ids."""
    moved = sorted(change.assigned_columns.intersection(store.schema.partition_keys))
    if store.schema.core.row_tracking_enabled and moved:
        raise Unsupported(
            f"With option 'row-tracking.enabled' = 'true' partition column '{moved[0]}' of {store.name} cannot be "
            "updated: the row ids would change.",
            f"Omit '{moved[0]}', or delete the rows and write new ones.",
        )


@dataclass
class _Rewrite:
    """The execution of one statement."""

    store: TableStore
    snapshot: Snapshot | None
    change: RowChange
    progress: Progress
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._outcomes: list[Outcome] = []
        live = ManifestFiles(self.store).live_files(self.snapshot) if self.snapshot else ()
        buckets = known_buckets(live, index_entries(self.store, self.snapshot))
        # Nothing is compacted, because a compaction could include a file that is replaced here. Progress counts files,
        # not the rows of this writer.
        self._added = TableWriter(self.store, buckets, Progress(), compacts=False)
        placing = placing_columns(self.store.schema).intersection(self.change.assigned_columns)
        self._files = FileChanges(self.store, self._add, placing)

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
            changed = outcome_messages(self.store, self.snapshot, self._outcomes, vectors)
            return [*changed, *self._added.prepare()]
        except BaseException:
            self._added.abort()
            for each in vectors:
                each.abort()
            publish.remove_files(self.store, [each.message() for each in self._outcomes])
            raise

    # --- one file, on any thread ----------------------------------------------------------------------------------

    def _work_on(self, item: tuple[Candidate, bool]) -> None:
        candidate, whole = item
        if candidate.row_count:
            outcome = removed(candidate) if whole else self._changed(candidate)
            if outcome is not None:
                self._note(outcome)
        self.progress.advance()

    def _changed(self, candidate: Candidate) -> Outcome | None:
        decision = candidate.decide(self.change)
        deleted = int(np.count_nonzero(self.change.deleted(decision)))
        return self._files.apply(candidate, decision, deleted, self.change.updated)

    def _add(self, rows: pa.Table) -> None:
        with self._lock:
            self._added.write_rows(Rows(rows))

    def _note(self, outcome: Outcome) -> None:
        with self._lock:
            self._outcomes.append(outcome)
        self._count(**outcome.counts())

    def _count(self, **more: int) -> None:
        with self._lock:
            for name, count in more.items():
                self.counts[name] = self.counts.get(name, 0) + count
