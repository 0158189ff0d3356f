"""Rows that wait for a bucket, read as the newest run of every bucket of their partition with option
'postpone.merge-on-read' (Java ``PostponeMergeReadBuilder``, ``PostponeMergeRead``).

Their files are unsorted, a file may contain a key several times, and the rows have no sequence numbers: they are newer
than the rows of the buckets, in the order in which the files were written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.datafile.protocol import DataFile
from workbench.expr.expressions import Expr
from workbench.format.rows.bucket import fixed_buckets
from workbench.format.spec.data_file import DataFileMeta, ManifestEntry
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.schema import TableSchema
from workbench.lsm.key_slices import Run as MergeRun
from workbench.lsm.keys import group_keys
from workbench.lsm.levels import key_of_schema
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.scan.read_where import read_where
from workbench.scan.sorted_runs import runs_by_age
from workbench.scan.split import Run, Section
from workbench.scan.table_chunk import Layout, TableChunk

_PIECE_ROWS = 1 << 17


def waiting_files(entries: Iterable[ManifestEntry]) -> dict[bytes, list[DataFileMeta]]:
    """Return the files of postponed rows by partition, in the order in which they were written according to the
    writers' clocks."""
    waiting: defaultdict[bytes, list[DataFileMeta]] = defaultdict(list)
    for entry in entries:
        if entry.bucket == POSTPONE_BUCKET:
            waiting[entry.partition].append(entry.file)
    return {partition: sorted(files, key=lambda file: file.creation_time or 0) for partition, files in waiting.items()}


def bucket_totals(buckets: Mapping[BucketId, Sequence[ManifestEntry]], waiting: Iterable[bytes]) -> dict[BucketId, int]:
    """Return the buckets to read, each with the number of buckets of its partition. If rows of a partition wait, its
    buckets without files are included. If such a partition has no buckets, its rows are read as one bucket."""
    totals = {bucket: entries[0].total_buckets for bucket, entries in buckets.items() if bucket[1] != POSTPONE_BUCKET}
    of_partition = {partition: total for (partition, _), total in totals.items()}
    for partition in waiting:
        total = of_partition.get(partition, 1)
        totals |= {(partition, bucket): total for bucket in range(total)}
    return totals


def with_waiting(
    store: TableStore, partition: bytes, stored: Sequence[DataFileMeta], files: Sequence[DataFileMeta]
) -> Section:
    """Return one section of all rows of a bucket, with the postponed files of its partition as the newest runs.

    The metadata of the postponed files describes how they are read: it has their full path, sequence numbers after all
    others, and a number of deletes above zero, since their rows always have to be merged.
    """
    number = max((file.max_sequence_number for file in stored), default=-1) + 1
    runs: list[Run] = list(runs_by_age(stored, key_of_schema(store.schema)))
    for file in files:
        runs.append(
            (
                replace(
                    file,
                    external_path=store.data_file_path(partition, POSTPONE_BUCKET, file),
                    min_sequence_number=number,
                    max_sequence_number=number + file.row_count - 1,
                    delete_row_count=max(1, file.delete_row_count or 0),
                ),
            )
        )
        number += file.row_count
    return tuple(runs)


@dataclass(frozen=True)
class WaitingRows:
    """The rows of one bucket in postponed files, oldest file first, as a run for a merge."""

    files: Sequence[DataFile]
    schema: TableSchema
    bucket: int
    total_buckets: int

    @property
    def rows(self) -> int:
        """The number of rows in the files, of all buckets."""
        return sum(reader.rows for reader in self.files)

    def run(self, columns: Sequence[str], layout: Layout, where_keys: Expr | None) -> MergeRun:
        """Return the rows sorted by key and age; all rows of a key are in one chunk.

        Args:
            columns: The columns to read, with those that the merge uses.
            layout: The columns that the merge uses.
            where_keys: Rows whose key does not satisfy it may be left out.
        """
        return MergeRun(self.rows, self._chunks(columns, layout, where_keys), has_unique_keys=False)

    def _chunks(self, columns: Sequence[str], layout: Layout, where_keys: Expr | None) -> Iterator[TableChunk]:
        rows = pa.concat_tables([self._of_bucket(reader, columns, where_keys) for reader in self.files])
        groups = group_keys([rows.column(name) for name in layout.keys])
        for first, end in _pieces(groups.starts, rows.num_rows):
            yield TableChunk(rows.take(pa.array(groups.order[first:end])), layout)

    def _of_bucket(self, reader: DataFile, columns: Sequence[str], where_keys: Expr | None) -> pa.Table:
        rows = read_where(reader, [name for name in columns if name != SEQUENCE_NUMBER], where_keys)
        numbers = np.arange(rows.num_rows, dtype=np.int64) + reader.file.min_sequence_number
        rows = rows.append_column(SEQUENCE_NUMBER, pa.array(numbers))
        if where_keys is not None:
            from workbench.expr.evaluate import filter_mask

            rows = rows.filter(filter_mask(where_keys, rows))
        if self.total_buckets == 1:
            return rows
        fields = [self.schema.field(name) for name in self.schema.bucket_keys]
        keys, types = [rows.column(field.name) for field in fields], [field.type for field in fields]
        buckets = fixed_buckets(keys, types, self.total_buckets, self.schema.core.bucket_function)
        return rows.filter(pa.array(buckets == self.bucket))


def _pieces(starts: Int64Array, rows: int) -> Iterator[tuple[int, int]]:
    """Divide rows that are sorted by key into ranges of about ``_PIECE_ROWS``; ``starts`` has the first row of each
    key."""
    first = 0
    while first < rows:
        after = int(np.searchsorted(starts, first + _PIECE_ROWS))
        end = int(starts[after]) if after < len(starts) else rows
        yield first, end
        first = end
