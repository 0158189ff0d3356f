"""Sorting the rows of one partition by columns, or along a space-filling curve over columns, into new files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from workbench.base.clock import millis_since
from workbench.base.errors import InvalidRequest
from workbench.base.progress import Progress
from workbench.datafile.data_file_writer import DataFileWriter, FileNames
from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.format.spec.index_entry import IndexEntry
from workbench.format.spec.schema import TableSchema
from workbench.format.types.data_types import AtomicType
from workbench.lsm.curves import hilbert_keys, z_order_keys
from workbench.metadata.bucket_states import BucketState
from workbench.metadata.store import TableStore
from workbench.write.compact_append import BATCH_ROWS, coalesced, file_rows
from workbench.write.deletion_vectors import BucketVectors
from workbench.write.sorting.external_sort import RowSorter

STRATEGIES = ("order", "zorder", "hilbert")
_SORT_KEY = "_SORT_KEY"


@dataclass(frozen=True)
class SortOrder:
    """The columns to sort by, and the ``strategy``: order, zorder or hilbert."""

    columns: tuple[str, ...]
    strategy: str
    var_length_contribution: int

    @classmethod
    def of(cls, schema: TableSchema, columns: Sequence[str], strategy: str) -> SortOrder:
        """Return the order. Raises InvalidRequest for columns or a strategy that cannot be used."""
        if strategy not in STRATEGIES:
            raise InvalidRequest(f"Rows cannot be sorted by strategy '{strategy}'.", f"Use {', '.join(STRATEGIES)}.")
        minimum = 2 if strategy == "hilbert" else 1
        if isinstance(columns, str) or len(columns) < minimum or len(set(columns)) < len(columns):
            raise InvalidRequest(
                f"Strategy '{strategy}' requires a list of at least {minimum} different columns.", "Pass order_by=[…]."
            )
        for name in columns:
            if name not in schema.field_names:
                raise InvalidRequest(
                    f"There is no column '{name}' to sort by.", f"Columns: {', '.join(schema.field_names)}."
                )
            if name in schema.partition_keys:
                raise InvalidRequest(
                    f"Cannot sort by partition column '{name}': it is constant within a partition.",
                    "Sort by other columns.",
                )
            if not isinstance(schema.field(name).type, AtomicType) or schema.field(name).type.root in _UNORDERED:
                raise InvalidRequest(f"Rows cannot be sorted by column '{name}' of type {schema.field(name).type}.")
        return cls(tuple(columns), strategy, schema.core.zorder_var_length_contribution)

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that contain the sort key after `with_key`."""
        return self.columns if self.strategy == "order" else (_SORT_KEY,)

    def with_key(self, rows: pa.Table) -> pa.Table:
        """Return the rows with the columns of the sort key."""
        columns = [rows.column(name) for name in self.columns]
        if self.strategy == "order":
            return rows
        if self.strategy == "zorder":
            return rows.append_column(_SORT_KEY, z_order_keys(columns, self.var_length_contribution))
        return rows.append_column(_SORT_KEY, hilbert_keys(columns))


_UNORDERED = ("VARIANT", "BLOB")


@dataclass
class PartitionSort:
    """Rewrites the rows of one partition in order, in memory bounded by `write-buffer-size`."""

    store: TableStore
    partition: bytes
    bucket: int
    order: SortOrder
    index_files: Sequence[IndexEntry] = ()
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        self._vectors = BucketVectors(self.store, self.partition, self.bucket, self.index_files)
        names = FileNames(self.store.ids.uuid(), self.store.schema.core.data_file_prefix)
        self._writer = DataFileWriter(self.store, self.partition, self.bucket, names)

    def message(self, state: BucketState) -> CommitMessage:
        """Return the message that replaces the partition's files."""
        started = self.store.clock.monotonic()
        sorter = RowSorter(self.store.schema.core, self.order.keys, self.store.schema.core.write_buffer_size)
        sequence = 0
        try:
            for rows in coalesced(self._rows(state.files)):
                self.progress.check()
                sorter.add(self.order.with_key(rows))
            for rows in sorter.sorted():
                for start in range(0, rows.num_rows, BATCH_ROWS):
                    self.progress.check()
                    piece = rows.slice(start, BATCH_ROWS).select(self.store.schema.field_names)
                    self._writer.write(piece, sequence)
                    sequence += piece.num_rows
            written = self._writer.close()
        finally:
            sorter.close()
        for file in state.files:
            self._vectors.remove(file.file_name)
        change = self._vectors.persist()
        return CommitMessage(
            self.partition,
            self.bucket,
            self.store.schema.core.bucket,
            new_files=tuple(written),
            deleted_files=state.files,
            new_index_files=change.new,
            deleted_index_files=change.deleted,
            compaction={
                "reason": f"sort-{self.order.strategy}",
                "order_by": list(self.order.columns),
                "files": len(state.files),
                "bytes": sum(file.file_size for file in state.files),
                "rows": sequence,
                "millis": millis_since(self.store.clock, started),
            },
        )

    def abort(self) -> None:
        """Delete everything that was written."""
        self._writer.abort()
        self._vectors.abort()

    def _rows(self, files: Sequence[DataFileMeta]) -> Iterator[pa.Table]:
        for file in files:
            yield from file_rows(self.store, self.partition, self.bucket, file, self._vectors)
