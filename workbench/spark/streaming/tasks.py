"""The reads of a stream that run on executors; imports only what `workbench.spark.tasks` may import."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from workbench.base.session import session_options
from workbench.format.spec.schema import TableSchema
from workbench.metadata.store import TableStore
from workbench.scan.incremental.binlog import binlog_field, changed_batches, separate_rows
from workbench.scan.incremental.row_kind_reader import KindReader
from workbench.scan.split_reader import SplitReader
from workbench.spark.tasks import for_spark


@dataclass(frozen=True)
class StreamReadTask:
    """Reads splits of a stream.

    ``columns`` are columns of the table, in the order of ``shown``. ``shown`` are the columns of the result, which may
    include the kinds of the rows and their sequence numbers. ``nullable`` are the columns that Spark treats as
    nullable; ``as_binlog``: each column is a list of the values before and after a change.
    """

    store: TableStore
    schema: TableSchema
    columns: tuple[str, ...]
    shown: tuple[str, ...]
    nullable: frozenset[str] = frozenset()
    with_sequence: bool = False
    as_binlog: bool = False
    timezone: str = field(default_factory=lambda: session_options.timezone)

    def read(self, split: bytes, *, merges: bool) -> Iterator[pa.RecordBatch]:
        """Return the rows of one pickled split.

        The rows of a whole snapshot are merged. Changes are returned as they were stored, with rows of every kind.
        """
        session_options.timezone = self.timezone
        splits: list[Any] = [pickle.loads(split)]
        if merges and self.columns == self.shown:
            reader = SplitReader(self.store, self.schema, self.columns).batches(splits)
        else:
            kinds = KindReader(self.store, self.schema, self.columns, with_sequence=self.with_sequence)
            reader = kinds.batches(splits)
            reader = _selected(self._binlog(reader, merges=merges) if self.as_binlog else reader, self.shown)
        return for_spark(reader, self.nullable)

    def _binlog(self, reader: pa.RecordBatchReader, *, merges: bool) -> pa.RecordBatchReader:
        fields = [binlog_field(self.schema.field(name)) for name in self.columns]
        if merges:
            tables: Iterator[pa.Table] = (separate_rows(pa.Table.from_batches([each]), fields) for each in reader)
        else:
            tables = changed_batches(reader, fields)
        schema = separate_rows(reader.schema.empty_table(), fields).schema
        return pa.RecordBatchReader.from_batches(schema, (batch for rows in tables for batch in rows.to_batches()))


def _selected(reader: pa.RecordBatchReader, names: tuple[str, ...]) -> pa.RecordBatchReader:
    schema = pa.schema([reader.schema.field(name) for name in names])
    return pa.RecordBatchReader.from_batches(schema, (batch.select(list(names)) for batch in reader))
