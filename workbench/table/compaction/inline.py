"""Compaction beside a write, in buckets whose table asks for it (Java ``CompactManager``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from workbench.base.progress import Progress
from workbench.format.core_options import CoreOptions
from workbench.format.data_file import CommitMessage, DataFileMeta
from workbench.table.compaction.bucket_compaction import BucketCompaction
from workbench.table.store import TableStore
from workbench.table.writing.bucket_states import BucketId, BucketState


class InlineCompaction(Protocol):
    """Compacts one bucket as it is written."""

    def add_to(self, message: CommitMessage, files: Sequence[DataFileMeta]) -> CommitMessage:
        """The message with the bucket's compaction beside what was written, or as it is where none is due."""
        ...

    def abort(self) -> None:
        """Remove everything that was written."""
        ...


@dataclass
class FullTurns:
    """Which commits of a writer compact all that it wrote to: option `full-compaction.delta-commits`. A writer of one
    batch always does, as Spark's; one that ``streams`` does so each so many commits, as Flink's."""

    core: CoreOptions
    streams: bool
    _commits: int = 0
    _waiting: set[BucketId] = field(default_factory=set)

    def next(self, written: Iterable[BucketId]) -> frozenset[BucketId]:
        """The buckets that the next commit compacts fully; ``written``: those that it writes to."""
        every = self.core.full_compaction_delta_commits
        if every is None:
            return frozenset()
        self._commits += 1
        self._waiting.update(written)
        if self.streams and self._commits % every:
            return frozenset()
        due = frozenset(self._waiting)
        self._waiting.clear()
        return due


def inline_compaction(
    store: TableStore, bucket: BucketId, state: BucketState, progress: Progress, keeps_changelog: bool, full: bool
) -> InlineCompaction | None:
    """What compacts a bucket as it is written; None where the table leaves that to others. ``state``: the bucket before
    the write; ``keeps_changelog`` is false for overwrites, which no changelog tells of."""
    schema = store.schema
    if schema.core.write_only:
        return None
    if schema.is_primary_key_table:
        return BucketCompaction(store, *bucket, state.vectors, progress, full, keeps_changelog)
    if schema.core.bucket > 0:
        # Loaded here, for few append tables have buckets.
        from workbench.table.compaction.append_compaction import AppendCompaction

        return AppendCompaction(store, *bucket, state.vectors, progress)
    return None
