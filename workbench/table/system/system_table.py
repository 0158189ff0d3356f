"""System tables as users hold them: read like any table, and never written."""

from __future__ import annotations

import struct
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NoReturn

import pyarrow as pa

from workbench.base.errors import CorruptFile, Unsupported, WorkbenchError
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.format.schema import TableSchema
from workbench.format.snapshot import Snapshot
from workbench.table.scan import Scan
from workbench.table.store import TableStore
from workbench.table.system.kinds import Columns, SystemKind
from workbench.table.table import Table


class ReadOnlyTable(Table):
    """A table that shows another one in its own way. ``system`` is its name behind the ``$``."""

    def __init__(self, store: TableStore, system: str, snapshot: Snapshot | None = None) -> None:
        super().__init__(store, snapshot)
        self.system = system

    @property
    def name(self) -> str:
        """``database.table$name``, or ``database.table$branch_b$name``."""
        return f"{self._store.name}${self.system}"

    def changes(self, *_: Any, **__: Any) -> pa.Table:
        """Refused: only data has changes."""
        raise Unsupported(f"{self.name} has no changes.", "Compare versions of the table itself.")

    def _check_changeable(self) -> NoReturn:
        raise WorkbenchError(f"{self.name} can only be read.", "Write to the table itself.")

    def over(self, store: TableStore, snapshot: Snapshot | None = None) -> Table:
        """What this is, over another version or branch."""
        return type(self)(store, self.system, snapshot)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._store, self.system, self._pinned)


class ComputedScan(Scan):
    """A read whose rows are computed here: it has no splits that others could read."""

    def __init__(
        self,
        table: ReadOnlyTable,
        columns: Sequence[str] | None,
        where: Expr | None,
        limit: int | None,
        progress: Progress | None,
    ) -> None:
        super().__init__(table.store, table.version, columns, where, limit, progress or Progress())
        self._table = table

    @cached_property
    def schema(self) -> TableSchema:
        """The schema rows are read with."""
        return self._table.schema

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        return self.schema.field_names if self.columns is None else super()._columns

    @property
    def _planned(self) -> NoReturn:
        raise Unsupported(f"{self._table.name} has no plan.", "Its rows are not read from data files; use to_arrow.")

    def to_arrow(self) -> pa.Table:
        """The rows as one table."""
        rows = self._filtered(self.rows(self._needed))
        return rows if self.limit is None else rows.slice(0, self.limit)

    def to_batches(self) -> pa.RecordBatchReader:
        """The rows as a stream."""
        return self.to_arrow().to_reader()

    @abstractmethod
    def rows(self, names: Sequence[str]) -> pa.Table:
        """The columns ``names`` of all rows."""

    @cached_property
    def _needed(self) -> list[str]:
        from workbench.expr.tree import referenced_columns

        names = dict.fromkeys(self._columns)
        if self.where is not None:
            names |= dict.fromkeys(sorted(referenced_columns(self.where)))
        # One column at least is made: rows must be counted.
        return list(names) or list(self.schema.field_names[:1])

    def count(self) -> int:
        """How many rows there are."""
        return int(self.to_arrow().num_rows)

    def known_bounds(self, column: str) -> None:  # noqa: ARG002
        """Not known before the rows are made."""
        return

    def _filtered(self, rows: pa.Table) -> pa.Table:
        if self.where is not None:
            from workbench.expr.evaluate import filter_mask

            rows = rows.filter(filter_mask(self.where, rows))
        return rows.select(list(self._columns))


class MetadataTable(ReadOnlyTable):
    """A table whose rows are made from metadata alone. ``kind`` says how."""

    def __init__(self, store: TableStore, system: str, kind: SystemKind, snapshot: Snapshot | None = None) -> None:
        super().__init__(store, system, snapshot)
        self.kind = kind

    @property
    def schema(self) -> TableSchema:
        """Its columns; it has no keys and no options."""
        return self.kind.schema

    def scan(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> Scan:
        """A read of some columns and rows; only those columns are made. See `Table.scan` for the arguments."""
        return MetadataScan(self, columns, self._predicate(where), limit, progress)

    def made(self) -> Columns:
        """The columns of its rows, each made when it is asked for."""
        return self.kind.columns(self._store, self.version)

    def over(self, store: TableStore, snapshot: Snapshot | None = None) -> Table:
        """What this is, over another version or branch."""
        return type(self)(store, self.system, self.kind, snapshot)

    def __reduce__(self) -> tuple[Any, ...]:
        from workbench.table.system.catalogue import open_system_table

        return open_system_table, (self._store, self.system, self._pinned)


class MetadataScan(ComputedScan):
    """A read of metadata."""

    _table: MetadataTable

    def rows(self, names: Sequence[str]) -> pa.Table:
        """The columns ``names`` of all rows."""
        schema = pa.schema([self.schema.arrow_schema.field(name) for name in names])
        try:
            made = self._table.made()
            return pa.Table.from_arrays([made[name]() for name in names], schema=schema)
        except (ValueError, IndexError, OverflowError, struct.error) as error:
            raise CorruptFile(self.store.location, f"a value in its metadata is garbled ({error})") from error
