"""Arrow rows become data files of one bucket: rolling at the target size, each with its statistics (format §10, §12,
§13)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from workbench.format import paths
from workbench.format.binary_row_columns import encode_columns
from workbench.format.data_file import EMPTY_ROW, EMPTY_STATS, DataFileMeta, FileSource
from workbench.format.parquet import (
    KEY_PREFIX,
    SEQUENCE_NUMBER,
    VALUE_KIND,
    data_file_fields,
    parquet_schema,
    write_arguments,
)
from workbench.format.stats import KEY_STATS_MODE, StatsCollector, table_stats_modes
from workbench.format.types import DataField
from workbench.lsm.merge_function import is_retract
from workbench.storage.file_io import join
from workbench.table.store import TableStore

if TYPE_CHECKING:
    import pyarrow.parquet as pq

# Filters and lookups read whole row groups; below this size full scans pay more than those save.
_ROW_GROUP_ROWS = 1 << 17
_ROW_GROUP_BYTES = 256 << 20
_SAMPLE_ROWS = 1 << 14


@dataclass
class FileNames:
    """Names of the data files of one writer: unique by its uuid, told apart by a counter (format §12.1)."""

    uuid: str
    prefix: str = "data-"
    # One step of a counter is indivisible, so threads may share the names.
    _numbers: Iterator[int] = field(default_factory=count)

    def next(self, shown_compression: str | None) -> str:
        """The next name, showing the codec if one is given."""
        number = next(self._numbers)
        return paths.data_file_name(self.prefix, self.uuid, number, "parquet", shown_compression)


@dataclass
class _OpenFile:
    name: str
    output: Any
    writer: pq.ParquetWriter
    key_stats: StatsCollector
    value_stats: StatsCollector
    rows: int = 0
    deletes: int = 0
    first_key: bytes = EMPTY_ROW
    last_row: pa.Table | None = None
    min_sequence: int = 0
    max_sequence: int = 0


@dataclass
class DataFileWriter:
    """Writes one bucket's files at one level. Rows come as value columns; those of primary-key tables sorted by key,
    with `_SEQUENCE_NUMBER` and `_VALUE_KIND` beside them.
    """

    store: TableStore
    partition: bytes
    bucket: int
    names: FileNames
    level: int = 0
    source: FileSource = FileSource.APPEND
    finished: list[DataFileMeta] = field(default_factory=list)
    _open: _OpenFile | None = None

    def write(self, table: pa.Table, first_sequence: int = 0) -> None:
        """Add rows. ``first_sequence`` numbers the rows of append tables, which store no sequence column."""
        step = _rows_per_group(table)
        for start in range(0, table.num_rows, step):
            self._write_group(table.slice(start, step), first_sequence + start)

    def close(self) -> list[DataFileMeta]:
        """Finish the last file, and tell all that were written."""
        if self._open is not None:
            self._finish(self._open)
        return self.finished

    def abort(self) -> None:
        """Remove everything this writer made."""
        if self._open is not None:
            # The file is thrown away, so it does not matter whether its end can still be written.
            with suppress(OSError, pa.ArrowException):
                self._open.writer.close()
            with suppress(OSError):
                self._open.output.close()
            self.store.file_io.delete(self._path(self._open.name))
            self._open = None
        for file in self.finished:
            self.store.file_io.delete(self._path(file.file_name))
        self.finished.clear()

    def _write_group(self, table: pa.Table, first_sequence: int) -> None:
        current = self._open or self._begin(table)
        schema, core = self.store.schema, self.store.schema.core
        current.writer.write_table(self._physical(table), row_group_size=max(table.num_rows, 1))
        self._note(current, table, first_sequence)
        if current.output.tell() >= core.target_file_size(schema.is_primary_key_table):
            self._finish(current)

    def _begin(self, table: pa.Table) -> _OpenFile:
        import pyarrow.parquet as pq

        schema, core = self.store.schema, self.store.schema.core
        name = self.names.next(core.file_compression if core.file_suffix_include_compression else None)
        output = self.store.file_io.open_output(self._path(name))
        fields = self._file_fields
        writer = pq.ParquetWriter(
            output, self._parquet_schema, **write_arguments(core, fields, self._rarely_repeated(table))
        )
        self._open = _OpenFile(
            name,
            output,
            writer,
            key_stats=StatsCollector(schema.key_fields, lambda _: KEY_STATS_MODE),
            value_stats=StatsCollector(schema.fields, table_stats_modes(core, schema.fields, self.level)),
        )
        return self._open

    def _physical(self, table: pa.Table) -> pa.Table:
        arrays = [table.column(each.name.removeprefix(KEY_PREFIX)) for each in self._file_fields]
        return pa.Table.from_arrays(arrays, schema=self._parquet_schema)

    @cached_property
    def _file_fields(self) -> tuple[DataField, ...]:
        return data_file_fields(self.store.schema)

    @cached_property
    def _parquet_schema(self) -> pa.Schema:
        return parquet_schema(self._file_fields)

    def _rarely_repeated(self, table: pa.Table) -> list[str]:
        """Columns in which a dictionary finds too little to share, judged by the first rows of the file."""
        sample = table.slice(0, _SAMPLE_ROWS)
        names = [each.name for each in self._file_fields]
        return [name for name in names if _repeats_rarely(sample.column(name.removeprefix(KEY_PREFIX)))]

    def _note(self, current: _OpenFile, table: pa.Table, first_sequence: int) -> None:
        first_in_file = current.rows == 0
        if self.store.schema.is_primary_key_table:
            if first_in_file:
                current.first_key = self._key(table.slice(0, 1))
            current.last_row = table.slice(table.num_rows - 1)
            low, high = _span(table.column(SEQUENCE_NUMBER))
            current.deletes += _count_retracts(table.column(VALUE_KIND))
        else:
            low, high = first_sequence, first_sequence + table.num_rows - 1
        current.min_sequence = low if first_in_file else min(current.min_sequence, low)
        current.max_sequence = high if first_in_file else max(current.max_sequence, high)
        current.rows += table.num_rows
        current.key_stats.update(table)
        current.value_stats.update(table)

    def _key(self, row: pa.Table) -> bytes:
        fields = self.store.schema.key_fields
        return encode_columns([row.column(each.name) for each in fields], [each.type for each in fields]).to_bytes(0)

    def _finish(self, current: _OpenFile) -> None:
        current.writer.close()
        size = current.output.tell()
        current.output.close()
        self._open = None
        value_stats, columns = current.value_stats.value_stats(self._dense_stats)
        keyed = self.store.schema.is_primary_key_table
        self.finished.append(
            DataFileMeta(
                file_name=current.name,
                file_size=size,
                row_count=current.rows,
                min_key=current.first_key,
                max_key=EMPTY_ROW if current.last_row is None else self._key(current.last_row),
                key_stats=current.key_stats.stats() if keyed else EMPTY_STATS,
                value_stats=value_stats,
                min_sequence_number=current.min_sequence,
                max_sequence_number=current.max_sequence,
                schema_id=self.store.schema.id,
                level=self.level,
                creation_time=self.store.clock.local_wall_millis(),
                delete_row_count=current.deletes,
                file_source=self.source,
                value_stats_cols=columns,
            )
        )

    @property
    def _dense_stats(self) -> bool:
        """Only where the table asks for it by itself: old engines lose rows over dense stats (format §29.38)."""
        return (self.store.schema.core.text("metadata.stats-dense-store") or "false").lower() == "true"

    def _path(self, name: str) -> str:
        return join(self.store.bucket_directory(self.partition, self.bucket), name)


def _rows_per_group(table: pa.Table) -> int:
    if not table.num_rows:
        return 1
    width = max(1, table.nbytes // table.num_rows)
    return int(min(_ROW_GROUP_ROWS, max(1024, _ROW_GROUP_BYTES // width)))


def _repeats_rarely(sample: pa.ChunkedArray) -> bool:
    """Whether about half of the values of a full row group differ: so few of a sample of an eighth meet again then."""
    import pyarrow.compute as pc

    if pa.types.is_nested(sample.type):
        return False
    return bool(pc.count_distinct(sample, mode="all").as_py() > len(sample) * 7 // 8)


def _span(column: pa.ChunkedArray) -> tuple[int, int]:
    import pyarrow.compute as pc

    span = pc.min_max(column).as_py()
    return span["min"], span["max"]


def _count_retracts(kinds: pa.ChunkedArray) -> int:
    return int(np.count_nonzero(is_retract(kinds.to_numpy())))
