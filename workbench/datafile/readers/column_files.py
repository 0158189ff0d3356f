"""Rows whose columns are stored in several files, combined by their row ids (format §26)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import pyarrow as pa

from workbench.base.lazy import cached_property
from workbench.datafile.protocol import StoredFile, rows_without_columns
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.format.types import field_to_arrow


class ColumnSource(Protocol):
    """Some columns of a range of row ids. Rows are numbered from the beginning of the range."""

    @property
    def columns(self) -> frozenset[str]:
        """The columns of the table that are read from this source."""
        ...

    @property
    def uncompressed_size(self) -> int:
        """The approximate size of these columns in memory in bytes."""
        ...

    def cuts(self, rows: int) -> Sequence[int]:
        """Return row numbers that divide the source into parts of about ``rows`` rows without reading data twice."""
        ...

    def read(self, columns: Sequence[str], rows: range, batch_rows: int | None) -> Iterator[pa.Table]:
        """Yield the ``rows`` in chunks of at most ``batch_rows``, or in as few chunks as possible if that is None."""
        ...


class FileColumnsSource:
    """Columns of a file that has all rows of the range."""

    def __init__(self, file: StoredFile, columns: frozenset[str]) -> None:
        self.columns = columns
        self._file = file

    @property
    def uncompressed_size(self) -> int:
        """The approximate size of these columns in memory in bytes."""
        return self._file.uncompressed_size

    def cuts(self, rows: int) -> Sequence[int]:
        """Return where row groups begin."""
        return [part.row_ranges[0].start for part in self._file.parts(rows) if part.row_ranges]

    def read(self, columns: Sequence[str], rows: range, batch_rows: int | None) -> Iterator[pa.Table]:
        """Yield the ``rows`` in pieces."""
        for part in self._parts(rows):
            position = part.row_ranges[0].start if part.row_ranges else 0
            for table in [part.read(columns)] if batch_rows is None else part.batches(columns, batch_rows):
                first, end = max(rows.start - position, 0), min(rows.stop - position, table.num_rows)
                if first < end:
                    yield table.slice(first, end - first)
                position += table.num_rows

    def _parts(self, rows: range) -> Sequence[StoredFile]:
        if len(rows) == self._file.rows:
            return [self._file]
        return [part for part in self._file.parts(1) if any(_meet(each, rows) for each in part.row_ranges)]


class SuccessiveFiles:
    """Columns of files that follow one another in a range. ``first_rows``: the first row of each file."""

    def __init__(self, files: Sequence[StoredFile], first_rows: Sequence[int], columns: frozenset[str]) -> None:
        self.columns = columns
        self._files = [FileColumnsSource(file, columns) for file in files]
        self._row_ranges = [range(first, first + file.rows) for file, first in zip(files, first_rows, strict=True)]

    @property
    def uncompressed_size(self) -> int:
        """The approximate size of these columns in memory in bytes."""
        return sum(file.uncompressed_size for file in self._files)

    def cuts(self, rows: int) -> Sequence[int]:
        """Return where files and their row groups begin."""
        return [
            positions.start + cut
            for file, positions in zip(self._files, self._row_ranges, strict=True)
            for cut in file.cuts(rows)
        ]

    def read(self, columns: Sequence[str], rows: range, batch_rows: int | None) -> Iterator[pa.Table]:
        """Yield the ``rows`` in pieces."""
        for file, positions in zip(self._files, self._row_ranges, strict=True):
            if _meet(positions, rows):
                first, end = max(rows.start, positions.start), min(rows.stop, positions.stop)
                yield from file.read(columns, range(first - positions.start, end - positions.start), batch_rows)


@dataclass(frozen=True)
class ColumnFiles:
    """The rows of a range of row ids, or ``part`` of them. ``file`` is the newest of the files that have all rows of
    the range: it determines the first row id and the sequence number."""

    path: str
    file: DataFileMeta
    schema: TableSchema
    sources: Sequence[ColumnSource]
    part: range

    @property
    def rows(self) -> int:
        """The number of rows that this reader returns."""
        return len(self.part)

    @property
    def row_ranges(self) -> Sequence[range]:
        """The positions of the rows in the range of row ids."""
        return [self.part]

    @property
    def uncompressed_size(self) -> int:
        """The approximate size of the rows in memory in bytes, all columns together."""
        return sum(source.uncompressed_size for source in self.sources)

    def parts(self, rows: int) -> list[ColumnFiles]:
        """Return readers of about ``rows`` rows each, divided where the largest of the files can be divided."""
        largest = max(self.sources, key=lambda source: source.uncompressed_size)
        inside = sorted({cut for cut in largest.cuts(rows) if self.part.start < cut < self.part.stop})
        edges = [self.part.start, *inside, self.part.stop]
        ranges = [range(first, end) for first, end in pairwise(edges)]
        return [ColumnFiles(self.path, self.file, self.schema, self.sources, part) for part in ranges]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read all rows."""
        if not self.part:
            return self.read_none(columns)
        tables = [pa.concat_tables(source.read(names, self.part, None)) for source, names in self._requested(columns)]
        return self._side_by_side(tables, columns, len(self.part))

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """Read all rows. Tables of this kind have no keys to look rows up by, so nothing is kept in memory."""
        return self.read(columns)

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """Return no rows."""
        return self._side_by_side([], columns, 0)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """Yield the same rows. The sources yield chunks of different sizes; the smallest chunk determines the size of
        each table."""
        requested = self._requested(columns)
        if not requested:
            for first in range(self.part.start, self.part.stop, batch_rows):
                yield self._side_by_side([], columns, min(batch_rows, self.part.stop - first))
            return
        streams = [source.read(names, self.part, batch_rows) for source, names in requested]
        left = len(self.part)
        waiting = [next(stream) for stream in streams]
        while left:
            rows = min(table.num_rows for table in waiting)
            yield self._side_by_side([table.slice(0, rows) for table in waiting], columns, rows)
            left -= rows
            if left:
                waiting = [
                    table.slice(rows) if table.num_rows > rows else next(stream)
                    for table, stream in zip(waiting, streams, strict=True)
                ]

    def _requested(self, columns: Sequence[str]) -> list[tuple[ColumnSource, list[str]]]:
        pairs = [(source, [name for name in columns if name in source.columns]) for source in self.sources]
        return [(source, names) for source, names in pairs if names]

    def _side_by_side(self, tables: Sequence[pa.Table], columns: Sequence[str], rows: int) -> pa.Table:
        """Return the requested columns; a column that no file has is NULL."""
        found = {name: table for table in tables for name in table.column_names}
        arrays, fields = [], []
        for name in columns:
            field = self._fields[name]
            column = found[name].column(name) if name in found else pa.nulls(rows, field.type)
            arrays.append(column)
            # Columns of large objects contain descriptors.
            fields.append(field.with_type(column.type))
        if not arrays:
            return rows_without_columns(rows)
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    @cached_property
    def _fields(self) -> dict[str, pa.Field]:
        return {field.name: field_to_arrow(field).with_nullable(True) for field in self.schema.fields}


def _meet(left: range, right: range) -> bool:
    return left.start < right.stop and right.start < left.stop
