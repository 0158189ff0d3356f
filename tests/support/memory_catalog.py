"""A catalog that keeps snapshots and schemas in memory, like a catalog service. Data files and manifests are files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING

from workbench.base.clock import SystemClock
from workbench.base.errors import AlreadyExists, CorruptFile, DatabaseNotFound, TableNotFound
from workbench.base.progress import Progress
from workbench.catalog.compact_database import compact_database
from workbench.catalog.identifier import Identifier
from workbench.catalog.protocol import Catalog, DatabaseCompaction
from workbench.catalog.tables import open_table, schema_of_new_table
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.definition.columns import Columns
from workbench.metadata.protocol import (
    CatalogEnvironment,
    PartitionStatistics,
    SchemaStore,
    SnapshotCommit,
    SnapshotPage,
    SnapshotStore,
    TableBranch,
)
from workbench.metadata.runtime import TableRuntime
from workbench.metadata.store import TableStore
from workbench.storage.file_io import FileIO, join
from workbench.storage.local import LocalFileIO
from workbench.storage.lock import CatalogLock, lock_for
from workbench.storage.open import file_io_for
from workbench.table.schema_changes.changes import SchemaChange
from workbench.table.schema_changes.commit import Alteration, alter_table
from workbench.table.table import Table

if TYPE_CHECKING:
    from workbench.table.compaction.runner import CompactionRunner


def _nothing() -> None:
    pass


@dataclass
class History:
    """The snapshots and schemas of one branch. ``before_publishing`` runs before one of them is published."""

    snapshots: dict[int, Snapshot] = field(default_factory=dict)
    schemas: dict[int, TableSchema] = field(default_factory=dict)
    statistics: Sequence[PartitionStatistics] = ()
    lock: Lock = field(default_factory=Lock)
    before_publishing: Callable[[], None] = _nothing


class MemorySnapshotStore(SnapshotStore):
    """The snapshots of a `History`."""

    def __init__(self, history: History) -> None:
        self._history = history

    def latest_id(self) -> int | None:
        return max(self.ids(), default=None)

    def latest(self) -> Snapshot | None:
        ids = self.ids()
        return self.find(ids[-1]) if ids else None

    def earliest_id(self) -> int | None:
        return min(self.ids(), default=None)

    def ids(self) -> list[int]:
        return sorted(self._history.snapshots)

    def find(self, snapshot_id: int) -> Snapshot | None:
        return self._history.snapshots.get(snapshot_id)

    def page(self, limit: int | None = None, before: int | None = None) -> SnapshotPage:
        ids = self.ids()
        wanted = [each for each in reversed(ids) if before is None or each < before]
        shown = wanted[:limit]
        found = tuple(self._history.snapshots[each] for each in shown)
        return SnapshotPage(found, shown[-1] if len(shown) < len(wanted) else None, frozenset(ids))

    def expire(self, ids: Sequence[int], first_kept: int) -> None:
        with self._history.lock:
            for each in ids:
                self._history.snapshots.pop(each, None)
            assert not ids or self.earliest_id() == first_kept

    def roll_back(self, target: Snapshot) -> list[int]:
        with self._history.lock:
            removed = [each for each in self.ids() if each > target.id]
            self._history.snapshots.setdefault(target.id, target)
            for each in removed:
                del self._history.snapshots[each]
            return removed


class MemorySnapshotCommit(SnapshotCommit):
    """Publishes the snapshots of a `History`, and keeps what the last one changed."""

    def __init__(self, history: History) -> None:
        self._history = history

    def commit(
        self,
        snapshot: Snapshot,
        base: Snapshot | None,
        statistics: Callable[[], Sequence[PartitionStatistics]],
    ) -> bool:
        self._history.before_publishing()
        with self._history.lock:
            if max(self._history.snapshots, default=0) != (0 if base is None else base.id):
                return False
            self._history.snapshots[snapshot.id] = snapshot
            self._history.statistics = tuple(statistics())
            return True


class MemorySchemaStore(SchemaStore):
    """The schemas of a `History`."""

    def __init__(self, history: History) -> None:
        self._history = history

    def latest_id(self) -> int | None:
        return max(self.ids(), default=None)

    def latest(self) -> TableSchema | None:
        newest = self.latest_id()
        return None if newest is None else self.get(newest)

    def ids(self) -> list[int]:
        return sorted(self._history.schemas)

    def get(self, schema_id: int) -> TableSchema:
        if schema_id not in self._history.schemas:
            raise CorruptFile(f"schema {schema_id}", "the catalog does not have it")
        return self._history.schemas[schema_id]

    def has(self, schema: TableSchema) -> bool:
        return self._history.schemas.get(schema.id) == schema

    def publish(self, schema: TableSchema, changes: Sequence[object] = ()) -> bool:  # noqa: ARG002
        self._history.before_publishing()
        with self._history.lock:
            return self._history.schemas.setdefault(schema.id, schema) is schema


class MemoryEnvironment(CatalogEnvironment):
    """The histories of all tables, by the directory of the table and the name of the branch."""

    def __init__(self) -> None:
        self.histories: defaultdict[tuple[str, str], History] = defaultdict(History)

    def snapshots(self, branch: TableBranch) -> MemorySnapshotStore:
        return MemorySnapshotStore(self.histories[branch.location, branch.branch])

    def schemas(self, branch: TableBranch) -> MemorySchemaStore:
        return MemorySchemaStore(self.histories[branch.location, branch.branch])

    def snapshot_commit(self, branch: TableBranch) -> MemorySnapshotCommit:
        return MemorySnapshotCommit(self.histories[branch.location, branch.branch])

    def file_io(self, location: str, options: Mapping[str, str]) -> FileIO:
        return file_io_for(location, options)

    def lock(self, options: Mapping[str, str]) -> CatalogLock:
        return lock_for(options)


class MemoryCatalog(Catalog):
    """A catalog that also keeps its databases and tables in memory; a renamed table keeps its directory."""

    def __init__(self, options: Mapping[str, str], file_io: FileIO | None = None) -> None:
        self.warehouse = options["warehouse"]
        self.options = options
        self.file_io = file_io or LocalFileIO()
        self.environment = MemoryEnvironment()
        self._locations: dict[str, dict[str, str]] = {}
        self._created = 0
        self._warned: set[tuple[Identifier, str]] = set()

    def list_databases(self) -> list[str]:
        return sorted(self._locations)

    def create_database(self, name: str, exist_ok: bool = False) -> None:
        if name in self._locations and not exist_ok:
            raise AlreadyExists(f"Database '{name}' already exists.")
        self._locations.setdefault(name, {})

    def drop_database(self, name: str, cascade: bool = False) -> None:
        for table in self.list_tables(name) if cascade else ():
            self.drop_table(f"{name}.{table}")
        del self._locations[name]

    def list_tables(self, database: str) -> list[str]:
        return sorted(self._database(database))

    def create_table(
        self,
        name: str,
        schema: Columns,
        primary_key: str | Iterable[str] = (),
        partition_by: str | Iterable[str] = (),
        options: Mapping[str, object] | None = None,
        comment: str | None = None,
        exist_ok: bool = False,
    ) -> Table:
        identifier = Identifier.parse(name, whole=True)
        tables = self._database(identifier.database)
        if identifier.table in tables and not exist_ok:
            raise AlreadyExists(f"Table {name} already exists.")
        if identifier.table not in tables:
            now = SystemClock().now_millis()
            first = schema_of_new_table(schema, primary_key, partition_by, options, comment, self.options, now)
            self._created += 1
            tables[identifier.table] = join(self.warehouse, f"table-{self._created}")
            self.history(name).schemas[first.id] = first
        return self.get_table(name)

    def get_table(self, name: str | Identifier) -> Table:
        identifier = name if isinstance(name, Identifier) else Identifier.parse(name)
        return open_table(self._store(identifier.whole), identifier, self._warned)

    def stores(self) -> list[TableStore]:
        return [
            self._store(Identifier(each, table)) for each in self.list_databases() for table in self.list_tables(each)
        ]

    def alter_table(self, name: str, *changes: SchemaChange) -> Alteration:
        return alter_table(self._store(Identifier.parse(name)), changes)

    def rename_table(self, name: str, new_name: str) -> None:
        old, new = Identifier.parse(name, whole=True), Identifier.parse(new_name, whole=True)
        self._database(new.database)[new.table] = self._database(old.database).pop(old.table)

    def drop_table(self, name: str, missing_ok: bool = False) -> None:
        identifier = Identifier.parse(name, whole=True)
        if missing_ok and identifier.table not in self._database(identifier.database):
            return
        location = self._location(identifier)
        # Table objects that were opened earlier see that the table is gone.
        self.history(name).schemas.clear()
        self.history(name).snapshots.clear()
        del self._database(identifier.database)[identifier.table]
        self.file_io.delete_directory(location)

    def compact_database(
        self,
        including_databases: str = ".*",
        including_tables: str | None = None,
        excluding_tables: str | None = None,
        *,
        full: bool = False,
        partition_idle_time: timedelta | str | None = None,
        options: Mapping[str, str] | None = None,
        progress: Progress | None = None,
        runners: Callable[[Table], CompactionRunner | None] | None = None,
    ) -> DatabaseCompaction:
        which = (including_databases, including_tables, excluding_tables)
        return compact_database(self, *which, full, partition_idle_time, options or {}, progress or Progress(), runners)

    def history(self, name: str) -> History:
        """The history of the main branch of a table."""
        return self.environment.histories[self._location(Identifier.parse(name)), "main"]

    def _database(self, name: str) -> dict[str, str]:
        if name not in self._locations:
            raise DatabaseNotFound(f"There is no database '{name}'.")
        return self._locations[name]

    def _location(self, identifier: Identifier) -> str:
        tables = self._database(identifier.database)
        if identifier.table not in tables:
            raise TableNotFound(f"There is no table {identifier}.")
        return tables[identifier.table]

    def _store(self, identifier: Identifier) -> TableStore:
        location = self._location(identifier)
        newest = MemorySchemaStore(self.environment.histories[location, "main"]).latest()
        assert newest is not None
        runtime = TableRuntime(self.file_io, roots=(self.warehouse,), environment=self.environment)
        return TableStore(str(identifier), location, newest, runtime)
