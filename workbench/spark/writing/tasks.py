"""The code of writes that runs on executors; imports only the standard library, numpy, pyarrow and the core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.format.spec.data_file import BaseVersion
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.metadata.bucket_states import BucketState, BucketStates, KnownBuckets
from workbench.metadata.ids import BucketId, new_commit_user
from workbench.metadata.store import TableStore
from workbench.spark.tasks import for_spark
from workbench.write.elsewhere.assigned import BUCKET, KIND, AssignedRouter, assigned
from workbench.write.input import Rows, as_rows
from workbench.write.postponed import PostponedWriter
from workbench.write.routers import router_for
from workbench.write.row_kinds import RowKindReader
from workbench.write.writer import TableWriter

ORDER = "__workbench_order"
"""The BIGINT column by which the rows of a task are sorted."""


@dataclass(frozen=True)
class WriteTask:
    """Writes the rows of one task. A unique identifier names its files, which nothing refers to before the commit.

    ``assigned``: the rows have the columns of `AssignTask`; ``waits``: rows go to the waiting bucket of their
    partition, from which a compaction distributes them.
    """

    store: TableStore
    buckets: BucketStates
    row_kind: str | None = None
    compacts: bool = True
    keeps_changelog: bool = True
    assigned: bool = False
    waits: bool = False

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the commit messages of rows, for `DataFrame.mapInArrow`."""
        yield pa.record_batch([pa.array(self.write(batches), pa.binary())], ["message"])

    def write(self, batches: Iterator[pa.RecordBatch]) -> list[bytes]:
        """Return the messages to commit; a failing task removes its files where possible."""
        writer = self._writer()
        try:
            for batch in batches:
                for rows in self._rows(batch):
                    writer.write_rows(rows)
            return [message.to_bytes() for message in writer.prepare()]
        except BaseException:
            writer.abort()
            raise

    def for_shared_buckets(self, number: int) -> WriteTask:
        """Return this task in the form for several tasks that write into one bucket.

        Task ``number`` has a separate range of sequence numbers, so that rows of later tasks win, and does not compact,
        since the other tasks see the same files.
        """
        return replace(self, buckets=_OwnSequences(self.buckets, number), compacts=False)

    def _writer(self) -> TableWriter | PostponedWriter:
        return PostponedWriter(self.store, new_commit_user(self.store)) if self.waits else self.table_writer()

    def table_writer(self) -> TableWriter:
        """Return the writer of rows that do not wait for their bucket."""
        # Spark assigns one core to a task; the other cores run other tasks.
        return TableWriter(
            self.store,
            self.buckets,
            compacts=self.compacts,
            workers=1,
            keeps_changelog=self.keeps_changelog,
            routes=AssignedRouter if self.assigned else router_for,
        )

    def _rows(self, batch: pa.RecordBatch) -> Iterator[Rows]:
        if not self.assigned:
            yield from as_rows(batch, self.store.schema, self.row_kind)
            return
        stored = self.store.schema.field_names
        start = 0
        for rows in as_rows(batch.select(stored), self.store.schema):
            piece = batch.slice(start, rows.table.num_rows)
            start += rows.table.num_rows
            table = rows.table.append_column(BUCKET, piece.column(BUCKET)).append_column(KIND, piece.column(KIND))
            yield Rows(table)


@dataclass(frozen=True)
class AssignTask:
    """Assigns buckets to the rows of one task, for tables whose buckets only this library computes.

    A task has all rows of the keys that it is responsible for, in their order. The result depends on nothing else, so
    that a repeated task assigns the same buckets.
    """

    store: TableStore
    buckets: BucketStates
    row_kind: str | None = None

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the rows of the table with their bucket, kind and order, for `DataFrame.mapInArrow`."""
        router, kinds = router_for(self.store, self.buckets), RowKindReader(self.store.schema)
        done = 0
        for batch in batches:
            # Without a shuffle, tasks must not repeat each other's numbers: each continues from its first input number.
            done = done or (batch.column(ORDER)[0].as_py() if batch.num_rows else 0)
            for rows in as_rows(batch.drop_columns([ORDER]), self.store.schema, self.row_kind):
                if self.store.schema.is_primary_key_table:
                    rows = kinds.of(rows)
                if not rows.table.num_rows:
                    continue
                table = assigned(router.route(rows.table, rows.kinds))
                numbers = np.arange(done, done + table.num_rows, dtype=np.int64)
                done += table.num_rows
                yield from for_spark(table.append_column(ORDER, pa.array(numbers)).to_reader())


_SEQUENCES_OF_A_TASK = 1 << 32


@dataclass(frozen=True)
class _OwnSequences:
    known: BucketStates
    number: int

    @property
    def version(self) -> None:
        """None: nothing is compacted, so no file of a version is read."""
        return None

    @property
    def base(self) -> BaseVersion | None:
        return self.known.base

    def state(self, bucket: BucketId) -> BucketState:
        state = self.known.state(bucket)
        first = state.next_sequence + self.number * _SEQUENCES_OF_A_TASK
        return BucketState((), state.total_buckets, min_sequence=first)

    def total_buckets(self, partition: bytes) -> int | None:
        return self.known.total_buckets(partition)


def without_files(buckets: KnownBuckets) -> KnownBuckets:
    """Return the state that a writer without compaction needs: the list of all files must not be sent to every task."""
    states: dict[Any, BucketState] = {
        # The waiting rows are counted to determine the number of buckets.
        bucket: state
        if bucket[1] == POSTPONE_BUCKET
        else BucketState((), state.total_buckets, min_sequence=state.next_sequence)
        for bucket, state in buckets.buckets.items()
    }
    return replace(buckets, buckets=states, version=None)
