"""Tables of two branches: partitions that one branch does not have are read from the other (Java
`FallbackReadFileStoreTable`).

Options ``scan.fallback-branch`` and ``scan.primary-branch`` name the other branch, which is read after or before the
table's own, respectively. Writes, file listings and versions use the table's own branch alone, as in Java.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.errors import SchemaMismatch, SnapshotNotFound, TableNotFound, Unsupported, WorkbenchError
from workbench.base.lazy import cached_property
from workbench.base.progress import Progress
from workbench.datafile.protocol import rows_without_columns
from workbench.expr.expressions import Expr
from workbench.format.options.core_options import FALLBACK_BRANCH, OTHER_BRANCH_OPTIONS
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.definition.option_checks import check_supported
from workbench.metadata.layouts import store_at
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.read_options import ReadOptions
from workbench.metadata.refs.branches import open_branch
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.metadata.times import to_millis
from workbench.scan.planner import visible_entries
from workbench.scan.scan import Scan
from workbench.table.readable_table import ReadableTable
from workbench.table.system.system_table import MetadataTable, ReadOnlyTable
from workbench.table.table import Table

if TYPE_CHECKING:
    from workbench.format.spec.schema import TableSchema


def with_other_branch(table: ReadableTable) -> ReadableTable:
    """Return the table so that it also reads the branch that its options name.

    Raises:
        WorkbenchError: Both options are set.
        SchemaMismatch: The branches have different columns.
        Unsupported: The table or another option cannot be combined with a second branch.
    """
    if isinstance(table, MetadataTable) and table.system != "partitions":
        return table
    named = table.store.schema.core.other_branches
    if not named:
        return table
    if len(named) > 1:
        raise WorkbenchError(f"Options {' and '.join(named)} are mutually exclusive.", "Set only one of them.")
    option, branch = next(iter(named.items()))
    if isinstance(table, ReadOnlyTable):
        raise Unsupported(
            f"{table.name} is not supported with option '{option}' = '{branch}'.", "Read the table itself."
        )
    try:
        other = open_branch(table.store, branch)
    except TableNotFound:
        warnings.warn(f"{table.name}: there is no branch '{branch}', which option '{option}' names.", stacklevel=3)
        return table
    _check_columns(table.store.schema, other.schema, option, branch)
    check_supported(other.schema, for_write=False, answered=OTHER_BRANCH_OPTIONS)
    if table.store.read_options is not None and table.store.read_options.bucket is not None:
        raise Unsupported(
            f"Option 'scan.bucket' is not supported with option '{option}' = '{branch}'.", "Set only one of them."
        )
    return TwoBranchTable(table.store, replace(other, read_options=ReadOptions()), own_first=option == FALLBACK_BRANCH)


def _check_columns(own: TableSchema, other: TableSchema, option: str, branch: str) -> None:
    columns = [[(field.name, field.type.as_nullable()) for field in schema.fields] for schema in (own, other)]
    if columns[0] != columns[1] or own.partition_keys != other.partition_keys:
        raise SchemaMismatch(
            f"Branch '{branch}' of option '{option}' has different columns or partition keys than the table.",
            "Give both branches the same columns and partition keys.",
        )


class TwoBranchTable(Table):
    """A table that is read from two branches. If ``own_first``, partitions that both have are read from the table's own
    branch."""

    def __init__(
        self,
        store: TableStore,
        other: TableStore,
        *,
        own_first: bool,
        snapshot: Snapshot | None = None,
        other_snapshot: Snapshot | None = None,
    ) -> None:
        super().__init__(store, snapshot)
        self._other = other
        self._own_first = own_first
        self._other_pinned = other_snapshot

    @checked
    def scan(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> Scan:
        """Plan a read of both branches; see `Table.scan` for the arguments and errors."""
        other = Table(self._other, self._other_pinned)
        own = super().scan(columns, where, limit, progress)
        theirs = other.scan(own.reader.columns, where, limit, progress)
        first, second = (own, theirs) if self._own_first else (theirs, own)
        return TwoBranchScan(
            own.store, own.snapshot, own.columns, own.where, own.limit, own.progress, first=first, second=second
        )

    @checked(snapshot="int | str | None")
    def at(
        self,
        snapshot: int | None = None,
        timestamp: int | str | datetime | date | None = None,
        tag: str | None = None,
        watermark: int | None = None,
        version: str | None = None,
    ) -> Table:
        """Return both branches as of one time: a given time, or that of a snapshot of the table's own branch, which may
        also be given as ``version``.

        Raises:
            Unsupported: The version is a tag or a watermark, which only one of the branches may have.
        """
        own = Table(self._store, self._pinned).at(snapshot, timestamp, tag, watermark, version)
        others = Snapshots(self._other)
        if timestamp is not None:
            then = others.at_or_before(to_millis(timestamp))
        elif snapshot is not None or (version is not None and version.isdecimal()):
            assert own.version is not None
            then = _at_or_first(others, own.version.time_millis)
        else:
            raise Unsupported(
                f"{self.name} is read from two branches, of which only one may have that version.",
                "Pass a snapshot or a timestamp.",
            )
        return TwoBranchTable(
            own.store, store_at(self._other, then), own_first=self._own_first, snapshot=own.version, other_snapshot=then
        )

    def without_other_branch(self) -> Table:
        """Return the table's own branch alone."""
        return Table(self._store, self._pinned)

    def pinned(self, snapshot: int | None = None) -> Table:
        """Return both branches fixed at their current versions, or at the time of a snapshot."""
        if snapshot is not None:
            return self.at(snapshot=snapshot)
        theirs = self._other_pinned or Snapshots(self._other).latest()
        return TwoBranchTable(
            self._store, self._other, own_first=self._own_first, snapshot=self.version, other_snapshot=theirs
        )

    @checked
    def branch(self, name: str) -> Table:
        """Return one branch alone. Raises TableNotFound."""
        return Table(self._store).branch(name)

    @checked
    def with_store(self, store: TableStore, snapshot: Snapshot | None = None) -> NoReturn:  # noqa: ARG002
        """Raise Unsupported: a store and a snapshot describe one branch only."""
        raise Unsupported(f"{self.name} is read from two branches; select a version by snapshot or timestamp.")

    def reading_once(self) -> ReadableTable:
        """Return the table itself, whose branches are looked for at each read."""
        return self

    def changes(self, *_: object, **__: object) -> NoReturn:
        """Raise Unsupported: each branch has its own history."""
        raise Unsupported(f"Changes of {self.name}, which is read from two branches, are not supported.")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._store, self._other, self._own_first, self._pinned, self._other_pinned)


def _at_or_first(snapshots: Snapshots, millis: int) -> Snapshot:
    try:
        return snapshots.at_or_before(millis)
    except SnapshotNotFound:
        return snapshots.get(1)


def _restored(
    store: TableStore, other: TableStore, own_first: bool, snapshot: Snapshot | None, other_snapshot: Snapshot | None
) -> TwoBranchTable:
    return TwoBranchTable(store, other, own_first=own_first, snapshot=snapshot, other_snapshot=other_snapshot)


@dataclass
class TwoBranchScan(Scan):
    """A read of ``first``, and of those partitions of ``second`` that ``first`` does not have."""

    has_plan = False

    first: Scan = None  # type: ignore[assignment]
    second: Scan = None  # type: ignore[assignment]

    @property
    def _planned(self) -> NoReturn:
        raise Unsupported(
            f"{self.store.name} is read from two branches, so it has no single plan.", "Read it with to_arrow."
        )

    @property
    def parts(self) -> list[Scan]:
        """The reads of both branches."""
        return list(self._scans)

    def count(self) -> int:
        """Return the number of rows in both branches."""
        total = sum(scan.count() for scan in self._scans)
        return total if self.limit is None else min(total, self.limit)

    def known_bounds(self, column: str) -> None:
        """Return None: the metadata of two branches is not combined."""

    def to_arrow(self) -> pa.Table:
        """Return the rows as one table."""
        if not self._columns:
            return rows_without_columns(self.count())
        parts = [scan.to_arrow().cast(self.reader.arrow_schema) for scan in self._scans]
        rows = pa.concat_tables(parts)
        return rows if self.limit is None else rows.slice(0, self.limit)

    def to_batches(self) -> pa.RecordBatchReader:
        """Return the rows as a stream with bounded memory."""
        if self.limit is not None or not self._columns:
            return self.to_arrow().to_reader()
        schema = self.reader.arrow_schema

        def generate() -> Iterator[pa.RecordBatch]:
            for scan in self._scans:
                yield from (batch.cast(schema) for batch in scan.to_batches())

        return pa.RecordBatchReader.from_batches(schema, generate())

    def stream(self, batch_rows: int) -> Iterator[pa.Table]:
        """Read the rows of both branches as a stream of tables."""
        for scan in self._scans:
            yield from (piece.cast(self.reader.arrow_schema) for piece in scan.stream(batch_rows))

    @cached_property
    def _scans(self) -> tuple[Scan, Scan]:
        """Both reads, each restricted to the partitions that it contributes."""
        taken: frozenset[bytes] = frozenset()
        if self.first.snapshot is not None:
            live = ManifestFiles(self.first.store).live_files(self.first.snapshot)
            taken = frozenset(entry.partition for entry in visible_entries(self.first.store, live).items)
        read_options = replace(self.second.store.read_options or ReadOptions(), without_partitions=taken)
        return self.first, replace(self.second, store=replace(self.second.store, read_options=read_options))
