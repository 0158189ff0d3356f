"""What a bucket holds before a writer adds to it: the files it may compact, and where its sequence numbers stand
(format §16)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from workbench.format.data_file import DataFileMeta, ManifestEntry

BucketId = tuple[bytes, int]


@dataclass(frozen=True)
class BucketState:
    """The files of one bucket; ``total_buckets`` is the number its files were written for, None for a new one."""

    files: tuple[DataFileMeta, ...] = ()
    total_buckets: int | None = None

    @cached_property
    def next_sequence(self) -> int:
        """One past the greatest sequence number in use."""
        return max((file.max_sequence_number for file in self.files), default=-1) + 1


class BucketStates(Protocol):
    """Where a writer learns of the buckets it touches."""

    def state(self, bucket: BucketId) -> BucketState:
        """The bucket as it was when the write began."""
        ...

    def total_buckets(self, partition: bytes) -> int | None:
        """The bucket number of a partition, None for a new one."""
        ...


@dataclass(frozen=True)
class KnownBuckets:
    """States worked out beforehand: what a plan carries to other processes. Buckets that are not listed are empty."""

    buckets: Mapping[BucketId, BucketState] = field(default_factory=dict)

    def state(self, bucket: BucketId) -> BucketState:
        """The bucket as it was when the plan was made."""
        return self.buckets.get(bucket, BucketState())

    def total_buckets(self, partition: bytes) -> int | None:
        """The bucket number of a partition, None for a new one."""
        return self._totals.get(partition)

    @cached_property
    def _totals(self) -> dict[bytes, int]:
        return {
            partition: state.total_buckets
            for (partition, _), state in self.buckets.items()
            if state.total_buckets is not None and state.total_buckets > 0
        }


def known_buckets(live: Iterable[ManifestEntry]) -> KnownBuckets:
    """States of all buckets that hold files."""
    files: dict[BucketId, list[DataFileMeta]] = {}
    totals: dict[BucketId, int] = {}
    for entry in live:
        bucket = (entry.partition, entry.bucket)
        files.setdefault(bucket, []).append(entry.file)
        totals[bucket] = entry.total_buckets
    return KnownBuckets({bucket: BucketState(tuple(found), totals[bucket]) for bucket, found in files.items()})
