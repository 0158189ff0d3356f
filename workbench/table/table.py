"""A Paimon table as users hold it."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import InvalidExpression, WorkbenchError
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.format.options import check_supported
from workbench.format.row_tracking import readable_schema
from workbench.format.schema import TableSchema
from workbench.format.snapshot import Snapshot
from workbench.format.tag import Tag
from workbench.table.branches import all_branches, open_branch
from workbench.table.committing.calls import WriteCalls
from workbench.table.compaction.calls import CompactionCalls
from workbench.table.consumers import all_consumers
from workbench.table.maintenance.calls import MaintenanceCalls
from workbench.table.outlets import Outlets
from workbench.table.row_level.calls import RowLevelCalls
from workbench.table.scan import Scan
from workbench.table.schemas import all_schemas
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore
from workbench.table.tags import Tags
from workbench.table.travel import Version, named_version, to_millis
from workbench.table.version_changes import VersionChanges

if TYPE_CHECKING:
    from workbench.table.row_level.statements import Statements
    from workbench.table.sandbox.sandbox import Sandbox


class Table(Outlets, WriteCalls, RowLevelCalls, CompactionCalls, VersionChanges, MaintenanceCalls):
    """One table, at its newest version or, from `at`, at a fixed one. Made by a catalog.

    Reads see a whole version or none. The schema is that of the moment the table was opened, or of its own last write
    that changed it.
    """

    _scan_type: type[Scan] = Scan

    def __init__(self, store: TableStore, snapshot: Snapshot | None = None) -> None:
        self._store = store
        self._pinned = snapshot
        self._snapshots = Snapshots(store)

    def __repr__(self) -> str:
        version = f" at snapshot {self._pinned.id}" if self._pinned else ""
        return f"<Table {self.name}{version} in {self.location}>"

    # --- what it is -----------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """``database.table``."""
        return self._store.name

    @property
    def location(self) -> str:
        """The directory or URL of its files."""
        return self._store.location

    @property
    def schema(self) -> TableSchema:
        """Columns, keys and options."""
        return self._store.schema

    @property
    def readable_schema(self) -> TableSchema:
        """The schema, and behind its columns those that are read by name only: `_ROW_ID` and `_SEQUENCE_NUMBER`, where
        option 'row-tracking.enabled' is 'true'."""
        return readable_schema(self.schema)

    @property
    def arrow_schema(self) -> pa.Schema:
        """The schema of what reads return."""
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
        """Where its files are: what other rooms build on."""
        return self._store

    # --- reading --------------------------------------------------------------------------------------------------

    def scan(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> Scan:
        """A planned read: `Scan.plan` gives its splits, `Scan.explain` what was left out and why.

        Raises:
            InvalidExpression: ``where`` cannot be understood or does not fit the columns.
            Unsupported: the table needs something this library does not do; the message names it.
        """
        self._check_readable()
        predicate = self._predicate(where)
        return self._scan_type(self._store, self.version, columns, predicate, limit, progress or Progress())

    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> pa.Table:
        """The rows as one Arrow table; see `scan` for the arguments and errors."""
        return self.scan(columns, where, limit, progress).to_arrow()

    def to_batches(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> pa.RecordBatchReader:
        """The rows as a stream whose memory is bounded, however large the table."""
        return self.scan(columns, where, limit, progress).to_batches()

    def changes(
        self, start: Version = None, end: Version = None, mode: str = "auto", progress: Progress | None = None
    ) -> pa.Table:
        """What changed after ``start`` up to ``end``: `rowkind` (+I, -U, +U or -D) first, then the table's columns.

        ``start`` and ``end`` are snapshot ids, names of tags, or times, which stand for the newest snapshot made by
        then. Without ``start`` (or with 0) everything counts from the empty table on; without ``end`` all up to the
        version the table stands at. ``mode`` is, as Paimon's incremental reads have it (format §25.9):

        - ``delta``: the rows that APPEND commits wrote, one by one as they are. What OVERWRITE commits replaced or
          deleted is not among them.
        - ``changelog``: what the changelog producer stored, commit by commit, without OVERWRITE commits. Of expired
          snapshots whose changelog was kept longer, too.
        - ``diff``: the two states compared as reads see them, whatever lies between: changed keys as -U and +U, rows
          of tables without a key as +I and -D.
        - ``auto``: ``diff`` between two tags; else ``changelog`` where the table has a changelog producer, and
          ``delta`` where it has none.

        Raises:
            SnapshotNotFound: a version does not exist, or has expired; the message says what is there.
            Unsupported: an unknown mode, or one for which the table has stored nothing.
        """
        from workbench.table.changes import Changes

        check_supported(self.schema, for_write=False)
        return Changes(self._store, self.version, progress or Progress()).between(start, end, mode)

    # --- versions -------------------------------------------------------------------------------------------------

    @property
    def version(self) -> Snapshot | None:
        """The version it stands at: the newest, or its own for a table from `at`; None for one never written."""
        return self._pinned if self._pinned is not None else self._snapshots.latest()

    @property
    def is_pinned(self) -> bool:
        """Whether it stays at one version, as one from `at` does."""
        return self._pinned is not None

    def snapshots(self) -> list[Snapshot]:
        """All versions that have not expired, oldest first."""
        return self._snapshots.all()

    def snapshot(self, id: int | None = None) -> Snapshot:
        """A version; the newest (or, for a table from `at`, its own) without ``id``. Raises SnapshotNotFound."""
        if id is not None:
            return self._snapshots.get(id)
        found = self.version
        return found if found is not None else self._snapshots.get(1)

    def schemas(self) -> list[TableSchema]:
        """All versions of the schema, oldest first."""
        return all_schemas(self._store)

    def tags(self) -> dict[str, Tag]:
        """All tags by name, those of older snapshots first. A tag keeps its version when the snapshot expires."""
        return Tags(self._store).all()

    def branches(self) -> list[str]:
        """The names of all branches but the main one."""
        return list(all_branches(self._store))

    def branch(self, name: str) -> Table:
        """The table as a branch of it knows it; ``main`` is the table itself. Raises TableNotFound."""
        return self.over(open_branch(self._store, name))

    def consumers(self) -> dict[str, int]:
        """The id of the snapshot that each streaming reader reads next, by the name of the reader."""
        return all_consumers(self._store)

    def at(
        self,
        snapshot: int | None = None,
        timestamp: int | str | datetime | date | None = None,
        tag: str | None = None,
        watermark: int | None = None,
        version: str | None = None,
    ) -> Table:
        """The table at one version, read-only. ``timestamp``: the newest version of that time or before;
        ``watermark``: the oldest one whose watermark is that, in milliseconds, or later; ``version``: what
        ``VERSION AS OF`` takes, a tag's name, else ``watermark-<ms>`` or a snapshot's id.

        Raises:
            SnapshotNotFound: there is no such version or tag, or the snapshot has expired.
        """
        if sum(each is not None for each in (snapshot, timestamp, tag, watermark, version)) != 1:
            raise WorkbenchError(
                "A version is given by snapshot, timestamp, tag, watermark or version.", "Pass exactly one of them."
            )
        if snapshot is not None:
            found = self._snapshots.get(snapshot)
        elif timestamp is not None:
            found = self._snapshots.at_or_before(to_millis(timestamp))
        elif watermark is not None:
            found = self._snapshots.at_or_after_watermark(watermark)
        elif version is not None:
            found = named_version(self._store, version)
        else:
            found = Tags(self._store).get(str(tag)).snapshot
        # The columns are those of then, and the options, which say how to read them, those of now.
        schema = replace(self._store.schema_of(found.schema_id), options=self._store.schema.options)
        return self.over(self._store.with_schema(schema), found)

    # --- writing --------------------------------------------------------------------------------------------------

    def sandbox(self, directory: str | os.PathLike[str] | None = None) -> Sandbox:
        """A table that reads this one and writes to a folder of this machine: ``with t.sandbox() as s:``. Everything
        works for real on ``s``; `Sandbox.report` compares, and `Sandbox.apply` makes it this table's.

        ``directory``: a folder that stays when the sandbox is closed, and opens the same sandbox again; else a
        temporary one.

        Raises:
            WorkbenchError: the directory lies within the warehouse, or holds something else.
        """
        from workbench.table.sandbox.sandbox import open_sandbox

        self._check_changeable()
        return open_sandbox(self, directory)

    # --- inside ---------------------------------------------------------------------------------------------------

    def _statements(self, progress: Progress | None, properties: Mapping[str, str] | None) -> Statements:
        from workbench.table.row_level.statements import Statements

        self._check_writable()
        latest = self._snapshots.latest()
        return Statements(
            self._store, latest, lambda: self._buckets(overwrite=False), progress or Progress(), dict(properties or {})
        )

    def _check_readable(self) -> None:
        answered: Container[str] = ()
        if self._store.read_options is not None:
            answered = self._store.read_options.answered
        check_supported(self._store.schema, for_write=False, answered=answered)

    def _check_changeable(self) -> None:
        if self._pinned is not None:
            raise WorkbenchError(
                f"{self.name} at snapshot {self._pinned.id} can only be read.", "Write to the table itself."
            )

    def _to_write(self) -> tuple[TableStore, Snapshot | None]:
        self._check_writable()
        return self._store, self._snapshots.latest()

    def _check_writable(self) -> None:
        self._check_changeable()
        check_supported(self.schema, for_write=True)

    def _predicate(self, where: str | Expr | None) -> Expr | None:
        if where is None:
            return None
        if isinstance(where, str):
            from workbench.expr.parse import parse

            where = parse(where)
        if not isinstance(where, Expr):
            raise InvalidExpression(f"A condition cannot be a {type(where).__name__}.", "Pass SQL text or wb.col(…).")
        from workbench.expr.resolve import resolve_predicate

        return resolve_predicate(where, self.readable_schema.fields)

    def over(self, store: TableStore, snapshot: Snapshot | None = None) -> Table:
        """What this is, over another version or branch."""
        return Table(store, snapshot)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._store, self._pinned)
