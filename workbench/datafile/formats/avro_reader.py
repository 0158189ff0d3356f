"""Reader of an Avro data file: read block by block, converted to columns many thousand rows at a time (format §15)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from workbench.base.counting import counted
from workbench.base.errors import CorruptFile
from workbench.datafile.data_input import DataInput
from workbench.datafile.formats.unsplittable import WholeFile
from workbench.datafile.protocol import stacked
from workbench.datafile.readers.columns import FileColumns
from workbench.format.avro.blocks import AvroHeader, avro_damage, blocks, read_header
from workbench.format.avro.columns import column_of
from workbench.format.avro.leaves import leaf_columns
from workbench.format.avro.steps import Block
from workbench.format.types import DataType
from workbench.metadata.errors import reading
from workbench.storage.file_io import InputFile

# Decoding many blocks together is faster.
_ROWS_AT_ONCE = 1 << 17
_BYTES_AT_ONCE = 64 << 20
# The size of the ranges that are read of files elsewhere.
_BYTES_AHEAD = 4 << 20
# Records are Python objects, and take many times the memory of columns.
_RECORDS_AT_ONCE = 1 << 14


class AvroDataFile(WholeFile):
    """The rows of one file. An Avro file can only be read from its beginning, so it has no parts."""

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read all rows."""
        return stacked([self.read_none(columns), *self._tables(columns, self.file.row_count)])

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """Return no rows, with the schema of `read`."""
        with reading(self.path), self._opened() as source, avro_damage(self.path):
            header = read_header(source, self.path)
            return self._table([], header, self._columns(header), columns)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """Yield the same rows, ``batch_rows`` at a time."""
        for table in self._tables(columns, min(batch_rows, _ROWS_AT_ONCE)):
            for first in range(0, table.num_rows, batch_rows):
                yield table.slice(first, batch_rows)

    def _tables(self, columns: Sequence[str], min_rows: int) -> Iterator[pa.Table]:
        """Yield tables with the rows of several blocks: at least ``min_rows`` if available, or fewer large ones."""
        with reading(self.path), self._opened() as source:
            header = read_header(source, self.path)
            file_columns = self._columns(header)
            waiting: list[Block] = []
            rows, size, unread = 0, 0, self.file.row_count
            for count, plain in blocks(source, header, self.path):
                unread -= count
                if unread < 0:
                    raise self._other_rows(f"{counted(self.file.row_count - unread, 'rows')} or more")
                waiting.append(Block(count, plain))
                rows += count
                size += len(plain)
                if rows >= min_rows or size >= _BYTES_AT_ONCE:
                    yield from self._decoded_blocks(waiting, header, file_columns, columns)
                    waiting, rows, size = [], 0, 0
            if unread:
                raise self._other_rows(counted(self.file.row_count - unread, "rows"))
            if waiting:
                yield from self._decoded_blocks(waiting, header, file_columns, columns)

    def _decoded_blocks(
        self, read: Sequence[Block], header: AvroHeader, file_columns: FileColumns, columns: Sequence[str]
    ) -> Iterator[pa.Table]:
        names = file_columns.physical(columns)
        arrays = (
            leaf_columns(read, header, [(name, file_columns.written_type(name)) for name in names]) if names else None
        )
        if arrays is not None:
            yield file_columns.as_declared(pa.Table.from_arrays(arrays, names), columns, _decoded)
            return
        reader_schema = header.reader_schema(names)
        records: list[dict[str, Any]] = []
        for block in read:
            with avro_damage(self.path):
                records.extend(header.records(block.records, block.plain, reader_schema))
                if len(records) >= _RECORDS_AT_ONCE:
                    yield self._table(records, header, file_columns, columns)
                    records = []
        if records:
            with avro_damage(self.path):
                yield self._table(records, header, file_columns, columns)

    def _other_rows(self, row_count: str) -> CorruptFile:
        return CorruptFile(self.path, f"it holds {row_count} and its manifest says {self.file.row_count}")

    def _opened(self) -> InputFile:
        file = DataInput(self._store.file_io, self.path, self.file.file_size, _BYTES_AHEAD)
        opened: InputFile = file.open()
        return opened

    def _columns(self, header: AvroHeader) -> FileColumns:
        return FileColumns(self._store, self.path, self.file, self._schema, header.fields)

    def _table(
        self, records: Sequence[dict[str, Any]], header: AvroHeader, file_columns: FileColumns, columns: Sequence[str]
    ) -> pa.Table:
        names = file_columns.physical(columns)
        if not names:
            return file_columns.as_declared(pa.table({"": pa.nulls(len(records))}), columns, _decoded)
        arrays = [
            column_of([record[name] for record in records], header.fields[name], file_columns.written_type(name))
            for name in names
        ]
        return file_columns.as_declared(pa.Table.from_arrays(arrays, names), columns, _decoded)


def _decoded(column: pa.ChunkedArray, _written: DataType) -> Any:
    return column
