"""Removal of deleted rows from the files of a primary-key table, on executors."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from workbench.base.progress import Progress
from workbench.format.rows.binary_row_columns import encode_columns
from workbench.format.spec.data_file import EMPTY_ROW
from workbench.format.types import field_to_arrow
from workbench.metadata.ids import BucketId
from workbench.scan.split import Split
from workbench.spark.changes.tasks import ChangedFile, TaskResult
from workbench.write.changes.key_deletes import KeyDeletes
from workbench.write.changes.rewrite import Outcome

BUCKET = "__workbench_bucket"


@dataclass(frozen=True)
class KeyFilesTask:
    """Removes the rows of deleted keys from the files of their buckets.

    The deleted rows arrive with their `BUCKET` and `columns`; all rows of a bucket arrive together. ``buckets`` holds
    all files of the version.
    """

    deletes: KeyDeletes
    buckets: Mapping[BucketId, Split]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a deleted row: its partition and its key."""
        return (*self.deletes.store.schema.partition_keys, *self.deletes.columns)

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the pickled `TaskResult`, for `DataFrame.mapInArrow`."""
        outcomes: list[Outcome] = []
        deleted = 0
        try:
            for bucket, keys in self._by_bucket(batches):
                deleted += keys.num_rows
                outcomes.extend(self.deletes.outcomes(self.buckets[bucket], keys, Progress()))
        except BaseException:
            for outcome in outcomes:
                for file in outcome.new:
                    self.deletes.store.discard_data_file(*outcome.stored.bucket, file)
            raise
        files = (ChangedFile(each.stored.split.path(each.stored.file), each.new, each.marks, 0, 0) for each in outcomes)
        result = TaskResult(tuple(files), deleted=deleted)
        yield pa.record_batch([pa.array([pickle.dumps(result)], pa.binary())], ["result"])

    def _by_bucket(self, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[BucketId, pa.Table]]:
        """Yield the keys of each bucket."""
        names = list(self.deletes.columns)
        current: BucketId | None = None
        waiting: list[pa.Table] = []
        for batch in batches:
            for bucket, rows in self._runs(pa.Table.from_batches([batch])):
                if bucket != current and current is not None:
                    yield current, pa.concat_tables(waiting)
                    waiting = []
                current = bucket
                waiting.append(rows.select(names))
        if current is not None:
            yield current, pa.concat_tables(waiting)

    def _runs(self, rows: pa.Table) -> Iterator[tuple[BucketId, pa.Table]]:
        """Yield each run of consecutive rows of one bucket."""
        if not rows.num_rows:
            return
        schema = self.deletes.store.schema
        typed = pa.table(
            {name: rows.column(name).cast(field_to_arrow(schema.field(name)).type) for name in self.columns}
        )
        columns = [typed.column(name) for name in schema.partition_keys]
        partitions = encode_columns(columns, [each.type for each in schema.partition_fields]) if columns else None
        differs = np.zeros(rows.num_rows - 1, bool)
        for column in (rows.column(BUCKET), *columns):
            codes = column.combine_chunks().dictionary_encode("encode").indices.to_numpy()
            differs |= codes[1:] != codes[:-1]
        starts = [0, *(np.flatnonzero(differs) + 1).tolist(), rows.num_rows]
        for first, end in pairwise(starts):
            partition = EMPTY_ROW if partitions is None else partitions.to_bytes(first)
            yield (partition, rows.column(BUCKET)[first].as_py()), typed.slice(first, end - first)
