"""The rows of one data file of a version, by their positions in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from workbench.base.counting import counted
from workbench.base.errors import CorruptFile
from workbench.base.progress import Progress
from workbench.datafile.file_format import RowGroupFilter
from workbench.datafile.open import open_stored_file
from workbench.datafile.protocol import StoredFile
from workbench.format.index.deletion_vector import DeletionVector
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.row_tracking import readable_schema
from workbench.format.spec.schema import TableSchema
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.scan.split import Split
from workbench.write.changes.decision import Decision

BATCH_ROWS = 1 << 17


@dataclass(frozen=True)
class StoredRows:
    """A file of a version; ``vector`` marks its rows that are already deleted."""

    store: TableStore
    split: Split
    file: DataFileMeta
    vector: DeletionVector | None
    progress: Progress

    @property
    def bucket(self) -> BucketId:
        """The bucket of the file."""
        return self.split.partition, self.split.bucket

    @property
    def row_count(self) -> int:
        """The number of rows that readers see."""
        return self.file.row_count - (self.vector.cardinality if self.vector else 0)

    def rows(self, decision: Decision) -> Iterator[tuple[pa.Table, Decision]]:
        """Yield all rows of the file, batch by batch, each batch with its decision. Rows have row ids and sequence
        numbers if the table tracks them."""
        schema = readable_schema(self.store.schema)
        stored = self.opened(schema)
        if schema.core.row_tracking_enabled:
            # Imported here because few tables track rows.
            from workbench.datafile.readers.row_tracking import TrackedRows

            stored = TrackedRows(stored)
        first = 0
        for rows in stored.batches(list(schema.field_names), BATCH_ROWS):
            self.progress.check()
            self.check_rows(first + rows.num_rows)
            yield rows, decision.of(slice(first, first + rows.num_rows))
            first += rows.num_rows
        if first != self.file.row_count:
            raise CorruptFile(
                stored.path, f"it has {counted(first, 'rows')} and its manifest says {self.file.row_count}"
            )

    def opened(self, schema: TableSchema, chosen: RowGroupFilter | None = None) -> StoredFile:
        """Open the file with all its rows, or with only the rows of the chosen row groups."""
        return open_stored_file(self.store, self.split.path(self.file), self.file, schema, chosen)

    def check_rows(self, end: int) -> None:
        """Raise CorruptFile if the file has a row before ``end`` that its manifest does not count."""
        if end > self.file.row_count:
            path = self.split.path(self.file)
            raise CorruptFile(path, f"it has {counted(end, 'rows')} and its manifest says {self.file.row_count}")
