"""A Parquet data file: opened once, read by name, row groups chosen by a filter (format §12.2, §13)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import CorruptFile
from workbench.format.data_file import DataFileMeta
from workbench.format.parquet import from_parquet, int96_units
from workbench.format.schema import TableSchema
from workbench.format.types import DataType
from workbench.storage.cache import ByteCache
from workbench.table.data_files.columns import FileColumns
from workbench.table.data_files.protocol import reading, side_by_side
from workbench.table.store import TableStore

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_ROWS_WORTH_THREADS = 1 << 14
_FETCHED_WHOLE_BYTES = 64 << 10
# Of the whole process, for it speaks of files as they are on this machine, whoever opened them.
_VERIFIED = ByteCache(16 << 20)
_VERIFIED_WEIGHT = 16 << 10

RowGroupFilter = Callable[["pq.FileMetaData", Callable[[str], int | None]], Sequence[int]]
"""From a footer, and a function from a column of the table to its place in the file, to the row groups worth
reading."""


class ParquetDataFile:
    """The rows of one file, or of those of its row groups that ``row_group_filter`` chooses."""

    def __init__(
        self,
        store: TableStore,
        path: str,
        file: DataFileMeta,
        read_schema: TableSchema,
        row_group_filter: RowGroupFilter | None = None,
    ) -> None:
        self.path = path
        self.file = file
        self._store = store
        self._schema = read_schema
        self._row_group_filter = row_group_filter

    @cached_property
    def rows(self) -> int:
        """How many rows reading brings."""
        if self._row_group_filter is None:
            return self.file.row_count
        metadata = self._parquet.metadata
        return sum(metadata.row_group(group).num_rows for group in self._row_groups)

    @property
    def row_ranges(self) -> Sequence[range]:
        """The places in the file of the rows that reading brings."""
        if self._row_group_filter is None:
            return [range(self.file.row_count)]
        metadata = self._parquet.metadata
        rows = (metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
        ends = [0, *accumulate(rows)]
        return [range(ends[group], ends[group + 1]) for group in self._row_groups]

    @property
    def uncompressed_size(self) -> int:
        """Bytes of the chosen row groups before compression, all columns together.

        Taken from the row groups: Arrow ends the process when asked for a column whose entry in the footer is damaged.
        """
        metadata = self._parquet.metadata
        return sum(metadata.row_group(group).total_byte_size for group in self._row_groups)

    def parts(self, rows: int) -> list[ParquetDataFile]:
        """Readers of some row groups each, of about ``rows`` rows, which together read what this one reads."""
        metadata = self._parquet.metadata
        groups: list[list[int]] = [[]]
        held = 0
        for group in self._row_groups:
            if held >= rows:
                groups.append([])
                held = 0
            groups[-1].append(group)
            held += metadata.row_group(group).num_rows
        if len(groups) == 1:
            return [self]
        return [ParquetDataFile(self._store, self.path, self.file, self._schema, _only(chosen)) for chosen in groups]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """All rows, or those of the chosen row groups."""
        with reading(self.path):
            parts = [
                self._as_declared(self._read_with(source, names), names) for source, names in self._sources(columns)
            ]
            self._verified.update(self._chunks(columns))
            return side_by_side(parts, columns)

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """No rows, shaped as those of `read`."""
        with reading(self.path):
            return self._as_declared(self._parquet.read_row_groups([], self._physical_names(columns)), columns)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """The same rows, ``batch_rows`` at a time."""
        with reading(self.path):
            sources = self._sources(columns)
            streams = [self._stream(source, names, batch_rows) for source, names in sources]
            for batches in zip(*streams, strict=True):
                parts = [
                    self._as_declared(pa.Table.from_batches([batch]), names)
                    for batch, (_, names) in zip(batches, sources, strict=True)
                ]
                yield side_by_side(parts, columns)

    def _stream(self, source: pq.ParquetFile, columns: Sequence[str], batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Arrow fetches all row groups it is asked for, and on threads more than the consumer has room for."""
        physical = self._physical_names(columns)
        groups: list[int] = []
        rows = 0
        for group in self._row_groups:
            groups.append(group)
            rows += source.metadata.row_group(group).num_rows
            if rows >= batch_rows or group == self._row_groups[-1]:
                yield from source.iter_batches(batch_rows, row_groups=groups, columns=physical, use_threads=False)
                groups, rows = [], 0

    def _read_with(self, source: pq.ParquetFile, columns: Sequence[str]) -> pa.Table:
        physical = self._physical_names(columns)
        threads = self.rows > _ROWS_WORTH_THREADS
        if self._row_group_filter is None:
            return source.read(physical, use_threads=threads)
        return source.read_row_groups(list(self._row_groups), physical, use_threads=threads)

    def _sources(self, columns: Sequence[str]) -> list[tuple[pq.ParquetFile, list[str]]]:
        """The open file, or the file opened once for each unit in which its INT96 timestamps have to be read."""
        if not self._has_int96:
            known = self._verified.issuperset(self._chunks(columns))
            return [(self._trusted if known else self._parquet, list(columns))]
        fields = [self._columns.field(name) for name in columns]
        return [(self._opened(unit), names) for unit, names in int96_units(fields).items()]

    def _chunks(self, columns: Sequence[str]) -> set[tuple[str, int]]:
        return {(name, group) for name in self._physical_names(columns) for group in self._row_groups}

    @cached_property
    def _verified(self) -> set[tuple[str, int]]:
        """Columns of row groups whose checksums held when this process read them, for as long as the file is the same.

        Verifying costs a fifth of a scan, and data files never change: once is enough.
        """
        large = self.file.file_size > _FETCHED_WHOLE_BYTES
        status = self._store.file_io.status(self.path) if large and self._store.file_io.is_local else None
        if status is None:
            return set()
        key = (self.path, status.size, status.modified_millis)
        found: set[tuple[str, int]] = _VERIFIED.get_or_load(key, set, lambda _: _VERIFIED_WEIGHT)
        return found

    @cached_property
    def _trusted(self) -> pq.ParquetFile:
        """The open file, without verifying it again."""
        return self._open(self._parquet.metadata, page_checksum_verification=False)

    def _open(self, metadata: pq.FileMetaData | None = None, **how: Any) -> pq.ParquetFile:
        """The file. One request brings all of a small one."""
        import pyarrow.parquet as pq

        small = self.file.file_size <= _FETCHED_WHOLE_BYTES
        file_io = self._store.file_io
        source = pa.BufferReader(file_io.read_bytes(self.path)) if small else file_io.open_input(self.path)
        return pq.ParquetFile(
            source, metadata=metadata, pre_buffer=small, **{"page_checksum_verification": True, **how}
        )

    @cached_property
    def _has_int96(self) -> bool:
        schema = self._parquet.metadata.schema
        return any(schema.column(place).physical_type == "INT96" for place in range(len(schema)))

    def _opened(self, int96_unit: str) -> pq.ParquetFile:
        return self._open(self._parquet.metadata, coerce_int96_timestamp_unit=int96_unit)

    @cached_property
    def _parquet(self) -> pq.ParquetFile:
        with reading(self.path):
            opened: list[pq.ParquetFile] = []

            def read_footer() -> pq.FileMetaData:
                opened.append(self._open())
                _check_footer(opened[0].metadata, self.path)
                return opened[0].metadata

            metadata = self._store.cache.get_or_load(("footer", self.path), read_footer, _footer_weight)
            if metadata.num_rows != self.file.row_count:
                raise CorruptFile(
                    self.path, f"it holds {metadata.num_rows} rows and its manifest says {self.file.row_count}"
                )
            return opened[0] if opened else self._open(metadata)

    @cached_property
    def _row_groups(self) -> Sequence[int]:
        metadata = self._parquet.metadata
        if self._row_group_filter is None:
            return range(metadata.num_row_groups)
        return self._row_group_filter(metadata, self._place)

    def _place(self, column: str) -> int | None:
        name = self._columns.names.get(column)
        return None if name is None else self._leaves.get(name)

    @cached_property
    def _leaves(self) -> dict[str, int]:
        """The place of each column that is one Parquet leaf."""
        schema = self._parquet.metadata.schema
        return {schema.column(place).path: place for place in range(len(schema))}

    @cached_property
    def _columns(self) -> FileColumns:
        return FileColumns(self._store, self.path, self.file, self._schema, self._parquet.schema_arrow.names)

    def _physical_names(self, columns: Sequence[str]) -> list[str]:
        return self._columns.physical(columns)

    def _as_declared(self, table: pa.Table, columns: Sequence[str]) -> pa.Table:
        return self._columns.as_declared(table, columns, _decoded)


def _decoded(column: pa.ChunkedArray, _written: DataType, declared: DataType) -> Any:
    return from_parquet(column, declared)


def _only(groups: Sequence[int]) -> RowGroupFilter:
    return lambda _metadata, _place: groups


def _check_footer(metadata: pq.FileMetaData, path: str) -> None:
    """Arrow ends the process where a row group lacks columns that the schema has, so a damaged footer stops here."""
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    if any(group.num_columns != metadata.num_columns for group in groups):
        raise CorruptFile(path, "its row groups do not have the columns of its schema")
    if sum(group.num_rows for group in groups) != metadata.num_rows:
        raise CorruptFile(path, "its row groups do not add up to its rows")


def _footer_weight(metadata: pq.FileMetaData) -> int:
    return 200 + int(metadata.serialized_size) * 4
