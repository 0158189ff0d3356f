"""A catalog that stores databases and tables in one directory (format §1, `FileSystemCatalog`)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace

from workbench.base.clock import Clock
from workbench.base.errors import CatalogError, Unsupported
from workbench.base.ids import IdSource
from workbench.base.parallel import parallel_map
from workbench.catalog.catalog import Catalog
from workbench.catalog.descriptions import Database, TableDescription
from workbench.catalog.identifier import Identifier, check_name
from workbench.catalog.metastore import Metastore
from workbench.catalog.owners import DirectoryOwnerCheck
from workbench.catalog.shown_waits import shown_file_io
from workbench.catalog.storages import Storages
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.metadata.file_system.environment import FileSystemEnvironment
from workbench.metadata.file_system.schemas import FileSystemSchemaStore
from workbench.metadata.protocol import OwnerCheck, TableBranch
from workbench.storage.file_io import FileIO, FileStatus, join, parent, qualify
from workbench.storage.lock import CatalogLock, NoLock, lock_for

_LISTERS = 16


class FileSystemMetastore(Metastore):
    """A directory: databases are directories ``<name>.db``, which contain a directory for each table.

    Args:
        warehouse: The directory or URL.
        storages: Its storage.
        lock: The lock that writers hold while they publish.
    """

    kind = "filesystem"

    def __init__(self, warehouse: str, storages: Storages, lock: CatalogLock) -> None:
        super().__init__(storages)
        self.address = warehouse
        self.roots = (warehouse,)
        self.lock = lock
        self._environment = FileSystemEnvironment()

    @property
    def file_io(self) -> FileIO:
        """The storage of the directory."""
        return self.storages.at(self.address)

    def list_databases(self) -> list[str]:
        """Return the names of all databases. Raises CatalogError if the directory does not exist, or contains other
        files but no database."""
        entries = self.file_io.list_files(self.address)
        names = [each.name.removesuffix(paths.DATABASE_SUFFIX) for each in entries if _is_database(each.name)]
        if not names and (entries or not self.file_io.exists(self.address)) and self.file_io.is_local:
            what = "is not a Paimon warehouse: it contains no database" if entries else "does not exist"
            raise CatalogError(f"{self.address} {what}.", "Open the directory that contains the databases.")
        return names

    def get_database(self, name: str) -> Database | None:
        """Return a database, whose only property is its directory."""
        path = self._database_path(name)
        return Database(name, path) if self.file_io.exists(path) else None

    def create_database(self, database: Database) -> None:
        """Create the directory of a database. Raises Unsupported if it has anything but a name."""
        if replace(database, name="") != Database(""):
            raise Unsupported(
                f"Database '{database.name}' cannot have a location, a comment or properties: a catalog in a directory "
                "does not keep them.",
                "Create it without them, or use a catalog of kind hive, jdbc or rest.",
            )
        self.file_io.make_directory(self._database_path(database.name))

    def drop_tables(self, database: str, tables: Iterable[str]) -> None:
        """Do nothing: the directory of the database contains its tables."""

    def drop_database(self, database: Database) -> None:
        """Delete the directory of a database."""
        self.file_io.delete_directory(self._database_path(database.name))

    def list_tables(self, database: str) -> list[str]:
        """Return the names of all directories that contain a schema."""
        listed = self.file_io.list_files(self._database_path(database))
        directories = [each for each in listed if each.is_directory]
        # Each thread checks a share of the tables: passing tables one by one costs more than checking local ones.
        shares = [directories[start::_LISTERS] for start in range(_LISTERS)]
        tables = parallel_map(self._tables_among, shares, workers=_LISTERS)
        return [name for share in tables for name in share]

    def has_table(self, identifier: Identifier) -> bool:
        """Return whether the directory of a table contains a schema."""
        return bool(self._schemas(identifier).ids())

    def get_table(self, identifier: Identifier) -> TableDescription | None:
        """Return a table at its newest schema."""
        schema = self._schemas(identifier).latest()
        if schema is None:
            return None
        return TableDescription(identifier, self._table_path(identifier), schema, self._environment)

    def create_table(self, identifier: Identifier, schema: TableSchema) -> None:
        """Write the first schema of a table. Raises AlreadyExists if another process was first."""
        self._schemas(identifier).create(schema)

    def rename_table(self, old: Identifier, new: Identifier) -> None:
        """Move the directory of a table."""
        self.file_io.rename(self._table_path(old), self._table_path(new))

    def drop_table(self, identifier: Identifier) -> None:
        """Delete the directory of a table."""
        self.file_io.delete_directory(self._table_path(identifier))

    def owner_check(self, identifier: Identifier) -> OwnerCheck:
        """Return the check whether a catalog that registers tables has the directory of a table."""
        return DirectoryOwnerCheck(identifier, self._table_path(identifier))

    def _schemas(self, identifier: Identifier) -> FileSystemSchemaStore:
        return self._schemas_at(str(identifier), self._table_path(identifier))

    def _schemas_at(self, name: str, location: str) -> FileSystemSchemaStore:
        branch = TableBranch(name, location, paths.MAIN_BRANCH, self.file_io, self.lock, self.cache)
        return self._environment.schemas(branch)

    def _database_path(self, name: str) -> str:
        return join(self.address, paths.database_directory(check_name(name, "database")))

    def _table_path(self, identifier: Identifier) -> str:
        return join(self._database_path(identifier.database), check_name(identifier.table, "table"))

    def _tables_among(self, directories: Iterable[FileStatus]) -> list[str]:
        return [each.name for each in directories if self._schemas_at(each.name, each.path).ids()]


class FileSystemCatalog(Catalog):
    """A catalog in a directory: databases are directories ``<name>.db``, which contain a directory for each table.

    Args:
        warehouse: The directory or URL.
        file_io: Its storage.
        options: Paimon's catalog options.
        clock: The source of times.
        ids: The source of unique names.
        lock: The lock that writers hold while they publish.
    """

    metastore: FileSystemMetastore
    """The directory."""

    def __init__(
        self,
        warehouse: str,
        file_io: FileIO,
        options: Mapping[str, str] | None = None,
        clock: Clock | None = None,
        ids: IdSource | None = None,
        lock: CatalogLock | None = None,
    ) -> None:
        given = {} if options is None else options
        metastore = FileSystemMetastore(warehouse, Storages(given, file_io), lock or NoLock())
        super().__init__(metastore, warehouse, given, clock, ids)


def open_catalog(options: Mapping[str, str]) -> FileSystemCatalog:
    """Open a catalog with the options of ``wb.connect``.

    Raises:
        CatalogError: No warehouse is given, or it is not a directory.
    """
    if "warehouse" not in options:
        raise CatalogError("No warehouse is given.", "Pass its directory or URL: connect('/data/warehouse').")
    warehouse = qualify(options["warehouse"])
    file_io = shown_file_io(warehouse, options)
    if file_io.is_local:
        check_directory(warehouse)
    return FileSystemCatalog(warehouse, file_io, options, lock=lock_for(options))


def check_directory(warehouse: str) -> None:
    """Check that the warehouse is a directory, or can be created as one. If its parent directory is missing too, the
    path is considered a mistake."""
    if os.path.isdir(warehouse):
        return
    if os.path.exists(warehouse):
        raise CatalogError(
            f"{warehouse} is a file, not a warehouse.", "Pass the directory that contains the databases."
        )
    if not os.path.isdir(parent(warehouse)):
        raise CatalogError(f"There is no warehouse at {warehouse}.", f"{parent(warehouse)} does not exist either.")


def _is_database(directory: str) -> bool:
    return directory.endswith(paths.DATABASE_SUFFIX) and directory != paths.DATABASE_SUFFIX
