"""Compaction during a write, in buckets whose table enables it (Java ``CompactManager``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from workbench.base.progress import Progress
from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.metadata.bucket_states import BucketState
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.write.compact_bucket import BucketCompaction


class InlineCompaction(Protocol):
    """Compaction of one bucket while it is written."""

    def add_to(self, message: CommitMessage, files: Sequence[DataFileMeta]) -> CommitMessage:
        """Return the message extended by the bucket's compaction, or unchanged if none is due."""
        ...

    def abort(self) -> None:
        """Remove all files that were written."""
        ...


@dataclass
class FullCompactionTrigger:
    """Trigger of full compactions of all buckets that a writer wrote to, set by option `full-compaction.delta-commits`.
    A batch writer always compacts fully, as in Spark; a writer that ``streams`` does so once in that number of commits,
    as in Flink."""

    core: CoreOptions
    streams: bool
    _commits: int = 0
    _waiting: set[BucketId] = field(default_factory=set)

    def next(self, written: Iterable[BucketId]) -> frozenset[BucketId]:
        """Return the buckets that the next commit compacts fully; ``written``: the buckets that it writes to."""
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
    """Return the compaction of a bucket during a write; None if the table does not enable it. ``state``: the bucket
    before the write; ``keeps_changelog`` is false for overwrites, which write no changelog."""
    schema = store.schema
    if schema.core.write_only:
        return None
    if schema.is_primary_key_table:
        return BucketCompaction(store, *bucket, state.vectors, progress, full, keeps_changelog)
    if schema.core.bucket > 0:
        # Loaded here, as few append tables have buckets.
        from workbench.write.compact_append import AppendCompaction

        return AppendCompaction(store, *bucket, state.vectors, progress)
    return None
