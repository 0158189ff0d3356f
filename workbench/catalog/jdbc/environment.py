"""What a catalog in a database provides for its tables, whose snapshots and schemas are files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.base.errors import CatalogError
from workbench.catalog.jdbc.database import Database, Statement, database_for
from workbench.catalog.jdbc.layout import TABLE_PROPERTIES, check_lengths
from workbench.catalog.jdbc.lock import DEFAULT_KEY, lock_of
from workbench.format.options.values import parse_option
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.metadata.file_system.environment import FileSystemEnvironment
from workbench.metadata.file_system.schemas import FileSystemSchemaStore
from workbench.metadata.protocol import TableBranch
from workbench.storage.lock import CatalogLock


class TableProperties:
    """The properties of tables in the database: their options and keys, as their newest schemas have them. They are
    there for people who look at the database; readers use the schemas.

    Args:
        options: The options of the catalog.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options
        self._key = options.get("catalog-key", DEFAULT_KEY)
        is_synced = options.get("sync-all-properties", "true")
        self._is_synced = bool(parse_option("sync-all-properties", "bool", is_synced))

    @property
    def database(self) -> Database:
        """The database."""
        return database_for(self._options)

    def check(self, table: str, schema: TableSchema) -> None:
        """Raise CatalogError if the database has no room for a property of a table with this schema."""
        if self._is_synced and self.database.dialect.checks_lengths:
            check_lengths(f"Table {table}", _properties(schema))

    def insertion(self, database: str, table: str, schema: TableSchema) -> list[Statement]:
        """Return the statement that inserts the properties of a table; none if there are none, or none are kept."""
        properties = _properties(schema) if self._is_synced else {}
        if not properties:
            return []
        rows = ", ".join(["(?,?,?,?,?)"] * len(properties))
        values = [each for pair in properties.items() for each in (self._key, database, table, *pair)]
        columns = "catalog_key, database_name, table_name, property_key, property_value"
        return [(f"INSERT INTO {TABLE_PROPERTIES} ({columns}) VALUES {rows}", tuple(values))]

    def deletion(self, database: str, table: str) -> list[Statement]:
        """Return the statement that deletes the properties of a table; none if none are kept."""
        where = "catalog_key = ? AND database_name = ? AND table_name = ?"
        statement = f"DELETE FROM {TABLE_PROPERTIES} WHERE {where}"
        return [(statement, (self._key, database, table))] if self._is_synced else []

    def replace(self, database: str, table: str, schema: TableSchema) -> None:
        """Replace the properties of a table.

        Raises:
            CatalogError: The database cannot be reached.
        """
        if self._is_synced:
            self.database.replace(*self.deletion(database, table), *self.insertion(database, table, schema))


class JdbcSchemaStore(FileSystemSchemaStore):
    """The schemas of a branch as files, with the properties of the table in the database.

    Args:
        branch: The branch.
        properties: The properties of the tables of the catalog.
    """

    def __init__(self, branch: TableBranch, properties: TableProperties) -> None:
        super().__init__(branch)
        self._properties = properties

    def publish(self, schema: TableSchema, changes: Sequence[object] = ()) -> bool:
        """Write the schema if its id is free; after that, update the properties in the database.

        Raises:
            CatalogError: The database has no room for a property, and nothing was written; or it cannot be reached.
        """
        if self._branch.branch != paths.MAIN_BRANCH:
            return super().publish(schema, changes)
        database, table = self._branch.identifier
        self._properties.check(f"{database}.{table}", schema)
        if not super().publish(schema, changes):
            return False
        try:
            self._replace_properties(database, table, schema)
        except CatalogError as error:
            raise CatalogError(
                f"{database}.{table} was altered, but its properties in the catalog are still those before: "
                f"{error.message}",
                "The next change of the table updates them all.",
            ) from error
        return True

    def _replace_properties(self, database: str, table: str, schema: TableSchema) -> None:
        """Replace the properties of the table by those of its newest schema, which may be of another writer."""
        newest: TableSchema | None = schema
        while newest is not None:
            self._properties.replace(database, table, newest)
            newest_id = self.latest_id()
            newest = None if newest_id in (None, newest.id) else self.latest()


@dataclass(frozen=True)
class JdbcEnvironment(FileSystemEnvironment):
    """The snapshots and schemas of a table as files, and the lock of its catalog."""

    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The options of the catalog."""

    def lock(self, options: Mapping[str, str]) -> CatalogLock:
        """Return the lock that the options configure."""
        return lock_of(options)

    def schemas(self, branch: TableBranch) -> JdbcSchemaStore:
        """Open the schemas of a branch."""
        return JdbcSchemaStore(branch, TableProperties(self.options))


def _properties(schema: TableSchema) -> dict[str, str]:
    """Return the options of a table, and its keys as Java names them among the options."""
    keys = {
        "primary-key": schema.primary_keys,
        "partition": schema.partition_keys,
        "bucket-key": schema.bucket_keys,
    }
    return {**schema.options, **{key: ",".join(columns) for key, columns in keys.items() if columns}}
