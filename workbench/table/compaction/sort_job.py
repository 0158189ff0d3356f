"""Sort compaction: the rows of each partition are written anew in the order of columns, or along a curve through them
(Spark's ``CALL sys.compact(order_strategy => …)``).

As in Java it is an OVERWRITE of the files that were read. Other than Java's, it does not touch rows that others append
meanwhile: these stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from workbench.base.errors import CommitConflict, InvalidRequest, Unsupported
from workbench.base.metrics import Metrics
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.format.data_file import CommitMessage, DataFileMeta
from workbench.format.data_types import AtomicType
from workbench.format.index_entry import IndexEntry
from workbench.format.schema import TableSchema
from workbench.format.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot
from workbench.lsm.curves import hilbert_keys, z_order_keys
from workbench.table.committing import two_phase
from workbench.table.committing.commit import Commit
from workbench.table.compaction.append_compaction import BATCH_ROWS, coalesced, file_rows
from workbench.table.compaction.job import live_files
from workbench.table.compaction.sorting import RowSorter
from workbench.table.index_files import index_entries
from workbench.table.measuring import counts_of_read, measured
from workbench.table.store import TableStore
from workbench.table.writing.bucket_states import BucketState, known_buckets
from workbench.table.writing.data_file_writer import DataFileWriter, FileNames
from workbench.table.writing.deletion_vectors import BucketVectors

STRATEGIES = ("order", "zorder", "hilbert")
_SORT_KEY = "_SORT_KEY"


@dataclass(frozen=True)
class SortOrder:
    """By which columns rows are sorted, and how: ``strategy`` is order, zorder or hilbert."""

    columns: tuple[str, ...]
    strategy: str
    var_length_contribution: int

    @classmethod
    def of(cls, schema: TableSchema, columns: Sequence[str], strategy: str) -> SortOrder:
        """Raises InvalidRequest for columns or a strategy that cannot be sorted by."""
        if strategy not in STRATEGIES:
            raise InvalidRequest(f"Rows cannot be sorted by strategy '{strategy}'.", f"Use {', '.join(STRATEGIES)}.")
        least = 2 if strategy == "hilbert" else 1
        if isinstance(columns, str) or len(columns) < least or len(set(columns)) < len(columns):
            raise InvalidRequest(
                f"Strategy '{strategy}' takes a list of at least {least} different columns.", "Pass order_by=[…]."
            )
        for name in columns:
            if name not in schema.field_names:
                raise InvalidRequest(
                    f"There is no column '{name}' to sort by.", f"Columns: {', '.join(schema.field_names)}."
                )
            if name in schema.partition_keys:
                raise InvalidRequest(
                    f"Column '{name}' has one value in each partition.", "Sort by other columns than partition columns."
                )
            if not isinstance(schema.field(name).type, AtomicType) or schema.field(name).type.root in _UNORDERED:
                raise InvalidRequest(f"Rows cannot be sorted by column '{name}' of type {schema.field(name).type}.")
        return cls(tuple(columns), strategy, schema.core.zorder_var_length_contribution)

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that hold the sort key once it was added."""
        return self.columns if self.strategy == "order" else (_SORT_KEY,)

    def with_key(self, rows: pa.Table) -> pa.Table:
        """The rows with the sort key beside them."""
        columns = [rows.column(name) for name in self.columns]
        if self.strategy == "order":
            return rows
        if self.strategy == "zorder":
            return rows.append_column(_SORT_KEY, z_order_keys(columns, self.var_length_contribution))
        return rows.append_column(_SORT_KEY, hilbert_keys(columns))


_UNORDERED = ("VARIANT", "BLOB")


@dataclass
class PartitionSort:
    """Writes the rows of one partition anew in order. Memory is bounded by `write-buffer-size`, whatever there is."""

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
        """What replaces the partition's files."""
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
            },
        )

    def abort(self) -> None:
        """Remove everything that was written."""
        self._writer.abort()
        self._vectors.abort()

    def _rows(self, files: Sequence[DataFileMeta]) -> Iterator[pa.Table]:
        for file in files:
            yield from file_rows(self.store, self.partition, self.bucket, file, self._vectors)


@measured("sort")
def sort_table(
    store: TableStore,
    latest: Snapshot | None,
    where: Expr | None,
    order_by: Sequence[str],
    strategy: str,
    progress: Progress,
) -> Commit:
    """Sort a version of a table, partition by partition, and commit all together.

    Raises:
        Unsupported: a table with buckets, or one whose rows have ids.
        InvalidRequest: columns or a strategy that cannot be sorted by.
        CommitConflict: another writer replaced or deleted rows meanwhile; nothing is changed.
    """
    _check_sortable(store)
    order = SortOrder.of(store.schema, order_by, strategy)
    if latest is None:
        return Commit(store.name, ())
    index_files = index_entries(store, latest)
    partitions = list(known_buckets(live_files(store, latest, where)).buckets.items())
    sorts = [PartitionSort(store, *bucket, order, index_files, progress) for bucket, _ in partitions]
    messages: list[CommitMessage] = []
    try:
        with progress.step(f"Sorting {store.name}", len(partitions), "partitions"):
            for sort, (_, state) in zip(sorts, partitions, strict=True):
                messages.append(sort.message(state))
                progress.advance()
    except BaseException:
        _abort(sorts)
        raise
    if not messages:
        return Commit(store.name, ())
    noted = {two_phase.COMPACTION_PROPERTY: json.dumps(two_phase.compactions(store, messages), separators=(",", ":"))}
    try:
        made = two_phase.commit(store, messages, BATCH_COMMIT_IDENTIFIER, None, noted)
    except CommitConflict:
        _abort(sorts)
        raise
    return replace(made, metrics=_with_reads(made.metrics, [file for _, state in partitions for file in state.files]))


def _with_reads(metrics: Metrics | None, files: Sequence[DataFileMeta]) -> Metrics:
    """To a commit these files are only deleted."""
    read = counts_of_read(files, sum(file.row_count for file in files))
    return replace(metrics or read, rows_read=read.rows_read, files_read=read.files_read, bytes_read=read.bytes_read)


def _check_sortable(store: TableStore) -> None:
    """Raises Unsupported for tables whose rows have a place of their own."""
    schema = store.schema
    if schema.is_primary_key_table or schema.core.bucket != -1:
        raise Unsupported(
            f"{store.name} has its rows in buckets or by key, so they cannot be sorted otherwise.",
            "Sort compaction is for append tables without buckets.",
        )
    if schema.core.row_tracking_enabled or schema.core.data_evolution_enabled:
        raise Unsupported(f"Rows of {store.name} have ids by their place, so they cannot be sorted.")


def _abort(sorts: Sequence[PartitionSort]) -> None:
    for sort in sorts:
        sort.abort()
