"""A Paimon table as users hold it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import InvalidExpression, Unsupported, WorkbenchError
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr
from workbench.format.data_file import CommitMessage
from workbench.format.options import check_supported
from workbench.format.schema import TableSchema
from workbench.format.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot
from workbench.format.tag import Tag
from workbench.table import two_phase
from workbench.table.branches import all_branches, open_branch
from workbench.table.bucket_states import KnownBuckets, known_buckets
from workbench.table.changes import StateDiff
from workbench.table.commit import Commit
from workbench.table.compaction_job import compact_table
from workbench.table.consumers import all_consumers
from workbench.table.index_files import check_index_files
from workbench.table.manifests import ManifestFiles
from workbench.table.overwrite import Overwrite
from workbench.table.scan import Scan
from workbench.table.schemas import all_schemas
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore
from workbench.table.tags import Tags
from workbench.table.travel import Version, find_version, named_version, to_millis
from workbench.table.two_phase import MessageWriter, WritePlan

if TYPE_CHECKING:
    import pandas as pd


class Table:
    """One table, at its newest version or, from `at`, at a fixed one. Made by a catalog.

    Reads see a whole version or none. The schema is that of the moment the table was opened.
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
        check_supported(self.schema, for_write=False)
        if limit is not None and limit < 0:
            raise WorkbenchError(f"A limit of {limit} rows is not possible.", "Use 0 or more.")
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

    def to_pandas(
        self, columns: Sequence[str] | None = None, where: str | Expr | None = None, limit: int | None = None
    ) -> pd.DataFrame:
        """The rows as a pandas frame."""
        return self.to_arrow(columns, where, limit).to_pandas()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Lets every Arrow reader take the table as it is."""
        return self.to_batches().__arrow_c_stream__(requested_schema)

    def changes(
        self, start: Version, end: Version = None, mode: str = "auto", progress: Progress | None = None
    ) -> pa.Table:
        """What changed after ``start`` up to ``end`` (default: the newest): `rowkind` first, then the table's columns.

        Versions are snapshot ids or times; 0 is the empty table. Both modes compare the two states; reading stored
        changelogs and deltas as they are is not supported yet.

        Raises:
            SnapshotNotFound: a version does not exist, or has expired.
            Unsupported: another mode.
        """
        if mode not in ("auto", "diff"):
            raise Unsupported(
                f"Mode '{mode}' of changes is not supported.", "Use 'diff', which compares the two states."
            )
        check_supported(self.schema, for_write=False)
        before, after = find_version(self._snapshots, start), find_version(self._snapshots, end)
        if before is not None and after is not None and before.id > after.id:
            raise WorkbenchError(f"Version {before.id} is newer than version {after.id}.", "Give the older one first.")
        return StateDiff(self._store, progress or Progress()).between(before, after)

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
        return self._over(open_branch(self._store, name))

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
        return self._over(self._store.with_schema(self._store.schema_of(found.schema_id)), found)

    # --- writing --------------------------------------------------------------------------------------------------

    def write(
        self,
        data: Any,
        mode: str = "append",
        partition: Mapping[str, Any] | None = None,
        row_kind: str | None = None,
        *,
        progress: Progress | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> Commit:
        """Add rows in one commit; rows of a primary-key table replace those of equal key.

        ``mode``: ``append``, or ``overwrite``, which replaces the partitions that the rows belong to, or those that
        ``partition``
        names (the whole table where there are none). ``row_kind`` names a column of +I, -U, +U and -D that is not
        stored.
        ``properties`` are noted in the snapshot.

        Raises:
            SchemaMismatch: rows that do not fit; names column and types.
            CommitConflict: another writer changed the same files first.
        """
        self._check_writable()
        if mode not in ("append", "overwrite"):
            raise Unsupported(f"Mode '{mode}' is not supported.", "Use 'append' or 'overwrite'.")
        if row_kind is not None and not self.schema.is_primary_key_table:
            raise Unsupported(f"{self.name} has no primary key, so its rows have no kinds.", "Leave out row_kind.")
        if mode == "append" and partition is not None:
            raise WorkbenchError("A partition is named only to overwrite it.", "Use mode='overwrite', or leave it out.")
        overwrite = Overwrite.of(self._store, partition) if mode == "overwrite" else None
        return two_phase.write(
            self._store, self._buckets(overwrite), data, row_kind, overwrite, progress or Progress(), properties or {}
        )

    @contextmanager
    def writer(self, commit_user: str | None = None, progress: Progress | None = None) -> Iterator[MessageWriter]:
        """The first phase by itself: write, then `MessageWriter.prepare` gives messages for `commit`, here or
        elsewhere.

        What was not prepared when the block ends is removed.
        """
        self._check_writable()
        writer = MessageWriter(self._store, self._buckets(None), commit_user, progress or Progress())
        try:
            yield writer
        finally:
            writer.close()

    def commit(
        self,
        messages: Sequence[bytes | CommitMessage],
        identifier: int = BATCH_COMMIT_IDENTIFIER,
        commit_user: str | None = None,
        *,
        properties: Mapping[str, str] | None = None,
    ) -> Commit:
        """The second phase: make what the messages tell of visible. With a ``commit_user`` of its own, the same or
        an earlier ``identifier`` commits nothing twice.

        Raises:
            CommitConflict: another writer changed the same files first.
        """
        self._check_writable()
        return two_phase.commit(self._store, messages, identifier, commit_user, properties or {})

    def overwrite(
        self,
        messages: Sequence[bytes | CommitMessage],
        partition: Mapping[str, Any] | None = None,
        *,
        properties: Mapping[str, str] | None = None,
    ) -> Commit:
        """The second phase of an overwrite whose files were written by several processes; see `write`."""
        self._check_writable()
        return two_phase.overwrite(self._store, messages, Overwrite.of(self._store, partition), properties or {})

    def new_write_plan(self, overwrite: bool = False) -> WritePlan:
        """What writers in other processes need to know; picklable. ``overwrite``: they ignore what the table holds."""
        self._check_writable()
        return WritePlan(self._store, KnownBuckets() if overwrite else self._buckets(None))

    def compact(self, full: bool = False, where: str | Expr | None = None, progress: Progress | None = None) -> Commit:
        """Compact what the table's options say is due; with ``full``, everything down to one run for each bucket.

        ``where`` chooses partitions. Raises Unsupported for append tables, CommitConflict where another writer was
        first.
        """
        self._check_writable()
        predicate = self._predicate(where)
        return compact_table(self._store, self._snapshots.latest(), predicate, full, progress or Progress())

    # --- inside ---------------------------------------------------------------------------------------------------

    def _buckets(self, overwrite: Overwrite | None) -> KnownBuckets:
        latest = self._snapshots.latest()
        if latest is None or overwrite is not None:
            return KnownBuckets()
        check_index_files(self._store, latest)
        return known_buckets(ManifestFiles(self._store).live_files(latest))

    def _check_writable(self) -> None:
        if self._pinned is not None:
            raise WorkbenchError(
                f"{self.name} at snapshot {self._pinned.id} can only be read.", "Write to the table itself."
            )
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

        return resolve_predicate(where, self.schema.fields)

    def _over(self, store: TableStore, snapshot: Snapshot | None = None) -> Table:
        """What this is, over another version or branch."""
        return Table(store, snapshot)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._store, self._pinned)
