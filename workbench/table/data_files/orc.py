"""An ORC data file, read stripe by stripe (format §14)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import CorruptFile, Unsupported
from workbench.base.session import session_options
from workbench.format.data_file import DataFileMeta
from workbench.format.orc import NANOSECOND_SECONDS, from_orc, has_times
from workbench.format.orc_tail import OrcTail, read_orc_tail
from workbench.format.parquet import from_parquet
from workbench.format.schema import TableSchema
from workbench.format.types import DataType
from workbench.table.data_files.columns import FileColumns
from workbench.table.data_files.protocol import reading, stacked
from workbench.table.store import TableStore

if TYPE_CHECKING:
    import pyarrow.orc

_FETCHED_WHOLE_BYTES = 64 << 10
# What compressed stripes take once they are columns.
_EXPANSION = 6


class OrcDataFile:
    """The rows of one file."""

    def __init__(self, store: TableStore, path: str, file: DataFileMeta, read_schema: TableSchema) -> None:
        self.path = path
        self.file = file
        self._store = store
        self._schema = read_schema

    @property
    def rows(self) -> int:
        """All rows."""
        return self.file.row_count

    @property
    def row_ranges(self) -> Sequence[range]:
        """All rows."""
        return [range(self.file.row_count)]

    @property
    def uncompressed_size(self) -> int:
        """A guess: Arrow does not tell."""
        return self.file.file_size * _EXPANSION

    def parts(self, rows: int) -> list[OrcDataFile]:  # noqa: ARG002 - its stripes do not tell their rows before
        """The file itself."""
        return [self]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """All rows."""
        return stacked([self.read_none(columns), *self._stripes(columns)])

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """No rows, shaped as those of `read`."""
        with reading(self.path):
            return self._table(self._orc.schema.empty_table(), columns)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """The same rows, ``batch_rows`` at a time; a stripe is in memory as a whole."""
        for stripe in self._stripes(columns):
            for first in range(0, stripe.num_rows, batch_rows):
                yield stripe.slice(first, batch_rows)

    def _stripes(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        physical = self._columns.physical(columns)
        # Arrow takes dots for steps into rows, so names with dots cannot choose.
        chosen = None if any("." in name for name in physical) else physical or self._orc.schema.names[:1]
        rows = 0
        for number in range(self._orc.nstripes):
            with reading(self.path):
                stripe = self._table(pa.Table.from_batches([self._read_stripe(number, chosen)]), columns)
            rows += stripe.num_rows
            yield stripe
        if rows != self.file.row_count:
            raise CorruptFile(self.path, f"it holds {rows} rows and its manifest says {self.file.row_count}")

    def _read_stripe(self, number: int, columns: Sequence[str] | None) -> pa.RecordBatch:
        try:
            return self._orc.read_stripe(number, None if columns is None else list(columns))
        except pa.ArrowInvalid as error:
            if "nanosecond" in str(error):
                raise self._beyond_nanoseconds() from error
            raise

    def _table(self, table: pa.Table, columns: Sequence[str]) -> pa.Table:
        names = self._columns.physical(columns)
        types = [self._columns.written_type(name) for name in names]
        zone = self._legacy_zone if any(has_times(kind, "TIMESTAMP_LTZ") for kind in types) else None
        self._check_times(name for name, kind in zip(names, types, strict=True) if has_times(kind))
        decode = partial(_decoded, legacy_zone=zone)
        return self._columns.as_declared(table, columns, decode)

    def _check_times(self, names: Iterable[str]) -> None:
        least, most = NANOSECOND_SECONDS
        for name in names:
            low, high = self._tail.timestamp_seconds.get(name, (0, 0))
            if low < least or high > most:
                raise self._beyond_nanoseconds()

    def _beyond_nanoseconds(self) -> Unsupported:
        return Unsupported(
            f"ORC file {self.path} has timestamps before 1677 or after 2262, which are not supported in ORC files.",
            "Leave the timestamp columns out.",
        )

    @cached_property
    def _legacy_zone(self) -> str | None:
        """The zone in which zoned times were misread when they were written; that of the session where unknown."""
        if not self._schema.core.orc_timestamp_ltz_legacy:
            return None
        return self._tail.writer_zone or session_options.timezone

    @cached_property
    def _tail(self) -> OrcTail:
        file_io = self._store.file_io
        with reading(self.path):
            try:
                return read_orc_tail(partial(file_io.read_range, self.path), self._orc.file_length)
            except (ValueError, IndexError, pa.ArrowException) as error:
                raise CorruptFile(self.path, f"its tail is garbled ({error})") from error

    @cached_property
    def _orc(self) -> pyarrow.orc.ORCFile:
        from pyarrow import orc

        file_io = self._store.file_io
        small = self.file.file_size <= _FETCHED_WHOLE_BYTES
        with reading(self.path):
            source = pa.BufferReader(file_io.read_bytes(self.path)) if small else file_io.open_input(self.path)
            opened = orc.ORCFile(source)
            if opened.nrows != self.file.row_count:
                reason = f"it holds {opened.nrows} rows and its manifest says {self.file.row_count}"
                raise CorruptFile(self.path, reason)
            return opened

    @cached_property
    def _columns(self) -> FileColumns:
        return FileColumns(self._store, self.path, self.file, self._schema, self._orc.schema.names)


def _decoded(column: pa.ChunkedArray, written: DataType, declared: DataType, legacy_zone: str | None) -> Any:
    return from_parquet(from_orc(column, written, legacy_zone), declared)
