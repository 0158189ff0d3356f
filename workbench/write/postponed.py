"""Writing of rows before the number of buckets is known, option 'bucket' = '-2' (Java ``PostponeBucketFileStoreWrite``,
``PostponeUtils``).

A stream writes them as they arrive into one waiting bucket for each partition, which reads skip until a compaction has
distributed its rows to real buckets. A batch writes real buckets immediately, unless option
``postpone.batch-write-fixed-bucket`` is off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import InvalidSchema, Unsupported
from workbench.base.progress import Progress
from workbench.datafile.data_file_writer import DataFileWriter, FileNames
from workbench.datafile.open_writers import OpenWriters
from workbench.format.options.core_options import CoreOptions
from workbench.format.rows.binary_row_size import size_of_rows
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, VALUE_KIND, data_file_fields
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.schema import TableSchema
from workbench.lsm.merge_function import Kinds
from workbench.metadata.schemas import writer_schema
from workbench.metadata.store import TableStore
from workbench.write.input import Rows, as_rows
from workbench.write.routing import FixedRouter, Routed, distinct_partitions, rows_of_shares, shares
from workbench.write.row_kinds import RowKindReader

NO_SEQUENCE = -1
"""The sequence number of all waiting rows: compaction numbers them in the order in which they were written."""
_FLUSH_BYTES = 32 << 20
_PLAIN_USER = re.compile(r"[A-Za-z0-9_.-]+")
_WRITER_IDS = 1 << 31


@dataclass
class PostponedWriter:
    """Writer of unsorted and unmerged rows to the waiting bucket of their partition.

    Files of one writer share a prefix, by which Java keeps their order. Nothing is visible before the messages are
    committed and a later compaction has run.
    """

    store: TableStore
    commit_user: str
    progress: Progress = field(default_factory=Progress)
    rows_written: int = 0

    def __post_init__(self) -> None:
        self._waiting: list[Rows] = []
        self._waiting_bytes = 0
        self._kinds = RowKindReader(self.store.schema)
        self._file_store = self.store.with_schema(waiting_file_schema(self.store.schema))
        self._names = FileNames(self.store.ids.uuid(), self._prefix())
        self._writers: OpenWriters[bytes] = OpenWriters(
            lambda partition: DataFileWriter(self._file_store, partition, POSTPONE_BUCKET, self._names)
        )

    def write(self, data: Any, row_kind: str | None = None) -> None:
        """Buffer rows; see `workbench.write.input.as_rows` for the accepted types of ``data``."""
        for rows in as_rows(data, self.store.schema, row_kind):
            self.write_rows(rows)

    def write_rows(self, rows: Rows) -> None:
        """Buffer rows that already have the table's Arrow schema."""
        self.progress.check()
        self.rows_written += rows.table.num_rows
        self.progress.advance(rows.table.num_rows)
        self._waiting.append(self._kinds.of(rows))
        self._waiting_bytes += rows.table.nbytes
        if self._waiting_bytes > _FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the buffered rows."""
        rows, self._waiting, self._waiting_bytes = self._waiting, [], 0
        # Together, as each part may have few rows of many partitions.
        stored = [_as_stored(part) for part in rows if part.table.num_rows]
        if stored:
            self._write(pa.concat_tables(stored))

    def prepare(self) -> list[CommitMessage]:
        """Finish all files, and return their commit messages."""
        self.flush()
        schema = writer_schema(self.store)
        return [
            CommitMessage(partition, POSTPONE_BUCKET, POSTPONE_BUCKET, new_files=tuple(files), schema=schema)
            for partition, files in self._writers.close().items()
        ]

    def abort(self) -> None:
        """Remove the files that are not part of a message."""
        self._waiting, self._waiting_bytes = [], 0
        self._writers.abort()

    def _write(self, table: pa.Table) -> None:
        partitions, partition_of_row = distinct_partitions(self.store, table)
        shared = shares(table.num_rows, partitions, partition_of_row, None)
        for turn in self._writers.turns(shared, lambda share: share.bucket[0]):
            self.progress.check()
            writers = self._writers.of([share.bucket[0] for share in turn])
            for writer, (_, rows) in zip(writers, rows_of_shares(table, turn), strict=True):
                writer.write(rows)

    def _prefix(self) -> str:
        """Return the file prefix. Java splits it at its markers such as ``-u-``, so the name of the user must not
        contain them."""
        ids, user = self.store.ids, self.commit_user
        if not _PLAIN_USER.fullmatch(user) or any(mark in f"-{user}-" for mark in ("-u-", "-s-", "-w-")):
            user = ids.uuid()
        number = int(ids.uuid().replace("-", ""), 16) % _WRITER_IDS
        return f"{self.store.schema.core.data_file_prefix}-u-{user}-s-{number}-w-"


@dataclass
class PostponedRouter(FixedRouter):
    """Router to the real buckets of a table with postponed buckets: each partition has its own number of buckets."""

    _new: dict[bytes, int] = field(default_factory=dict)

    def route(self, table: pa.Table, kinds: Kinds | None) -> Routed:
        """Route the next rows; the number of buckets of a new partition is determined by its first rows."""
        partitions, partition_of_row = distinct_partitions(self.store, table)
        counts = [table.num_rows] if partition_of_row is None else np.bincount(partition_of_row).tolist()
        for number, (partition, count) in enumerate(zip(partitions, counts, strict=True)):
            if partition not in self._new and self.buckets.total_buckets(partition) is None:
                # The waiting rows will be moved to the same buckets. Their size is estimated from the size of the new
                # rows.
                waiting = self.buckets.state((partition, POSTPONE_BUCKET)).files
                rows = count + sum(file.row_count for file in waiting)
                of_partition = table if partition_of_row is None else table.filter(pa.array(partition_of_row == number))
                size = -(-self._size(of_partition) * rows // count)
                self._new[partition] = number_of_buckets(self.store.schema.core, rows, size)
        return super().route(table, kinds)

    def _size(self, table: pa.Table) -> int:
        fields = self.store.schema.fields
        return size_of_rows([table.column(field.name) for field in fields], [field.type for field in fields])

    def total_buckets(self, partition: bytes) -> int:
        """Return the number of buckets that the partition has, or that it has been assigned."""
        known = self.buckets.total_buckets(partition)
        return self._new[partition] if known is None else known


def number_of_buckets(core: CoreOptions, rows: int, size: int) -> int:
    """Return the number of buckets for the rows of a partition that has none (Java ``PaimonSparkWriter``).

    Args:
        core: The options of the table, of which the first that is set determines the number:
            'postpone.target-row-num-per-bucket', 'postpone.default-bucket-num', 'postpone.target-size-per-bucket'.
        rows: How many rows the partition gets.
        size: Their size in bytes.

    Raises:
        InvalidSchema: An option is less than 1.
    """
    most = _positive(core.postpone_fixed_bucket_max_parallelism, "postpone.batch-write-fixed-bucket.max-parallelism")
    target, default = core.postpone_target_row_num_per_bucket, core.postpone_default_bucket_num
    if target is not None:
        number = -(-rows // _positive(target, "postpone.target-row-num-per-bucket"))
    elif default is not None:
        return _positive(default, "postpone.default-bucket-num")
    else:
        number = -(-size // _positive(core.postpone_target_size_per_bucket, "postpone.target-size-per-bucket"))
    return min(max(1, number), most)


def _positive(value: int, name: str) -> int:
    if value < 1:
        raise InvalidSchema(f"Option '{name}' must be at least 1, got {value}.", "Set it to 1 or more.")
    return value


def waiting_file_schema(schema: TableSchema) -> TableSchema:
    """Return the schema with the options of files in the waiting bucket: Avro if it supports all types, no
    statistics."""
    from workbench.format.avro.schema import avro_schema

    try:
        avro_schema(data_file_fields(schema))
    except Unsupported:
        return schema
    return replace(schema, options={**schema.options, "file.format": "avro", "metadata.stats-mode": "none"})


def _as_stored(rows: Rows) -> pa.Table:
    count = rows.table.num_rows
    kinds = np.zeros(count, np.int8) if rows.kinds is None else rows.kinds
    table = rows.table.append_column(SEQUENCE_NUMBER, pa.array(np.full(count, NO_SEQUENCE, np.int64)))
    return table.append_column(VALUE_KIND, pa.array(kinds))
