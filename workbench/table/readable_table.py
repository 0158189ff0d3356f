"""The base of all tables: their description, reads and versions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.card import Card, HasCard, Names
from workbench.base.errors import SnapshotNotFound
from workbench.base.progress import Progress
from workbench.format.spec.row_tracking import readable_schema
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.tag import Tag
from workbench.metadata.definition.option_checks import check_supported
from workbench.metadata.expired_versions import newest_if_expired
from workbench.metadata.layouts import store_at
from workbench.metadata.listings import ConsumersByName, SchemaList, table_card
from workbench.metadata.refs.branches import all_branches, open_branch
from workbench.metadata.refs.consumers import all_consumers
from workbench.metadata.refs.tags import Tags
from workbench.metadata.schemas import all_schemas, same_table
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.metadata.time_travel import Version, selected_version
from workbench.scan.scan import Scan
from workbench.table.exports import to_duckdb, to_pandas, to_polars

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl

    from workbench.expr.expressions import Expr

Rows = TypeVar("Rows", pa.Table, pa.RecordBatchReader)


class ReadableTable(HasCard, ABC):
    """A table that can be read: at its newest version or, if returned by `at`, at a fixed one.

    Each read sees one complete version. The schema is the one at the time the table was opened.
    """

    _scan_type: type[Scan] = Scan

    @checked
    def __init__(self, store: TableStore, snapshot: Snapshot | None = None) -> None:
        self._store = store
        self._pinned = snapshot
        self._readable_store: TableStore | None = None

    def __repr__(self) -> str:
        version = f" at snapshot {self._pinned.id}" if self._pinned else ""
        return f"<Table {self.name}{version} in {self.location}>"

    def _card(self) -> Card:
        """Return the table's facts and columns."""
        return table_card(self._store, self.location, lambda: self.version)

    # --- description ----------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name as ``database.table``."""
        return self._store.name

    @property
    def location(self) -> str:
        """The directory or URL of the table's files."""
        return self._store.location

    @property
    def schema(self) -> TableSchema:
        """The columns, keys and options."""
        return self._store.schema

    @property
    def readable_schema(self) -> TableSchema:
        """The schema including the system columns that are read only when selected by name: `_ROW_ID` and
        `_SEQUENCE_NUMBER`, if option 'row-tracking.enabled' is 'true'."""
        return readable_schema(self.schema)

    @property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of the rows that reads return."""
        return self.schema.arrow_schema

    @property
    def options(self) -> dict[str, str]:
        """The stored options."""
        return dict(self.schema.options)

    @property
    def primary_key(self) -> list[str]:
        """The primary key, empty for an append table."""
        return list(self.schema.primary_keys)

    @property
    def partition_keys(self) -> list[str]:
        """The partition columns."""
        return list(self.schema.partition_keys)

    @property
    def store(self) -> TableStore:
        """The store of the table's files, which other modules build on."""
        return self._store

    # --- reading --------------------------------------------------------------------------------------------------

    @checked
    def scan(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> Scan:
        """Plan a read: `Scan.plan` returns its splits, `Scan.explain` what was pruned and why.

        Args:
            columns: The columns to read; all by default.
            where: A condition as SQL or as a ``wb.col`` expression.
            limit: The maximum number of rows.
            progress: Where progress is reported.

        Returns:
            The scan.

        Raises:
            InvalidExpression: ``where`` is not valid or does not fit the columns.
            Unsupported: The table uses a feature that is not supported; the message names it.

        Example:
            >>> orders.scan(["id"], where="qty > 2").count()
        """
        self._check_readable()
        predicate = self._predicate(where)
        version = Snapshots(self._store).to_read(self._pinned)
        return self._scan_type(self._store, version, columns, predicate, limit, progress or Progress())

    @checked
    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> pa.Table:
        """Read the rows as one Arrow table; see `scan` for the arguments and errors.

        Example:
            >>> orders.to_arrow(["id", "qty"], where="qty > 2", limit=10)
        """
        return self._read(lambda: self.scan(columns, where, limit, progress), lambda scan: scan.to_arrow())

    @checked
    def to_batches(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> pa.RecordBatchReader:
        """Read the rows as a stream with bounded memory; see `scan` for the arguments and errors.

        Example:
            >>> for batch in orders.to_batches():
            ...     print(batch.num_rows)
        """
        return self._read(lambda: self.scan(columns, where, limit, progress), lambda scan: scan.to_batches())

    @checked
    def to_pandas(
        self, columns: Sequence[str] | None = None, where: str | Expr | None = None, limit: int | None = None
    ) -> pd.DataFrame:
        """Read the rows as a pandas frame, with nullable types for integer columns with nulls; see `scan`.

        Example:
            >>> orders.to_pandas(where="qty > 2")
        """
        return to_pandas(self.to_arrow(columns, where, limit))

    @checked
    def to_polars(
        self, columns: Sequence[str] | None = None, where: str | Expr | None = None, limit: int | None = None
    ) -> pl.DataFrame:
        """Read the rows as a Polars frame; see `scan` for the arguments and errors.

        Example:
            >>> orders.to_polars(["id", "qty"])
        """
        return to_polars(self.to_arrow(columns, where, limit))

    @checked
    def to_duckdb(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        connection: duckdb.DuckDBPyConnection | None = None,
    ) -> duckdb.DuckDBPyRelation:
        """Read the rows into memory and return them as a DuckDB relation.

        Args:
            columns: The columns to read; all by default.
            where: A condition as SQL or as a ``wb.col`` expression.
            limit: The maximum number of rows.
            connection: The DuckDB connection of the relation; DuckDB's default one if omitted.

        Returns:
            The relation.

        Raises:
            Unsupported: There are no columns, or a column has zoned timestamps with more than microsecond precision,
                which DuckDB does not support.

        Example:
            >>> orders.to_duckdb().aggregate("sum(qty)")
        """
        return to_duckdb(self.to_arrow(columns, where, limit), connection)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the rows to any library that supports the Arrow C stream interface."""
        return self.to_batches().__arrow_c_stream__(requested_schema)

    @checked
    def changes(
        self, start: Version = None, end: Version = None, mode: str = "auto", progress: Progress | None = None
    ) -> pa.Table:
        """Return the changes after ``start`` up to ``end``: `rowkind` (+I, -U, +U or -D), then the table's columns.

        The modes are those of Paimon's incremental reads (format §25.9):

        - ``delta``: the rows that APPEND commits wrote, unmerged. Rows that OVERWRITE commits replaced or deleted are
        not included.
        - ``changelog``: the stored changelog of each commit, without OVERWRITE commits; also of expired snapshots whose
        changelog was retained.
        - ``diff``: the difference between the two versions: changed keys as -U and +U, rows of tables without a key as
        +I and -D.
        - ``auto``: ``diff`` between two tags; else ``changelog`` if the table has a changelog producer, and ``delta``
        if not.

        Args:
            start: A snapshot id, a tag, or a time, which selects the newest snapshot at or before it. Without it, or
                with 0, the changes start from the empty table.
            end: The same; the table's version by default.
            mode: ``auto``, ``delta``, ``changelog`` or ``diff``.
            progress: Where progress is reported.

        Returns:
            The changes.

        Raises:
            SnapshotNotFound: A version does not exist or has expired; the message lists the available ones.
            Unsupported: The mode is unknown, or the table does not store what it requires.

        Example:
            >>> orders.changes(start="v1", end="v2")
        """
        from workbench.scan.incremental.changes import Changes

        check_supported(self.schema, for_write=False)
        version = Snapshots(self._store).to_read(self._pinned)
        return Changes(self._store, version, progress or Progress()).between(start, end, mode)

    # --- versions -------------------------------------------------------------------------------------------------

    @property
    def version(self) -> Snapshot | None:
        """The snapshot that the table reads: the newest, or the fixed one of a table from `at`; None before the first
        commit."""
        return self._pinned if self._pinned is not None else Snapshots(self._store).latest()

    @property
    def is_pinned(self) -> bool:
        """Whether the table is fixed at one version, as tables from `at` are."""
        return self._pinned is not None

    @checked
    def pinned(self, snapshot: int | None = None) -> ReadableTable:
        """Return the table fixed at its current version or at a snapshot, with its current schema."""
        version = self.version if snapshot is None else Snapshots(self._store).get(snapshot)
        return self if self.is_pinned or version is None else self.with_store(self._store, version)

    def reading_once(self) -> ReadableTable:
        """Return the table for one statement, which sends no request to a slow storage twice."""
        return self if self._store.is_local else self.with_store(self._store.reading_once(), self._pinned)

    def snapshots(self) -> list[Snapshot]:
        """Return all snapshots that have not expired, oldest first."""
        return Snapshots(self._store).all()

    @checked
    def snapshot(self, id: int | None = None) -> Snapshot:
        """Return a snapshot.

        Args:
            id: A snapshot id; the table's version by default.

        Raises:
            SnapshotNotFound: There is no such snapshot.

        Example:
            >>> orders.snapshot(3).commit_kind
        """
        version = self.version if id is None else None
        return version if version is not None else Snapshots(self._store).get(1 if id is None else id)

    def schemas(self) -> list[TableSchema]:
        """Return all versions of the schema, oldest first."""
        return SchemaList(all_schemas(same_table(self._store)))

    def tags(self) -> dict[str, Tag]:
        """Return all tags by name, ordered by snapshot. A tag keeps its version when the snapshot expires."""
        return Tags(same_table(self._store)).all()

    def branches(self) -> list[str]:
        """Return the names of all branches except ``main``."""
        return Names(all_branches(same_table(self._store)), f"Branches of {self.name}", "branch")

    @checked
    def branch(self, name: str) -> ReadableTable:
        """Return a branch of the table; ``main`` is the table itself. Raises TableNotFound."""
        return self.with_store(open_branch(self._store, name))

    def consumers(self) -> dict[str, int]:
        """Return the id of the snapshot that each consumer reads next, by consumer name."""
        return ConsumersByName(all_consumers(same_table(self._store)))

    @checked(snapshot="int | str | None")
    def at(
        self,
        snapshot: int | None = None,
        timestamp: int | str | datetime | date | None = None,
        tag: str | None = None,
        watermark: int | None = None,
        version: str | None = None,
    ) -> ReadableTable:
        """Return the table at one version, read-only.

        Args:
            snapshot: A snapshot id.
            timestamp: A time; the newest version at or before it is returned.
            tag: The name of a tag.
            watermark: Milliseconds; the oldest version whose watermark is at or after it is returned.
            version: As in ``VERSION AS OF``: the name of a tag, else ``watermark-<ms>`` or a snapshot id.

        Raises:
            SnapshotNotFound: There is no such version or tag, or the snapshot has expired.

        Example:
            >>> table.at(tag="v1").to_arrow()
        """
        chosen = selected_version(self._store, snapshot, timestamp, tag, watermark, version)
        return self.with_store(store_at(self._store, chosen), chosen)

    # --- internals ------------------------------------------------------------------------------------------------

    @abstractmethod
    def with_store(self, store: TableStore, snapshot: Snapshot | None = None) -> ReadableTable:
        """Return the same kind of table over another version or branch."""

    def without_other_branch(self) -> ReadableTable:
        """Return the table without the second branch that its options may name."""
        return self

    def _read(self, plan: Callable[[], Scan], read: Callable[[Scan], Rows]) -> Rows:
        """Read a planned scan; plan again if the version expires during the read and the table is not fixed at it."""
        while True:
            scan = plan()
            try:
                return read(scan)
            except SnapshotNotFound:
                # Every retry reads a later version, so this ends once other writers stop committing.
                if self.is_pinned or newest_if_expired(self._store, scan.snapshot) is None:
                    raise

    def _check_readable(self) -> None:
        if self._store is self._readable_store:
            return
        options = self._store.read_options
        check_supported(self._store.schema, for_write=False, answered=() if options is None else options.answered)
        self._readable_store = self._store

    def _predicate(self, where: str | Expr | None) -> Expr | None:
        if where is None:
            return None
        # Loaded here, because many reads have no condition.
        from workbench.expr.resolve import resolved_condition

        return resolved_condition(where, self.readable_schema.fields)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._store, self._pinned)
