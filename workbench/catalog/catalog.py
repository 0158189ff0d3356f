"""Catalogs: the verbs for databases and tables by name, the same for every kind of metastore."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from workbench.base.arguments import checked
from workbench.base.card import Card, HasCard, Names, shortened
from workbench.base.clock import Clock, SystemClock
from workbench.base.errors import (
    AlreadyExists,
    CatalogError,
    TableNotFound,
    Unsupported,
    WorkbenchError,
    did_you_mean,
)
from workbench.base.ids import IdSource, RandomIds
from workbench.base.parallel import parallel_map
from workbench.catalog.catalog_databases import CatalogDatabases
from workbench.catalog.catalog_migrations import CatalogMigrations
from workbench.catalog.catalog_views import CatalogViews
from workbench.catalog.descriptions import TableDescription
from workbench.catalog.identifier import SYSTEM_DATABASE, Identifier, check_name
from workbench.catalog.metastore import Metastore
from workbench.catalog.tables import appears, open_system_table, open_table, read_only_error, schema_of_new_table
from workbench.metadata.definition.columns import Columns
from workbench.metadata.refs.branches import open_branch
from workbench.metadata.runtime import TableRuntime
from workbench.metadata.store import TableStore
from workbench.storage.read_only import check_writable, is_read_only
from workbench.table.table import Table

if TYPE_CHECKING:
    from workbench.metadata.protocol import PartitionStatistics
    from workbench.table.readable_table import ReadableTable
    from workbench.table.schema_changes.changes import SchemaChange
    from workbench.table.schema_changes.commit import Alteration


_OPENERS = 16


class Catalog(CatalogDatabases, CatalogMigrations, CatalogViews, HasCard):
    """A catalog of databases, tables, views and functions by name. ``wb.connect`` opens one.

    Args:
        metastore: What knows the databases and tables.
        warehouse: The directory of new databases, or the name of the warehouse in the service.
        options: Paimon's catalog options.
        clock: The source of times.
        ids: The source of unique names.
    """

    metastore: Metastore
    """What knows the databases and tables."""

    warehouse: str
    """The directory of new databases, or the name of the warehouse in the service."""

    options: Mapping[str, str]
    """Paimon's catalog options. Given these options, ``wb.connect`` opens the same catalog."""

    def __init__(
        self,
        metastore: Metastore,
        warehouse: str,
        options: Mapping[str, str],
        clock: Clock | None = None,
        ids: IdSource | None = None,
    ) -> None:
        self.metastore = metastore
        self.warehouse = warehouse
        self.options = options
        self.clock = clock or SystemClock()
        self.ids = ids or RandomIds()
        self._warned: set[tuple[Identifier, str]] = set()

    def __repr__(self) -> str:
        return f"<Catalog of {self.metastore.address}>"

    def __getstate__(self) -> NoReturn:
        """Refuse to be pickled: a catalog has open connections."""
        raise Unsupported(
            "A catalog cannot be pickled or copied.",
            "Pass its options, and open it there: wb.connect(catalog.options).",
        )

    def _card(self) -> Card:
        """Return the warehouse and its databases."""
        place: tuple[tuple[str, str], ...] = (("warehouse", self.warehouse),)
        if self.metastore.address != self.warehouse:
            place = ((self.metastore.kind, self.metastore.address), *place)
        try:
            names = tuple((name,) for name in self.list_databases())
        except (WorkbenchError, OSError) as error:
            return Card("Catalog", (*place, ("databases", f"cannot be listed: {error}")))
        access = (("access", "read-only"),) if is_read_only(self.options) else ()
        return shortened(Card("Catalog", (*place, *access), ("database",), names), "database")

    def check_writable(self) -> None:
        """Raise ReadOnlyCatalogError if the catalog was opened read-only."""
        check_writable(self.metastore.address, self.options)

    # --- tables ---------------------------------------------------------------------------------------------------

    @checked
    def list_tables(self, database: str) -> list[str]:
        """Return the names of all tables of a database, sorted; the tables of ``sys`` describe the catalog itself.
        Raises DatabaseNotFound."""
        if database == SYSTEM_DATABASE:
            from workbench.catalog.system import catalog_tables

            return catalog_tables(self.options)
        tables = self.metastore.list_tables(check_name(database, "database"))
        if not tables:
            self._require_database(database)
        return Names(sorted(tables), f"Tables in {database}", "table")

    @checked
    def list_other_tables(self, database: str) -> list[str]:
        """Return the names of the tables of other formats that the metastore has in a database, sorted. They are never
        read or changed. Raises DatabaseNotFound."""
        self._require_database(database)
        others = [] if database == SYSTEM_DATABASE else self.metastore.list_other_tables(database)
        return Names(sorted(others), f"Other tables in {database}", "table")

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
        self.check_writable()
        identifier = Identifier.parse(name, whole=True)
        self._database_to_change(identifier.database)
        if self.metastore.has_table(identifier):
            if exist_ok:
                return self.get_table(name)
            raise AlreadyExists(f"Table {identifier} already exists.", "Pass exist_ok=True to use the existing table.")
        if self.metastore.get_view(identifier) is not None:
            raise AlreadyExists(f"{identifier} is a view.", "Choose another name for the table.")
        now = self.clock.now_millis()
        new = schema_of_new_table(schema, primary_key, partition_by, options, comment, self.options, now)
        try:
            self.metastore.create_table(identifier, new)
        except AlreadyExists:
            if not exist_ok or not appears(self.metastore, identifier, self.clock):
                raise
        return self.get_table(name)

    @checked
    def get_table(self, name: str | Identifier) -> Table:
        """Open a table at its newest version, or a branch of it (``db.t$branch_b``). `open` opens system tables, too.

        Pass an `Identifier` if the parts of the name are ambiguous as text.

        Raises:
            DatabaseNotFound, TableNotFound: It does not exist; the message suggests the most similar name.
            CatalogError: It is a system table, or a table of ``sys``.
            CorruptFile: The schema of the table cannot be read.
            Unsupported: A stored option is not supported for this table.

        Example:
            >>> catalog.get_table("shop.orders").write([{"id": 1, "qty": 3}])
        """
        identifier = name if isinstance(name, Identifier) else Identifier.parse(name)
        if identifier.is_system:
            raise read_only_error(identifier)
        return open_table(self._store(identifier.whole), identifier, self._warned)

    @checked
    def find_table(self, name: str | Identifier) -> Table | None:
        """Open a table at its newest version; return None if there is no table of that name, such as if a view has it.

        Raises:
            CorruptFile: The schema of the table cannot be read.
            Unsupported: A stored option is not supported for this table.

        Example:
            >>> catalog.find_table("shop.orders") is None
            False
        """
        identifier = name if isinstance(name, Identifier) else Identifier.parse(name, whole=True)
        found = self.metastore.get_table(identifier)
        return None if found is None else open_table(self._store_of(found), identifier, self._warned)

    @checked
    def open(self, name: str | Identifier) -> ReadableTable:
        """Open what can be read under a name: a table, a branch or a system table.

        Raises:
            DatabaseNotFound, TableNotFound: It does not exist, and the message suggests the most similar name; or it is
                a view, which is read by SQL.
            CorruptFile: The schema of the table cannot be read.
            Unsupported: ``sys.catalog_options`` is not enabled; or a stored option is not supported for this table.

        Example:
            >>> catalog.open("shop.orders$snapshots").to_arrow()
        """
        identifier = name if isinstance(name, Identifier) else Identifier.parse(name)
        if identifier.database == SYSTEM_DATABASE:
            from workbench.catalog.system import CatalogFacts, open_catalog_table

            return open_catalog_table(CatalogFacts(self.options, self._stores), identifier)
        if identifier.system is not None:
            return open_system_table(self._store(identifier.whole), identifier)
        return self.get_table(identifier)

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

        self.check_writable()
        identifier = Identifier.parse(name)
        if identifier.is_system:
            raise CatalogError(f"{identifier} is a system table and cannot be altered.")
        store = self._store(identifier.whole)
        store.runtime.owner.check()
        if identifier.branch is not None:
            store = open_branch(store, identifier.branch)
        return alter_table(store, changes)

    @checked
    def rename_table(self, name: str, new_name: str) -> None:
        """Rename a table. Where the catalog chose its directory by its name, the directory is moved.

        Raises:
            TableNotFound, DatabaseNotFound: The table, or the database of the new name, does not exist.
            AlreadyExists: There is a table or view of the new name.
            CatalogError: It is in a directory that belongs to another configured catalog.
        """
        self.check_writable()
        old, new = Identifier.parse(name, whole=True), Identifier.parse(new_name, whole=True)
        self._require_table(old)
        self._database_to_change(new.database)
        if self.metastore.has_table(new) or self.metastore.get_view(new) is not None:
            raise AlreadyExists(f"Table {new} already exists.")
        self.metastore.owner_check(old).check()
        try:
            self.metastore.rename_table(old, new)
        except FileExistsError as error:
            raise AlreadyExists(
                f"{old} cannot be renamed to {new}: the directory of that name exists already.",
                "Delete the directory, or choose another name.",
            ) from error

    @checked
    def drop_table(self, name: str, missing_ok: bool = False) -> None:
        """Remove a table, with its data unless it is external.

        Raises:
            TableNotFound: There is no such table, and ``missing_ok`` is not set.
            CatalogError: It is in a directory that belongs to another configured catalog.
        """
        self.check_writable()
        identifier = Identifier.parse(name, whole=True)
        if missing_ok and not self.metastore.has_table(identifier):
            return
        self._require_table(identifier)
        self.metastore.owner_check(identifier).check()
        try:
            self.metastore.drop_table(identifier)
        except TableNotFound:
            # Another process was first.
            if not missing_ok:
                raise

    @checked
    def list_partitions(self, name: str) -> list[PartitionStatistics]:
        """Return the partitions of a table: as its catalog knows them, or else those that have files.

        Raises:
            DatabaseNotFound, TableNotFound: There is no such table.
        """
        from workbench.catalog.tables import partitions_with_files

        identifier = Identifier.parse(name, whole=True)
        self._require_table(identifier)
        known = self.metastore.list_partitions(identifier)
        return partitions_with_files(self._store(identifier)) if known is None else list(known)

    @checked
    def create_partitions(self, name: str, partitions: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> bool:
        """Register partitions before they have rows, so that other engines see them. Partitions with rows are
        registered by commits.

        Args:
            name: The table.
            partitions: The values of all partition columns, or a list of such mappings. Those that are registered
                already are kept.

        Returns:
            Whether the catalog has the partitions of the table: with its option ``metastore.partitioned-table``, in
            catalogs of kind hive and rest.

        Raises:
            DatabaseNotFound, TableNotFound: There is no such table.
            InvalidRequest: The table has no partitions, or a column has no value.
            SchemaMismatch: A name is not a partition column, or a value does not fit its column.

        Example:
            >>> catalog.create_partitions("shop.orders", {"day": "2026-11-02"})
        """
        from workbench.table.maintenance.mark_done import directory_of, spec_of_directory

        self.check_writable()
        identifier = Identifier.parse(name, whole=True)
        store = self._store(identifier)
        given = [partitions] if isinstance(partitions, Mapping) else partitions
        specs = [spec_of_directory(directory_of(store, each)) for each in given]
        is_kept = store.schema.options.get("metastore.partitioned-table", "false").lower() == "true"
        if not (is_kept and self.metastore.keeps_partitions):
            return False
        self.metastore.create_partitions(identifier, specs)
        return True

    # --- inside ---------------------------------------------------------------------------------------------------

    def _store(self, identifier: Identifier) -> TableStore:
        found = self.metastore.get_table(identifier)
        if found is None:
            raise self._not_found(identifier)
        return self._store_of(found)

    def _store_of(self, table: TableDescription) -> TableStore:
        return TableStore(str(table.identifier), table.location, table.schema, self._runtime(table))

    def _stores(self) -> list[TableStore]:
        """Return the stores of all tables of all databases, sorted by name. It warns about those that cannot be opened:
        entries without files, and tables of other formats that a service lists."""
        names = [Identifier(base, table) for base in self.list_databases() for table in self.list_tables(base)]
        found = parallel_map(self._store_or_error, names, workers=_OPENERS)
        for each in found:
            if isinstance(each, WorkbenchError):
                warnings.warn(f"Left out: {each}", stacklevel=4)
        return [each for each in found if isinstance(each, TableStore)]

    def _store_or_error(self, identifier: Identifier) -> TableStore | TableNotFound | Unsupported:
        try:
            return self._store(identifier)
        except (TableNotFound, Unsupported) as error:
            return error

    def _runtime(self, table: TableDescription) -> TableRuntime:
        return TableRuntime(
            self.metastore.storage(table),
            {**self.options, **table.storage_options} if table.storage_options else self.options,
            self.clock,
            self.ids,
            self.metastore.lock,
            self.metastore.cache,
            self.metastore.roots,
            table.environment,
            self.metastore.owner_check(table.identifier),
        )

    def _require_table(self, identifier: Identifier) -> None:
        if not self.metastore.has_table(identifier):
            raise self._not_found(identifier)

    def _not_found(self, identifier: Identifier) -> WorkbenchError:
        """Return the error that there is no such table, or that it is a view or a system table."""
        if identifier.database == SYSTEM_DATABASE:
            return read_only_error(identifier)
        self._require_database(identifier.database)
        if self.metastore.get_view(identifier) is not None:
            return TableNotFound(
                f"{identifier} is a view.", f"Read it by SQL, as in a cell %%paimon: SELECT * FROM {identifier}"
            )
        known = [*self.metastore.list_tables(identifier.database), *self.metastore.list_views(identifier.database)]
        return TableNotFound(f"There is no table {identifier}.", did_you_mean(identifier.table, known))
