"""``spark.readStream``: micro-batches of a table's rows and changes.

Spark calls one reader from the start to the end of a query, in one process; tasks read the splits. The position is
kept in the checkpoint, so that a restarted query continues exactly where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from pyspark.sql import datasource as source
from pyspark.sql.types import StructType

from workbench.base.errors import Unsupported
from workbench.metadata.definition.option_checks import check_supported
from workbench.metadata.read_options import ReadOptions
from workbench.metadata.refs.consumers import all_consumers
from workbench.scan.incremental.row_kind_reader import ROW_KIND
from workbench.scan.stream.admission import ReadLimits
from workbench.scan.stream.offset import StreamOffset
from workbench.scan.stream.scan import StreamScan
from workbench.spark.streaming.admission import ReadAllAvailable, SupportsTriggerAvailableNow, default_limit
from workbench.spark.streaming.options import UNSUPPORTED, Triggers, table_options
from workbench.spark.streaming.tasks import StreamReadTask
from workbench.spark.tasks import pickled
from workbench.spark.types import check_requested
from workbench.table.read_options import with_dynamic_options
from workbench.table.system.data_tables import AuditLogTable, BinlogTable
from workbench.table.table import Table

# The key under which the end offset of a batch stores its start offset.
_START = "start"
# The key of the query's start if Spark does not pass a start, and the key that marks an offset as such a start.
_INITIAL, _IS_INITIAL = "initial", "is_initial"


@dataclass
class StreamPartition(source.InputPartition):
    """One pickled split, and how to read it."""

    task: StreamReadTask
    split: bytes
    merges: bool


class PaimonStreamReader(source.DataSourceStreamReader, SupportsTriggerAvailableNow):
    """The reader of one query. ``base`` is the table; ``table`` is the same table with the options of the read;
    ``log`` is its ``$audit_log`` or ``$binlog`` if the rows start with their kind."""

    def __init__(
        self, base: Table, table: Table, log: AuditLogTable | None, schema: StructType, triggers: Triggers
    ) -> None:
        check_requested(schema, (log or table).schema.fields)
        self._base, self._table, self._triggers = base, table, triggers
        shown = tuple(schema.names)
        known = set(table.schema.field_names)
        columns = tuple(name for name in shown if name in known and not (log and name == ROW_KIND))
        nullable = frozenset(field.name for field in schema.fields if field.nullable)
        has_sequence = log is not None and log.has_sequence
        self._scan = StreamScan(table.store, columns)
        as_binlog = isinstance(log, BinlogTable)
        self._task = StreamReadTask(table.store, table.schema, columns, shown, nullable, has_sequence, as_binlog)
        self._whole_task = replace(self._task, store=self._scan.start.full_store)
        self._consumer: str | None = table.schema.core.value("consumer-id")
        self._consumed: int | None = None
        self._last: int | None = None
        self._previous_millis = 0

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return where a new query starts."""
        return {**self._scan.start.offset.to_json(), _IS_INITIAL: True}

    def getDefaultReadLimit(self) -> Any:  # noqa: N802
        """Return the limit that Spark's triggers pass to each batch."""
        return default_limit(self._triggers.limits)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Remember the newest snapshot, at which the query ends."""
        self._last = self._scan.newest().snapshot_id - 1

    def latestOffset(self, start: dict[str, Any] | None = None, limit: Any = None) -> dict[str, Any]:  # noqa: N802
        """Return the end of the next batch: ``start`` if there is nothing to read."""
        if start is None:  # Spark 4.1 requests everything, and repeats a query's first batch from a new start.
            first, newest = self._scan.start.offset, self._scan.newest()
            # The first snapshot of a stream may not exist yet.
            return {**max(first, newest).to_json(), _INITIAL: first.to_json()}
        position = StreamOffset.from_json(start)
        self._record(position)
        limits = ReadLimits() if isinstance(limit, ReadAllAvailable) else self._triggers.limits
        now = self._table.store.clock.now_millis()
        waits = self._triggers.max_delay is not None and now - self._previous_millis <= self._triggers.max_delay
        end = self._scan.advanced(position, limits, self._last, waits=waits)
        if end == position:
            return start
        self._previous_millis = now
        # Spark's checkpoint lacks the start of the first batch. Spark requests it again when newer snapshots may exist.
        return {**end.to_json(), _START: position.to_json()}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[source.InputPartition]:
        """Return one task per split."""
        first = end.get(_INITIAL, start) if start.get(_IS_INITIAL) else start
        parts = self._scan.between(StreamOffset.from_json(end.get(_START, first)), StreamOffset.from_json(end))
        return [
            StreamPartition(self._whole_task if part.is_whole else self._task, pickled(split), part.is_whole)
            for part in parts
            for split in part.splits
        ]

    def read(self, partition: Any) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a split; Spark passes None if there is no partition."""
        if isinstance(partition, StreamPartition):
            yield from partition.task.read(partition.split, merges=partition.merges)

    def commit(self, end: dict[str, Any]) -> None:
        """Record the progress of the consumer."""
        self._record(StreamOffset.from_json(end))

    def _record(self, position: StreamOffset) -> None:
        """Store a completely read position as the consumer's progress, which keeps later snapshots from expiring."""
        if self._consumer is None or position.snapshot_id == self._consumed:
            return
        if position.snapshot_id > self._scan.newest().snapshot_id:
            return  # The first snapshot of the stream does not exist yet.
        present = all_consumers(self._table.store).get(self._consumer)
        if present is None or present < position.snapshot_id:
            self._base.set_consumer(self._consumer, position.snapshot_id)
        self._consumed = position.snapshot_id


def stream_reader(table: Any, schema: StructType, options: Any) -> PaimonStreamReader:
    """Return the reader of a table, or of its ``$audit_log`` or ``$binlog``.

    Raises:
        Unsupported: The table is another system table, is read from two branches, or has options that are not
            supported.
    """
    log = table if isinstance(table, AuditLogTable) else None
    base = table if log is None else Table(log.store)
    if not isinstance(base, Table) or base.schema.core.other_branches:
        raise Unsupported(f"{table.name} cannot be read as a stream.", "Read it as a batch.")
    stream = with_dynamic_options(base, table_options(options))
    core = stream.schema.core
    for name in UNSUPPORTED:
        if core.value(name):
            raise Unsupported(f"Option '{name}' = '{core.text(name)}' is not supported in streams.")
    check_supported(stream.schema, for_write=False, answered=ReadOptions.answered)
    return PaimonStreamReader(base, stream, log, schema, Triggers.of(options, stream.schema.options))
