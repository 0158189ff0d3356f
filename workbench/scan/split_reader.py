"""Reading of splits to Arrow, in the user's process and in Spark tasks, once a scan is planned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.lazy import cached_property
from workbench.base.parallel import parallel_map, read_ahead, worker_count
from workbench.base.progress import Progress
from workbench.datafile.ahead import REQUESTS, reading_ahead
from workbench.datafile.file_format import RowGroupFilter
from workbench.datafile.formats.row_groups import row_group_filter
from workbench.datafile.open import open_data_file, open_stored_file
from workbench.datafile.protocol import DataFile, StoredFile
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.format.types import DataType, holds
from workbench.metadata.expired_versions import reporting_expiry
from workbench.metadata.store import TableStore
from workbench.scan.overflows import Overflows
from workbench.scan.read_where import read_where
from workbench.scan.split import Section, Split, is_raw

if TYPE_CHECKING:
    from workbench.expr.expressions import Expr
    from workbench.lsm.key_slices import MergedSlice
    from workbench.scan.section_reader import SectionReader

_PART_ROWS = 1 << 19
_BATCH_ROWS = 1 << 17
# Threads that read local files below this size spend more time waiting for the interpreter than reading.
_THREAD_BYTES = 1 << 14


@dataclass(frozen=True)
class SplitReader:
    """Reader of the splits of one snapshot. ``schema`` is the schema to read with; ``where`` is bound to it. With
    ``snapshot``, the error for a missing file says whether that snapshot has expired. Files that need no merge are
    streamed in pieces of ``batch_rows`` rows. ``overflows`` warns of totals that exceed the precision of their column;
    None to refuse them, if the rows are to be stored. Picklable."""

    store: TableStore
    schema: TableSchema
    columns: tuple[str, ...]
    where: Expr | None = None
    progress: Progress = field(default_factory=Progress)
    snapshot: Snapshot | None = None
    batch_rows: int = _BATCH_ROWS
    overflows: Overflows | None = field(default_factory=Overflows)

    @cached_property
    def arrow_schema(self) -> pa.Schema:
        """The schema of the result."""
        return pa.schema([self.schema.arrow_schema.field(name) for name in self.columns])

    @cached_property
    def _no_rows(self) -> pa.Table:
        # Arrow's own empty table is built from Python lists, for which it would import pandas.
        return pa.Table.from_batches([], self.arrow_schema)

    def read_all(self, splits: Sequence[Split]) -> pa.Table:
        """Read everything, on all processors. Rows are in the order of the splits and, within them, of the files."""
        with reporting_expiry(self.store, self.snapshot):
            pieces = [piece for split in splits for section in split.sections for piece in self._pieces(split, section)]
            workers = self._workers(sum(split.size for split in splits), len(pieces))
            parts = parallel_map(lambda read: read(), pieces, workers)
        self._warn()
        return pa.concat_tables([self._no_rows, *parts])

    def _workers(self, size: int, pieces: int) -> int | None:
        """Return how many threads to read this many bytes with; None for all processors."""
        if not self.store.is_local:
            # Most of the time, they wait for answers.
            return max(worker_count(), REQUESTS)
        return 1 if size < _THREAD_BYTES * pieces else None

    def _pieces(self, split: Split, section: Section) -> list[Callable[[], pa.Table]]:
        """Return the parts that may be read at the same time. Large files are divided to keep all processors busy to
        the end."""
        if self._is_unmerged(section) and len(section[0]) == 1 and section[0][0].row_count > _PART_ROWS:
            self.progress.check()
            (reader,) = self._unmerged(split, section)
            parts = reader.parts(_PART_ROWS)
            last = parts[-1]
            return [partial(self._read_part, part, files=len(section) if part is last else 0) for part in parts]
        return [partial(self._read_piece, split, section)]

    def read_first(self, splits: Sequence[Split], limit: int) -> pa.Table:
        """Read the first ``limit`` rows, from as few files as possible."""
        tables, rows = [self._no_rows], 0
        for table in self.stream(splits):
            tables.append(table)
            rows += table.num_rows
            if rows >= limit:
                break
        return pa.concat_tables(tables).slice(0, limit)

    def stream(self, splits: Iterable[Split]) -> Iterator[pa.Table]:
        """Read the same rows piece by piece; memory is bounded regardless of the size of a file or section."""
        try:
            with reporting_expiry(self.store, self.snapshot):
                for split in splits:
                    for section in split.sections:
                        yield from self._stream_section(split, section)
        finally:
            # The caller may stop before the last row.
            self._warn()

    def _warn(self) -> None:
        if self.overflows is not None:
            self.overflows.warn(self.store.name)

    def batches(self, splits: Sequence[Split]) -> pa.RecordBatchReader:
        """Return the stream as an Arrow reader. One piece is read ahead while the previous one is used."""

        def generate() -> Iterator[pa.RecordBatch]:
            for table in read_ahead(self.stream(splits)):
                yield from table.to_batches()
                # Frees these rows before the next ones are awaited.
                del table

        return pa.RecordBatchReader.from_batches(self.arrow_schema, generate())

    def _read_part(self, reader: DataFile, files: int) -> pa.Table:
        self.progress.check()
        tables = list(self._finished(reader.read(self._read_columns)))
        self.progress.advance(files)
        return pa.concat_tables([self._no_rows, *tables])

    def _read_piece(self, split: Split, section: Section) -> pa.Table:
        self.progress.check()
        tables = list(self._section(split, section, whole=True))
        self.progress.advance(sum(len(run) for run in section))
        return pa.concat_tables([self._no_rows, *tables])

    def _stream_section(self, split: Split, section: Section) -> Iterator[pa.Table]:
        yield from self._section(split, section, whole=False)
        self.progress.advance(sum(len(run) for run in section))

    def _is_raw(self, section: Section) -> bool:
        return is_raw(section)

    def _is_unmerged(self, section: Section) -> bool:
        """Return whether a section has no rows to merge by key: it is a single run, or its files hold different columns
        of the same rows."""
        return self._is_raw(section) or self.schema.core.data_evolution_enabled

    def _section(self, split: Split, section: Section, *, whole: bool) -> Iterator[pa.Table]:
        if self._is_unmerged(section):
            for reader in self._unmerged(split, section):
                tables = (
                    iter([read_where(reader, self._read_columns, self._where_keys)])
                    if whole
                    else self._batches(reader, self._read_columns, self.batch_rows)
                )
                for table in tables:
                    self.progress.check()
                    yield from self._finished(table)
            return
        store = self._ahead(split, [file for run in section for file in run])
        for merged in self._section_reader(split, section, store).slices(whole=whole):
            self.progress.check()
            yield from self._finished(self._merged_rows(merged))

    def _batches(self, reader: DataFile, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        return reader.batches(columns, batch_rows)

    def _section_reader(self, split: Split, section: Section, store: TableStore) -> SectionReader:
        # Loaded here, because many tables have no keys.
        from workbench.scan.section_reader import SectionReader

        readers = [[self._reader(split, file, store, merged=True) for file in run] for run in section]
        waiting = None
        if split.waiting:
            # Loaded here, as few reads see postponed rows.
            from workbench.scan.waiting_rows import WaitingRows

            late = [reader for run in readers for reader in run if reader.file.file_name in split.waiting]
            readers = readers[: len(readers) - len(late)]
            waiting = WaitingRows(late, self.schema, split.bucket, split.total_buckets)
        on_overflow = None if self.overflows is None else self.overflows.add
        return SectionReader(
            readers, self.schema, self._read_columns, self._where_keys, waiting=waiting, on_overflow=on_overflow
        )

    def _merged_rows(self, merged: MergedSlice) -> pa.Table:
        return merged.without_retracts().in_file_order(self._read_columns)

    def _unmerged(self, split: Split, section: Section) -> Sequence[DataFile]:
        if self._is_raw(section):
            store = self._ahead(split, section[0])
            return [self._reader(split, file, store, merged=False) for file in section[0]]
        from workbench.scan.data_evolution import open_row_range

        return [open_row_range(self.store, section, split.path, self.schema, split.deletions)]

    def stored_files(self, split: Split, section: Section) -> list[tuple[StoredFile, Sequence[str]]]:
        """Return the opened files of a section, with the columns that are read from each. If files are merged, fewer
        columns may be read, as values are read only from files with remaining rows. No rows are read here."""
        files = [file for run in section for file in run]
        if self._is_raw(section):
            chosen, columns = self._chosen_by_value, [self._read_columns] * len(files)
        elif self.schema.core.data_evolution_enabled:
            from workbench.scan.data_evolution import columns_of_files

            chosen, columns = None, columns_of_files(self.store, files, self.schema, self._read_columns)
        else:
            chosen, columns = (
                self._chosen_by_key,
                [self._section_reader(split, section, self.store).streamed] * len(files),
            )
        return [
            (open_stored_file(self.store, split.path(file), file, self.schema, chosen), read)
            for file, read in zip(files, columns, strict=True)
        ]

    def _ahead(self, split: Split, files: Sequence[DataFileMeta]) -> TableStore:
        return reading_ahead(self.store, ((split.path(file), file) for file in files))

    def _reader(self, split: Split, file: DataFileMeta, store: TableStore, *, merged: bool) -> DataFile:
        """Open a file for reading. Row groups may be skipped by any column if rows are not merged, but only by key
        columns if they are (format §25.4)."""
        return open_data_file(
            store,
            split.path(file),
            file,
            self.schema,
            row_group_filter=self._chosen_by_key if merged else self._chosen_by_value,
            deletion=split.deletions.get(file.file_name),
        )

    @cached_property
    def _chosen_by_key(self) -> RowGroupFilter | None:
        return row_group_filter(self.where, self.schema, self.schema.trimmed_primary_keys)

    @cached_property
    def _chosen_by_value(self) -> RowGroupFilter | None:
        return row_group_filter(self.where, self.schema, self.store.schema.field_names)

    @cached_property
    def _where_keys(self) -> Expr | None:
        """Return the part of the predicate that refers to key columns alone."""
        if self.where is None:
            return None
        # Loaded here, because many reads have no condition.
        from workbench.expr.tree import restrict_to

        return restrict_to(self.where, self.schema.trimmed_primary_keys)

    @cached_property
    def _filter_columns(self) -> frozenset[str]:
        """Return the columns that the predicate reads."""
        if self.where is None:
            return frozenset()
        from workbench.expr.tree import referenced_columns

        return referenced_columns(self.where)

    @cached_property
    def _read_columns(self) -> list[str]:
        missing = self._filter_columns.difference(self.columns)
        return [*self.columns, *(name for name in self.schema.field_names if name in missing)]

    def _finished(self, table: pa.Table) -> Iterator[pa.Table]:
        """Apply the filter and projection to a table as read. Large objects are fetched only for the remaining rows, in
        several pieces."""
        if not self._large_objects:
            yield self._finish(self._filtered(table))
            return
        from workbench.datafile.large_objects import with_objects

        early = self._filter_columns.isdisjoint(self._large_objects)
        for piece in with_objects(self.store, self._filtered(table) if early else table, self._large_objects):
            yield self._finish(piece if early else self._filtered(piece))

    @cached_property
    def _large_objects(self) -> dict[str, DataType]:
        """Return the columns that are read as descriptors and returned as the objects that these refer to, with their
        types."""
        requested = frozenset(self._read_columns)
        columns = [each for each in self.schema.fields if holds(each.type, "BLOB") and each.name in requested]
        as_descriptor = self.schema.core.blob_as_descriptor
        for each in columns:
            if each.name in self.schema.core.names("blob-view-field"):
                raise Unsupported(
                    f"Option 'blob-view-field' = '{each.name}' is not supported.", "Do not select this column."
                )
            if as_descriptor and each.type.root != "BLOB":
                what = f"Column '{each.name}' of type {each.type} with option 'blob-as-descriptor' = 'true'"
                raise Unsupported(f"{what} is not supported.", "Do not select this column.")
        return {} if as_descriptor else {each.name: each.type for each in columns}

    def _filtered(self, table: pa.Table) -> pa.Table:
        if self.where is None:
            return table
        from workbench.expr.evaluate import filter_mask

        return table.filter(filter_mask(self.where, table))

    def _finish(self, table: pa.Table) -> pa.Table:
        table = self._shown(table)
        # Nulls in columns that are NOT NULL now are kept: old rows have them, and Java reads them.
        if table.schema.equals(self.arrow_schema):
            return table
        return pa.Table.from_arrays(table.columns, schema=self.arrow_schema)

    def _shown(self, rows: pa.Table) -> pa.Table:
        return rows.select(list(self.columns))
