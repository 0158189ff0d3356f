"""Routing for keys that are unique over all partitions: a new row finds an existing row of its key in another partition
(format §11.3, Java ``GlobalIndexAssigner``, ``ExistingProcessor``).

`ExistingProcessor` of the merge engine decides: the row in the old partition is deleted, or the new row is routed to
the old partition, or dropped. With option ``cross-partition-upsert.index-ttl`` Java drops old keys from the index to
save memory, at the risk of duplicate rows; here none is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int32Array, Int64Array
from workbench.base.errors import CorruptFile
from workbench.base.lazy import cached_property
from workbench.format.options.merge_engine import ExistingProcessor
from workbench.format.rows.binary_row_decoding import decode_columns
from workbench.format.spec.data_file import CommitMessage
from workbench.lsm.keys import group_keys
from workbench.lsm.merge_function import Kinds, RowKind
from workbench.metadata.bucket_states import KnownBuckets
from workbench.metadata.store import TableStore
from workbench.write.dynamic_buckets import AssignerOptions, fill_buckets, key_hashes, no_bucket_left
from workbench.write.key_index import KeyIndex, RowLocations
from workbench.write.routing import Routed, distinct_partitions, shares


@dataclass(frozen=True)
class _ByKey:
    """Known entries and new rows grouped by key: the entry first, then the rows in their order.

    ``rows`` (int64[positions]) are row numbers, negative for entries, where the last entry is -1; ``key``
    (int64[positions]) identifies the key.
    """

    rows: Int64Array
    key: Int64Array

    @cached_property
    def is_entry(self) -> BoolArray:
        """Return which positions hold a known entry."""
        return self.rows < 0

    @cached_property
    def is_first(self) -> BoolArray:
        """Return which positions begin a key."""
        return np.asarray(np.diff(self.key, prepend=-1) != 0, bool)

    @cached_property
    def is_last(self) -> BoolArray:
        """Return which positions end a key."""
        return np.asarray(np.diff(self.key, append=-1) != 0, bool)


@dataclass
class CrossPartitionRouter:
    """Router of rows to the location of their keys, or to their own partitions with deletes at the old locations. New
    keys are assigned buckets of their partitions."""

    store: TableStore
    buckets: KnownBuckets

    def route(self, table: pa.Table, kinds: Kinds | None) -> Routed:
        """Route the next rows (at least one) in the order in which they were written, with deletes of the rows that
        they replace in other partitions."""
        wanted = self._partition_numbers(table)
        hashes = key_hashes(self.store, table)
        entries = self._index.candidates(hashes)
        by_key = self._by_key(table, entries)
        self._refuse_double_keys(by_key)
        # The entries precede the rows, so row -1 is the last entry.
        partitions = np.concatenate([wanted, self._index.locations.partitions[entries]])[by_key.rows]
        begins = by_key.is_first
        if self._moves:
            begins = begins | (np.diff(partitions, prepend=-1) != 0)
        locations = self._locations(by_key, begins, partitions, entries, hashes)
        self._remember(table, hashes, by_key, locations, entries)
        return self._routed(table, kinds, by_key, locations, partitions, begins)

    def total_buckets(self, partition: bytes) -> int:  # noqa: ARG002
        """Return -1, since the number of buckets is not fixed."""
        return -1

    def indexed(self, messages: Sequence[CommitMessage]) -> list[CommitMessage]:
        """Return the messages unchanged: the locations of the keys are read from the table."""
        return list(messages)

    @cached_property
    def _index(self) -> KeyIndex:
        return KeyIndex.of(self.store, self.buckets.version)

    @cached_property
    def _existing_processor(self) -> ExistingProcessor:
        return self.store.schema.core.engine.existing_processor

    @property
    def _moves(self) -> bool:
        """Whether a key moves to the partition of its newest row; otherwise it stays in its first one."""
        return self._existing_processor is ExistingProcessor.DELETE

    # --- identification of keys -----------------------------------------------------------------------------------

    @cached_property
    def _numbers(self) -> dict[bytes, int]:
        return {partition: number for number, partition in enumerate(self._index.partitions)}

    def _partition_numbers(self, table: pa.Table) -> Int64Array:
        partitions, partition_of_row = distinct_partitions(self.store, table)
        for partition in partitions:
            if partition not in self._numbers:
                self._numbers[partition] = len(self._index.partitions)
                self._index.partitions.append(partition)
        return np.array([self._numbers[each] for each in partitions], np.int64)[partition_of_row]

    def _by_key(self, table: pa.Table, entries: Int64Array) -> _ByKey:
        names = self.store.schema.trimmed_primary_keys
        known = self._index.keys.take(pa.array(entries))
        columns = [
            pa.chunked_array([*known.column(name).chunks, *table.column(name).chunks], known.column(name).type)
            for name in names
        ]
        groups = group_keys(columns)
        sizes = np.diff(groups.starts, append=len(groups.order))
        key_of_place = np.repeat(np.arange(len(sizes)), sizes)
        touched = np.zeros(len(sizes), bool)
        is_row = groups.order >= len(entries)
        touched[key_of_place[is_row]] = True
        # Entries of other keys only share a hash with the new rows.
        kept = touched[key_of_place]
        return _ByKey(groups.order[kept] - len(entries), key_of_place[kept])

    def _refuse_double_keys(self, by_key: _ByKey) -> None:
        if (by_key.is_entry & ~by_key.is_first).any():
            raise CorruptFile(
                self.store.location,
                "a key is in two partitions, which can happen if several writers run concurrently",
                "Delete one of the rows, or overwrite the table.",
            )

    # --- locations ------------------------------------------------------------------------------------------------

    def _locations(
        self, by_key: _ByKey, begins: BoolArray, partitions: Int64Array, entries: Int64Array, hashes: Int32Array
    ) -> RowLocations:
        """Return the location of each row. Rows share the location of the closest preceding position that ``begins``
        marks, which is a known entry or a row in a newly assigned bucket."""
        buckets = np.zeros(len(partitions), np.int64)
        buckets[by_key.is_entry] = self._index.locations.buckets[entries][by_key.rows[by_key.is_entry]]
        new = np.flatnonzero(begins & ~by_key.is_entry)
        by_arrival = new[np.argsort(by_key.rows[new])]
        buckets[by_arrival] = self._new_buckets(partitions[by_arrival], hashes[by_key.rows[by_arrival]])
        began = np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))
        return RowLocations(partitions, buckets).at(began)

    def _new_buckets(self, partitions: Int64Array, hashes: Int32Array) -> Int64Array:
        parts = np.abs(hashes.astype(np.int64)) % self._options.assigners
        assigned = np.zeros(len(partitions), np.int64)
        for partition in _present(partitions):
            for part in _present(parts[partitions == partition]):
                rows = np.flatnonzero((partitions == partition) & (parts == part))
                buckets = fill_buckets(len(rows), self._counts_of(partition), self._options, part)
                if len(buckets) < len(rows):
                    raise no_bucket_left()
                assigned[rows] = buckets
                self._count(partition, buckets, 1)
        return assigned

    @cached_property
    def _options(self) -> AssignerOptions:
        return AssignerOptions.of(self.store, is_limited=False)

    @cached_property
    def _counts(self) -> dict[int, Int64Array]:
        locations = self._index.locations
        return {
            each: np.bincount(locations.buckets[locations.partitions == each])
            for each in _present(locations.partitions)
        }

    def _counts_of(self, partition: int) -> Int64Array:
        return self._counts.get(partition, np.zeros(0, np.int64))

    def _count(self, partition: int, buckets: npt.NDArray[np.integer], change: int) -> None:
        known, added = self._counts_of(partition), np.bincount(buckets)
        total = np.zeros(max(len(known), len(added)), np.int64)
        total[: len(known)] = known
        total[: len(added)] += change * added
        self._counts[partition] = total

    # --- output ---------------------------------------------------------------------------------------------------

    def _remember(
        self, table: pa.Table, hashes: Int32Array, by_key: _ByKey, locations: RowLocations, entries: Int64Array
    ) -> None:
        """Record the final location of each key."""
        last = locations.at(by_key.is_last)
        of_entry = by_key.is_entry[by_key.is_first]
        self._index.move(entries[by_key.rows[by_key.is_first][of_entry]], last.at(of_entry))
        new = by_key.rows[by_key.is_first][~of_entry]
        keys = table.select(self._index.keys.column_names).take(pa.array(new))
        self._index.add(keys, hashes[new], last.at(~of_entry))

    def _routed(
        self,
        table: pa.Table,
        kinds: Kinds | None,
        by_key: _ByKey,
        locations: RowLocations,
        wanted: Int64Array,
        begins: BoolArray,
    ) -> Routed:
        kept = ~by_key.is_entry
        if self._existing_processor is ExistingProcessor.SKIP_NEW:
            kept &= locations.partitions == wanted
        left = np.flatnonzero(begins & ~by_key.is_first)
        vacated = locations.at(left - 1)
        for partition in _present(vacated.partitions):
            self._count(partition, vacated.buckets[vacated.partitions == partition], -1)
        rows = np.concatenate([by_key.rows[left], by_key.rows[kept]])
        targets = vacated.then(locations.at(kept))
        is_delete = np.arange(len(rows)) < len(left)
        # A row follows the delete of the row that it replaces.
        order = np.argsort(2 * rows + ~is_delete)
        rows, targets, is_delete = rows[order], targets.at(order), is_delete[order]
        if len(rows) != table.num_rows:
            table = table.take(pa.array(rows))
            kinds = None if kinds is None else kinds[rows]
        if len(left):
            kinds = np.zeros(len(rows), np.int8) if kinds is None else kinds
            kinds[is_delete] = RowKind.DELETE
        table = self._in_partitions(table, targets.partitions)
        if not len(rows):
            return Routed(table, kinds, ())
        buckets = targets.buckets.astype(np.int32)
        return Routed(table, kinds, shares(len(rows), self._index.partitions, targets.partitions, buckets))

    def _in_partitions(self, table: pa.Table, numbers: Int64Array) -> pa.Table:
        """Return the rows with the values of these partitions in their partition columns."""
        fields = self.store.partition_fields
        values = decode_columns(self._index.partitions, [each.type for each in fields])
        for each, column in zip(fields, values, strict=True):
            position = table.schema.get_field_index(each.name)
            table = table.set_column(position, table.schema.field(position), column.take(pa.array(numbers)))
        return table


def _present(numbers: Int64Array) -> list[int]:
    """Return the distinct numbers, which must be small."""
    return np.flatnonzero(np.bincount(numbers)).tolist()
