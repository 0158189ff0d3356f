"""Where every key of a table lies, for tables whose keys are unique over all partitions (Java ``IndexBootstrap``).

It is read from the table when a writer begins, kept in memory, and not stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from workbench.base.parallel import parallel_map
from workbench.format.snapshot import Snapshot
from workbench.table.index_files import deletion_files
from workbench.table.manifests import ManifestFiles
from workbench.table.read import SplitReader
from workbench.table.scan import splits_of
from workbench.table.split import Split
from workbench.table.store import TableStore
from workbench.table.writing.dynamic_buckets import key_hashes

Numbers = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.int32]


class Places(NamedTuple):
    """Where rows lie: the number of a partition and a bucket for each."""

    partitions: Numbers
    buckets: Numbers

    def at(self, rows: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Places:
        """Those of some rows."""
        return Places(self.partitions[rows], self.buckets[rows])

    def then(self, others: Places) -> Places:
        """These, and the others behind them."""
        return Places(*(np.concatenate(pair) for pair in zip(self, others, strict=True)))


NO_PLACES = Places(np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass
class KeyIndex:
    """``keys`` are the columns of the trimmed primary key; ``hashes``, by which they are found, and ``places`` lie
    beside them. ``partitions`` have their numbers by their order."""

    keys: pa.Table
    hashes: Hashes
    places: Places
    partitions: list[bytes]

    @classmethod
    def of(cls, store: TableStore, version: Snapshot | None) -> KeyIndex:
        """The keys of a version, read from all levels of the table; None is a table without rows."""
        key_schema = pa.schema([store.schema.arrow_schema.field(name) for name in store.schema.trimmed_primary_keys])
        if version is None:
            return cls(pa.Table.from_batches([], key_schema), np.zeros(0, np.int32), NO_PLACES, [])
        live = ManifestFiles(store).live_files(version)
        splits = splits_of(store, live, deletion_files(store, version))
        reader = SplitReader(store, store.schema, tuple(key_schema.names))

        def read(split: Split) -> tuple[pa.Table, Hashes]:
            keys = pa.concat_tables([pa.Table.from_batches([], key_schema), *reader.stream([split])])
            return keys, key_hashes(store, keys) if keys.num_rows else np.zeros(0, np.int32)

        found = parallel_map(read, splits)
        return cls._joined(key_schema, splits, found)

    @classmethod
    def _joined(
        cls, key_schema: pa.Schema, splits: Sequence[Split], found: Sequence[tuple[pa.Table, Hashes]]
    ) -> KeyIndex:
        numbers = {partition: place for place, partition in enumerate(dict.fromkeys(each.partition for each in splits))}
        sizes = [len(hashes) for _, hashes in found]
        places = Places(
            np.repeat(np.array([numbers[each.partition] for each in splits], np.int64), sizes),
            np.repeat(np.array([each.bucket for each in splits], np.int64), sizes),
        )
        keys = pa.concat_tables([pa.Table.from_batches([], key_schema), *(keys for keys, _ in found)])
        hashes = np.concatenate([np.zeros(0, np.int32), *(hashes for _, hashes in found)])
        return cls(keys, hashes, places, list(numbers))

    def candidates(self, hashes: Hashes) -> Numbers:
        """The entries that may be of keys with these hashes, of which there is at least one."""
        wanted = np.sort(hashes)
        places = np.minimum(np.searchsorted(wanted, self.hashes), len(wanted) - 1)
        return np.flatnonzero(wanted[places] == self.hashes)

    def move(self, entries: Numbers, places: Places) -> None:
        """The keys of these entries lie elsewhere now."""
        self.places.partitions[entries] = places.partitions
        self.places.buckets[entries] = places.buckets

    def add(self, keys: pa.Table, hashes: Hashes, places: Places) -> None:
        """Keys that were not there yet."""
        self.keys = pa.concat_tables([self.keys, keys])
        self.hashes = np.concatenate([self.hashes, hashes])
        self.places = self.places.then(places)
