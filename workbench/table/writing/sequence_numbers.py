"""Which sequence numbers a writer gives to its rows (format §16)."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.table.writing.bucket_states import BucketId, BucketStates


@dataclass
class SequenceNumbers:
    """Counts on, bucket by bucket, from what is in use. Threads may share it, each with its own bucket."""

    buckets: BucketStates
    _next: dict[BucketId, int] = field(default_factory=dict)

    def take(self, bucket: BucketId, count: int, start: int | None = None) -> int:
        """The first of ``count`` numbers. ``start``: where a bucket begins, if what is in use does not matter."""
        first = self._next.get(bucket, start)
        if first is None:
            first = self.buckets.state(bucket).next_sequence
        self._next[bucket] = first + count
        return first
