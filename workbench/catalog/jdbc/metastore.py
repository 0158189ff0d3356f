"""The metastore of catalogs in a database (Java ``JdbcCatalog``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from workbench.base.errors import AlreadyExists, CatalogError, TableNotFound, Unsupported
from workbench.catalog.descriptions import Database, TableDescription, View
from workbench.catalog.identifier import Identifier, check_name
from workbench.catalog.jdbc.database import DuplicateRowError, Statement, database_for
from workbench.catalog.jdbc.environment import JdbcEnvironment, TableProperties
from workbench.catalog.jdbc.layout import DATABASE_PROPERTIES, TABLE_PROPERTIES, TABLES, VIEWS, check_lengths
from workbench.catalog.jdbc.lock import DEFAULT_KEY
from workbench.catalog.jdbc.views import view_from_text, view_text
from workbench.catalog.metastore import Metastore
from workbench.catalog.storages import Storages
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.metadata.file_system.schemas import FileSystemSchemaStore
from workbench.metadata.protocol import TableBranch
from workbench.storage.file_io import FileIO, join, parent, qualify

_EXISTS, _LOCATION, _COMMENT = "exists", "location", "comment"
_IN_DATABASE = "catalog_key = ? AND database_name = ?"
_IS_TABLE = f"{_IN_DATABASE} AND table_name = ?"
_IS_VIEW = f"{_IN_DATABASE} AND view_name = ?"


class JdbcMetastore(Metastore):
    """A database that has the names of the tables. Their directories are ``<warehouse>/<database>.db/<table>``.

    Args:
        options: The options of the catalog.
        warehouse: The directory of the tables, qualified.
        storages: The storages of the catalog.

    Raises:
        CatalogError: There is no ``uri``, or it is not the URL of a database that can contain a catalog.
    """

    kind = "jdbc"

    def __init__(self, options: Mapping[str, str], warehouse: str, storages: Storages) -> None:
        super().__init__(storages)
        self._database = database_for(options)
        self._environment = JdbcEnvironment(options)
        self._properties = TableProperties(options)
        self._key = options.get("catalog-key", DEFAULT_KEY)
        self._warehouse = warehouse
        self.address = self._database.address
        self.roots = (warehouse,)
        self.lock = self._environment.lock(options)

    @property
    def file_io(self) -> FileIO:
        """The storage of the warehouse."""
        return self.storages.at(self._warehouse)

    # --- databases ------------------------------------------------------------------------------------------------

    def list_databases(self) -> list[str]:
        """Return the names of all databases: also those that Java did not register, but that have tables or views."""
        selects = [
            f"SELECT database_name FROM {each} WHERE catalog_key = ?" for each in (TABLES, DATABASE_PROPERTIES, VIEWS)
        ]
        return [name for (name,) in self._database.query(" UNION ".join(selects), *[self._key] * len(selects))]

    def get_database(self, name: str) -> Database | None:
        """Return a database. Its location is what it was registered with; tables are where `JdbcMetastore` says."""
        query = f"SELECT database_name, property_key, property_value FROM {DATABASE_PROPERTIES} WHERE {_IN_DATABASE}"
        rows = self._database.query(query, self._key, name)
        properties = {key: value for database, key, value in rows if database == name}
        if not properties and name not in self.list_databases():
            return None
        properties.pop(_EXISTS, None)
        location = properties.pop(_LOCATION, None) or self._database_path(name)
        return Database(name, location, properties.pop(_COMMENT, None), properties)

    def create_database(self, database: Database) -> None:
        """Register a database. Raises AlreadyExists if another process was first."""
        path = self._database_path(check_name(database.name, "database"))
        if database.location is not None and qualify(database.location).rstrip("/") != path:
            raise Unsupported(
                f"Database '{database.name}' cannot be in {database.location}: a catalog of kind jdbc keeps tables in "
                f"{path}.",
                "Create it without a location, or use a catalog of kind hive.",
            )
        properties = {_EXISTS: "true", **database.properties, _LOCATION: path}
        if database.comment is not None:
            properties[_COMMENT] = database.comment
        self._check_lengths(database.name, properties)
        try:
            self._database.execute(self._database_rows(database.name, properties))
        except DuplicateRowError as error:
            raise AlreadyExists(
                f"Database '{database.name}' already exists.", "Pass exist_ok=True to use it."
            ) from error

    def alter_database(self, database: Database, properties: Mapping[str, str | None]) -> None:
        """Set properties of a database; None removes one."""
        fixed = {_EXISTS, _LOCATION} & properties.keys()
        if fixed:
            raise Unsupported(f"Property '{min(fixed)}' of database '{database.name}' cannot be changed.")
        kept = {key: value for key, value in properties.items() if value is not None}
        self._check_lengths(database.name, kept)
        where = f"{_IN_DATABASE} AND property_key = ?"
        deletions: list[Statement] = [
            (f"DELETE FROM {DATABASE_PROPERTIES} WHERE {where}", (self._key, database.name, key)) for key in properties
        ]
        insertion = [self._database_rows(database.name, kept)] if kept else []
        if properties:
            self._database.replace(*deletions, *insertion)

    def drop_database(self, database: Database) -> None:
        """Remove a database."""
        tables = (TABLES, DATABASE_PROPERTIES, TABLE_PROPERTIES, VIEWS)
        values = (self._key, database.name)
        self._database.execute(*((f"DELETE FROM {each} WHERE {_IN_DATABASE}", values) for each in tables))

    # --- tables ---------------------------------------------------------------------------------------------------

    def list_tables(self, database: str) -> list[str]:
        """Return the names of all tables of a database."""
        return self._names(f"SELECT database_name, table_name FROM {TABLES}", database)

    def has_table(self, identifier: Identifier) -> bool:
        """Return whether a table is registered, even if it has no files."""
        query = f"SELECT database_name, table_name FROM {TABLES} WHERE {_IS_TABLE}"
        name = (identifier.database, identifier.table)
        return name in map(tuple, self._database.query(query, self._key, *name))

    def get_table(self, identifier: Identifier) -> TableDescription | None:
        """Return a table at its newest schema. Raises TableNotFound if it is registered, but has no files."""
        if not self.has_table(identifier):
            return None
        location = self._table_path(identifier)
        schema = self._schemas(identifier).latest()
        if schema is None:
            raise TableNotFound(
                f"Table {identifier} is registered in {self.address}, but there is no table in {location}.",
                "Restore its files, or remove it with drop_table.",
            )
        return TableDescription(identifier, location, schema, self._environment)

    def create_table(self, identifier: Identifier, schema: TableSchema) -> None:
        """Write the first schema of a table, then register it. If that fails, the schema is deleted.

        Raises:
            AlreadyExists: Another process was first.
            Unsupported: The table has the option ``path``.
            CatalogError: The database has no room for an option, or cannot be reached.
        """
        database, table = identifier.database, identifier.table
        if "path" in schema.options:
            raise Unsupported(
                f"Table {identifier} cannot have the option 'path': a catalog of kind jdbc keeps it in "
                f"{self._table_path(identifier)}.",
                "Create it without the option, or use a catalog of kind hive.",
            )
        self._properties.check(str(identifier), schema)
        row = (
            f"INSERT INTO {TABLES} (catalog_key, database_name, table_name) VALUES (?,?,?)",
            (self._key, database, table),
        )
        schemas = self._schemas(identifier)
        with self._names_locked(identifier):
            self._check_free(identifier, schemas)
            schemas.create(schema)
            try:
                self._database.execute(row, *self._properties.insertion(database, table, schema))
            except BaseException as error:
                if not isinstance(error, DuplicateRowError) and self._is_registered(identifier):
                    if isinstance(error, Exception):
                        return
                    # The user interrupted it: the table is complete, but the work after it must not begin.
                    raise
                self._remove_schema(schemas.path(schema.id))
                if isinstance(error, DuplicateRowError):
                    raise AlreadyExists(f"Table {identifier} already exists.") from error
                raise

    def rename_table(self, old: Identifier, new: Identifier) -> None:
        """Rename a table, then move its directory. If that fails, the table has its old name again."""
        with self._names_locked(old, new):
            self._rename_rows(old, new)
            if not self._schemas(old).ids():
                return
            try:
                self.file_io.rename(self._table_path(old), self._table_path(new))
            except BaseException:
                self._rename_rows(new, old)
                raise

    def drop_table(self, identifier: Identifier) -> None:
        """Remove a table, then its files."""
        values = (self._key, identifier.database, identifier.table)
        deletion = (f"DELETE FROM {TABLES} WHERE {_IS_TABLE}", values)
        self._database.execute(deletion, *self._properties.deletion(identifier.database, identifier.table))
        self.file_io.delete_directory(self._table_path(identifier))

    # --- views ----------------------------------------------------------------------------------------------------

    def list_views(self, database: str) -> list[str]:
        """Return the names of all views of a database."""
        return self._names(f"SELECT database_name, view_name FROM {VIEWS}", database)

    def get_view(self, identifier: Identifier) -> View | None:
        """Return a view, or None if it does not exist."""
        query = f"SELECT database_name, view_name, view_schema FROM {VIEWS} WHERE {_IS_VIEW}"
        rows = self._database.query(query, self._key, identifier.database, identifier.table)
        found = [text for database, name, text in rows if (database, name) == (identifier.database, identifier.table)]
        return view_from_text(str(identifier), found[0]) if found else None

    def create_view(self, identifier: Identifier, view: View) -> None:
        """Create a view. Raises AlreadyExists if another process was first."""
        values = (self._key, identifier.database, identifier.table, view_text(view))
        columns = "catalog_key, database_name, view_name, view_schema"
        with self._names_locked(identifier):
            try:
                self._database.execute((f"INSERT INTO {VIEWS} ({columns}) VALUES (?,?,?,?)", values))
            except DuplicateRowError as error:
                raise AlreadyExists(f"View {identifier} already exists.", "Replace it with alter_view.") from error

    def replace_view(self, identifier: Identifier, old: View, new: View) -> None:  # noqa: ARG002
        """Replace a view that exists."""
        values = (view_text(new), self._key, identifier.database, identifier.table)
        if self._database.execute((f"UPDATE {VIEWS} SET view_schema = ? WHERE {_IS_VIEW}", values)) == [0]:
            raise TableNotFound(f"There is no view {identifier}.")

    def rename_view(self, old: Identifier, new: Identifier) -> None:
        """Rename a view that exists."""
        values = (new.database, new.table, self._key, old.database, old.table)
        with self._names_locked(old, new):
            self._rename(f"UPDATE {VIEWS} SET database_name = ?, view_name = ? WHERE {_IS_VIEW}", values, old, new)

    def drop_view(self, identifier: Identifier) -> None:
        """Remove a view that exists."""
        values = (self._key, identifier.database, identifier.table)
        self._database.execute((f"DELETE FROM {VIEWS} WHERE {_IS_VIEW}", values))

    # --- inside ---------------------------------------------------------------------------------------------------

    def _database_path(self, name: str) -> str:
        return join(self._warehouse, paths.database_directory(name))

    def _table_path(self, identifier: Identifier) -> str:
        return join(self._database_path(identifier.database), identifier.table)

    def _names(self, select: str, database: str) -> list[str]:
        rows = self._database.query(f"{select} WHERE {_IN_DATABASE}", self._key, database)
        # Some databases do not distinguish upper and lower case, and find more than that.
        return [name for found, name in rows if found == database]

    def _schemas(self, identifier: Identifier) -> FileSystemSchemaStore:
        location = self._table_path(identifier)
        return self._environment.schemas(
            TableBranch(str(identifier), location, paths.MAIN_BRANCH, self.file_io, self.lock, self.cache)
        )

    @contextmanager
    def _names_locked(self, *identifiers: Identifier) -> Iterator[None]:
        """Hold the locks of tables, in the order in which Java's writers acquire them, too."""
        with ExitStack() as held:
            for database, table in sorted({(each.database, each.table) for each in identifiers}):
                held.enter_context(self.lock.lock(database, table))
            yield

    def _check_free(self, identifier: Identifier, schemas: FileSystemSchemaStore) -> None:
        if schemas.ids() and not self.has_table(identifier):
            raise AlreadyExists(
                f"{self._table_path(identifier)} already contains a table, which the catalog does not list.",
                f"If no other process is creating {identifier}, delete the directory, or choose another name.",
            )

    def _is_registered(self, identifier: Identifier) -> bool:
        """Return whether a statement registered a table although its answer was lost."""
        try:
            return self.has_table(identifier)
        except CatalogError:
            return False

    def _remove_schema(self, path: str) -> None:
        """Delete the only file of a table that could not be registered."""
        self.file_io.delete(path)
        for directory in (parent(path), parent(parent(path))):
            self.file_io.delete_empty_directory(directory)

    def _check_lengths(self, name: str, properties: dict[str, str]) -> None:
        if self._database.dialect.checks_lengths:
            check_lengths(f"Database '{name}'", properties)

    def _database_rows(self, name: str, properties: Mapping[str, str]) -> Statement:
        rows = ", ".join(["(?,?,?,?)"] * len(properties))
        values = tuple(each for pair in properties.items() for each in (self._key, name, *pair))
        columns = "catalog_key, database_name, property_key, property_value"
        return f"INSERT INTO {DATABASE_PROPERTIES} ({columns}) VALUES {rows}", values

    def _rename_rows(self, old: Identifier, new: Identifier) -> None:
        values = (new.database, new.table, self._key, old.database, old.table)
        rename = "UPDATE {} SET database_name = ?, table_name = ? WHERE " + _IS_TABLE
        properties = self._properties.deletion(old.database, old.table) and (rename.format(TABLE_PROPERTIES), values)
        self._rename(rename.format(TABLES), values, old, new, *([properties] if properties else []))

    def _rename(
        self, statement: str, values: tuple[str, ...], old: Identifier, new: Identifier, *more: Statement
    ) -> None:
        try:
            counts = self._database.execute((statement, values), *more)
        except DuplicateRowError as error:
            raise AlreadyExists(f"{new} already exists.") from error
        if counts[0] == 0:
            raise TableNotFound(f"{old} no longer exists.")
