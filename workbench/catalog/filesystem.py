"""A catalog that stores databases and tables in one directory (format §1, `FileSystemCatalog`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, cast

from workbench.base.arguments import checked
from workbench.base.card import Card, HasCard, Names, shortened
from workbench.base.clock import Clock, SystemClock
from workbench.base.counting import counted
from workbench.base.errors import (
    AlreadyExists,
    CatalogError,
    DatabaseNotFound,
    TableNotFound,
    WorkbenchError,
    did_you_mean,
)
from workbench.base.ids import IdSource, RandomIds
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.catalog.identifier import SYSTEM_DATABASE, Identifier, check_name
from workbench.catalog.protocol import Catalog
from workbench.catalog.tables import open_table, schema_of_new_table
from workbench.format.spec import paths
from workbench.metadata.definition.columns import Columns
from workbench.metadata.file_system.schemas import FileSystemSchemaStore
from workbench.metadata.protocol import TableBranch
from workbench.metadata.refs.branches import open_branch
from workbench.metadata.runtime import CACHE_BYTES, TableRuntime
from workbench.metadata.store import TableStore
from workbench.storage.cache import ByteCache
from workbench.storage.file_io import FileIO, FileStatus, join
from workbench.storage.lock import CatalogLock, NoLock
from workbench.storage.read_only import is_read_only
from workbench.table.table import Table

if TYPE_CHECKING:
    from workbench.catalog.protocol import DatabaseCompaction
    from workbench.table.compaction.runner import CompactionRunner
    from workbench.table.schema_changes.changes import SchemaChange
    from workbench.table.schema_changes.commit import Alteration

_LISTERS = 16


@dataclass
class FileSystemCatalog(HasCard, Catalog):
    """A catalog in a directory: databases are directories ``<name>.db``, which contain a directory for each table.
    ``options`` are Paimon's catalog options."""

    warehouse: str
    file_io: FileIO
    options: Mapping[str, str] = field(default_factory=dict)
    clock: Clock = field(default_factory=SystemClock)
    ids: IdSource = field(default_factory=RandomIds)
    lock: CatalogLock = field(default_factory=NoLock)

    def __post_init__(self) -> None:
        self._cache = ByteCache(CACHE_BYTES)
        self._warned: set[tuple[Identifier, str]] = set()

    def __repr__(self) -> str:
        return f"<Catalog of {self.warehouse}>"

    def _card(self) -> Card:
        """Return the warehouse and its databases."""
        try:
            names = tuple((name,) for name in self.list_databases())
        except (WorkbenchError, OSError) as error:
            return Card("Catalog", (("warehouse", self.warehouse), ("databases", f"cannot be listed: {error}")))
        access = (("access", "read-only"),) if is_read_only(self.options) else ()
        facts = (("warehouse", self.warehouse), *access)
        return shortened(Card("Catalog", facts, ("database",), names), "database")

    def list_databases(self) -> list[str]:
        """Return the names of all databases, sorted.

        Raises:
            CatalogError: The directory does not exist, or contains other files but no database.
        """
        entries = self.file_io.list_files(self.warehouse)
        names = [each.name.removesuffix(paths.DATABASE_SUFFIX) for each in entries if self._is_database(each.name)]
        if not names and (entries or not self.file_io.exists(self.warehouse)) and self.file_io.is_local:
            what = "is not a Paimon warehouse: it contains no database" if entries else "does not exist"
            raise CatalogError(
                f"{self.warehouse} {what}.",
                "Open the directory that contains the databases.",
            )
        return Names(sorted(names), f"Databases in {self.warehouse}", "database")

    @checked
    def create_database(self, name: str, exist_ok: bool = False) -> None:
        """Create a database. Raises AlreadyExists."""
        check_name(name, "database")
        if name == SYSTEM_DATABASE:
            raise CatalogError(f"'{name}' is the database of system tables.", "Choose another name.")
        if self._has_database(name):
            if exist_ok:
                return
            raise AlreadyExists(f"Database '{name}' already exists.", "Pass exist_ok=True to use it.")
        self.file_io.make_directory(self._database_path(name))

    @checked
    def drop_database(self, name: str, cascade: bool = False) -> None:
        """Remove a database, including its tables and their data if ``cascade`` is set.

        Raises:
            DatabaseNotFound: The database does not exist.
            CatalogError: It contains tables, and ``cascade`` is not set.
        """
        self._require_database(name)
        tables = self.list_tables(name)
        if tables and not cascade:
            raise CatalogError(
                f"Database '{name}' contains {counted(len(tables), 'tables')}.", "Pass cascade=True to drop them too."
            )
        self.file_io.delete_directory(self._database_path(name))

    @checked
    def list_tables(self, database: str) -> list[str]:
        """Return the names of all tables of a database, sorted; the tables of ``sys`` describe the catalog itself.
        Raises DatabaseNotFound."""
        if database == SYSTEM_DATABASE:
            from workbench.catalog.system import catalog_tables

            return catalog_tables(self)
        listed = self.file_io.list_files(self._database_path(database))
        if not listed:
            self._require_database(database)
        directories = [each for each in listed if each.is_directory]
        # Each thread checks a share of the tables: passing tables one by one costs more than checking local ones.
        shares = [directories[start::_LISTERS] for start in range(_LISTERS)]
        tables = parallel_map(self._tables_among, shares, workers=_LISTERS)
        return Names(sorted(name for share in tables for name in share), f"Tables in {database}", "table")

    @checked
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
        """Create a table. ``schema`` is an Arrow schema, or column names with Paimon types such as ``BIGINT NOT NULL``.

        Raises:
            DatabaseNotFound, AlreadyExists: The database does not exist, or the table already exists.
            InvalidSchema: Columns, keys or options contradict each other.
            UnknownOption, Unsupported: An option does not exist, or its value is not supported.
        """
        identifier = Identifier.parse(name, whole=True)
        self._require_database(identifier.database)
        schemas = self._schemas(identifier)
        if schemas.ids():
            if exist_ok:
                return self.get_table(name)
            raise AlreadyExists(f"Table {identifier} already exists.", "Pass exist_ok=True to use the existing table.")
        now = self.clock.now_millis()
        schemas.create(schema_of_new_table(schema, primary_key, partition_by, options, comment, self.options, now))
        return self.get_table(name)

    @checked
    def get_table(self, name: str | Identifier) -> Table:
        """Open a table at its newest version, a branch of it (``db.t$branch_b``) or a system table (``db.t$files``).

        Pass an `Identifier` if the parts of the name are ambiguous as text.

        Raises:
            DatabaseNotFound, TableNotFound: It does not exist; the message suggests the most similar name.
            CorruptFile: The schema of the table cannot be read.
            Unsupported: ``sys.catalog_options`` is not enabled, or a stored option is not supported for this table.
        """
        identifier = name if isinstance(name, Identifier) else Identifier.parse(name)
        if identifier.database == SYSTEM_DATABASE:
            from workbench.catalog.system import open_catalog_table

            return cast("Table", open_catalog_table(self, identifier))
        return open_table(self._store(identifier.whole), identifier, self._warned)

    def stores(self) -> list[TableStore]:
        """Return the stores of all tables of all databases, sorted by name."""
        names = [Identifier(base, table) for base in self.list_databases() for table in self.list_tables(base)]
        return parallel_map(self._store, names, workers=_LISTERS)

    @checked
    def alter_table(self, name: str, *changes: SchemaChange) -> Alteration:
        """Change columns, options or the comment of a table, or of a branch (``db.t$branch_b``), as one new schema.

        ``changes`` are values such as ``wb.AddColumn("v", "INT")``, applied in order, all of them or none. Table
        objects that were opened before keep their schema.

        Raises:
            TableNotFound: The table or the branch does not exist.
            SchemaMismatch, AlreadyExists: A column does not exist, or exists already.
            InvalidSchema, UnknownOption, Unsupported: The table does not allow the change.
        """
        from workbench.table.schema_changes.commit import alter_table

        identifier = Identifier.parse(name)
        if identifier.system is not None or identifier.database == SYSTEM_DATABASE:
            raise CatalogError(f"{identifier} is a system table and cannot be altered.")
        store = self._store(identifier.whole)
        if identifier.branch is not None:
            store = open_branch(store, identifier.branch)
        return alter_table(store, changes)

    @checked
    def rename_table(self, name: str, new_name: str) -> None:
        """Rename a table, which moves its directory. Raises TableNotFound, DatabaseNotFound, AlreadyExists."""
        old, new = Identifier.parse(name, whole=True), Identifier.parse(new_name, whole=True)
        self._require_table(old)
        self._require_database(new.database)
        if self._schemas(new).ids():
            raise AlreadyExists(f"Table {new} already exists.")
        self.file_io.rename(self._table_path(old), self._table_path(new))

    @checked
    def drop_table(self, name: str, missing_ok: bool = False) -> None:
        """Remove a table with its data. Raises TableNotFound unless ``missing_ok``."""
        identifier = Identifier.parse(name, whole=True)
        if missing_ok and not self._schemas(identifier).ids():
            return
        self._require_table(identifier)
        self.file_io.delete_directory(self._table_path(identifier))

    @checked
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
        """Compact the tables of databases one after the other, each as `Table.compact` does. If a table fails, the
        result contains its error, and the remaining tables are still compacted.

        Databases are selected by a regular expression that matches their whole name; tables by a regular expression
        that matches their full name (``shop\\..*``), except those that ``excluding_tables`` matches. ``options`` are
        table options that apply only to these compactions. ``runners`` chooses for each table where its buckets are
        compacted; see `Table.compact`.

        Raises:
            DatabaseNotFound: No database matches.
            InvalidRequest: A pattern is not a regular expression.
        """
        from workbench.catalog.compact_database import compact_database

        return compact_database(
            self,
            including_databases,
            including_tables,
            excluding_tables,
            full,
            partition_idle_time,
            options or {},
            progress or Progress(),
            runners,
        )

    # --- inside ---------------------------------------------------------------------------------------------------

    def _store(self, identifier: Identifier) -> TableStore:
        schema = self._schemas(identifier).latest()
        if schema is None:
            self._require_table(identifier)
            raise TableNotFound(f"There is no table {identifier}.")
        runtime = TableRuntime(
            self.file_io, self.options, self.clock, self.ids, self.lock, self._cache, (self.warehouse,)
        )
        return TableStore(str(identifier), self._table_path(identifier), schema, runtime)

    def _schemas(self, identifier: Identifier) -> FileSystemSchemaStore:
        return self._schemas_at(str(identifier), self._table_path(identifier))

    def _schemas_at(self, name: str, location: str) -> FileSystemSchemaStore:
        branch = TableBranch(name, location, paths.MAIN_BRANCH, self.file_io, self.lock, self._cache)
        return FileSystemSchemaStore(branch)

    def _database_path(self, name: str) -> str:
        return join(self.warehouse, paths.database_directory(check_name(name, "database")))

    def _table_path(self, identifier: Identifier) -> str:
        return join(self._database_path(identifier.database), check_name(identifier.table, "table"))

    @staticmethod
    def _is_database(directory: str) -> bool:
        return directory.endswith(paths.DATABASE_SUFFIX) and directory != paths.DATABASE_SUFFIX

    def _has_database(self, name: str) -> bool:
        return self.file_io.exists(self._database_path(name))

    def _tables_among(self, directories: Iterable[FileStatus]) -> list[str]:
        return [each.name for each in directories if self._schemas_at(each.name, each.path).ids()]

    def _require_database(self, name: str) -> None:
        if not self._has_database(name):
            databases = [
                each.name.removesuffix(paths.DATABASE_SUFFIX) for each in self.file_io.list_files(self.warehouse)
            ]
            raise DatabaseNotFound(f"There is no database '{name}' in {self.warehouse}.", did_you_mean(name, databases))

    def _require_table(self, identifier: Identifier) -> None:
        self._require_database(identifier.database)
        if not self._schemas(identifier).ids():
            tables = self.list_tables(identifier.database)
            raise TableNotFound(f"There is no table {identifier}.", did_you_mean(identifier.table, tables))
