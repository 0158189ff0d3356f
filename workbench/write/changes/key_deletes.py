"""Deletion of rows from the files of a primary-key table, for tables in which rows of kind -D would not delete them.

Every stored row of a deleted key is removed from each file of its bucket separately: a file keeps its level and its
sequence numbers, so that the rows of other keys are merged as before. Java's ``DeleteFromPaimonTableCommand`` writes
the merged rows back instead, which changes aggregates that are not commutative.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.progress import Progress
from workbench.datafile.data_file_writer import DataFileWriter, FileNames
from workbench.datafile.open import open_rows, open_stored_file
from workbench.format.index.deletion_vector import DeletionVector
from workbench.format.rows.binary_row_columns import encode_columns
from workbench.format.spec.data_file import DataFileMeta, FileSource
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, VALUE_KIND
from workbench.format.spec.snapshot import Snapshot
from workbench.lsm.keys import group_keys, rows_among
from workbench.lsm.levels import key_of_schema
from workbench.metadata.ids import BucketId
from workbench.metadata.index_files import deletion_files
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.scan.split import Split
from workbench.write.changes.rewrite import Outcome, removed
from workbench.write.changes.stored_rows import BATCH_ROWS, StoredRows


def stored_buckets(store: TableStore, snapshot: Snapshot | None) -> Mapping[BucketId, Split]:
    """Return all files of each bucket of a version, including files that no reader sees yet, each as a separate
    section.

    Raises:
        Unsupported: Rows wait for their buckets; a DELETE would not remove them.
    """
    files: defaultdict[BucketId, list[DataFileMeta]] = defaultdict(list)
    total: dict[BucketId, int] = {}
    for entry in ManifestFiles(store).live_files(snapshot) if snapshot else ():
        bucket = entry.partition, entry.bucket
        if entry.bucket < 0:
            raise Unsupported(
                f"Rows of {store.name} have not been assigned to buckets yet, and cannot be deleted until they are.",
                "Compact the table first.",
            )
        files[bucket].append(entry.file)
        total[bucket] = entry.total_buckets
    vectors = deletion_files(store, snapshot)
    return {
        bucket: Split(
            *bucket,
            total[bucket],
            tuple(((file,),) for file in found),
            store.bucket_directory(*bucket),
            {each.file_name: vectors[key] for each in found if (key := (*bucket, each.file_name)) in vectors},
        )
        for bucket, found in files.items()
    }


@dataclass(frozen=True)
class KeyDeletes:
    """Removes keys from the files of buckets, on any thread. Picklable."""

    store: TableStore

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a key within its bucket."""
        return self.store.schema.trimmed_primary_keys

    def outcomes(self, split: Split, keys: pa.Table, progress: Progress) -> Iterator[Outcome]:
        """Yield the outcome for each file of a bucket that has rows with some of the keys.

        If this fails, the caller must remove the files that were written for the outcomes yielded so far.

        Args:
            split: All files of the bucket.
            keys: The keys, as columns of the table.
            progress: Is checked for cancellation.
        """
        if not keys.num_rows:
            return
        names = FileNames(self.store.ids.uuid(), self.store.schema.core.data_file_prefix)
        may_have = self._range_of(keys)
        for file in split.files:
            progress.check()
            if not may_have(file):
                continue
            deletion = split.deletions.get(file.file_name)
            vector = None if deletion is None else deletion.read(self.store, file)
            outcome = self._outcome(StoredRows(self.store, split, file, vector, progress), keys, names)
            if outcome is not None:
                yield outcome

    def _range_of(self, keys: pa.Table) -> Callable[[DataFileMeta], bool]:
        """Return a function that returns whether the key range of a file overlaps the range of these keys."""
        schema = self.store.schema
        order = group_keys(keys.columns).order
        ends = keys.take(pa.array([order[0], order[-1]]))
        encoded = encode_columns(ends.columns, [each.type for each in schema.key_fields])
        key_of = key_of_schema(schema)
        first, last = (key_of(encoded.to_bytes(each)) for each in (0, 1))
        return lambda file: key_of(file.min_key) <= last and first <= key_of(file.max_key)

    def _outcome(self, stored: StoredRows, keys: pa.Table, names: FileNames) -> Outcome | None:
        found = np.flatnonzero(rows_among(self._read(stored, self.columns).columns, keys.columns))
        if stored.vector is not None:
            found = found[stored.vector.kept(0, stored.file.row_count)[found]]
        if not len(found):
            return None
        if len(found) == stored.row_count:
            return removed(stored)
        # Readers of tables with deletion vectors do not see level 0, and a compaction rewrites it.
        if self.store.schema.core.deletion_vectors_enabled and stored.file.level > 0:
            return Outcome(stored, marks=DeletionVector.of(found))
        return Outcome(stored, self._written(stored, DeletionVector.of(found), names))

    def _written(self, stored: StoredRows, deleted: DeletionVector, names: FileNames) -> tuple[DataFileMeta, ...]:
        """Write the rows that a file keeps to new files on its level."""
        gone = deleted if stored.vector is None else stored.vector.merged(deleted)
        file, schema = stored.file, self.store.schema
        source = FileSource.COMPACT if schema.core.sequence_snapshot_ordering else file.file_source
        writer = DataFileWriter(self.store, *stored.bucket, names, level=file.level, source=source or FileSource.APPEND)
        try:
            first = 0
            for rows in self._batches(stored, (*schema.field_names, SEQUENCE_NUMBER, VALUE_KIND)):
                kept = rows.filter(pa.array(gone.kept(first, rows.num_rows)))
                first += rows.num_rows
                if kept.num_rows:
                    writer.write(kept)
            return tuple(writer.close())
        except BaseException:
            writer.abort()
            raise

    def _read(self, stored: StoredRows, columns: Sequence[str]) -> pa.Table:
        return pa.concat_tables(self._batches(stored, columns))

    def _batches(self, stored: StoredRows, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield columns of all rows of a file, batch by batch."""
        store, file = self.store, stored.file
        opened = open_stored_file(store, stored.split.path(file), file, store.schema)
        for rows in open_rows(store, opened, None).batches(columns, BATCH_ROWS):
            stored.progress.check()
            yield rows
