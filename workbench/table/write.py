"""The first phase of a write: rows become data files, and messages that say so (format §11, §12, §16,
`MergeTreeWriter`).

The same writer runs in the user's process and in Spark tasks: it needs the store and the state of the buckets it
touches, no catalog and no snapshot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from workbench.base.errors import CommitConflict
from workbench.base.parallel import parallel_map, worker_count
from workbench.base.progress import Progress
from workbench.format.binary_row_columns import encode_columns
from workbench.format.bucket import fixed_buckets
from workbench.format.data_file import EMPTY_ROW, CommitMessage, DataFileMeta
from workbench.format.parquet import SEQUENCE_NUMBER, VALUE_KIND
from workbench.lsm.keys import group_keys
from workbench.lsm.merge_function import Kinds
from workbench.table.bucket_states import BucketId, BucketStates
from workbench.table.compact import BucketCompaction
from workbench.table.data_file_writer import DataFileWriter, FileNames
from workbench.table.input import Rows, as_rows
from workbench.table.store import TableStore

_LANE_BYTES = 64 << 20
UNAWARE_BUCKET = 0


@dataclass(frozen=True)
class _Share:
    """The rows of one bucket within a buffer: all of them for ``rows`` None."""

    bucket: BucketId
    rows: npt.NDArray[np.int64] | None


@dataclass
class TableWriter:
    """Buffers rows and writes them bucket by bucket. Nothing is visible before the messages are committed.

    Not for use from several threads; works on ``workers`` threads by itself, by default on all processors.
    """

    store: TableStore
    buckets: BucketStates
    progress: Progress = field(default_factory=Progress)
    compacts: bool = True
    workers: int = field(default_factory=worker_count)
    rows_written: int = 0

    def __post_init__(self) -> None:
        self._waiting: list[Rows] = []
        self._waiting_bytes = 0
        self._names = FileNames(self.store.ids.uuid(), self.store.schema.core.data_file_prefix)
        self._append_writers: dict[tuple[BucketId, int], DataFileWriter] = {}
        self._new_files: dict[BucketId, list[DataFileMeta]] = {}
        self._next_sequence: dict[BucketId, int] = {}
        self._prepared_files: dict[BucketId, tuple[DataFileMeta, ...]] = {}
        self._compactions: list[BucketCompaction] = []

    def write(self, data: Any, row_kind: str | None = None) -> None:
        """Take rows; see `workbench.table.input.as_rows` for what ``data`` may be."""
        for rows in as_rows(data, self.store.schema, row_kind):
            self.write_rows(rows)

    def write_rows(self, rows: Rows) -> None:
        """Take rows that already have the table's Arrow schema."""
        self.progress.check()
        if not rows.table.num_rows:
            return
        size = rows.table.nbytes
        if self._waiting and self._waiting_bytes + size > self.store.schema.core.write_buffer_size:
            self.flush()
        self._waiting.append(rows)
        self._waiting_bytes += size
        self.rows_written += rows.table.num_rows
        self.progress.advance(rows.table.num_rows)

    def flush(self) -> None:
        """Write what waits: one sorted level-0 run for each bucket of a primary-key table."""
        if not self._waiting:
            return
        table = pa.concat_tables([rows.table for rows in self._waiting])
        kinds = _joined_kinds(self._waiting)
        self._waiting, self._waiting_bytes = [], 0
        shares = self._shares(table)
        if self.store.schema.is_primary_key_table:
            table = table.combine_chunks()
            self._write_runs(table, kinds, shares)
        else:
            self._write_appended(table, shares)

    def prepare(self) -> list[CommitMessage]:
        """Write what still waits, compact where the table asks for it, and tell what was done."""
        self.flush()
        for (bucket, _), writer in sorted(self._append_writers.items(), key=lambda each: each[0][1]):
            self._new_files.setdefault(bucket, []).extend(writer.close())
        self._append_writers.clear()
        messages = parallel_map(self._message, list(self._new_files.items()), self.workers)
        self._new_files = {}
        self._compactions.clear()
        return messages

    def abort(self) -> None:
        """Remove the files that no message tells of; they are not part of any version."""
        self._waiting, self._waiting_bytes = [], 0
        for writer in self._append_writers.values():
            writer.abort()
        for compaction in self._compactions:
            compaction.abort()
        self._compactions.clear()
        for (partition, bucket), files in self._new_files.items():
            for file in files:
                self.store.file_io.delete(self.store.data_file_path(partition, bucket, file))
        self._new_files = {}

    def _message(self, item: tuple[BucketId, list[DataFileMeta]]) -> CommitMessage:
        (partition, bucket), new_files = item
        message = CommitMessage(partition, bucket, self._total_buckets(partition), new_files=tuple(new_files))
        schema = self.store.schema
        if not self.compacts or schema.core.write_only or not schema.is_primary_key_table:
            return message
        compaction = BucketCompaction(self.store, partition, bucket, self.progress)
        self._compactions.append(compaction)
        # What was prepared before is part of the tree: a compaction that did not see it would drop deletes too early.
        known = self._prepared_files.get((partition, bucket))
        files = [*(self.buckets.state((partition, bucket)).files if known is None else known), *new_files]
        message = compaction.add_to(message, files)
        gone = {(file.file_name, file.level) for file in message.compact_before}
        kept = (file for file in files if (file.file_name, file.level) not in gone)
        self._prepared_files[partition, bucket] = (*kept, *message.compact_after)
        return message

    def _total_buckets(self, partition: bytes) -> int:
        """The bucket number of the table, which must be that of the partition's files."""
        wanted = self.store.schema.core.bucket
        known = self.buckets.total_buckets(partition)
        if known is not None and wanted > 0 and known != wanted:
            where = self.store.partition_directory(partition) or self.store.name
            raise CommitConflict(
                f"{where} has {known} buckets and the table now asks for {wanted}.",
                "Overwrite the partition to change its bucket number.",
            )
        return wanted

    # --- sharing rows out -----------------------------------------------------------------------------------------

    def _shares(self, table: pa.Table) -> list[_Share]:
        """Which rows go to which bucket. Sorting the codes once is cheaper than one filter for each bucket."""
        partitions, partition_of_row = self._partitions(table)
        bucket_of_row = self._buckets(table)
        if partition_of_row is None and bucket_of_row is None:
            return [_Share((partitions[0], UNAWARE_BUCKET), None)]
        width = max(self.store.schema.core.bucket, 1)
        codes = np.zeros(table.num_rows, np.int64)
        if partition_of_row is not None:
            codes += partition_of_row * width
        if bucket_of_row is not None:
            codes += bucket_of_row
        order = np.argsort(codes.astype(np.uint16) if codes.max() < 1 << 16 else codes, kind="stable")
        ordered = codes[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        ends = np.append(starts[1:], len(order))
        shares = []
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            partition, bucket = divmod(int(ordered[start]), width)
            shares.append(_Share((partitions[partition], bucket), order[start:end] if len(starts) > 1 else None))
        return shares

    def _partitions(self, table: pa.Table) -> tuple[list[bytes], npt.NDArray[np.int64] | None]:
        fields = self.store.partition_fields
        if not fields:
            return [EMPTY_ROW], None
        columns = [table.column(each.name) for each in fields]
        codes, firsts = _distinct_rows(columns)
        rows = encode_columns([column.take(pa.array(firsts)) for column in columns], [each.type for each in fields])
        return [rows.to_bytes(index) for index in range(len(firsts))], codes

    def _buckets(self, table: pa.Table) -> npt.NDArray[np.int32] | None:
        schema = self.store.schema
        if schema.core.bucket <= 1:
            return None
        fields = [schema.field(name) for name in schema.bucket_keys]
        return fixed_buckets(
            [table.column(each.name) for each in fields], [each.type for each in fields], schema.core.bucket
        )

    # --- primary-key tables ---------------------------------------------------------------------------------------

    def _write_runs(self, table: pa.Table, kinds: Kinds | None, shares: Sequence[_Share]) -> None:
        for share in shares:
            self._total_buckets(share.bucket[0])

        def write(share: _Share) -> tuple[BucketId, list[DataFileMeta]]:
            return self._write_run(table, kinds, share)

        for bucket, files in parallel_map(write, shares, self.workers):
            self._new_files.setdefault(bucket, []).extend(files)

    def _write_run(self, table: pa.Table, kinds: Kinds | None, share: _Share) -> tuple[BucketId, list[DataFileMeta]]:
        """Sort the rows of a bucket by key, keep the newest of each key, write them as one run of level 0."""
        self.progress.check()
        keys = [table.column(name) for name in self.store.schema.trimmed_primary_keys]
        if share.rows is not None:
            picked = pa.array(share.rows)
            keys = [column.take(picked) for column in keys]
        newest = group_keys(keys).newest()
        rows = newest if share.rows is None else share.rows[newest]
        first = self._take_sequences(share.bucket, len(rows))
        # Numbers follow the key order: of two rows in one run neither replaces the other, and ascending numbers pack
        # well.
        run = table.take(pa.array(rows))
        run = run.append_column(SEQUENCE_NUMBER, pa.array(np.arange(first, first + len(rows), dtype=np.int64)))
        run = run.append_column(VALUE_KIND, pa.array(np.zeros(len(rows), np.int8) if kinds is None else kinds[rows]))
        writer = DataFileWriter(self.store, *share.bucket, self._names)
        try:
            writer.write(run)
            return share.bucket, writer.close()
        except BaseException:
            writer.abort()
            raise

    def _take_sequences(self, bucket: BucketId, count: int) -> int:
        first = self._next_sequence.get(bucket)
        if first is None:
            first = self.buckets.state(bucket).next_sequence
        self._next_sequence[bucket] = first + count
        return first

    # --- append tables --------------------------------------------------------------------------------------------

    def _write_appended(self, table: pa.Table, shares: Sequence[_Share]) -> None:
        jobs: list[tuple[DataFileWriter, pa.Table, int]] = []
        for share in shares:
            self._total_buckets(share.bucket[0])
            rows = table if share.rows is None else table.take(pa.array(share.rows))
            first = self._first_appended(share.bucket, rows.num_rows)
            lanes = 1 if self._is_ordered else _lanes(rows, self.workers)
            per_lane = -(-rows.num_rows // lanes)
            for lane in range(lanes):
                start = lane * per_lane
                jobs.append((self._append_writer(share.bucket, lane), rows.slice(start, per_lane), first + start))
        parallel_map(_write_job, jobs, self.workers)

    @cached_property
    def _is_ordered(self) -> bool:
        """Rows of a fixed bucket are read in the order in which they were written, so one writer writes them."""
        return self.store.schema.core.bucket > 0

    def _first_appended(self, bucket: BucketId, count: int) -> int:
        if self._is_ordered:
            return self._take_sequences(bucket, count)
        first = self._next_sequence.get(bucket, 0)
        self._next_sequence[bucket] = first + count
        return first

    def _append_writer(self, bucket: BucketId, lane: int) -> DataFileWriter:
        writer = self._append_writers.get((bucket, lane))
        if writer is None:
            writer = self._append_writers[bucket, lane] = DataFileWriter(self.store, *bucket, self._names)
        return writer


def _write_job(job: tuple[DataFileWriter, pa.Table, int]) -> None:
    writer, rows, first_sequence = job
    writer.write(rows, first_sequence)


def _lanes(table: pa.Table, workers: int) -> int:
    """Into how many files to write at once: large pieces only, for many small files cost more than they save."""
    return int(max(1, min(workers, table.nbytes // _LANE_BYTES)))


def _joined_kinds(parts: Sequence[Rows]) -> Kinds | None:
    if all(part.kinds is None for part in parts):
        return None
    return np.concatenate(
        [np.zeros(part.table.num_rows, np.int8) if part.kinds is None else part.kinds for part in parts]
    )


def _distinct_rows(columns: Sequence[pa.ChunkedArray]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """A number for each row, equal for equal rows, and the first row of each number."""
    rows = len(columns[0])
    codes, count = np.zeros(rows, np.int64), 1
    for column in columns:
        encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
        width = len(encoded.dictionary)
        codes, count = _dense(codes * width + encoded.indices.to_numpy(zero_copy_only=False), count * width)
    firsts = np.empty(count, np.int64)
    firsts[codes[::-1]] = np.arange(rows - 1, -1, -1)
    return codes, firsts


def _dense(codes: npt.NDArray[np.int64], limit: int) -> tuple[npt.NDArray[np.int64], int]:
    """Codes below ``limit`` renumbered without gaps, and how many there are."""
    if limit > max(len(codes), 1 << 16):
        distinct, dense = np.unique(codes, return_inverse=True)
        return dense.astype(np.int64), len(distinct)
    present = np.zeros(limit, bool)
    present[codes] = True
    return (np.cumsum(present) - 1)[codes], int(np.count_nonzero(present))
