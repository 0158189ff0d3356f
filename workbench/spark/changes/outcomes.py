"""The commit of what tasks did with the files of a version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.commit.cleanup import remove_files
from workbench.commit.publication import Publication
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import Operation, Snapshot
from workbench.scan.split import Split
from workbench.spark.changes.tasks import ChangedFile
from workbench.spark.reading.metadata_columns import one_file
from workbench.table.commits.commit_messages import commit_messages
from workbench.table.dml.result import RowChanges, row_changes
from workbench.write.changes.rewrite import Outcome, outcome_messages, sum_of_counts
from workbench.write.changes.stored_rows import StoredRows
from workbench.write.deletion_vectors import BucketVectors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.metadata.store import TableStore


def files_of(splits: Iterable[Split]) -> dict[str, Split]:
    """Return a split with a single file for each file of the given splits, by the path of the file."""
    return {split.path(file): one_file(split, file) for split in splits for file in split.files}


def publish_outcomes(
    store: TableStore,
    snapshot: Snapshot | None,
    files: Mapping[str, Split],
    changed: Iterable[ChangedFile],
    added: Sequence[CommitMessage],
    operation: Operation,
    properties: Mapping[str, str],
    started: float,
    **counts: int,
) -> RowChanges:
    """Publish what all tasks did in one commit.

    Args:
        store: The table.
        snapshot: The version that the tasks changed.
        files: The files of the version, from `files_of`.
        changed: What the tasks did with the files that they changed.
        added: Messages of rows that the tasks added.
        operation: The statement.
        properties: The properties of the snapshot.
        started: When the statement started, on the monotonic clock.
        **counts: Row counts that replace the sums over the changed files.

    Raises:
        CommitConflict: Another writer removed one of these files, or marked rows in it, first; nothing is visible.
    """
    outcomes = [_outcome(store, files[each.path], each) for each in changed]
    messages = _messages(store, snapshot, outcomes, added)
    commit = commit_messages(Publication.by_new_user(store, properties, operation), messages, publish.commit)
    return row_changes(commit, store.clock.monotonic() - started, **{**sum_of_counts(outcomes), **counts})


def _outcome(store: TableStore, split: Split, changed: ChangedFile) -> Outcome:
    stored = StoredRows(store, split, split.files[0], None, Progress())
    return Outcome(stored, changed.new, changed.marks, changed.deleted, changed.updated)


def _messages(
    store: TableStore, snapshot: Snapshot | None, outcomes: list[Outcome], added: Sequence[CommitMessage]
) -> list[CommitMessage]:
    vectors: list[BucketVectors] = []
    try:
        return [*outcome_messages(store, snapshot, outcomes, vectors), *added]
    except BaseException:
        for each in vectors:
            each.abort()
        remove_files(store, [*(each.message() for each in outcomes), *added])
        raise
