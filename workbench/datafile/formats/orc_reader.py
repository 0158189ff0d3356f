"""Reader of an ORC data file, stripe by stripe (format §14)."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.counting import counted
from workbench.base.errors import CorruptFile, Unsupported
from workbench.base.lazy import cached_property
from workbench.base.modules import orc
from workbench.base.session import session_options
from workbench.datafile.data_input import DataInput
from workbench.datafile.formats.unsplittable import WholeFile
from workbench.datafile.protocol import beyond_nanoseconds, stacked
from workbench.datafile.readers.columns import FileColumns
from workbench.format.orc.columns import NANOSECOND_SECONDS, from_orc
from workbench.format.orc.tail import OrcTail, read_orc_tail, stripe_range
from workbench.format.types import TIMES, DataType, MapType, holds
from workbench.format.types.wall_clock import UTC_NAMES, YEAR_1900
from workbench.metadata.errors import reading

if TYPE_CHECKING:
    from workbench.format.orc.times import StripeTimes

# Streams of a stripe follow each other.
_BYTES_AHEAD = 4 << 20
# Smaller files may be in memory as a whole.
_LARGE_BYTES = 4 << 20


class OrcDataFile(WholeFile):
    """The rows of one file."""

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read all rows."""
        return stacked([self.read_none(columns), *self._stripes(columns)])

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """Return no rows, with the schema of `read`."""
        with reading(self.path):
            return self._table(self._orc.schema.empty_table(), columns)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """Yield the same rows, ``batch_rows`` at a time. Not even a single stripe of a large file is held in memory as
        a whole."""
        given = 0
        for piece in self._pieces(columns, batch_rows):
            given += piece.num_rows
            yield piece
        if given == self.file.row_count:
            return
        for stripe in self._stripes(columns):
            for first in range(min(given, stripe.num_rows), stripe.num_rows, batch_rows):
                yield stripe.slice(first, batch_rows)
            given -= min(given, stripe.num_rows)

    def _pieces(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """Yield the rows of a large file up to the first time that Arrow cannot represent."""
        physical = self._columns.physical(columns)
        chosen = self._chosen(physical)
        if self.file.file_size <= _LARGE_BYTES or chosen is None or any(map(self._needs_streams, physical)):
            return
        from pyarrow import dataset

        with reading(self.path):
            file = dataset.OrcFileFormat().make_fragment(self._input.open())
            batches = file.to_batches(
                columns=chosen, batch_size=batch_rows, batch_readahead=1, fragment_readahead=0, use_threads=False
            )
            try:
                for batch in batches:
                    batch.validate(full=True)
                    yield self._table(pa.Table.from_batches([batch]), columns)
            except pa.ArrowInvalid as error:
                if "nanosecond" not in str(error):
                    raise

    def _chosen(self, physical: Sequence[str]) -> list[str] | None:
        """Return the columns to request from Arrow, at least one; None for all: Arrow interprets dots as paths into
        structs, so names with dots cannot be selected."""
        if any("." in name for name in physical):
            return None
        return list(physical or self._orc.schema.names[:1])

    def _stripes(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        physical = self._columns.physical(columns)
        chosen = self._chosen(physical)
        rows = 0
        for number in range(self._orc.nstripes):
            with reading(self.path):
                self._fetch(number, chosen)
                batch, times = self._read_stripe(number, chosen, physical)
                # ORC has no checksums, and Arrow passes on any bytes in a string. Unlike in Parquet, no decimal exceeds
                # its precision: Java's writer turns such sums into null.
                batch.validate(full=True)
                stripe = self._table(pa.Table.from_batches([batch]), columns, times)
            rows += stripe.num_rows
            yield stripe
        if rows != self.file.row_count:
            raise CorruptFile(
                self.path, f"it holds {counted(rows, 'rows')} and its manifest says {self.file.row_count}"
            )

    def _fetch(self, number: int, chosen: list[str] | None) -> None:
        """Request a stripe at once if most of its columns are read; Arrow would read one stream after another."""
        if self._input.is_ranged and (chosen is None or 2 * len(chosen) >= len(self._orc.schema)):
            self._input.fetch([stripe_range(self._tail, number)])

    def _read_stripe(
        self, number: int, chosen: list[str] | None, names: Sequence[str]
    ) -> tuple[pa.RecordBatch, StripeTimes | None]:
        """Read the columns of a stripe, with their times as separate columns if Arrow cannot represent them."""
        if not any(self._needs_streams(name) for name in names):
            try:
                return self._orc.read_stripe(number, chosen), None
            except pa.ArrowInvalid as error:
                if "nanosecond" not in str(error):
                    raise
        from workbench.format.orc.times import StripeTimes

        try:
            times = StripeTimes(self._input.read_range, self._tail, number)
            return self._with_numbers.read_stripe(number, chosen), times
        except (LookupError, ValueError) as error:
            raise CorruptFile(self.path, f"stripe {number} is corrupt ({error})") from error

    def _table(self, table: pa.Table, columns: Sequence[str], times: StripeTimes | None = None) -> pa.Table:
        names = self._columns.physical(columns)
        types = {name: self._columns.written_type(name) for name in names}
        for position, name in enumerate(table.column_names):
            if name in types:
                table = table.set_column(
                    position, name, self._decoded(table.column(position), name, types[name], times)
                )
        return self._columns.as_declared(table, columns, lambda column, _written: column)

    def _decoded(self, column: pa.ChunkedArray, name: str, written: DataType, times: StripeTimes | None) -> Any:
        zone = self._legacy_zone if holds(written, "TIMESTAMP_LTZ") else None
        try:
            if isinstance(written, MapType):
                column = self._whole_maps(column, name, times is not None and holds(written, *TIMES))
            if times is None or not holds(written, *TIMES):
                return from_orc(column, written, zone)
            return from_orc(column, written, zone, times.leaves(name, written))
        except OverflowError as error:
            raise beyond_nanoseconds(self.path, [name]) from error
        except (LookupError, ValueError) as error:
            raise CorruptFile(self.path, f"its column '{name}' is corrupt ({error})") from error

    def _whole_maps(self, column: pa.ChunkedArray, name: str, far_times: bool) -> pa.ChunkedArray:
        from workbench.format.types.map_shredding import is_shared_map, reassemble_maps

        if not is_shared_map(column.type):
            return column
        if far_times:
            raise Unsupported(
                f"Times before 1677 or after 2262 in ORC file {self.path} are not supported in column '{name}' with "
                "'map.storage-layout' = 'shared-shredding'.",
                "Leave the column out.",
            )
        return reassemble_maps(column, self._field_metadata(name))

    def _needs_streams(self, name: str) -> bool:
        """Return whether Arrow would read the times of a column wrongly."""
        if not holds(self._columns.written_type(name), *TIMES):
            return False
        minimum, maximum = NANOSECOND_SECONDS
        if self._tail.writer_zone not in (None, *UTC_NAMES):
            # For earlier times, Arrow's wall clocks differ from those of Java.
            minimum = YEAR_1900
        low, high = self._tail.timestamp_seconds.get(name, (0, 0))
        return low < minimum or high > maximum

    def _field_metadata(self, name: str) -> Mapping[bytes, bytes] | None:
        """Return the metadata that the writer recorded for a column, in an Arrow schema that Java adds to the file."""
        text = (self._orc.metadata or {}).get(b"ARROW:schema")
        if text is None:
            return None
        noted: Mapping[bytes, bytes] | None = pa.ipc.read_schema(pa.BufferReader(b64decode(text))).field(name).metadata
        return noted

    @cached_property
    def _with_numbers(self) -> orc.ORCFile:
        """The file, opened so that timestamps are read as integers."""
        from workbench.datafile.formats.patched_footer import PatchedFooterFile
        from workbench.format.orc.times import tail_with_integer_timestamps

        read = self._input.read_range
        return orc.ORCFile(PatchedFooterFile(read, self._tail.footer_start, tail_with_integer_timestamps(self._tail)))

    @cached_property
    def _legacy_zone(self) -> str | None:
        """The zone in which zoned times were misread when they were written; the session zone if unknown."""
        if not self._schema.core.orc_timestamp_ltz_legacy:
            return None
        return self._tail.writer_zone or session_options.timezone

    @cached_property
    def _tail(self) -> OrcTail:
        with reading(self.path):
            try:
                return read_orc_tail(self._input.read_range, self._orc.file_length)
            except (ValueError, IndexError, pa.ArrowException) as error:
                raise CorruptFile(self.path, f"its tail is corrupt ({error})") from error

    @cached_property
    def _orc(self) -> orc.ORCFile:
        with reading(self.path):
            opened = orc.ORCFile(self._input.open())
            # Arrow fails here if it does not know a type, or if a name is not valid text.
            opened.schema.names  # noqa: B018
            if opened.nrows != self.file.row_count:
                reason = f"it holds {counted(opened.nrows, 'rows')} and its manifest says {self.file.row_count}"
                raise CorruptFile(self.path, reason)
            return opened

    @cached_property
    def _input(self) -> DataInput:
        return DataInput(self._store.file_io, self.path, self.file.file_size, _BYTES_AHEAD)

    @cached_property
    def _columns(self) -> FileColumns:
        return FileColumns(self._store, self.path, self.file, self._schema, self._orc.schema.names)
