"""The outcome of a publication."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.commit.publication import Publication
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore


@dataclass(frozen=True)
class CommitOutcome:
    """The outcome of a publication.

    Args:
        publication: What was published.
        snapshots: The new snapshots: one, two (append and compact), or none if nothing changed.
        messages: The messages as they were committed.
        lost: The buckets to compact again: their compaction lost to another commit, and their rows stay hidden until
            they are compacted, or their writer could not compact them.
        abandoned: Why the compaction that accompanied the write was not committed; None if it was, or there was none.
        keeps_changelog: Whether a repeated compaction writes a changelog.
        seconds: Wall time.
        is_skipped: Whether there was nothing to publish: the user had committed the identifier before, or an overwrite
            replaces no partition.
    """

    publication: Publication
    snapshots: tuple[Snapshot, ...] = ()
    messages: Sequence[CommitMessage] = ()
    lost: frozenset[BucketId] = frozenset()
    abandoned: str | None = None
    keeps_changelog: bool = True
    seconds: float = 0.0
    is_skipped: bool = False


def reason_of(store: TableStore, error: Exception) -> str:
    """Return why the compaction of a committed write was given up, and what to do if its rows are hidden."""
    reason = str(error)
    if isinstance(error, OSError):
        reason = f"The storage failed while the compaction was committed: {error}."
    if not store.schema.kind.hides_level_0:
        return reason
    return f"{reason} The rows are committed, but not visible until they are compacted: call compact()."
