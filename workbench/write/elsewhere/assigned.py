"""Routing of rows whose buckets another process has assigned, such as an earlier stage of a Spark job (Java
``DynamicBucketIndexMaintainer``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int32Array
from workbench.base.lazy import cached_property
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.index_entry import IndexEntry
from workbench.lsm.merge_function import Kinds
from workbench.metadata.bucket_states import KnownBuckets
from workbench.metadata.errors import reading
from workbench.metadata.ids import BucketId
from workbench.metadata.index_files import index_file_path, read_hashes
from workbench.metadata.store import TableStore
from workbench.write.dynamic_buckets import DynamicRouter, key_hashes, write_hash_index
from workbench.write.routers import router_for
from workbench.write.routing import Routed, Router, Share, distinct_partitions, shares

BUCKET, KIND = "__workbench_bucket", "__workbench_kind"
"""The columns of assigned rows: the bucket (INT), and the row kind (TINYINT)."""


def assigned(routed: Routed) -> pa.Table:
    """Return routed rows with the columns that `AssignedRouter` reads. Rows without a bucket are left out."""
    rows = [_rows_of(share, routed.table.num_rows) for share in routed.shares]
    numbers = [np.full(len(each), share.bucket[1], np.int32) for each, share in zip(rows, routed.shares, strict=True)]
    taken = np.concatenate([np.zeros(0, np.int64), *rows])
    order = np.argsort(taken, kind="stable")
    taken, buckets = taken[order], np.concatenate([np.zeros(0, np.int32), *numbers])[order]
    kinds = np.zeros(len(taken), np.int8) if routed.kinds is None else routed.kinds[taken]
    table = routed.table if len(taken) == routed.table.num_rows else routed.table.take(pa.array(taken))
    return table.append_column(BUCKET, pa.array(buckets)).append_column(KIND, pa.array(kinds, pa.int8()))


def _rows_of(share: Share, count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.arange(count, dtype=np.int64) if share.rows is None else share.rows


@dataclass
class AssignedRouter:
    """Router of rows with the columns of `assigned`. All rows of one bucket must be sent to the same writer, which also
    adds their keys to the bucket's hash index."""

    store: TableStore
    buckets: KnownBuckets
    _hashes: dict[BucketId, list[Int32Array]] = field(default_factory=dict)

    def route(self, table: pa.Table, kinds: Kinds | None) -> Routed:  # noqa: ARG002
        """Route the next rows (at least one) in the order in which they were written."""
        bucket_of_row = table.column(BUCKET).to_numpy()
        given = table.column(KIND).to_numpy()
        rows = table.select(self.store.schema.field_names)
        partitions, partition_of_row = distinct_partitions(self.store, rows)
        routed = Routed(
            rows, given if given.any() else None, shares(rows.num_rows, partitions, partition_of_row, bucket_of_row)
        )
        if isinstance(self._assigner, DynamicRouter):
            hashes = key_hashes(self.store, rows)
            for share in routed.shares:
                mine = hashes if share.rows is None else hashes[share.rows]
                self._hashes.setdefault(share.bucket, []).append(np.unique(mine))
        return routed

    def total_buckets(self, partition: bytes) -> int:
        """Return the number of buckets that the assigner uses."""
        return self._assigner.total_buckets(partition)

    def indexed(self, messages: Sequence[CommitMessage]) -> list[CommitMessage]:
        """Return the messages with new index files for the buckets that received new keys; see `DynamicRouter`."""
        written: list[IndexEntry] = []
        try:
            return [self._indexed(message, written) for message in messages]
        except BaseException:
            for entry in written:
                self.store.discard(index_file_path(self.store, entry))
            raise

    def _indexed(self, message: CommitMessage, written: list[IndexEntry]) -> CommitMessage:
        bucket = (message.partition, message.bucket)
        if bucket not in self._hashes:
            return message
        before = next((each for each in self.buckets.hash_indexes(bucket[0]) if each.bucket == bucket[1]), None)
        known = np.zeros(0, np.int32) if before is None else self._read(before)
        hashes = np.unique(np.concatenate([known, *self._hashes[bucket]]))
        if before is not None and len(hashes) == len(np.unique(known)):
            return replace(message, assigned_by=before)
        entry = write_hash_index(self.store, *bucket, hashes)
        written.append(entry)
        return replace(message, new_index_files=(entry,), deleted_index_files=() if before is None else (before,))

    def _read(self, entry: IndexEntry) -> Int32Array:
        with reading(index_file_path(self.store, entry)):
            return read_hashes(self.store, entry)

    @cached_property
    def _assigner(self) -> Router:
        return router_for(self.store, self.buckets)
