"""Assignment of sequence numbers to the rows of a writer (format §16)."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.metadata.bucket_states import BucketStates
from workbench.metadata.ids import BucketId


@dataclass
class SequenceNumbers:
    """Counter for each bucket, continuing from the numbers in use. Threads may share it, each with another bucket."""

    buckets: BucketStates
    _next: dict[BucketId, int] = field(default_factory=dict)

    def take(self, bucket: BucketId, count: int, start: int | None = None) -> int:
        """Reserve ``count`` numbers, and return the first one. ``start``: the first number of a bucket, if the numbers
        in use do not matter."""
        first = self._next.get(bucket, start)
        if first is None:
            first = self.buckets.state(bucket).next_sequence
        self._next[bucket] = first + count
        return first
