"""``spark.catalog`` of an attached session of Spark Connect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.catalog import CatalogMetadata, Column, Database, Table
from pyspark.sql.connect.catalog import Catalog

from workbench.base.errors import DatabaseNotFound, TableNotFound
from workbench.spark.types import spark_schema
from workbench.sql.commands.show import like
from workbench.sql.cursor import Cursor

if TYPE_CHECKING:
    from workbench.sql.session.connect.position import Position


class ConnectCatalog(Catalog):
    """The catalogs of a session: the server's catalogs and the attached catalogs.

    Args:
        session: The session.
        position: The attached catalogs, and which of them is current.
    """

    def __init__(self, session: Any, position: Position) -> None:
        super().__init__(session)
        self._at = position

    def has_view(self, name: str) -> bool:
        """Return whether the server has a temporary view or a table under an unqualified name."""
        return bool(super().tableExists(name))

    def dropTempView(self, viewName: str) -> bool:  # noqa: N802, N803
        """Drop a temporary view, and return whether it existed."""
        self._at.views.pop(viewName.lower(), None)
        return bool(super().dropTempView(viewName))

    def currentCatalog(self) -> str:  # noqa: N802
        """Return the current catalog."""
        return self._at.catalog or str(super().currentCatalog())

    def setCurrentCatalog(self, catalogName: str) -> None:  # noqa: N802, N803
        """Choose a catalog."""
        if catalogName in self._at.catalogs:
            self._at.choose(catalogName)
            return
        super().setCurrentCatalog(catalogName)
        self._at.catalog = None

    def listCatalogs(self, pattern: str | None = None) -> list[CatalogMetadata]:  # noqa: N802
        """Return the catalogs."""
        attached = [CatalogMetadata(name, None) for name in like(self._at.catalogs, pattern)]
        return [*attached, *super().listCatalogs(pattern)]

    def currentDatabase(self) -> str:  # noqa: N802
        """Return the current database."""
        return str(super().currentDatabase()) if self._at.catalog is None else self._at.database

    def setCurrentDatabase(self, dbName: str) -> None:  # noqa: N802, N803
        """Choose a database."""
        if self._at.catalog is None:
            super().setCurrentDatabase(dbName)
        else:
            self._at.choose(self._at.catalog, dbName)

    def listDatabases(self, pattern: str | None = None) -> list[Database]:  # noqa: N802
        """Return the databases of the current catalog."""
        if self._at.catalog is None:
            return list(super().listDatabases(pattern))
        names = like(self._at.catalogs[self._at.catalog].list_databases(), pattern)
        return [Database(name, self._at.catalog, None, "") for name in names]

    def databaseExists(self, dbName: str) -> bool:  # noqa: N802, N803
        """Return whether there is a database."""
        catalog, database = self._database(dbName)
        if catalog is None:
            return bool(super().databaseExists(dbName))
        return database in self._at.catalogs[catalog].list_databases()

    def listTables(self, dbName: str | None = None, pattern: str | None = None) -> list[Table]:  # noqa: N802, N803
        """Return the tables of a database, or of the current one, and the temporary views."""
        catalog, database = self._database(dbName)
        if catalog is None:
            return list(super().listTables(dbName, pattern))
        names = like(self._at.catalogs[catalog].list_tables(database), pattern)
        tables = [Table(name, catalog, [database], None, "MANAGED", isTemporary=False) for name in names]
        return [*tables, *(each for each in super().listTables(pattern=pattern) if each.isTemporary)]

    def getTable(self, tableName: str) -> Table:  # noqa: N802, N803
        """Return a table."""
        found = self._table(tableName)
        if found is None:
            return super().getTable(tableName)
        catalog, database, table = found
        return Table(table.name.split(".")[-1], catalog, [database], table.schema.comment, "MANAGED", isTemporary=False)

    def tableExists(self, tableName: str, dbName: str | None = None) -> bool:  # noqa: N802, N803
        """Return whether there is a table or a temporary view."""
        name = tableName if dbName is None else f"{dbName}.{tableName}"
        try:
            return self._table(name) is not None or bool(super().tableExists(name))
        except (TableNotFound, DatabaseNotFound):
            return len(Cursor(name).path()) == 1 and self.has_view(name)

    def listColumns(self, tableName: str, dbName: str | None = None) -> list[Column]:  # noqa: N802, N803
        """Return the columns of a table."""
        name = tableName if dbName is None else f"{dbName}.{tableName}"
        found = self._table(name)
        if found is None:
            return list(super().listColumns(name))
        _, _, table = found
        return [
            Column(
                name=field.name,
                description=field.description,
                dataType=spark_schema([field]).fields[0].dataType.simpleString(),
                nullable=field.type.nullable,
                isPartition=field.name in table.partition_keys,
                isBucket=False,
                isCluster=False,
            )
            for field in table.schema.fields
        ]

    def _database(self, name: str | None) -> tuple[str | None, str]:
        """Return the attached catalog and the database of a name; no catalog if the server has the database."""
        parts = () if name is None else Cursor(name).path()
        if len(parts) == 2 and parts[0] in self._at.catalogs:
            return parts[0], parts[1]
        if len(parts) < 2 and self._at.catalog is not None:
            return self._at.catalog, parts[0] if parts else self._at.database
        return None, ""

    def _table(self, name: str) -> tuple[str, str, Any] | None:
        found = self._at.full_name(Cursor(name).path())
        if found is None:
            return None
        catalog, database, table = found
        return catalog, database, self._at.catalogs[catalog].open(f"{database}.{table}")
