"""``$ro``, ``$audit_log`` and ``$binlog``: the rows of the table, shown in other ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.format.data_file import ManifestEntry
from workbench.format.options import check_supported
from workbench.format.parquet import SEQUENCE_NUMBER, SEQUENCE_NUMBER_FIELD
from workbench.format.schema import TableSchema
from workbench.format.types import ArrayType, DataField, parse_type
from workbench.lsm.merge_function import RowKind
from workbench.table.incremental.kind_reader import ROW_KIND, KindReader
from workbench.table.scan import Scan
from workbench.table.scan_report import PrunedFile
from workbench.table.system.system_table import ComputedScan, ReadOnlyTable
from workbench.table.travel import Version

_SEQUENCE_OPTION = "table-read.sequence-number.enabled"
_SPECIAL = (ROW_KIND, SEQUENCE_NUMBER)


class ReadOptimizedScan(Scan):
    """Reads what is compacted to the last level: no merge, and not the newest rows."""

    def _visible(self, live: Sequence[ManifestEntry], pruned: list[PrunedFile]) -> Sequence[ManifestEntry]:
        shown = super()._visible(live, pruned)
        if not self.schema.is_primary_key_table:
            return shown
        last = self.schema.core.num_levels - 1
        left_out = (entry for entry in shown if entry.file.level != last)
        pruned.extend(PrunedFile(entry.partition, entry.bucket, entry.file, "not the last level") for entry in left_out)
        return [entry for entry in shown if entry.file.level == last]


class ReadOptimizedTable(ReadOnlyTable):
    """``$ro``: of a primary-key table the rows of the last level, of an append table all rows."""

    _scan_type = ReadOptimizedScan


class AuditLogTable(ReadOnlyTable):
    """``$audit_log``: the rows of a version with their kind before them, as a batch read shows it. Each key is one row,
    which may be a delete as long as that is stored."""

    @cached_property
    def _schema(self) -> TableSchema:
        kind = DataField(0, ROW_KIND, parse_type("STRING"))
        sequence = (SEQUENCE_NUMBER_FIELD,) if self.has_sequence else ()
        fields = (kind, *sequence, *map(self.shown_field, self._store.schema.fields))
        return TableSchema(0, fields, self._store.schema.highest_field_id)

    @property
    def schema(self) -> TableSchema:
        """The kind of the row, its sequence number where an option asks for it, then the columns of the table."""
        return self._schema

    @cached_property
    def has_sequence(self) -> bool:
        """Whether the table's option asks for `_SEQUENCE_NUMBER`.

        Raises:
            Unsupported: rows of a table without a key have none.
        """
        asked = self._store.schema.options.get(_SEQUENCE_OPTION, "false").lower() == "true"
        if asked and not self._store.schema.is_primary_key_table:
            raise Unsupported(f"Option '{_SEQUENCE_OPTION}' = 'true' of {self.name} needs a primary key.")
        return asked

    def shown_field(self, field: DataField) -> DataField:
        """A column of the table, as it is shown here."""
        return field

    def shown(self, rows: pa.Table) -> pa.Table:
        """Rows of a version with their kinds, as they are shown here."""
        return rows

    def changed(self, rows: pa.Table) -> pa.Table:
        """Changes, as they are shown here."""
        return rows

    def of_table(self, where: Expr | None) -> Expr | None:
        """What a predicate asks of the columns of the table."""
        if where is None:
            return None
        from workbench.expr.tree import restrict_to

        return restrict_to(where, self._store.schema.field_names)

    def scan(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> Scan:
        """A read of some columns and rows; see `Table.scan` for the arguments."""
        self._check_readable()
        return AuditLogScan(self, columns, self._predicate(where), limit, progress)

    def changes(
        self, start: Version = None, end: Version = None, mode: str = "auto", progress: Progress | None = None
    ) -> pa.Table:
        """The changes of the table as rows of this one; see `Table.changes` for the arguments and errors."""
        from workbench.table.changes import Changes

        check_supported(self._store.schema, for_write=False)
        reader = Changes(self._store, self.version, progress or Progress(), with_sequence=self.has_sequence)
        return self.changed(reader.between(start, end, mode))


class BinlogTable(AuditLogTable):
    """``$binlog``: every column as a list of the value before and the value after. Both are known of changes only."""

    def shown_field(self, field: DataField) -> DataField:
        """The column as a list."""
        return DataField(field.id, field.name, ArrayType(field.type.as_nullable()), field.description)

    def shown(self, rows: pa.Table) -> pa.Table:
        """Every row by itself."""
        return self._packed(rows, np.ones(rows.num_rows, bool))

    def changed(self, rows: pa.Table) -> pa.Table:
        """A -U and the +U behind it as one +U, every other row by itself."""
        import pyarrow.compute as pc

        kinds = rows.column(ROW_KIND)
        is_before, is_after = (
            np.asarray(pc.equal(kinds, kind.short)) for kind in (RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER)
        )
        begins = np.ones(rows.num_rows, bool)
        begins[1:] = ~(is_before[:-1] & is_after[1:])
        return self._packed(rows, begins)

    def _packed(self, rows: pa.Table, begins: npt.NDArray[np.bool_]) -> pa.Table:
        """One row for each of those that ``begins``, bool[rows], marks, with the values of all up to the next one. It
        has the sequence number of its first row and the kind of its last."""
        ends = np.append(np.flatnonzero(begins), rows.num_rows).astype(np.int32)
        lists = {}
        for name in rows.column_names:
            column = rows.column(name)
            if name in _SPECIAL:
                lists[name] = column.take(pa.array(ends[1:] - 1 if name == ROW_KIND else ends[:-1]))
            else:
                lists[name] = pa.ListArray.from_arrays(pa.array(ends), column.combine_chunks())
        return pa.table(lists).cast(pa.schema(map(self.schema.arrow_schema.field, rows.column_names)))

    def of_table(self, where: Expr | None) -> Expr | None:  # noqa: ARG002
        """Nothing: here predicates speak of lists."""
        return None


@dataclass
class _KindScan(Scan):
    """A scan of the table whose rows come with their kinds."""

    with_sequence: bool = False

    @cached_property
    def reader(self) -> KindReader:
        """Reads splits of this scan."""
        return KindReader(
            self.store, self.schema, self._columns, self.where, self.progress, with_sequence=self.with_sequence
        )


class AuditLogScan(ComputedScan):
    """A read of rows and their kinds."""

    _table: AuditLogTable

    def rows(self, names: Sequence[str]) -> pa.Table:
        """The columns ``names`` of all rows; of no more than are asked for, where that is known."""
        return self._shown(self._of_table(names, self.limit if self.where is None else None).to_arrow(), names)

    def to_batches(self) -> pa.RecordBatchReader:
        """The rows as a stream of bounded memory."""
        if self.limit is not None:
            return super().to_batches()
        stream = self._of_table(self._needed, None).to_batches()
        shown = (self._filtered(self._shown(pa.Table.from_batches([batch]), self._needed)) for batch in stream)
        schema = pa.schema([self.schema.arrow_schema.field(name) for name in self._columns])
        return pa.RecordBatchReader.from_batches(schema, (batch for rows in shown for batch in rows.to_batches()))

    def _of_table(self, names: Sequence[str], limit: int | None) -> _KindScan:
        # Some column has to be asked for: without any, a scan counts rows and reads none.
        columns = [name for name in names if name not in _SPECIAL] or [self.store.schema.field_names[0]]
        where = self._table.of_table(self.where)
        return _KindScan(
            self.store, self.snapshot, columns, where, limit, self.progress, with_sequence=SEQUENCE_NUMBER in names
        )

    def _shown(self, rows: pa.Table, names: Sequence[str]) -> pa.Table:
        schema = pa.schema([self.schema.arrow_schema.field(name) for name in names])
        return self._table.shown(rows).select(names).cast(schema)
