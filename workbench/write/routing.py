"""Routing of rows to buckets: the partition is defined by the partition columns, the bucket by the table's bucket mode
(format §11.3, Java ``BucketMode``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int32Array, Int64Array
from workbench.base.counting import counted
from workbench.base.errors import CommitConflict
from workbench.format.rows.binary_row_columns import encode_columns
from workbench.format.rows.bucket import fixed_buckets
from workbench.format.spec.data_file import EMPTY_ROW, CommitMessage
from workbench.format.spec.partition_path import check_writable_path, escape
from workbench.lsm.merge_function import Kinds
from workbench.metadata.bucket_states import BucketStates
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore

UNAWARE_BUCKET = 0
# An escaped byte occupies three bytes: partitions whose serialized row has at most this size cannot have names that are
# too long.
_SURELY_SHORT = 255 // 3


@dataclass(frozen=True)
class Share:
    """The rows of one bucket within a table, by their numbers; ``rows`` None means all rows."""

    bucket: BucketId
    rows: Int64Array | None


@dataclass(frozen=True)
class Routed:
    """Rows on their way to buckets: ``shares`` refer to the rows of ``table``, which may differ from the input."""

    table: pa.Table
    kinds: Kinds | None
    shares: Sequence[Share]


class Router(Protocol):
    """Router of the rows of one writer to their buckets."""

    def route(self, table: pa.Table, kinds: Kinds | None) -> Routed:
        """Route the next rows (at least one) in the order in which they were written."""
        ...

    def total_buckets(self, partition: bytes) -> int:
        """Return the number of buckets to record for the files of a partition. Raises CommitConflict if the partition
        already has a different number."""
        ...

    def indexed(self, messages: Sequence[CommitMessage]) -> list[CommitMessage]:
        """Return the messages of all buckets that received rows, with the index files that these rows need."""
        ...


@dataclass
class FixedRouter:
    """Router by a hash of the bucket key, or to the single bucket of tables without buckets."""

    store: TableStore
    buckets: BucketStates

    def route(self, table: pa.Table, kinds: Kinds | None) -> Routed:
        """Route the next rows (at least one) in the order in which they were written."""
        partitions, partition_of_row = distinct_partitions(self.store, table)
        totals = [self.total_buckets(partition) for partition in partitions]
        bucket_of_row = self._buckets(table, totals, partition_of_row)
        return Routed(table, kinds, shares(table.num_rows, partitions, partition_of_row, bucket_of_row))

    def total_buckets(self, partition: bytes) -> int:
        """Return the number of buckets of the table, which must be that of the partition's files."""
        wanted = self.store.schema.core.bucket
        known = self.buckets.total_buckets(partition)
        if known is not None and wanted > 0 and known != wanted:
            where = self.store.partition_directory(partition) or self.store.name
            raise CommitConflict(
                f"{where} has {counted(known, 'buckets')}, but the table is now configured for {wanted}.",
                "Call rescale() or overwrite the partition to change its number of buckets.",
            )
        return wanted

    def indexed(self, messages: Sequence[CommitMessage]) -> list[CommitMessage]:
        """Return the messages unchanged, as such buckets need no index."""
        return list(messages)

    def _buckets(
        self, table: pa.Table, totals: Sequence[int], partition_of_row: Int64Array | None
    ) -> Int32Array | None:
        if max(totals) <= 1:
            return None
        schema = self.store.schema
        fields = [schema.field(name) for name in schema.bucket_keys]
        columns, types = [table.column(each.name) for each in fields], [each.type for each in fields]
        function = schema.core.bucket_function
        if len(set(totals)) == 1:
            return fixed_buckets(columns, types, totals[0], function)
        buckets = np.zeros(table.num_rows, np.int32)
        total_of_row = np.asarray(totals)[partition_of_row]
        for total in set(totals):
            rows = np.flatnonzero(total_of_row == total)
            buckets[rows] = fixed_buckets([column.take(pa.array(rows)) for column in columns], types, total, function)
        return buckets


def distinct_partitions(store: TableStore, table: pa.Table) -> tuple[list[bytes], Int64Array | None]:
    """Return the serialized partitions of the rows, and the number of each row's partition; None if all are in one.

    Raises:
        SchemaMismatch: The name of a partition cannot be used as a directory name.
    """
    fields = store.partition_fields
    if not fields:
        return [EMPTY_ROW], None
    columns = [table.column(each.name) for each in fields]
    codes, firsts = _distinct_rows(columns)
    rows = encode_columns([column.take(pa.array(firsts)) for column in columns], [each.type for each in fields])
    partitions = [rows.to_bytes(index) for index in range(len(firsts))]
    names = max(len(escape(each.name).encode()) for each in fields) + 1
    for partition in partitions:
        if len(partition) + names > _SURELY_SHORT:
            check_writable_path(store.partition_directory(partition))
    return partitions, codes


def shares(
    rows: int, partitions: Sequence[bytes], partition_of_row: Int64Array | None, bucket_of_row: Int32Array | None
) -> list[Share]:
    """Return the rows of each bucket, in their order. Sorting the codes once is cheaper than one filter for each
    bucket."""
    if partition_of_row is None and bucket_of_row is None:
        return [Share((partitions[0], UNAWARE_BUCKET), None)]
    width = 1 if bucket_of_row is None else int(bucket_of_row.max()) + 1
    codes = np.zeros(rows, np.int64)
    if partition_of_row is not None:
        codes += partition_of_row * width
    if bucket_of_row is not None:
        codes += bucket_of_row
    order = np.argsort(codes.astype(np.uint16) if codes.max() < 1 << 16 else codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    ends = np.append(starts[1:], len(order))
    shared = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        partition, bucket = divmod(int(ordered[start]), width)
        shared.append(Share((partitions[partition], bucket), order[start:end] if len(starts) > 1 else None))
    return shared


def rows_of_shares(table: pa.Table, chosen: Sequence[Share]) -> Iterator[tuple[BucketId, pa.Table]]:
    """Yield the rows of some shares of a table. All are taken at once, as many small steps cost far more."""
    numbers = [share.rows for share in chosen if share.rows is not None]
    taken, start = table.take(pa.array(np.concatenate(numbers))) if numbers else table, 0
    for share in chosen:
        count = table.num_rows if share.rows is None else len(share.rows)
        yield share.bucket, taken.slice(start, count)
        start += count


def _distinct_rows(columns: Sequence[pa.ChunkedArray]) -> tuple[Int64Array, Int64Array]:
    """Return a number for each row, equal for equal rows, and the first row of each number."""
    rows = len(columns[0])
    codes, count = np.zeros(rows, np.int64), 1
    for column in columns:
        encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
        width = len(encoded.dictionary)
        codes, count = _dense(codes * width + encoded.indices.to_numpy(zero_copy_only=False), count * width)
    firsts = np.empty(count, np.int64)
    firsts[codes[::-1]] = np.arange(rows - 1, -1, -1)
    return codes, firsts


def _dense(codes: Int64Array, limit: int) -> tuple[Int64Array, int]:
    """Return codes below ``limit`` renumbered without gaps, and how many there are."""
    if limit > max(len(codes), 1 << 16):
        distinct, dense = np.unique(codes, return_inverse=True)
        return dense.astype(np.int64), len(distinct)
    present = np.zeros(limit, bool)
    present[codes] = True
    return (np.cumsum(present) - 1)[codes], int(np.count_nonzero(present))
