"""Compaction during a write, in buckets whose table enables it (Java ``CompactManager``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.metadata.ids import BucketId


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
