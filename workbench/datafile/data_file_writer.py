"""Writing of Arrow rows to data files of one bucket: rolled at the target size, each with its statistics (format §10,
§12, §13)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from workbench.base.errors import SchemaMismatch
from workbench.base.lazy import cached_property
from workbench.base.modules import pc
from workbench.datafile.decimal_overflow import check_decimals
from workbench.datafile.external_paths import DataFilePathFactory, NewFilePath
from workbench.datafile.layout import FileLayout, file_layout
from workbench.datafile.writer_protocol import FormatWriter
from workbench.format.rows.binary_row_columns import encode_columns
from workbench.format.spec import paths
from workbench.format.spec.data_file import EMPTY_ROW, EMPTY_STATS, DataFileMeta, FileSource
from workbench.format.spec.data_file_fields import KEY_PREFIX, SEQUENCE_NUMBER, VALUE_KIND
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.stats import ModeOf, StatsCollector
from workbench.format.types import DataField
from workbench.lsm.merge_function import is_retract
from workbench.metadata.store import TableStore
from workbench.storage.file_io import OutputFile

if TYPE_CHECKING:
    from workbench.format.index.file_index.collecting import IndexCollector

# Filters and lookups read whole row groups; below this size, full scans lose more than filters and lookups gain.
_ROW_GROUP_ROWS = 1 << 17
_ROW_GROUP_BYTES = 256 << 20
_GATHERED_BYTES = 32 << 20


@dataclass
class FileNames:
    """Generator of the names of one writer's data files: made unique by its uuid and a counter (format §12.1).

    ``prefix`` is the prefix of data files; changelog files have their own.
    """

    uuid: str
    prefix: str = "data-"
    # One step of a counter is atomic, so threads may share a generator.
    _numbers: Iterator[int] = field(default_factory=count)

    def next(self, layout: FileLayout) -> str:
        """Return the next name, for a file of this layout."""
        number = next(self._numbers)
        return paths.data_file_name(
            layout.own_prefix or self.prefix, self.uuid, number, layout.shape.format.name, layout.shown_compression
        )


@dataclass
class _OpenFile:
    name: str
    file: NewFilePath
    output: OutputFile
    writer: FormatWriter
    key_stats: StatsCollector
    value_stats: StatsCollector
    index: IndexCollector | None
    sequences: _Sequences
    rows: int = 0
    deletes: int = 0
    first_key: bytes = EMPTY_ROW
    last_row: pa.Table | None = None


@dataclass
class _Sequences:
    """The bounds of the sequence numbers of a file. If a row has no number, a bound is 0, which means the id of the
    next snapshot."""

    low: int | None = None
    high: int = 0
    all_known: bool = True

    def add(self, low: int, high: int) -> None:
        self.high = high if self.low is None else max(self.high, high)
        self.low = low if self.low is None else min(self.low, low)

    def add_column(self, numbers: pa.ChunkedArray) -> None:
        self.all_known = self.all_known and not numbers.null_count
        if numbers.null_count < len(numbers):
            self.add(*_span(numbers))

    @property
    def bounds(self) -> tuple[int, int]:
        return self.low or 0, self.high if self.all_known else 0


@dataclass
class DataFileWriter:
    """Writer of one bucket's files at one level. Rows are passed as value columns; those of primary-key tables are
    sorted by key and also have `_SEQUENCE_NUMBER` and `_VALUE_KIND`.

    Changelog files are stored beside the data files, but have their own names, format, codec and statistics.
    ``keeps_row_ids``: rewritten rows have `_ROW_ID` and `_SEQUENCE_NUMBER`, the latter NULL if they changed (format
    §26). ``columns``: only these columns are written, to one file, which has no statistics and no indexes.
    """

    store: TableStore
    partition: bytes
    bucket: int
    names: FileNames
    level: int = 0
    source: FileSource = FileSource.APPEND
    is_changelog: bool = False
    keeps_row_ids: bool = False
    columns: tuple[str, ...] | None = None
    finished: list[DataFileMeta] = field(default_factory=list)
    _open: _OpenFile | None = None

    def write(self, table: pa.Table, first_sequence: int = 0) -> None:
        """Add rows. ``first_sequence`` numbers the rows of append tables, which store no sequence column."""
        rows_per_group, start = _rows_per_group(table), 0
        while start < table.num_rows:
            step = min(rows_per_group, self._max_rows - (self._open.rows if self._open is not None else 0))
            self._write_group(table.slice(start, step), first_sequence + start)
            start += step

    def roll(self) -> None:
        """Finish the open file: the next rows go to another file."""
        if self._open is not None:
            self._finish(self._open)

    def close(self) -> list[DataFileMeta]:
        """Finish the last file, and return all files that were written."""
        self.roll()
        return self.finished

    def abort(self) -> None:
        """Remove all files of this writer."""
        if self._open is not None:
            path = self._open.file.path
            self._discard(path, self._open.output, self._open.writer)
            if self._open.index is not None:
                self.store.discard(paths.file_index_name(path))
            self._open = None
        for file in self.finished:
            self.store.discard_data_file(self.partition, self.bucket, file)
        self.finished.clear()

    def _write_group(self, table: pa.Table, first_sequence: int) -> None:
        self._check_nulls(table)
        check_decimals(table, self._form.shape)
        rows = self._physical(table)
        current = self._open or self._begin(rows)
        current.writer.write(rows)
        self._note(current, table, first_sequence)
        is_full = current.rows >= self._max_rows
        if self.columns is not None:
            return
        if is_full or current.output.tell() >= self.store.schema.kind.target_file_size:
            self._finish(current)

    def _check_nulls(self, table: pa.Table) -> None:
        """Refuse NULL in NOT NULL columns: a compaction may read it in a column that was altered to NOT NULL later."""
        for each in self._chosen.fields:
            if not each.type.nullable and table.column(each.name).null_count:
                raise SchemaMismatch(
                    f"Column '{each.name}' of {self.store.name} is {each.type}, but old rows have NULL in it.",
                    "Make the column nullable again, or replace these rows.",
                )

    def _begin(self, rows: pa.Table) -> _OpenFile:
        schema, layout = self._schema, self._form
        index = self._new_index()
        name = self.names.next(layout)
        file = self._path_factory.next(name)
        output = self.store.file_io.open_output(file.path)
        try:
            writer = layout.format.open_writer(output, layout.shape, rows)
        except BaseException:
            self._discard(file.path, output)
            raise
        self._open = _OpenFile(
            name,
            file,
            output,
            writer,
            key_stats=self._stats_collector(schema.key_fields, layout.key_modes),
            value_stats=self._stats_collector(schema.fields, layout.value_modes),
            index=index,
            sequences=_Sequences(),
        )
        return self._open

    def _discard(self, path: str, *opened: FormatWriter | OutputFile) -> None:
        """Close and delete a file that is no longer needed, regardless of the state in which an error left it."""
        for each in reversed(opened):
            # Each format and storage can fail to write the end of a file in its own way.
            with suppress(Exception):
                each.close()
        self.store.discard(path)

    def _stats_collector(self, fields: Sequence[DataField], modes: ModeOf) -> StatsCollector:
        traits = self._form.format.traits
        return StatsCollector(
            fields, modes, counts_nested_nulls=traits.counts_nested_nulls, has_binary_bounds=traits.has_binary_bounds
        )

    def _physical(self, table: pa.Table) -> pa.Table:
        names = [each.name for each in self._form.shape.fields]
        return pa.Table.from_arrays([table.column(name.removeprefix(KEY_PREFIX)) for name in names], names)

    @cached_property
    def _form(self) -> FileLayout:
        return file_layout(self._schema, self.level, self.is_changelog)

    @cached_property
    def _stored(self) -> frozenset[str]:
        return frozenset(each.name for each in self._form.shape.fields)

    @cached_property
    def _max_rows(self) -> int:
        """The maximum number of rows of a file, which only new rows have; compacted files are limited in size."""
        limited = self.source == FileSource.APPEND and not self.is_changelog and self.columns is None
        return max(1, self.store.schema.core.target_file_row_num) if limited else sys.maxsize

    @cached_property
    def _schema(self) -> TableSchema:
        """The columns of the files; sequence numbers of rewritten rows are NOT NULL if no row changes."""
        schema = self._chosen
        if not self.keeps_row_ids:
            return schema
        from workbench.format.spec.row_tracking import tracked_schema

        return tracked_schema(schema, changed=self.source == FileSource.APPEND)

    @cached_property
    def _chosen(self) -> TableSchema:
        schema = self.store.schema
        if self.columns is None:
            return schema
        return replace(schema, fields=tuple(each for each in schema.fields if each.name in self.columns))

    def _note(self, current: _OpenFile, table: pa.Table, first_sequence: int) -> None:
        schema = self.store.schema
        if VALUE_KIND in self._stored:
            if current.rows == 0:
                current.first_key = self._key(table.slice(0, 1))
            current.last_row = table.slice(table.num_rows - 1)
            current.deletes += _count_retracts(table.column(VALUE_KIND))
        if SEQUENCE_NUMBER in self._stored:
            current.sequences.add_column(table.column(SEQUENCE_NUMBER))
        else:
            # With row tracking, numbers that begin at 0 are replaced with the id of the snapshot by the commit.
            first = current.rows if schema.core.row_tracking_enabled else first_sequence
            current.sequences.add(first, first + table.num_rows - 1)
        current.rows += table.num_rows
        current.key_stats.update(table)
        current.value_stats.update(table)
        if current.index is not None:
            current.index.update(table)

    def _key(self, row: pa.Table) -> bytes:
        fields = self.store.schema.key_fields
        return encode_columns([row.column(each.name) for each in fields], [each.type for each in fields]).to_bytes(0)

    def _last_key(self, current: _OpenFile) -> bytes:
        # Writes into many partitions make many files of one row.
        return current.first_key if current.last_row is None or current.rows == 1 else self._key(current.last_row)

    def _finish(self, current: _OpenFile) -> None:
        current.writer.close()
        size = current.output.tell()
        current.output.close()
        embedded, beside = self._index_of(current)
        value_stats, columns = current.value_stats.value_stats(self._dense_stats)
        if self.columns is not None:
            value_stats, columns = EMPTY_STATS, ()
        low, high = current.sequences.bounds
        self.finished.append(
            DataFileMeta(
                file_name=current.name,
                file_size=size,
                row_count=current.rows,
                min_key=current.first_key,
                max_key=self._last_key(current),
                key_stats=current.key_stats.stats(),
                value_stats=value_stats,
                min_sequence_number=low,
                max_sequence_number=high,
                schema_id=self.store.schema.id,
                level=self.level,
                extra_files=beside,
                embedded_index=embedded,
                creation_time=self.store.clock.local_wall_millis(),
                delete_row_count=current.deletes,
                file_source=self.source,
                value_stats_cols=columns,
                external_path=current.file.recorded_path,
                write_cols=tuple(self._schema.field_names) if self.keeps_row_ids or self.columns else None,
            )
        )
        self._open = None

    def _new_index(self) -> IndexCollector | None:
        """Return a collector of indexes. Changelog files are read from beginning to end, so they have no indexes."""
        options = self.store.schema.options
        if (
            self.is_changelog
            or self.columns is not None
            or not any(each.startswith("file-index.") and each.endswith(".columns") for each in options)
        ):
            return None
        from workbench.format.index.file_index.collecting import IndexCollector
        from workbench.format.index.file_index.requests import index_requests

        return IndexCollector(tuple(index_requests(self.store.schema)))

    def _index_of(self, current: _OpenFile) -> tuple[bytes | None, tuple[str, ...]]:
        """Return the indexes for the manifest entry, or the names of the extra files that hold them."""
        if current.index is None:
            return None, ()
        container = current.index.container()
        if len(container) <= self.store.schema.core.file_index_in_manifest_threshold:
            return container, ()
        self.store.file_io.write_bytes(paths.file_index_name(current.file.path), container)
        return None, (paths.file_index_name(current.name),)

    @property
    def _dense_stats(self) -> bool:
        """Whether stats are dense: only if the table's options request it, because old engines lose rows with dense
        stats (format §29.38)."""
        return (self.store.schema.core.text("metadata.stats-dense-store") or "false").lower() == "true"

    @cached_property
    def _path_factory(self) -> DataFilePathFactory:
        return DataFilePathFactory(self.store, self.partition, self.bucket)


class RollingBuffer:
    """Buffer that joins small chunks of a merge into whole row groups, as each row group has its own dictionaries."""

    def __init__(self, writer: DataFileWriter) -> None:
        self._writer = writer
        self._waiting: list[pa.Table] = []
        self._bytes = 0
        self._rows = 0

    def add(self, table: pa.Table) -> None:
        """Add rows."""
        self._waiting.append(table)
        self._bytes += table.nbytes
        self._rows += table.num_rows
        if self._bytes >= _GATHERED_BYTES:
            self.finish()
        elif self._rows >= _ROW_GROUP_ROWS:
            waiting, whole = pa.concat_tables(self._waiting), self._rows - self._rows % _ROW_GROUP_ROWS
            self._writer.write(waiting.slice(0, whole))
            rest = waiting.slice(whole)
            self._waiting, self._bytes, self._rows = [rest], rest.nbytes, rest.num_rows

    def finish(self) -> None:
        """Pass on the remaining rows."""
        if self._waiting:
            self._writer.write(pa.concat_tables(self._waiting))
        self._waiting, self._bytes, self._rows = [], 0, 0


def _rows_per_group(table: pa.Table) -> int:
    if not table.num_rows:
        return 1
    width = max(1, table.nbytes // table.num_rows)
    return int(min(_ROW_GROUP_ROWS, max(1024, _ROW_GROUP_BYTES // width)))


def _span(column: pa.ChunkedArray) -> tuple[int, int]:
    span = pc.min_max(column).as_py()
    return span["min"], span["max"]


def _count_retracts(kinds: pa.ChunkedArray) -> int:
    return int(np.count_nonzero(is_retract(kinds.to_numpy())))
