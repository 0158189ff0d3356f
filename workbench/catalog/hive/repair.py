"""Bringing a Hive Metastore in step with the files (Java ``HiveCatalog.repairTable``): the files decide."""

from __future__ import annotations

import warnings
from typing import Any, Protocol

from workbench.base.errors import TableNotFound, Unsupported
from workbench.catalog.descriptions import Database
from workbench.catalog.hive.client import HiveClient
from workbench.catalog.hive.environment import alter_in_metastore, live_specs
from workbench.catalog.hive.partitions import add_partitions
from workbench.catalog.hive.settings import HiveSettings
from workbench.catalog.hive.tables import (
    TAG_TO_PARTITION,
    altered_table,
    has_partitions,
    is_paimon,
    read_database,
    table_location,
    wants_external,
)
from workbench.catalog.identifier import Identifier
from workbench.catalog.storages import Storages
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.metadata.file_system.schemas import FileSystemSchemaStore
from workbench.metadata.refs.tags import Tags
from workbench.metadata.runtime import TableRuntime
from workbench.metadata.store import TableStore
from workbench.storage.cache import ByteCache
from workbench.storage.stores.failures import StorageError


class Repairable(Protocol):
    """What a metastore offers to its repair."""

    settings: HiveSettings
    storages: Storages
    cache: ByteCache
    warehouse: str

    @property
    def client(self) -> HiveClient:
        """The client of this process."""
        ...

    def create_database(self, database: Database) -> None:
        """Create a database in its directory, or in one below the warehouse."""
        ...

    def schemas(self, identifier: Identifier, location: str) -> FileSystemSchemaStore:
        """Return the schema files in a directory."""
        ...

    def default_location(self, identifier: Identifier) -> str:
        """Return the directory that a table gets by its name."""
        ...

    def entry(self, identifier: Identifier, schema: TableSchema, location: str, external: bool) -> Any:
        """Return the Thrift value of a new table."""
        ...


def repair_all(metastore: Repairable) -> None:
    """Register the databases of the warehouse, their tables and their partitions. A database whose storage fails is
    left out, with a warning."""
    for each in metastore.storages.at(metastore.warehouse).list_files(metastore.warehouse):
        name = each.name.removesuffix(paths.DATABASE_SUFFIX)
        if each.is_directory and name not in ("", each.name):
            try:
                repair_database(metastore, name)
            except StorageError as error:
                warnings.warn(f"Database {name} is not repaired: {error}", RuntimeWarning, stacklevel=2)


def repair_database(metastore: Repairable, name: str) -> None:
    """Register a database, the tables in its directory and their partitions."""
    found = metastore.client.find("get_database", name)
    if found is None:
        metastore.create_database(Database(name))
        found = metastore.client.call("get_database", name)
    location = read_database(found).location
    if location is None:
        return
    for each in metastore.storages.at(location).list_files(location):
        if each.is_directory and metastore.schemas(Identifier(name, each.name), each.path).ids():
            try:
                repair_table(metastore, Identifier(name, each.name))
            except TableNotFound as error:
                # The metastore has this name for another directory, which has no table.
                warnings.warn(f"{name}.{each.name} is not repaired: {error}", RuntimeWarning, stacklevel=2)


def repair_table(metastore: Repairable, identifier: Identifier) -> None:
    """Register a table, or correct its entry, and add the partitions that the metastore does not have.

    Raises:
        TableNotFound: There is no schema in the directory of the table.
        Unsupported: The metastore has a table of another format under this name.
    """
    stored = metastore.client.find("get_table", identifier.database, identifier.table)
    if stored is not None and not is_paimon(stored):
        raise Unsupported(
            f"{identifier} cannot be repaired: Hive Metastore has something else than a Paimon table of this name.",
            "Rename one of them.",
        )
    location = metastore.default_location(identifier) if stored is None else table_location(stored)
    schema = metastore.schemas(identifier, location).latest()
    if schema is None:
        raise TableNotFound(f"There is no table in {location}.", "Only directories with a schema are registered.")
    if stored is None:
        external = wants_external(schema.options, metastore.settings)
        metastore.client.call("create_table", metastore.entry(identifier, schema, location, external))
    elif altered_table(stored, schema, (), metastore.settings) != stored:
        alter_in_metastore(metastore.settings, (identifier.database, identifier.table), schema, set())
    if has_partitions(schema) or TAG_TO_PARTITION in schema.options:
        _add_partitions(metastore, identifier, location, schema)


def _add_partitions(metastore: Repairable, identifier: Identifier, location: str, schema: TableSchema) -> None:
    """Register the partitions that have files, or the tags that stand for partitions."""
    store = TableStore(
        str(identifier), location, schema, TableRuntime(metastore.storages.at(location), cache=metastore.cache)
    )
    newest = store.snapshots.latest()
    tag_field = schema.options.get(TAG_TO_PARTITION)
    if tag_field is not None:
        specs = [{tag_field: name} for name in Tags(store).all()]
    else:
        specs = [] if newest is None else live_specs(store, newest)
    if specs:
        table = metastore.client.call("get_table", identifier.database, identifier.table)
        add_partitions(metastore.settings, table, specs)
