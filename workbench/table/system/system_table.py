"""The base classes of system tables, which are read like any table and never written."""

from __future__ import annotations

import struct
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.errors import CorruptFile, ReadOnlyTableError, Unsupported
from workbench.base.lazy import cached_property
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.expired_versions import reporting_expiry
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.scan.scan import Scan
from workbench.table.readable_table import ReadableTable
from workbench.table.system.kinds import Columns, SystemKind

Reopen = Callable[[TableStore, str, Snapshot | None], "ReadOnlyTable"]


class ReadOnlyTable(ReadableTable):
    """A read-only view of another table. ``system`` is the name after the ``$``."""

    def __init__(self, store: TableStore, system: str, snapshot: Snapshot | None = None) -> None:
        super().__init__(store, snapshot)
        self.system = system

    @property
    def name(self) -> str:
        """The name as ``database.table$name``, or ``database.table$branch_b$name``."""
        return f"{self._store.name}${self.system}"

    def changes(self, *_: Any, **__: Any) -> pa.Table:
        """Raise Unsupported: only data has changes."""
        raise Unsupported(f"{self.name} has no changes.", "Compare versions of the table itself.")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise ReadOnlyTableError(
            f"{self.name} is read-only and does not support '{name}'.", "Call it on the table itself."
        )

    def version_to_read(self) -> Snapshot | None:
        """Return the version from which rows are computed, after checking that the table still exists."""
        return Snapshots(self._store).to_read(self._pinned)

    def with_store(self, store: TableStore, snapshot: Snapshot | None = None) -> ReadableTable:
        """Return the same system table over another version or branch."""
        return type(self)(store, self.system, snapshot)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._store, self.system, self._pinned)


class ComputedScan(Scan):
    """A read whose rows are computed in this process, without splits that other processes could read."""

    has_plan = False

    def __init__(
        self,
        table: ReadOnlyTable,
        columns: Sequence[str] | None,
        where: Expr | None,
        limit: int | None,
        progress: Progress | None,
    ) -> None:
        super().__init__(
            table.store,
            table.version_to_read(),
            columns,
            where,
            limit,
            progress or Progress(),
        )
        self._table = table

    @cached_property
    def schema(self) -> TableSchema:
        """The schema of the rows."""
        return self._table.schema

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        return self.schema.field_names if self.columns is None else super()._columns

    @property
    def _planned(self) -> NoReturn:
        raise Unsupported(f"{self._table.name} has no plan.", "Its rows are not read from data files; use to_arrow.")

    def to_arrow(self) -> pa.Table:
        """Return the rows as one table."""
        with reporting_expiry(self.store, self.snapshot):
            rows = self._filtered(self.rows(self._needed))
        return rows if self.limit is None else rows.slice(0, self.limit)

    def to_batches(self) -> pa.RecordBatchReader:
        """Return the rows as a stream."""
        return self.to_arrow().to_reader()

    @abstractmethod
    def rows(self, names: Sequence[str]) -> pa.Table:
        """Return the columns ``names`` of all rows."""

    @cached_property
    def _needed(self) -> list[str]:
        from workbench.expr.tree import referenced_columns

        names = dict.fromkeys(self._columns)
        if self.where is not None:
            names |= dict.fromkeys(sorted(referenced_columns(self.where)))
        # At least one column is computed, to count the rows.
        return list(names) or list(self.schema.field_names[:1])

    def count(self) -> int:
        """Return the number of rows."""
        return int(self.to_arrow().num_rows)

    def known_bounds(self, column: str) -> None:  # noqa: ARG002
        """Return None: bounds are unknown before the rows are computed."""
        return

    def _filtered(self, rows: pa.Table) -> pa.Table:
        if self.where is not None:
            from workbench.expr.evaluate import filter_mask

            rows = rows.filter(filter_mask(self.where, rows))
        return rows.select(list(self._columns))


class MetadataTable(ReadOnlyTable):
    """A table whose rows are computed from metadata alone, as ``kind`` defines.

    ``reopen`` opens the same table in another process; without it the table cannot be pickled.
    """

    def __init__(
        self,
        store: TableStore,
        system: str,
        kind: SystemKind,
        snapshot: Snapshot | None = None,
        reopen: Reopen | None = None,
    ) -> None:
        super().__init__(store, system, snapshot)
        self.kind = kind
        self._reopen = reopen

    @property
    def schema(self) -> TableSchema:
        """The columns; there are no keys and no options."""
        return self.kind.schema

    @checked
    def scan(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> Scan:
        """Plan a read that computes only the selected columns; see `Table.scan` for the arguments."""
        return MetadataScan(self, columns, self._predicate(where), limit, progress)

    def computed_columns(self) -> Columns:
        """Return the columns, each computed on demand."""
        return self.kind.columns(self._store, self.version)

    @checked
    def with_store(self, store: TableStore, snapshot: Snapshot | None = None) -> ReadableTable:
        """Return the same system table over another version or branch."""
        return type(self)(store, self.system, self.kind, snapshot, self._reopen)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._reopen is None:
            raise Unsupported(f"{self.name} cannot be sent to another process.", "Send its rows instead: to_arrow().")
        return self._reopen, (self._store, self.system, self._pinned)


class MetadataScan(ComputedScan):
    """A read of metadata."""

    _table: MetadataTable

    def rows(self, names: Sequence[str]) -> pa.Table:
        """Return the columns ``names`` of all rows."""
        schema = pa.schema([self.schema.arrow_schema.field(name) for name in names])
        try:
            columns = self._table.computed_columns()
            return pa.Table.from_arrays([columns[name]() for name in names], schema=schema)
        except (ValueError, IndexError, OverflowError, struct.error) as error:
            raise CorruptFile(self.store.location, f"a value in its metadata is invalid ({error})") from error
