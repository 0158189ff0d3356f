"""The commit of the messages of a write or a compaction, with everything that follows it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from workbench.base.errors import WorkbenchError
from workbench.commit.cleanup import removed_if_unpublished
from workbench.commit.outcome import CommitOutcome, reason_of
from workbench.commit.publication import Publication, compactions
from workbench.commit.publish import Publish
from workbench.format.spec.data_file import CommitMessage, FileSource
from workbench.metadata.measuring import counts_of_messages, measured
from workbench.metadata.store import TableStore
from workbench.table.commits.commit import Commit
from workbench.table.maintenance.after_commit import after_commit


def commit_messages(
    publication: Publication,
    messages: Sequence[CommitMessage],
    publish: Publish,
    *,
    name: str = "commit",
    keeps_files: bool = False,
) -> Commit:
    """Publish messages, compact again what lost to another commit, and run the maintenance that the table's options
    configure.

    Args:
        publication: What the snapshots have in common.
        messages: The messages.
        publish: The function of `workbench.commit.publish` that publishes them.
        name: The name under which the time is measured.
        keeps_files: Whether the files of the messages are kept if nothing is published, because the caller may commit
            the messages again.

    Raises:
        CommitConflict: Another writer changed the same files first; nothing is published.
    """

    @measured(name)
    def run(store: TableStore) -> Commit:
        published = replace(publication, store=store)
        with nullcontext() if keeps_files else removed_if_unpublished(store, messages):
            outcome = publish(published, messages)
        return _followed(outcome)

    return run(publication.store)


def _followed(outcome: CommitOutcome) -> Commit:
    """Return the result of a commit, after everything that follows it."""
    publication, store = outcome.publication, outcome.publication.store
    if outcome.is_skipped:
        return Commit(store.name, ())
    if outcome.lost:
        outcome = _compacted_again(outcome)
    new = [file for message in outcome.messages for file in message.new_files]
    newest = outcome.snapshots[-1].id if outcome.snapshots else None
    return Commit(
        store.name,
        outcome.snapshots,
        sum(file.row_count for file in new if file.file_source != FileSource.COMPACT),
        len(new),
        () if outcome.abandoned else tuple(compactions(store, outcome.messages)),
        outcome.abandoned,
        outcome.seconds,
        after_commit(store, outcome.messages, publication.identifier, newest),
        counts_of_messages(outcome.messages),
    )


def _compacted_again(outcome: CommitOutcome) -> CommitOutcome:
    """Compact the buckets that lost, on the newest version. The rows are committed, so a failure is only reported."""
    # Loaded here, because few compactions lose.
    from workbench.table.commits.again import compact_again

    publication, store = outcome.publication, outcome.publication.store
    started = store.clock.monotonic()
    try:
        snapshot, messages = compact_again(store, outcome.lost, publication.properties, outcome.keeps_changelog)
    except (WorkbenchError, OSError) as error:
        return replace(outcome, abandoned=reason_of(store, error))
    return replace(
        outcome,
        snapshots=outcome.snapshots if snapshot is None else (*outcome.snapshots, snapshot),
        messages=[*outcome.messages, *messages],
        abandoned=None,
        seconds=outcome.seconds + store.clock.monotonic() - started,
    )
