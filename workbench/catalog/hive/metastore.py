"""A Hive Metastore as what knows the databases and tables of a catalog."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from workbench.base.errors import AlreadyExists, InvalidSchema, TableNotFound, Unsupported
from workbench.catalog.descriptions import Database, TableDescription
from workbench.catalog.hive.client import HiveClient, MetastoreRefusedError, client_for, thrift_types
from workbench.catalog.hive.environment import HiveEnvironment
from workbench.catalog.hive.lock import user_name
from workbench.catalog.hive.partitions import add_partitions, mark_done, statistics_of
from workbench.catalog.hive.repair import repair_all, repair_database, repair_table
from workbench.catalog.hive.settings import HiveSettings
from workbench.catalog.hive.tables import (
    PARTITIONED,
    TAG_PREVIEW,
    TAG_TO_PARTITION,
    altered_database,
    check_tags,
    is_external,
    is_paimon,
    is_view,
    new_database,
    new_table,
    read_database,
    set_location,
    table_location,
    table_path,
    wants_external,
)
from workbench.catalog.hive.views import HiveViews, check_lower_case, format_name
from workbench.catalog.identifier import Identifier
from workbench.catalog.storages import Storages
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.metadata.file_system.schemas import FileSystemSchemaStore
from workbench.metadata.protocol import PartitionStatistics, TableBranch
from workbench.storage.file_io import join, qualify
from workbench.storage.lock import CatalogLock


class HiveMetastore(HiveViews):
    """A Hive Metastore, which has the names, locations and columns of tables; their schemas and snapshots are files.

    Args:
        settings: How the metastore is reached.
        storages: The storages of the tables.
        warehouse: The directory of new databases.
        lock: The lock that writers hold while they publish.
        environment: What the metastore provides for its tables.
    """

    kind = "hive"
    keeps_partitions = True
    has_external_tables = True

    def __init__(
        self,
        settings: HiveSettings,
        storages: Storages,
        warehouse: str,
        lock: CatalogLock,
        environment: HiveEnvironment,
    ) -> None:
        super().__init__(storages)
        self.address = settings.address
        self.roots = (warehouse,)
        self.lock = lock
        self.settings = settings
        self.warehouse = warehouse
        self._environment = environment

    @property
    def client(self) -> HiveClient:
        """The client of this process."""
        return client_for(self.settings)

    # --- databases ------------------------------------------------------------------------------------------------

    def list_databases(self) -> list[str]:
        """Return the names of all databases."""
        return list(self.client.call("get_all_databases"))

    def get_database(self, name: str) -> Database | None:
        """Return a database, or None if it does not exist."""
        found = self.client.find("get_database", name)
        return None if found is None else read_database(found)

    def create_database(self, database: Database) -> None:
        """Create a database in its directory, or in one below the warehouse."""
        check_lower_case(database.name)
        location = database.location or join(self.warehouse, paths.database_directory(database.name))
        location = qualify(location)
        if self.settings.location_in_properties:
            self.storages.at(location).make_directory(location)
        self.client.call("create_database", new_database(database, location, self.settings))

    def alter_database(self, database: Database, properties: Mapping[str, str | None]) -> None:
        """Set properties of a database. Raises Unsupported if the metastore does not change its comment."""
        stored = self.client.call("get_database", database.name)
        self.client.call("alter_database", database.name, altered_database(stored, properties))
        wanted = properties.get("comment", database.comment)
        changed = self.get_database(database.name)
        if changed is not None and (changed.comment or "") != (wanted or ""):
            raise Unsupported(
                f"The comment of database '{database.name}' was not changed: Hive 2 cannot change it.",
                "All other properties were changed.",
            )

    def drop_database(self, database: Database) -> None:
        """Remove a database that has no tables, and its directory."""
        self.client.call("drop_database", database.name, True, False)
        if self.settings.location_in_properties and database.location is not None:
            self.storages.at(database.location).delete_directory(database.location)

    # --- tables ---------------------------------------------------------------------------------------------------

    def list_tables(self, database: str) -> list[str]:
        """Return the names of all Paimon tables of a database."""
        return [each.tableName for each in self._tables(database) if is_paimon(each) and not is_view(each)]

    def list_other_tables(self, database: str) -> list[str]:
        """Return the names of the tables of other formats, which are never changed."""
        return [each.tableName for each in self._tables(database) if not is_paimon(each) and not is_view(each)]

    def has_table(self, identifier: Identifier) -> bool:
        """Return whether there is a table of this name, even if it is one of another format."""
        found = self.client.find("get_table", identifier.database, identifier.table)
        return found is not None and not is_view(found)

    def get_table(self, identifier: Identifier) -> TableDescription | None:
        """Return a table at its newest schema.

        Raises:
            Unsupported: The table is one of another format.
            TableNotFound: The metastore has the table, but its directory has no schema.
        """
        stored = self._stored(identifier)
        if stored is None:
            return None
        location = table_location(stored)
        schema = self.schemas(identifier, location).latest()
        if schema is None:
            raise TableNotFound(
                f"Hive Metastore has table {identifier}, but there is no schema in {location}.",
                "Its files were deleted or moved. Drop it, or bring its files back.",
            )
        return TableDescription(
            identifier,
            location,
            schema,
            replace(self._environment, previews=TAG_PREVIEW in schema.options),
            f"{identifier}.{stored.createTime}",
            is_external(stored),
        )

    def create_table(self, identifier: Identifier, schema: TableSchema) -> None:
        """Write the first schema of a table, then register it. If the metastore refuses it, the schema is removed.

        Raises:
            AlreadyExists: There is a table or view of this name, or a schema in its directory.
            InvalidSchema: An external table exists in the directory with another schema, or the metastore cannot have
                such columns.
            Unsupported: Hive has no type for a column.
        """
        check_lower_case(identifier.table)
        self.check_free(identifier)
        check_tags(identifier, schema)
        external = wants_external(schema.options, self.settings)
        given = schema.options.get("path")
        location = self.default_location(identifier) if given is None else qualify(given)
        self.entry(identifier, schema, location, external)
        with self.lock.lock(identifier.database, identifier.table):
            created, schema = self._created(identifier, schema, location, external)
        with self._undone_if_refused(location, created, external):
            self.client.call("create_table", self.entry(identifier, schema, location, external))

    def entry(self, identifier: Identifier, schema: TableSchema, location: str, external: bool) -> Any:
        """Return the Thrift value of a new table. Raises InvalidSchema, Unsupported if Hive cannot have its columns."""
        return new_table(identifier, schema, location, external, self.settings, user_name(), int(time.time()))

    def rename_table(self, old: Identifier, new: Identifier) -> None:
        """Rename a table. The metastore moves the directory of a managed table; where it cannot, this does."""
        check_lower_case(new.table)
        before = table_location(self._stored(old))
        self.rename_entry(old, new)
        table = self.client.call("get_table", new.database, new.table)
        if is_external(table):
            return
        after, default = table_location(table), qualify(table.sd.location, is_stored=True)
        if self.schemas(new, after).ids():
            return
        if not self.schemas(new, default).ids():
            self.storages.at(before).rename(before, default)
        set_location(table, default, self.settings)
        self.client.call("alter_table", new.database, new.table, table)

    def drop_table(self, identifier: Identifier) -> None:
        """Remove a table, with its files unless it is external."""
        table = self._stored(identifier)
        if table is None:
            raise TableNotFound(f"There is no table {identifier}.")
        delete = not is_external(table)
        purge = thrift_types().EnvironmentContext(properties={"ifPurge": "TRUE"})
        self.client.call("drop_table_with_environment_context", identifier.database, identifier.table, delete, purge)
        if delete:
            location = table_location(table)
            self.storages.at(location).delete_directory(location)

    def list_partitions(self, identifier: Identifier) -> Sequence[PartitionStatistics] | None:
        """Return the tags that are partitions, with what the metastore has of them; None for other tables."""
        table = self._stored(identifier)
        schema = None if table is None else self.schemas(identifier, table_location(table)).latest()
        tag_column = None if schema is None else schema.options.get(TAG_TO_PARTITION)
        if tag_column is None:
            return None
        found = self.client.call("get_partitions", identifier.database, identifier.table, -1)
        return [statistics_of(each, [tag_column]) for each in found]

    def create_partitions(self, identifier: Identifier, specs: Sequence[Mapping[str, str]]) -> None:
        """Register partitions of a table; those that are registered already are kept."""
        add_partitions(self.settings, self._partitioned(identifier), specs)

    def mark_partitions_done(self, identifier: Identifier, specs: Sequence[Mapping[str, str]]) -> None:
        """Mark registered partitions of a table as done, as the event that Hive's tools wait for."""
        self._partitioned(identifier)
        mark_done(self.settings, (identifier.database, identifier.table), specs)

    def _partitioned(self, identifier: Identifier) -> Any:
        """Return the Thrift value of a table whose partitions are registered. Raises Unsupported for other tables."""
        table = self._stored(identifier)
        if table is None or not table.partitionKeys:
            raise Unsupported(
                f"Partitions of {identifier} are not registered in Hive Metastore.",
                f"Set option '{PARTITIONED}' to 'true' when the table is created.",
            )
        return table

    def repair(self, database: str | None, table: str | None) -> None:
        """Register what exists as directories."""
        if database is None:
            repair_all(self)
        elif table is None:
            repair_database(self, database)
        else:
            repair_table(self, Identifier(database, table))

    # --- inside ---------------------------------------------------------------------------------------------------

    def schemas(self, identifier: Identifier, location: str) -> FileSystemSchemaStore:
        """Return the schema files in a directory."""
        file_io = self.storages.at(location)
        return FileSystemSchemaStore(
            TableBranch(str(identifier), location, paths.MAIN_BRANCH, file_io, self.lock, self.cache)
        )

    def default_location(self, identifier: Identifier) -> str:
        """Return the directory that a table gets by its name."""
        database = self.get_database(identifier.database) or Database(identifier.database)
        return table_path(database, identifier.table, self.warehouse)

    def _tables(self, database: str) -> Iterator[Any]:
        return self.objects(database, list(self.client.find("get_all_tables", database) or []))

    def _stored(self, identifier: Identifier) -> Any:
        """Return the Thrift value of a Paimon table; None if there is none. Raises Unsupported if it is another one."""
        found = self.client.find("get_table", identifier.database, identifier.table)
        if found is None or is_view(found):
            return None
        if is_paimon(found):
            return found
        raise Unsupported(
            f"{identifier} is not a Paimon table: Hive Metastore has it as one of format {format_name(found)}.",
            "Read it with the engine that created it; it is never changed here.",
        )

    def _created(
        self, identifier: Identifier, schema: TableSchema, location: str, external: bool
    ) -> tuple[bool, TableSchema]:
        """Return whether the first schema of a table was written, and the schema that the table has now."""
        schemas = self.schemas(identifier, location)
        existing = schemas.latest()
        if existing is None:
            schemas.create(schema)
            return True, schema
        if not external:
            raise AlreadyExists(
                f"There is a table in {location} that Hive Metastore does not have.",
                f"Register it: CALL sys.repair('{identifier}').",
            )
        _check_same(identifier, existing, schema)
        return False, existing

    @contextmanager
    def _undone_if_refused(self, location: str, created: bool, external: bool) -> Iterator[None]:
        """Remove the schema of a new table if the metastore refuses it. If it does not answer, the schema is kept,
        because the metastore may have the table."""
        try:
            yield
        except (MetastoreRefusedError, AlreadyExists):
            if created:
                file_io = self.storages.at(location)
                file_io.delete_directory(join(location, paths.SCHEMA_DIRECTORY))
                if not external:
                    file_io.delete_empty_directory(location)
            raise


def _check_same(identifier: Identifier, existing: TableSchema, new: TableSchema) -> None:
    """Raise InvalidSchema if a table that is to be registered differs from its definition."""
    columns = [(each.name, each.type) for each in new.fields] == [(each.name, each.type) for each in existing.fields]
    keys = (new.partition_keys, new.primary_keys) == (existing.partition_keys, existing.primary_keys)
    ignored = ("path", "owner", "external", "EXTERNAL")
    different = [key for key, value in new.options.items() if key not in ignored and existing.options.get(key) != value]
    if columns and keys and not different:
        return
    what = f"option '{different[0]}'" if columns and keys else "columns or keys"
    raise InvalidSchema(
        f"The table in the directory of {identifier} has other values of {what} than the definition.",
        "Create it as it is there, or choose another directory.",
    )
