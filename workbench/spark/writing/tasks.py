"""The code of writes that runs on executors; imports only the standard library, numpy, pyarrow and the core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa

from workbench.metadata.bucket_states import BucketState, BucketStates, KnownBuckets
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.write.writer import TableWriter


@dataclass(frozen=True)
class WriteTask:
    """Writes the rows of one task. A unique identifier names its files, which nothing refers to before the commit."""

    store: TableStore
    buckets: BucketStates
    row_kind: str | None = None
    compacts: bool = True
    keeps_changelog: bool = True

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the commit messages of rows, for `DataFrame.mapInArrow`."""
        yield pa.record_batch([pa.array(self.write(batches), pa.binary())], ["message"])

    def write(self, batches: Iterator[pa.RecordBatch]) -> list[bytes]:
        """Return the messages to commit; a failing task removes its files where possible."""
        # Spark assigns one core to a task; the other cores run other tasks.
        writer = TableWriter(
            self.store, self.buckets, compacts=self.compacts, workers=1, keeps_changelog=self.keeps_changelog
        )
        try:
            for batch in batches:
                writer.write(batch, self.row_kind)
            return [message.to_bytes() for message in writer.prepare()]
        except BaseException:
            writer.abort()
            raise

    def beside_others(self, number: int) -> WriteTask:
        """Return the task for the case that several tasks write into one bucket.

        Task ``number`` has a separate range of sequence numbers, so that rows of later tasks win, and does not compact,
        since the other tasks see the same files.
        """
        return replace(self, buckets=_OwnSequences(self.buckets, number), compacts=False)


_SEQUENCES_OF_A_TASK = 1 << 32


@dataclass(frozen=True)
class _OwnSequences:
    known: BucketStates
    number: int

    @property
    def version(self) -> None:
        """None: nothing is compacted, so no file of a version is read."""
        return None

    def state(self, bucket: BucketId) -> BucketState:
        state = self.known.state(bucket)
        first = state.next_sequence + self.number * _SEQUENCES_OF_A_TASK
        return BucketState((), state.total_buckets, least_sequence=first)

    def total_buckets(self, partition: bytes) -> int | None:
        return self.known.total_buckets(partition)


def without_files(buckets: KnownBuckets) -> KnownBuckets:
    """Return the state that a writer without compaction needs: a table of many files must not be sent to every task."""
    states = {
        bucket: BucketState((), state.total_buckets, least_sequence=state.next_sequence)
        for bucket, state in buckets.buckets.items()
    }
    return KnownBuckets(states, least_sequence=buckets.least_sequence)
