"""A catalog that keeps snapshots and schemas in memory, like a catalog service. Data files and manifests are files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

from workbench.base.errors import CorruptFile
from workbench.catalog.catalog import Catalog
from workbench.catalog.descriptions import Database, TableDescription, View
from workbench.catalog.identifier import Identifier
from workbench.catalog.metastore import Metastore
from workbench.catalog.storages import Storages
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.protocol import (
    CatalogEnvironment,
    PartitionStatistics,
    SchemaStore,
    SnapshotCommit,
    SnapshotPage,
    SnapshotStore,
    TableBranch,
)
from workbench.storage.file_io import FileIO, join
from workbench.storage.lock import CatalogLock, lock_for
from workbench.storage.open import file_io_for


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


class MemoryMetastore(Metastore):
    """Keeps databases, tables and views in memory, too; a renamed table keeps its directory."""

    kind = "memory"

    def __init__(self, options: Mapping[str, str], file_io: FileIO | None = None) -> None:
        super().__init__(Storages(options, file_io))
        self.address = options["warehouse"]
        self.roots = (self.address,)
        self.environment = MemoryEnvironment()
        self._databases: dict[str, Database] = {}
        self._locations: dict[Identifier, str] = {}
        self._views: dict[Identifier, View] = {}
        self._created = 0

    def list_databases(self) -> list[str]:
        return list(self._databases)

    def get_database(self, name: str) -> Database | None:
        return self._databases.get(name)

    def create_database(self, database: Database) -> None:
        self._databases[database.name] = database

    def drop_database(self, database: Database) -> None:
        del self._databases[database.name]

    def list_tables(self, database: str) -> list[str]:
        return [each.table for each in self._locations if each.database == database]

    def get_table(self, identifier: Identifier) -> TableDescription | None:
        location = self._locations.get(identifier)
        if location is None:
            return None
        newest = MemorySchemaStore(self.environment.histories[location, "main"]).latest()
        assert newest is not None
        return TableDescription(identifier, location, newest, self.environment)

    def create_table(self, identifier: Identifier, schema: TableSchema) -> None:
        self._created += 1
        location = self._locations[identifier] = join(self.address, f"table-{self._created}")
        self.environment.histories[location, "main"].schemas[schema.id] = schema

    def rename_table(self, old: Identifier, new: Identifier) -> None:
        self._locations[new] = self._locations.pop(old)

    def drop_table(self, identifier: Identifier) -> None:
        location = self._locations.pop(identifier)
        # Table objects that were opened earlier see that the table is gone.
        self.environment.histories[location, "main"].schemas.clear()
        self.environment.histories[location, "main"].snapshots.clear()
        self.storages.at(location).delete_directory(location)

    def history(self, name: str) -> History:
        """The history of the main branch of a table."""
        return self.environment.histories[self._locations[Identifier.parse(name)], "main"]

    def list_views(self, database: str) -> list[str]:
        return [each.table for each in self._views if each.database == database]

    def get_view(self, identifier: Identifier) -> View | None:
        return self._views.get(identifier)

    def create_view(self, identifier: Identifier, view: View) -> None:
        self._views[identifier] = view

    def replace_view(self, identifier: Identifier, old: View, new: View) -> None:  # noqa: ARG002
        self._views[identifier] = new

    def rename_view(self, old: Identifier, new: Identifier) -> None:
        self._views[new] = self._views.pop(old)

    def drop_view(self, identifier: Identifier) -> None:
        del self._views[identifier]


class MemoryCatalog(Catalog):
    """The catalog over a `MemoryMetastore`."""

    metastore: MemoryMetastore

    def __init__(self, options: Mapping[str, str], file_io: FileIO | None = None) -> None:
        super().__init__(MemoryMetastore(options, file_io), options["warehouse"], options)

    def history(self, name: str) -> History:
        """The history of the main branch of a table."""
        return self.metastore.history(name)
