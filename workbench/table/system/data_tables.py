"""``$ro``, ``$audit_log`` and ``$binlog``: other views of the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.lazy import cached_property
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, SEQUENCE_NUMBER_FIELD
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField, parse_type
from workbench.metadata.definition.option_checks import check_supported
from workbench.metadata.time_travel import Version
from workbench.scan.incremental.binlog import binlog_field, changed_rows, separate_rows
from workbench.scan.incremental.row_kind_reader import ROW_KIND, KindReader
from workbench.scan.scan import Scan
from workbench.table.system.system_table import ComputedScan, ReadOnlyTable

_SEQUENCE_OPTION = "table-read.sequence-number.enabled"
_SPECIAL = (ROW_KIND, SEQUENCE_NUMBER)


class ReadOptimizedScan(Scan):
    """A scan of the files on the last level: without merging, and without the newest rows."""

    _last_level_only = True


class ReadOptimizedTable(ReadOnlyTable):
    """``$ro``: the rows of the last level of a primary-key table, or all rows of an append table."""

    _scan_type = ReadOptimizedScan


class AuditLogTable(ReadOnlyTable):
    """``$audit_log``: the rows of a version, preceded by their row kind, as a batch read shows them.

    There is one row for each key, which may be a delete as long as the delete is stored.
    """

    @cached_property
    def _schema(self) -> TableSchema:
        kind_field = DataField(0, ROW_KIND, parse_type("STRING"))
        sequence = (SEQUENCE_NUMBER_FIELD,) if self.has_sequence else ()
        fields = (kind_field, *sequence, *map(self.shown_field, self._store.schema.fields))
        return TableSchema(0, fields, self._store.schema.highest_field_id)

    @property
    def schema(self) -> TableSchema:
        """The row kind, the sequence number if an option enables it, then the columns of the table."""
        return self._schema

    @cached_property
    def has_sequence(self) -> bool:
        """Whether the table's option enables `_SEQUENCE_NUMBER`.

        Raises:
            Unsupported: The table has no key, so its rows have no sequence numbers.
        """
        is_enabled = self._store.schema.options.get(_SEQUENCE_OPTION, "false").lower() == "true"
        if is_enabled and not self._store.schema.is_primary_key_table:
            raise Unsupported(f"Option '{_SEQUENCE_OPTION}' = 'true' of {self.name} requires a primary key.")
        return is_enabled

    def shown_field(self, field: DataField) -> DataField:
        """Return a column of the underlying table as it appears in this one."""
        return field

    def shown(self, rows: pa.Table) -> pa.Table:
        """Return the rows of a version, given with their kinds, as they appear in this table."""
        return rows

    def changed(self, rows: pa.Table) -> pa.Table:
        """Return changes as they appear in this table."""
        return rows

    def of_table(self, where: Expr | None) -> Expr | None:
        """Return the part of a predicate that concerns the columns of the underlying table."""
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
        """Plan a read; see `Table.scan` for the arguments."""
        self._check_readable()
        return AuditLogScan(self, columns, self._predicate(where), limit, progress)

    def changes(
        self, start: Version = None, end: Version = None, mode: str = "auto", progress: Progress | None = None
    ) -> pa.Table:
        """Return the changes of the table as rows of this one; see `Table.changes` for the arguments and errors."""
        from workbench.scan.incremental.changes import Changes

        check_supported(self._store.schema, for_write=False)
        reader = Changes(self._store, self.version, progress or Progress(), with_sequence=self.has_sequence)
        return self.changed(reader.between(start, end, mode))


class BinlogTable(AuditLogTable):
    """``$binlog``: each column as a list of the values before and after a change; only updates have both."""

    def shown_field(self, field: DataField) -> DataField:
        """Return the column as a list."""
        return binlog_field(field)

    def shown(self, rows: pa.Table) -> pa.Table:
        """Return every row separately."""
        return separate_rows(rows, self.schema.fields)

    def changed(self, rows: pa.Table) -> pa.Table:
        """Return -U and the following +U as one +U, and other rows separately."""
        return changed_rows(rows, self.schema.fields)

    def of_table(self, where: Expr | None) -> Expr | None:  # noqa: ARG002
        """Return None: predicates on this table refer to lists."""
        return None


@dataclass
class _KindScan(Scan):
    """A scan of the table that returns rows with their kinds."""

    with_sequence: bool = False

    @cached_property
    def reader(self) -> KindReader:
        """The reader of this scan's splits."""
        return KindReader(
            self.store,
            self.schema,
            self._columns,
            self.where,
            self.progress,
            self.snapshot,
            with_sequence=self.with_sequence,
        )


class AuditLogScan(ComputedScan):
    """A read of rows and their kinds."""

    _table: AuditLogTable

    def rows(self, names: Sequence[str]) -> pa.Table:
        """Return the columns ``names`` of all rows, restricted to the limit where possible."""
        return self._shown(self._of_table(names, self.limit if self.where is None else None).to_arrow(), names)

    def to_batches(self) -> pa.RecordBatchReader:
        """Return the rows as a stream with bounded memory."""
        if self.limit is not None:
            return super().to_batches()
        stream = self._of_table(self._needed, None).to_batches()
        shown = (self._filtered(self._shown(pa.Table.from_batches([batch]), self._needed)) for batch in stream)
        schema = pa.schema([self.schema.arrow_schema.field(name) for name in self._columns])
        return pa.RecordBatchReader.from_batches(schema, (batch for rows in shown for batch in rows.to_batches()))

    def _of_table(self, names: Sequence[str], limit: int | None) -> _KindScan:
        # At least one column must be read: without any, a scan only counts rows.
        columns = [name for name in names if name not in _SPECIAL] or [self.store.schema.field_names[0]]
        where = self._table.of_table(self.where)
        return _KindScan(
            self.store, self.snapshot, columns, where, limit, self.progress, with_sequence=SEQUENCE_NUMBER in names
        )

    def _shown(self, rows: pa.Table, names: Sequence[str]) -> pa.Table:
        schema = pa.schema([self.schema.arrow_schema.field(name) for name in names])
        return self._table.shown(rows).select(names).cast(schema)
