"""Rows whose columns lie in several files, put side by side by their row ids (format §26)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import pyarrow as pa

from workbench.format.data_file import DataFileMeta
from workbench.format.schema import TableSchema
from workbench.format.types import field_to_arrow
from workbench.table.data_files.protocol import StoredFile, rows_without_columns


class ColumnSource(Protocol):
    """Some columns of a range of row ids. Rows are counted from the beginning of the range."""

    @property
    def columns(self) -> frozenset[str]:
        """The columns of the table that are read from here."""
        ...

    @property
    def uncompressed_size(self) -> int:
        """About how many bytes these columns take in memory."""
        ...

    def cuts(self, rows: int) -> Sequence[int]:
        """Row numbers at which it may be cut into parts of about ``rows`` rows without reading something twice."""
        ...

    def read(self, columns: Sequence[str], rows: range, batch_rows: int | None) -> Iterator[pa.Table]:
        """The ``rows`` in pieces: as few as possible, or of at most ``batch_rows``."""
        ...


class FileColumnsSource:
    """Columns of a file that has all rows of the range."""

    def __init__(self, file: StoredFile, columns: frozenset[str]) -> None:
        self.columns = columns
        self._file = file

    @property
    def uncompressed_size(self) -> int:
        """About how many bytes these columns take in memory."""
        return self._file.uncompressed_size

    def cuts(self, rows: int) -> Sequence[int]:
        """Where row groups begin."""
        return [part.row_ranges[0].start for part in self._file.parts(rows) if part.row_ranges]

    def read(self, columns: Sequence[str], rows: range, batch_rows: int | None) -> Iterator[pa.Table]:
        """The ``rows`` in pieces."""
        for part in self._parts(rows):
            place = part.row_ranges[0].start if part.row_ranges else 0
            for table in [part.read(columns)] if batch_rows is None else part.batches(columns, batch_rows):
                first, end = max(rows.start - place, 0), min(rows.stop - place, table.num_rows)
                if first < end:
                    yield table.slice(first, end - first)
                place += table.num_rows

    def _parts(self, rows: range) -> Sequence[StoredFile]:
        if len(rows) == self._file.rows:
            return [self._file]
        return [part for part in self._file.parts(1) if any(_meet(each, rows) for each in part.row_ranges)]


class SuccessiveFiles:
    """Columns of files that follow each other in a range. ``first_rows``: where each begins."""

    def __init__(self, files: Sequence[StoredFile], first_rows: Sequence[int], columns: frozenset[str]) -> None:
        self.columns = columns
        self._files = [FileColumnsSource(file, columns) for file in files]
        self._lie = [range(first, first + file.rows) for file, first in zip(files, first_rows, strict=True)]

    @property
    def uncompressed_size(self) -> int:
        """About how many bytes these columns take in memory."""
        return sum(file.uncompressed_size for file in self._files)

    def cuts(self, rows: int) -> Sequence[int]:
        """Where files and their row groups begin."""
        return [lies.start + cut for file, lies in zip(self._files, self._lie, strict=True) for cut in file.cuts(rows)]

    def read(self, columns: Sequence[str], rows: range, batch_rows: int | None) -> Iterator[pa.Table]:
        """The ``rows`` in pieces."""
        for file, lies in zip(self._files, self._lie, strict=True):
            if _meet(lies, rows):
                first, end = max(rows.start, lies.start), min(rows.stop, lies.stop)
                yield from file.read(columns, range(first - lies.start, end - lies.start), batch_rows)


@dataclass(frozen=True)
class ColumnFiles:
    """The rows of a range of row ids, or ``part`` of them. ``file`` is the newest of the files that have all rows of
    the range: it tells first id and sequence number."""

    path: str
    file: DataFileMeta
    schema: TableSchema
    sources: Sequence[ColumnSource]
    part: range

    @property
    def rows(self) -> int:
        """How many rows reading brings."""
        return len(self.part)

    @property
    def row_ranges(self) -> Sequence[range]:
        """Their places in the range."""
        return [self.part]

    @property
    def uncompressed_size(self) -> int:
        """About how many bytes the rows take in memory, all columns together."""
        return sum(source.uncompressed_size for source in self.sources)

    def parts(self, rows: int) -> list[ColumnFiles]:
        """Readers of about ``rows`` rows each, cut where the largest of the files can be cut."""
        largest = max(self.sources, key=lambda source: source.uncompressed_size)
        inside = sorted({cut for cut in largest.cuts(rows) if self.part.start < cut < self.part.stop})
        edges = [self.part.start, *inside, self.part.stop]
        ranges = [range(first, end) for first, end in pairwise(edges)]
        return [ColumnFiles(self.path, self.file, self.schema, self.sources, part) for part in ranges]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """All rows."""
        if not self.part:
            return self.read_none(columns)
        tables = [pa.concat_tables(source.read(names, self.part, None)) for source, names in self._asked(columns)]
        return self._side_by_side(tables, columns, len(self.part))

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """The same; tables of this kind have no keys to look rows up by, so nothing is kept."""
        return self.read(columns)

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """No rows."""
        return self._side_by_side([], columns, 0)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """The same rows. Every file gives pieces of its own sizes; the smallest decides."""
        asked = self._asked(columns)
        if not asked:
            for first in range(self.part.start, self.part.stop, batch_rows):
                yield self._side_by_side([], columns, min(batch_rows, self.part.stop - first))
            return
        streams = [source.read(names, self.part, batch_rows) for source, names in asked]
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

    def _asked(self, columns: Sequence[str]) -> list[tuple[ColumnSource, list[str]]]:
        pairs = [(source, [name for name in columns if name in source.columns]) for source in self.sources]
        return [(source, names) for source, names in pairs if names]

    def _side_by_side(self, tables: Sequence[pa.Table], columns: Sequence[str], rows: int) -> pa.Table:
        """The columns asked for; one that no file has is NULL."""
        found = {name: table for table in tables for name in table.column_names}
        arrays, fields = [], []
        for name in columns:
            field = self._fields[name]
            column = found[name].column(name) if name in found else pa.nulls(rows, field.type)
            arrays.append(column)
            # What large objects are stored for comes as descriptors.
            fields.append(field.with_type(column.type))
        if not arrays:
            return rows_without_columns(rows)
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    @cached_property
    def _fields(self) -> dict[str, pa.Field]:
        return {field.name: field_to_arrow(field).with_nullable(True) for field in self.schema.fields}


def _meet(left: range, right: range) -> bool:
    return left.start < right.stop and right.start < left.stop
