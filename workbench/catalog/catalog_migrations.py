"""Hive tables of a catalog that become Paimon tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.base.arguments import checked
from workbench.base.errors import Cancelled, Unsupported, WorkbenchError
from workbench.base.progress import Progress
from workbench.catalog.identifier import Identifier

if TYPE_CHECKING:
    from workbench.catalog.descriptions import Database
    from workbench.catalog.metastore import Metastore
    from workbench.table.table import Table


class CatalogMigrations:
    """The verbs of a catalog for tables of Hive's own formats."""

    metastore: Metastore

    def check_writable(self) -> None:
        """Raise ReadOnlyCatalogError if the catalog was opened read-only."""
        raise NotImplementedError

    def get_database(self, name: str) -> Database:
        """Return a database. Raises DatabaseNotFound."""
        raise NotImplementedError

    @checked
    def migrate_table(
        self,
        name: str,
        target: str | None = None,
        *,
        options: Mapping[str, str] | None = None,
        delete_origin: bool = True,
        progress: Progress | None = None,
    ) -> Table:
        """Turn a Hive table of Parquet, ORC or Avro files into a Paimon table without writing its rows again.

        Its files become data files of an append table: they are moved, or copied where the storage is another one, an
        object store, or the original is kept. If this fails, they are moved back; after a killed process, the next call
        does that, or completes the work. Stop the writers of the table before.

        Args:
            name: The Hive table.
            target: The name of a new table, or of one with the same columns; by default, the table takes the place of
                the original.
            options: Options of the new table.
            delete_origin: Whether the original is dropped.
            progress: Reports progress, and can cancel.

        Returns:
            The table with its rows.

        Raises:
            Unsupported: The catalog is of another kind; or the table is a view, transactional, or of another format.
            TableNotFound: There is no such Hive table.
            SchemaMismatch: A file has other names of columns than the table.
            CatalogError: Another process migrates the table; or files were written to it at the same time.

        Example:
            >>> catalog.migrate_table("shop.orders", options={"target-file-size": "256 mb"})
        """
        self._check_migrates()
        source = Identifier.parse(name, whole=True)
        self.get_database(source.database)
        wanted = None if target is None else Identifier.parse(target, whole=True)
        return self._migrated(source, wanted, dict(options or {}), delete_origin, progress or Progress())

    @checked
    def migrate_database(
        self, name: str, *, options: Mapping[str, str] | None = None, progress: Progress | None = None
    ) -> dict[str, Table | WorkbenchError]:
        """Turn all Hive tables of a database into Paimon tables, as `migrate_table` does.

        Args:
            name: The database.
            options: Options of the new tables.
            progress: Reports progress, and can cancel.

        Returns:
            For each Hive table by its name, the new table, or why it was not migrated.

        Raises:
            Unsupported: The catalog is of another kind.
            DatabaseNotFound: There is no such database.

        Example:
            >>> catalog.migrate_database("shop")
        """
        self._check_migrates()
        database = self.get_database(name)
        found: dict[str, Table | WorkbenchError] = {}
        for each in self.metastore.list_other_tables(database.name):
            try:
                found[each] = self.migrate_table(f"{name}.{each}", options=options, progress=progress)
            except Cancelled:
                raise
            except WorkbenchError as error:
                found[each] = error
        return found

    def _migrated(
        self,
        source: Identifier,
        target: Identifier | None,
        options: Mapping[str, str],
        delete_origin: bool,
        progress: Progress,
    ) -> Table:
        """Migrate a table; see `migrate_table`. Catalogs that can have Hive tables override this."""
        raise NotImplementedError

    def _check_migrates(self) -> None:
        self.check_writable()
        if type(self)._migrated is CatalogMigrations._migrated:
            raise Unsupported(
                f"Catalogs with 'metastore' = '{self.metastore.kind}' have no Hive tables to migrate.",
                "Open the catalog of kind hive that has the table.",
            )
