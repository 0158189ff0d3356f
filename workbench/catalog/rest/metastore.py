"""The databases, tables, views and functions of a REST service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.base.errors import (
    AlreadyExists,
    CatalogError,
    DatabaseNotFound,
    TableNotFound,
    Unsupported,
    WorkbenchError,
)
from workbench.base.secrets import without_credentials
from workbench.catalog.descriptions import Database, Function, TableDescription, View
from workbench.catalog.identifier import Identifier
from workbench.catalog.metastore import Metastore, TableDirectory
from workbench.catalog.rest.api import RestApi, api_for
from workbench.catalog.rest.changes import has_same_query, schema_to_json, view_changes
from workbench.catalog.rest.environment import RestEnvironment
from workbench.catalog.rest.schemas import RestSchemaStore
from workbench.catalog.rest.table import Json, RestTable
from workbench.catalog.rest.tokens import TokenFileIO, tokens_of
from workbench.catalog.shown_waits import shown_file_io
from workbench.catalog.storages import Storages
from workbench.format.spec import paths
from workbench.format.spec.schema import TableSchema
from workbench.format.types import field_from_json
from workbench.metadata.protocol import PartitionStatistics, TableBranch
from workbench.storage.file_io import FileIO, qualify

_TABLES, _VIEWS, _FUNCTIONS = "tables", "views", "functions"
_COMMENT = "comment"
_DEFAULT = "table-default."
_PAIMON_TYPES = ("table", "materialized-table")


class RestMetastore(Metastore):
    """A service with Paimon's REST protocol.

    Args:
        given: The options of the catalog as they were given.
        options: The same, with those of the service.
    """

    kind = "rest"
    keeps_partitions = True
    has_external_tables = True

    def __init__(self, given: Mapping[str, str], options: Mapping[str, str]) -> None:
        super().__init__(Storages(options))
        warehouse = options.get("warehouse")
        self.address = without_credentials(options["uri"]) + (f" (warehouse {warehouse})" if warehouse else "")
        self._options = options
        self._added = {key: value for key, value in options.items() if given.get(key) != value}

    @property
    def api(self) -> RestApi:
        """The operations of the service."""
        return api_for(self._options)

    # --- databases ------------------------------------------------------------------------------------------------

    def list_databases(self) -> list[str]:
        """Return the names of all databases."""
        return self.api.list_databases()

    def get_database(self, name: str) -> Database | None:
        """Return a database, or None if it does not exist."""
        try:
            answer = self.api.database(name)
        except DatabaseNotFound:
            return None
        options = {str(key): str(value) for key, value in (answer.get("options") or {}).items()}
        comment = options.pop(_COMMENT, None)
        return Database(name, answer.get("location"), comment, options)

    def create_database(self, database: Database) -> None:
        """Create a database. Raises AlreadyExists if another process was first."""
        known = {_COMMENT: database.comment, "location": database.location}
        options = {**database.properties, **{key: value for key, value in known.items() if value is not None}}
        self.api.create_database(database.name, options)

    def alter_database(self, database: Database, properties: Mapping[str, str | None]) -> None:
        """Set properties of a database; None removes one."""
        removals = [key for key, value in properties.items() if value is None]
        updates = {key: value for key, value in properties.items() if value is not None}
        self.api.alter_database(database.name, removals, updates)

    def drop_tables(self, database: str, tables: Iterable[str]) -> None:
        """Do nothing: the service drops the tables of a database with it."""

    def drop_database(self, database: Database) -> None:
        """Remove a database with its tables."""
        self.api.drop_database(database.name)

    # --- tables ---------------------------------------------------------------------------------------------------

    def list_tables(self, database: str) -> list[str]:
        """Return the names of all tables of a database; none if it does not exist."""
        # A service may list a table once more for each of its branches.
        return list(dict.fromkeys(self._listed(_TABLES, database)))

    def has_table(self, identifier: Identifier) -> bool:
        """Return whether a table exists, even if its schema cannot be read."""
        return self._found(_TABLES, identifier) is not None

    def get_table(self, identifier: Identifier) -> TableDescription | None:
        """Return a table, or None if it does not exist. Raises Unsupported if it is not one of Paimon's own format."""
        answer = self._found(_TABLES, identifier)
        if answer is None:
            return None
        kind = _type_of(answer)
        if kind not in _PAIMON_TYPES:
            raise Unsupported(
                f"{identifier} is a {kind}, not a Paimon table.",
                "Read it with an engine that knows it, or its files by pvfs://catalog/database/table/file.",
            )
        location = qualify(answer["path"], is_stored=True)
        table = self._table(identifier, answer)
        storage_options = {**self._added, **(self._token(table) if table.has_tokens else {})}
        environment = RestEnvironment(table)
        file_io = self._storage(table, location)
        branch = TableBranch(str(identifier), location, paths.MAIN_BRANCH, file_io, self.lock, self.cache)
        schema = RestSchemaStore(table, branch).of_answer(answer)
        return TableDescription(
            identifier, location, schema, environment, table.uuid, table.is_external, storage_options
        )

    def directory(self, identifier: Identifier) -> TableDirectory | None:
        """Return where the files of a table are, even if it is one of another format; None if it does not exist."""
        answer = self._found(_TABLES, identifier)
        if answer is None:
            return None
        location = qualify(answer["path"], is_stored=True)
        file_io = self._storage(self._table(identifier, answer), location)
        return TableDirectory(location, file_io, _type_of(answer) in _PAIMON_TYPES)

    def create_object_table(self, identifier: Identifier) -> None:
        """Create a table that only contains files. Raises AlreadyExists if there is one."""
        document = {"fields": [], "partitionKeys": [], "primaryKeys": [], "options": {"type": "object-table"}}
        self.api.create_object(_TABLES, identifier.database, identifier.table, document)

    def create_table(self, identifier: Identifier, schema: TableSchema) -> None:
        """Create a table. Raises AlreadyExists if another process was first."""
        # Those that were given are in the schema already.
        defaults = {key.removeprefix(_DEFAULT): value for key, value in self._added.items() if key.startswith(_DEFAULT)}
        document = schema_to_json(replace(schema, options={**defaults, **schema.options}))
        self.api.create_object(_TABLES, identifier.database, identifier.table, document)

    def rename_table(self, old: Identifier, new: Identifier) -> None:
        """Rename a table that exists. Its directory stays where it is."""
        self.api.rename_object(_TABLES, (old.database, old.table), (new.database, new.table))

    def drop_table(self, identifier: Identifier) -> None:
        """Remove a table that exists."""
        self.api.drop_object(_TABLES, identifier.database, identifier.table)

    def storage(self, table: TableDescription) -> FileIO:
        """Return the storage of a table, whose credentials are renewed if the service gives them."""
        assert isinstance(table.environment, RestEnvironment)
        return self._storage(table.environment.table, table.location)

    def list_partitions(self, identifier: Identifier) -> Sequence[PartitionStatistics] | None:
        """Return the partitions of a table; None if the service does not keep them."""
        try:
            found = self.api.partitions(identifier.database, identifier.table)
        except Unsupported:
            return None
        return [_partition(each) for each in found]

    def create_partitions(self, identifier: Identifier, specs: Sequence[Mapping[str, str]]) -> None:
        """Register partitions; those that are registered already are kept."""
        self.api.create_partitions(identifier.database, identifier.table, specs)

    def mark_partitions_done(self, identifier: Identifier, specs: Sequence[Mapping[str, str]]) -> None:
        """Mark partitions as done."""
        self.api.mark_done(identifier.database, identifier.table, specs)

    # --- views and functions --------------------------------------------------------------------------------------

    def list_views(self, database: str) -> list[str]:
        """Return the names of all views of a database."""
        return self._listed(_VIEWS, database)

    def get_view(self, identifier: Identifier) -> View | None:
        """Return a view, or None if it does not exist."""
        answer = self._found(_VIEWS, identifier)
        return None if answer is None else View.from_json(answer["schema"])

    def create_view(self, identifier: Identifier, view: View) -> None:
        """Create a view. Raises AlreadyExists if another process was first."""
        self.api.create_object(_VIEWS, identifier.database, identifier.table, view.to_json())

    def replace_view(self, identifier: Identifier, old: View, new: View) -> None:
        """Change a view. One with another query or other columns is dropped and created, as Java's Spark connector
        does; if the service refuses the new one, the old one is created again."""
        if not has_same_query(old, new):
            self.drop_view(identifier)
            try:
                self.create_view(identifier, new)
            except BaseException as error:
                if self._restored(identifier, old, new, error):
                    raise
            return
        changes = view_changes(old, new)
        if changes:
            self.api.alter_object(_VIEWS, identifier.database, identifier.table, changes)

    def rename_view(self, old: Identifier, new: Identifier) -> None:
        """Rename a view that exists."""
        self.api.rename_object(_VIEWS, (old.database, old.table), (new.database, new.table))

    def drop_view(self, identifier: Identifier) -> None:
        """Remove a view that exists."""
        self.api.drop_object(_VIEWS, identifier.database, identifier.table)

    def list_functions(self, database: str) -> list[str]:
        """Return the names of all functions of a database."""
        return self._listed(_FUNCTIONS, database)

    def get_function(self, identifier: Identifier) -> Function | None:
        """Return a function, or None if it does not exist."""
        answer = self._found(_FUNCTIONS, identifier)
        if answer is None:
            return None
        return Function(
            answer["name"],
            tuple(field_from_json(each) for each in answer.get("inputParams") or ()),
            tuple(field_from_json(each) for each in answer.get("returnParams") or ()),
            bool(answer.get("deterministic", True)),
            answer.get("definitions") or {},
            answer.get("comment"),
            answer.get("options") or {},
        )

    # --- inside ---------------------------------------------------------------------------------------------------

    def _listed(self, kind: str, database: str) -> list[str]:
        try:
            return self.api.list_objects(kind, database)
        except DatabaseNotFound:
            return []

    def _found(self, kind: str, identifier: Identifier) -> Json | None:
        try:
            return self.api.object(kind, identifier.database, identifier.table)
        except (TableNotFound, DatabaseNotFound):
            return None

    def _restored(self, identifier: Identifier, old: View, new: View, error: BaseException) -> bool:
        """Create a view again that was dropped to be replaced; return False if the new one was created after all.

        Raises:
            CatalogError: It cannot be created again; the message has its query.
        """
        try:
            self.create_view(identifier, old)
        except AlreadyExists:
            found = self.get_view(identifier)
            return found is None or not has_same_query(found, new)
        except WorkbenchError as second:
            raise CatalogError(
                f"View {identifier} was dropped to be replaced, and then neither the new nor the old one could be "
                f"created: {second.message}",
                f"When the service answers, create it again; its query was: {old.query}",
            ) from error
        return True

    def _table(self, identifier: Identifier, answer: Json) -> RestTable:
        is_external = bool(answer.get("isExternal"))
        return RestTable(self._options, identifier.database, identifier.table, str(answer["id"]), is_external)

    def _storage(self, table: RestTable, location: str) -> FileIO:
        if not table.has_tokens:
            return self.storages.at(location)
        tokens = tokens_of(table.options, table.database, table.name, table.uuid)
        opener = lambda: TokenFileIO(tokens, lambda token: shown_file_io(location, {**self._options, **token}))  # noqa: E731
        # Its credentials change, so that the storage is known by the table.
        return self.storages.at(location, {"table": table.uuid}, opener)

    def _token(self, table: RestTable) -> Mapping[str, str]:
        return tokens_of(table.options, table.database, table.name, table.uuid).current().options


def _type_of(answer: Json) -> str:
    return str((answer["schema"].get("options") or {}).get("type", "table"))


def _partition(answer: Json) -> PartitionStatistics:
    return PartitionStatistics(
        {str(key): str(value) for key, value in answer["spec"].items()},
        int(answer["recordCount"]),
        int(answer["fileSizeInBytes"]),
        int(answer["fileCount"]),
        int(answer["lastFileCreationTime"]),
        int(answer.get("totalBuckets", 0)),
    )
