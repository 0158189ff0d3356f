"""Reader of a Parquet data file: opened once, columns read by name, row groups selected by a filter (format §12.2,
§13)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.counting import counted
from workbench.base.errors import CorruptFile
from workbench.base.lazy import cached_property
from workbench.base.modules import pq
from workbench.datafile.data_input import DataInput
from workbench.datafile.file_format import RowGroupFilter, StoredParts
from workbench.datafile.readers.columns import FileColumns
from workbench.format.parquet.schema import from_parquet
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.format.types import TIMES, holds
from workbench.metadata.errors import reading
from workbench.metadata.store import TableStore
from workbench.storage.cache import ByteCache

if TYPE_CHECKING:
    from workbench.format.parquet.statistics import Bounds, ChunkStatistics

_ROWS_WORTH_THREADS = 1 << 14
_FOOTER_END_BYTES = 8
# One cache for the process: it concerns files as they are on this machine, regardless of the catalog that opened them.
_VERIFIED = ByteCache(16 << 20)
_VERIFIED_WEIGHT = 16 << 10
_BOUND_BYTES = 100


class ParquetDataFile:
    """The rows of one file, or of only those row groups that ``row_group_filter`` selects."""

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
        self._input = DataInput(store.file_io, path, file.file_size)
        self._first: pq.ParquetFile | None = None

    @cached_property
    def rows(self) -> int:
        """The number of rows that this reader returns."""
        if self._row_group_filter is None:
            return self.file.row_count
        metadata = self._metadata
        return sum(metadata.row_group(group).num_rows for group in self._row_groups)

    @property
    def row_ranges(self) -> Sequence[range]:
        """The positions in the file of the rows that this reader returns."""
        if self._row_group_filter is None:
            return [range(self.file.row_count)]
        metadata = self._metadata
        rows = (metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
        ends = [0, *accumulate(rows)]
        return [range(ends[group], ends[group + 1]) for group in self._row_groups]

    def stored_parts(self) -> StoredParts:
        """Return what the footer says about the row groups, and about those that the filter selects."""
        from workbench.format.parquet.chunk_sizes import chunk_sizes

        chosen = list(self._row_groups)
        sizes = self._store.cache.get_or_load(
            ("chunk sizes", self.path), lambda: chunk_sizes(self._metadata), lambda found: 200 + int(found.sizes.nbytes)
        )
        total = sizes.of_columns(chosen)
        by_column = {name: total[stored] for name, stored in self._columns.names.items()}
        # Files keep columns that the table has dropped and whose names may have been used again.
        dropped = sorted(set(sizes.names).difference(self._columns.names.values()))
        by_column |= {f"{name} (dropped)" if name in by_column else name: total[name] for name in dropped}
        skipped = sum(sizes.of_columns(range(self._metadata.num_row_groups)).values()) - sum(total.values())
        return StoredParts(self._metadata.num_row_groups, len(chosen), self.row_ranges, by_column, skipped)

    @property
    def uncompressed_size(self) -> int:
        """The uncompressed size of the selected row groups in bytes, all columns together.

        It is computed from the row groups: Arrow ends the process if a requested column has a damaged entry in the
        footer.
        """
        metadata = self._metadata
        return sum(metadata.row_group(group).total_byte_size for group in self._row_groups)

    def parts(self, rows: int) -> list[ParquetDataFile]:
        """Return readers of some row groups each, of about ``rows`` rows, which together read the same rows."""
        metadata = self._metadata
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
        """Read all rows, or those of the selected row groups."""
        with reading(self.path):
            source = self._source(columns)
            self._fetch(columns, self._row_groups)
            table = self._as_declared(self._read_with(source, columns), columns)
            self._input.fetch(())
            self._verified.update(self._chunks(columns))
            return table

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """Return the same rows, from memory if they have been read before. Decoding row groups costs more than
        processing the few rows of a key."""
        key = ("columns", self.path, tuple(columns), tuple(self._row_groups))
        return self._store.cache.get_or_load(key, lambda: self.read(columns), lambda table: int(table.nbytes))

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """Return no rows, with the schema of `read`."""
        with reading(self.path):
            return self._as_declared(self._parquet.read_row_groups([], self._physical_names(columns)), columns)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """Yield the same rows, ``batch_rows`` at a time."""
        with reading(self.path):
            for batch in self._stream(self._source(columns), columns, batch_rows):
                yield self._as_declared(pa.Table.from_batches([batch]), columns)

    def _stream(self, source: pq.ParquetFile, columns: Sequence[str], batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one row group, or of a few small ones, at a time: Arrow fetches all requested row
        groups, and with threads it fetches more than the consumer has room for."""
        physical = self._physical_names(columns)
        groups: list[int] = []
        rows = 0
        for group in self._row_groups:
            groups.append(group)
            rows += source.metadata.row_group(group).num_rows
            if rows >= batch_rows or group == self._row_groups[-1]:
                self._fetch(columns, groups)
                for batch in source.iter_batches(batch_rows, row_groups=groups, columns=physical, use_threads=False):
                    rows -= batch.num_rows
                    self._check_texts(source, batch)
                    yield batch
                self._check_rows(rows)
                groups, rows = [], 0

    def _fetch(self, columns: Sequence[str], groups: Sequence[int]) -> None:
        """Request the columns of row groups at the same time; Arrow would do so one after another."""
        if self._input.is_ranged:
            from workbench.format.parquet.chunk_sizes import chunk_ranges

            self._input.fetch(chunk_ranges(self._metadata, self._physical_names(columns), groups))

    def _read_with(self, source: pq.ParquetFile, columns: Sequence[str]) -> pa.Table:
        physical = self._physical_names(columns)
        threads = self.rows > _ROWS_WORTH_THREADS
        if self._row_group_filter is None:
            table = source.read(physical, use_threads=threads)
        else:
            table = source.read_row_groups(list(self._row_groups), physical, use_threads=threads)
        self._check_rows(self.rows - table.num_rows)
        self._check_texts(source, table)
        return table

    def _check_texts(self, source: pq.ParquetFile, rows: pa.Table | pa.RecordBatch) -> None:
        """Check strings, since a damaged page without a checksum may contain invalid ones, which Arrow passes on."""
        if "_trusted" in vars(self) and source is self._trusted:
            return
        for column in rows.columns:
            # Sums that Java writes may exceed the precision of their decimal type, and Java reads them unchanged.
            if not pa.types.is_primitive(column.type) and not pa.types.is_decimal(column.type):
                column.validate(full=True)

    def _check_rows(self, lacking: int) -> None:
        """Check the number of rows, since Arrow may read too few values of a column from damaged pages."""
        if lacking:
            raise CorruptFile(self.path, "its row groups do not have the rows that its footer says")

    def _source(self, columns: Sequence[str]) -> pq.ParquetFile:
        """Return the open file."""
        if self._has_int96:
            return self._with_bytes
        return self._trusted if self._verified.issuperset(self._chunks(columns)) else self._parquet

    def _chunks(self, columns: Sequence[str]) -> set[tuple[str, int]]:
        return {(name, group) for name in self._physical_names(columns) for group in self._row_groups}

    @cached_property
    def _verified(self) -> set[tuple[str, int]]:
        """The columns in row groups whose checksums were valid when this process read them, until the file changes.

        Verification takes a fifth of the time of a scan, and data files never change: once is enough.
        """
        by_ranges = self._store.is_local and not self._input.is_whole
        status = self._store.file_io.status(self.path) if by_ranges else None
        if status is None:
            return set()
        key = (self.path, status.size, status.modified_millis)
        verified: set[tuple[str, int]] = _VERIFIED.get_or_load(key, set, lambda _: _VERIFIED_WEIGHT)
        return verified

    @cached_property
    def _trusted(self) -> pq.ParquetFile:
        """The open file, read without verifying its checksums again."""
        return self._open(self._metadata, page_checksum_verification=False)

    def _open(self, metadata: pq.FileMetaData | None = None, **how: Any) -> pq.ParquetFile:
        source, whole = self._input.open(), self._input.is_whole
        return pq.ParquetFile(
            source, metadata=metadata, pre_buffer=whole, **{"page_checksum_verification": True, **how}
        )

    @cached_property
    def _has_int96(self) -> bool:
        schema = self._metadata.schema
        return any(schema.column(position).physical_type == "INT96" for position in range(len(schema)))

    @cached_property
    def _with_bytes(self) -> pq.ParquetFile:
        """The open file, with INT96 columns read as bytes."""
        from workbench.format.parquet.int96 import footer_of, metadata_with_bytes

        size = self._input.size
        length = min(self._metadata.serialized_size + _FOOTER_END_BYTES, size)
        try:
            footer = footer_of(self._input.read_range(size - length, length))
            return self._open(metadata_with_bytes(footer))
        except ValueError as error:
            raise CorruptFile(self.path, f"its footer is corrupt ({error})") from error

    @cached_property
    def _parquet(self) -> pq.ParquetFile:
        return self._first or self._open(self._metadata)

    @cached_property
    def _metadata(self) -> pq.FileMetaData:
        """The footer. It is cached: the file is not opened if its footer has been read before."""

        def read_footer() -> pq.FileMetaData:
            self._first = self._open()
            _check_footer(self._first.metadata, self.path)
            return self._first.metadata

        with reading(self.path):
            metadata = self._store.cache.get_or_load(("footer", self.path), read_footer, _footer_weight)
            if metadata.num_rows != self.file.row_count:
                raise CorruptFile(
                    self.path,
                    f"it holds {counted(metadata.num_rows, 'rows')} and its manifest says {self.file.row_count}",
                )
            return metadata

    @cached_property
    def _row_groups(self) -> Sequence[int]:
        metadata = self._metadata
        if self._row_group_filter is None:
            return range(metadata.num_row_groups)

        def read_rows() -> list[int]:
            return [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]

        weight = _BOUND_BYTES * metadata.num_row_groups
        rows = self._store.cache.get_or_load(("row groups", self.path), read_rows, lambda _: weight)
        return self._row_group_filter(rows, self._bounds)

    def _bounds(self, column: str) -> Bounds | None:
        """Return the footer statistics of a column, None if its bounds do not hold under its new type."""
        from workbench.expr.widening import keeps_values
        from workbench.format.parquet.statistics import bounds

        name = self._columns.names.get(column)
        if name is None or not keeps_values(self._columns.written_type(name), self._columns.field(column).type):
            return None

        def read() -> Bounds | None:
            position = self._leaves.get(name)
            if position is None:
                return None
            arrow_type = self._metadata.schema.to_arrow_schema().field(name).type
            return bounds([group[position] for group in self._statistics], arrow_type)

        weight = _BOUND_BYTES * self._metadata.num_row_groups
        return self._store.cache.get_or_load(("bounds", self.path, name), read, lambda _: weight)

    @cached_property
    def _statistics(self) -> Sequence[Sequence[ChunkStatistics]]:
        from workbench.format.parquet.statistics import read_statistics

        def read() -> Sequence[Sequence[ChunkStatistics]]:
            with BytesIO() as out:
                self._metadata.write_metadata_file(out)
                return read_statistics(out.getvalue())

        weight = 300 * self._metadata.num_row_groups * self._metadata.num_columns
        return self._store.cache.get_or_load(("statistics", self.path), read, lambda _: weight)

    @cached_property
    def _leaves(self) -> dict[str, int]:
        """The index of each column that is one Parquet leaf. A name may have dots, like the path of a nested leaf."""
        schema = self._metadata.schema
        nested = tuple(f"{field.name}." for field in schema.to_arrow_schema() if field.type.num_fields)
        paths = {position: schema.column(position).path for position in range(len(schema))}
        return {path: position for position, path in paths.items() if not path.startswith(nested)}

    @cached_property
    def _columns(self) -> FileColumns:
        present = self._metadata.schema.to_arrow_schema().names
        return FileColumns(self._store, self.path, self.file, self._schema, present)

    def _physical_names(self, columns: Sequence[str]) -> list[str]:
        return self._columns.physical(columns)

    def _as_declared(self, table: pa.Table, columns: Sequence[str]) -> pa.Table:
        types = {name: self._columns.written_type(name) for name in self._columns.physical(columns)}
        roots = ("VARIANT", "VECTOR", "MAP", *(TIMES if self._has_int96 else ()))
        special = {name: arrow_type for name, arrow_type in types.items() if holds(arrow_type, *roots)}
        if special:
            from workbench.datafile.formats.stored_forms import with_plain_columns

            table = with_plain_columns(table, special, self._field_metadata, self.path)
        return self._columns.as_declared(table, columns, from_parquet)

    def _field_metadata(self, name: str) -> Mapping[bytes, bytes] | None:
        """Return the metadata that the writer recorded for a column."""
        metadata: Mapping[bytes, bytes] | None = self._parquet.schema_arrow.field(name).metadata
        return metadata


def _only(groups: Sequence[int]) -> RowGroupFilter:
    return lambda _rows, _bounds: groups


def _check_footer(metadata: pq.FileMetaData, path: str) -> None:
    """Check the footer, because Arrow ends the process if a row group lacks columns of the schema."""
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    if any(group.num_columns != metadata.num_columns for group in groups):
        raise CorruptFile(path, "its row groups do not have the columns of its schema")
    if sum(group.num_rows for group in groups) != metadata.num_rows:
        raise CorruptFile(path, "its row groups do not add up to its rows")


def _footer_weight(metadata: pq.FileMetaData) -> int:
    return 200 + int(metadata.serialized_size) * 4
