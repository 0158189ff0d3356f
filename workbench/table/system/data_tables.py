"""``$ro``, ``$audit_log`` and ``$binlog``: the rows of the table, as what reading does anyway can show them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.format.data_file import ManifestEntry
from workbench.format.schema import TableSchema
from workbench.format.types import ArrayType, DataField, parse_type
from workbench.table.manifests import ManifestFiles
from workbench.table.scan import Scan
from workbench.table.system.system_table import ComputedScan, ReadOnlyTable
from workbench.table.table import Table

if TYPE_CHECKING:
    from workbench.table.pruning import PrunedFile

ROW_KIND = "rowkind"
_SEQUENCE_OPTION = "table-read.sequence-number.enabled"


class ReadOptimizedScan(Scan):
    """Reads what is compacted to the last level: no merge, and not the newest rows."""

    def _visible(self, live: Sequence[ManifestEntry], pruned: list[PrunedFile]) -> Sequence[ManifestEntry]:
        shown = super()._visible(live, pruned)
        if not self.schema.is_primary_key_table:
            return shown
        from workbench.table.pruning import PrunedFile

        last = self.schema.core.num_levels - 1
        left_out = (entry for entry in shown if entry.file.level != last)
        pruned.extend(PrunedFile(entry.partition, entry.bucket, entry.file, "not the last level") for entry in left_out)
        return [entry for entry in shown if entry.file.level == last]


class ReadOptimizedTable(ReadOnlyTable):
    """``$ro``: of a primary-key table the rows of the last level, of an append table all rows."""

    _scan_type = ReadOptimizedScan


class AuditLogTable(ReadOnlyTable):
    """``$audit_log``: the rows of a version with their kind before them, as a batch read shows it."""

    @cached_property
    def _schema(self) -> TableSchema:
        kind = DataField(0, ROW_KIND, parse_type("STRING"))
        fields = (kind, *map(self.shown_field, self._store.schema.fields))
        return TableSchema(0, fields, self._store.schema.highest_field_id)

    @property
    def schema(self) -> TableSchema:
        """The kind of the row, then the columns of the table."""
        return self._schema

    def shown_field(self, field: DataField) -> DataField:
        """A column of the table, as it is shown here."""
        return field

    def shown(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """The values of a column of the table, as they are shown here."""
        return column

    def scan(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> Scan:
        """A read of some columns and rows; see `Table.scan` for the arguments.

        Raises:
            Unsupported: rows that were deleted are still stored: such a table shows them, and this library does not.
        """
        self._check_shown()
        return AuditLogScan(self, columns, self._predicate(where), limit, progress)

    def data(self) -> Table:
        """The table whose rows these are."""
        return Table(self._store, self._pinned)

    def _check_shown(self) -> None:
        schema, version = self._store.schema, self.version
        if schema.options.get(_SEQUENCE_OPTION, "false").lower() == "true":
            raise Unsupported(f"{self.name} with option '{_SEQUENCE_OPTION}' = 'true' is not supported.")
        if not schema.is_primary_key_table or version is None:
            return
        live = ManifestFiles(self._store).live_files(version)
        if any(entry.file.delete_row_count != 0 for entry in live):
            raise Unsupported(
                f"{self.name} is not supported while data files hold deleted rows.", "Compact the table in full first."
            )


class BinlogTable(AuditLogTable):
    """``$binlog``: every column as the list of the value before and the value after; a batch read knows only one."""

    def shown_field(self, field: DataField) -> DataField:
        """The column as a list."""
        return DataField(field.id, field.name, ArrayType(field.type.as_nullable()), field.description)

    def shown(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """A list of one for each value."""
        chunks = [
            pa.ListArray.from_arrays(pa.array(np.arange(len(chunk) + 1, dtype=np.int32)), chunk)
            for chunk in column.chunks
        ]
        return pa.chunked_array(chunks, pa.list_(column.type))


class AuditLogScan(ComputedScan):
    """A read of rows and their kinds."""

    _table: AuditLogTable

    def rows(self, names: Sequence[str]) -> pa.Table:
        """The columns ``names`` of all rows; of no more than are asked for, where that is known."""
        of_table = [name for name in names if name != ROW_KIND] or [self.store.schema.field_names[0]]
        limit = self.limit if self.where is None else None
        found = self._table.data().to_arrow(of_table, limit=limit, progress=self.progress)
        return self._shown(found, names)

    def to_batches(self) -> pa.RecordBatchReader:
        """The rows as a stream of bounded memory."""
        if self.limit is not None:
            return super().to_batches()
        of_table = [name for name in self._needed if name != ROW_KIND] or [self.store.schema.field_names[0]]
        stream = self._table.data().to_batches(of_table, progress=self.progress)
        shown = (self._filtered(self._shown(pa.Table.from_batches([batch]), self._needed)) for batch in stream)
        schema = pa.schema([self.schema.arrow_schema.field(name) for name in self._columns])
        return pa.RecordBatchReader.from_batches(schema, (batch for rows in shown for batch in rows.to_batches()))

    def _shown(self, rows: pa.Table, names: Sequence[str]) -> pa.Table:
        kinds = pa.chunked_array([pa.array(["+I"] * rows.num_rows, pa.string())])
        arrays = [kinds if name == ROW_KIND else self._table.shown(rows.column(name)) for name in names]
        schema = pa.schema([self.schema.arrow_schema.field(name) for name in names])
        return pa.table([each.cast(field.type) for each, field in zip(arrays, schema, strict=True)], schema=schema)
