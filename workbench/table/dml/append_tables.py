"""Changing rows of an append table in this process, in all files where the statement may find rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from workbench.base.errors import Unsupported
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.commit.publication import Publication
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import Operation, Snapshot
from workbench.metadata.measuring import measured
from workbench.metadata.store import TableStore
from workbench.table.commits.commit_messages import commit_messages
from workbench.table.dml.candidates import Candidate, candidates
from workbench.table.dml.changes import RowChange
from workbench.table.dml.execution import Execution
from workbench.table.dml.result import RowChanges, row_changes
from workbench.write.changes.rewrite import FileChanges, Outcome, outcome_messages, removed, routing_columns


@measured("change rows")
def change_rows(
    store: TableStore,
    snapshot: Snapshot | None,
    change: RowChange,
    progress: Progress,
    properties: Mapping[str, str],
    operation: Operation,
) -> RowChanges:
    """Find the files with rows that change, and rewrite them or mark rows as deleted, all in one commit.

    Memory is bounded by a few bytes for each row of the files that are processed at the same time.

    Raises:
        CommitConflict: Another writer removed or marked one of these files first; nothing is visible.
    """
    started = store.clock.monotonic()
    _check_row_ids(store, change)
    execution = _execution(store, snapshot, change, progress)
    messages = execution.run()
    publication = Publication.by_new_user(store, properties, operation)
    commit = commit_messages(publication, messages, publish.commit)
    return row_changes(commit, store.clock.monotonic() - started, **execution.counts)


def _execution(store: TableStore, snapshot: Snapshot | None, change: RowChange, progress: Progress) -> Execution[Any]:
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


class _Rewrite(Execution[tuple[Candidate, bool]]):
    """An execution that rewrites files, or marks their rows as deleted."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._outcomes: list[Outcome] = []
        routing = routing_columns(self.store.schema).intersection(self.change.assigned_columns)
        self._files = FileChanges(self.store, self._add, routing)

    def _parts(self) -> list[tuple[Candidate, bool]]:
        found = candidates(self.store, self.snapshot, self.change, self.progress)
        whole = self.change.deletes_whole_files(self.store, [each.file for each in found])
        return list(zip(found, whole, strict=True))

    def _work_on(self, part: tuple[Candidate, bool]) -> None:
        candidate, whole = part
        if candidate.row_count:
            outcome = removed(candidate) if whole else self._changed(candidate)
            if outcome is not None:
                self._note(outcome)
        self.progress.advance()

    def _messages(self) -> list[CommitMessage]:
        return list(outcome_messages(self.store, self.snapshot, self._outcomes, self._vectors))

    def _written(self) -> list[CommitMessage]:
        return [each.message() for each in self._outcomes]

    def _changed(self, candidate: Candidate) -> Outcome | None:
        decision = candidate.decide(self.change)
        deleted = int(np.count_nonzero(self.change.deleted(decision)))
        return self._files.apply(candidate, decision, deleted, self.change.updated)

    def _note(self, outcome: Outcome) -> None:
        with self._lock:
            self._outcomes.append(outcome)
        self._count(**outcome.counts())
