"""The reads of a stream that run on executors; imports what `workbench.spark.tasks` may import."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from workbench.base.session import session_options
from workbench.format.spec.schema import TableSchema
from workbench.metadata.store import TableStore
from workbench.scan.incremental.row_kind_reader import KindReader
from workbench.scan.split_reader import SplitReader
from workbench.spark.tasks import for_spark


@dataclass(frozen=True)
class StreamReadTask:
    """Reads splits of a stream.

    ``columns`` are those of the table, in the order of ``shown``, the columns of the result; ``shown`` may contain the
    kinds of the rows and their sequence numbers. ``nullable`` are the columns that Spark treats as nullable.
    """

    store: TableStore
    schema: TableSchema
    columns: tuple[str, ...]
    shown: tuple[str, ...]
    nullable: frozenset[str] = frozenset()
    with_sequence: bool = False
    timezone: str = field(default_factory=lambda: session_options.timezone)

    def read(self, split: bytes, *, merges: bool) -> Iterator[pa.RecordBatch]:
        """Return the rows of one pickled split.

        Those of a whole snapshot are merged. Changes are returned as they were stored, with rows of every kind.
        """
        session_options.timezone = self.timezone
        splits: list[Any] = [pickle.loads(split)]
        if merges and self.columns == self.shown:
            reader = SplitReader(self.store, self.schema, self.columns).batches(splits)
        else:
            kinds = KindReader(self.store, self.schema, self.columns, with_sequence=self.with_sequence)
            reader = _selected(kinds.batches(splits), self.shown)
        return for_spark(reader, self.nullable)


def _selected(reader: pa.RecordBatchReader, names: tuple[str, ...]) -> pa.RecordBatchReader:
    schema = pa.schema([reader.schema.field(name) for name in names])
    return pa.RecordBatchReader.from_batches(schema, (batch.select(list(names)) for batch in reader))
