"""Assignment of sequence numbers to the rows of a writer (format §16)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from workbench.base.arrays import Int64Array
from workbench.metadata.bucket_states import BucketStates
from workbench.metadata.ids import BucketId


@dataclass
class SequenceNumbers:
    """Counter of sequence numbers for each bucket, continuing from the numbers in use. Threads may share it, each for a
    different bucket.

    ``limits``: the largest number that rows of a bucket get. It is set if the new rows replace all rows of the bucket,
    with one row for each key: a concurrent writer continues from the old numbers, and its rows are newer.
    """

    buckets: BucketStates
    limits: Mapping[BucketId, int] = field(default_factory=dict)
    _next: dict[BucketId, int] = field(default_factory=dict)

    def take(self, bucket: BucketId, count: int, start: int | None = None) -> int:
        """Reserve ``count`` numbers, and return the first one. ``start``: the first number of a bucket, if the numbers
        in use do not matter."""
        first = self._next.get(bucket, start)
        if first is None:
            first = self.buckets.state(bucket).next_sequence
        self._next[bucket] = first + count
        return first

    def numbers(self, bucket: BucketId, count: int) -> Int64Array:
        """Reserve and return ``count`` numbers, ascending; numbers above the limit of the bucket are replaced by the
        limit."""
        numbers = self.take(bucket, count) + np.arange(count, dtype=np.int64)
        limit = self.limits.get(bucket)
        return numbers if limit is None else np.minimum(numbers, limit)
