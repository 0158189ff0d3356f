"""The code that runs on executors; imports only the standard library, numpy, pyarrow and the core."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from workbench.base.modules import pc
from workbench.base.session import session_options
from workbench.expr.expressions import Expr
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.bucket_states import BucketState, BucketStates, KnownBuckets
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.scan.split_reader import SplitReader
from workbench.write.writer import TableWriter

ROWS_PER_BATCH = 65_536


def pickled(value: Any) -> bytes:
    """Serialize a value to send it to a task."""
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


@dataclass(frozen=True)
class ReadTask:
    """Reads and merges splits of ``snapshot``, one version of a table.

    ``nullable`` are columns that Spark treats as nullable anyway; ``timezone`` is that of the session, in which values
    of altered columns may have to be interpreted.
    """

    store: TableStore
    schema: TableSchema
    columns: tuple[str, ...]
    where: Expr | None = None
    nullable: frozenset[str] = frozenset()
    timezone: str = field(default_factory=lambda: session_options.timezone)
    snapshot: Snapshot | None = None

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the rows of the pickled splits in column 0, for `DataFrame.mapInArrow`."""
        for batch in batches:
            for split in batch.column(0):
                yield from self.read(split.as_py())

    def read(self, split: bytes) -> Iterator[pa.RecordBatch]:
        """Return the rows of one pickled split."""
        session_options.timezone = self.timezone
        reader = SplitReader(self.store, self.schema, self.columns, self.where, snapshot=self.snapshot)
        return for_spark(reader.batches([pickle.loads(split)]), self.nullable)


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


def for_spark(reader: pa.RecordBatchReader, nullable: frozenset[str] = frozenset()) -> Iterator[pa.RecordBatch]:
    """Yield batches of sizes and types that Spark accepts. Nanoseconds are truncated to microseconds, Spark's finest
    unit.
    """
    fields = [_spark_field(field) for field in reader.schema]
    target = pa.schema([field.with_nullable(field.nullable or field.name in nullable) for field in fields])
    for batch in reader:
        columns = [_cut(column, field.type) for column, field in zip(batch.columns, target, strict=True)]
        converted = pa.RecordBatch.from_arrays(columns, schema=target)
        for start in range(0, converted.num_rows, ROWS_PER_BATCH):
            yield converted.slice(start, ROWS_PER_BATCH)


def _cut(column: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    if column.type == arrow_type:
        return column
    if pa.types.is_timestamp(arrow_type):
        # A cast truncates towards 1970; an earlier instant has to become the microsecond before it, as in Java.
        column = pc.floor_temporal(column, unit="microsecond")
    return column.cast(arrow_type, safe=False)


def _spark_type(arrow_type: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(arrow_type):
        return pa.timestamp("us", arrow_type.tz)
    if pa.types.is_list(arrow_type):
        return pa.list_(_spark_field(arrow_type.value_field))
    if pa.types.is_map(arrow_type):
        return pa.map_(_spark_field(arrow_type.key_field), _spark_field(arrow_type.item_field))
    if pa.types.is_struct(arrow_type):
        return pa.struct([_spark_field(arrow_type.field(index)) for index in range(arrow_type.num_fields)])
    return arrow_type


def _spark_field(field: pa.Field) -> pa.Field:
    return field.with_type(_spark_type(field.type))
