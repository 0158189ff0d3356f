"""Index of the location of every key of a table whose keys are unique over all partitions (Java ``IndexBootstrap``).

It is read from the table when a writer begins, kept in memory, and not stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int32Array, Int64Array
from workbench.base.parallel import parallel_map
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.index_files import deletion_files
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.scan.planner import splits_of
from workbench.scan.split import Split
from workbench.scan.split_reader import SplitReader
from workbench.write.dynamic_buckets import key_hashes


class RowLocations(NamedTuple):
    """Locations of rows: the numbers of the partition and the bucket of each row."""

    partitions: Int64Array
    buckets: Int64Array

    def at(self, rows: npt.NDArray[np.integer] | BoolArray) -> RowLocations:
        """Return the locations of some rows."""
        return RowLocations(self.partitions[rows], self.buckets[rows])

    def then(self, others: RowLocations) -> RowLocations:
        """Return these locations followed by others."""
        return RowLocations(*(np.concatenate(pair) for pair in zip(self, others, strict=True)))


NO_LOCATIONS = RowLocations(np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass
class KeyIndex:
    """Index from keys to locations.

    ``keys`` are the columns of the trimmed primary key; ``hashes``, by which they are looked up, and ``locations`` are
    parallel to them. The number of a partition is its position in ``partitions``.
    """

    keys: pa.Table
    hashes: Int32Array
    locations: RowLocations
    partitions: list[bytes]

    @classmethod
    def of(cls, store: TableStore, version: Snapshot | None) -> KeyIndex:
        """Read the keys of a snapshot from all levels of the table; None is a table without rows."""
        key_schema = pa.schema([store.schema.arrow_schema.field(name) for name in store.schema.trimmed_primary_keys])
        if version is None:
            return cls(pa.Table.from_batches([], key_schema), np.zeros(0, np.int32), NO_LOCATIONS, [])
        live = ManifestFiles(store).live_files(version)
        splits = splits_of(store, live, deletion_files(store, version))
        reader = SplitReader(store, store.schema, tuple(key_schema.names))

        def read(split: Split) -> tuple[pa.Table, Int32Array]:
            keys = pa.concat_tables([pa.Table.from_batches([], key_schema), *reader.stream([split])])
            return keys, key_hashes(store, keys) if keys.num_rows else np.zeros(0, np.int32)

        parts = parallel_map(read, splits)
        return cls._joined(key_schema, splits, parts)

    @classmethod
    def _joined(
        cls, key_schema: pa.Schema, splits: Sequence[Split], parts: Sequence[tuple[pa.Table, Int32Array]]
    ) -> KeyIndex:
        numbers = {
            partition: number for number, partition in enumerate(dict.fromkeys(each.partition for each in splits))
        }
        sizes = [len(hashes) for _, hashes in parts]
        locations = RowLocations(
            np.repeat(np.array([numbers[each.partition] for each in splits], np.int64), sizes),
            np.repeat(np.array([each.bucket for each in splits], np.int64), sizes),
        )
        keys = pa.concat_tables([pa.Table.from_batches([], key_schema), *(keys for keys, _ in parts)])
        hashes = np.concatenate([np.zeros(0, np.int32), *(hashes for _, hashes in parts)])
        return cls(keys, hashes, locations, list(numbers))

    def candidates(self, hashes: Int32Array) -> Int64Array:
        """Return the entries that may have keys with these hashes, of which there must be at least one."""
        wanted = np.sort(hashes)
        locations = np.minimum(np.searchsorted(wanted, self.hashes), len(wanted) - 1)
        return np.flatnonzero(wanted[locations] == self.hashes)

    def move(self, entries: Int64Array, locations: RowLocations) -> None:
        """Change the location of the keys of these entries."""
        self.locations.partitions[entries] = locations.partitions
        self.locations.buckets[entries] = locations.buckets

    def add(self, keys: pa.Table, hashes: Int32Array, locations: RowLocations) -> None:
        """Add keys that are not yet in the index."""
        self.keys = pa.concat_tables([self.keys, keys])
        self.hashes = np.concatenate([self.hashes, hashes])
        self.locations = self.locations.then(locations)
