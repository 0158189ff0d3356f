"""The databases of a catalog, by name."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from workbench.base.arguments import checked
from workbench.base.card import Names
from workbench.base.counting import counted
from workbench.base.errors import AlreadyExists, CatalogError, DatabaseNotFound, did_you_mean
from workbench.catalog.descriptions import Database
from workbench.catalog.identifier import SYSTEM_DATABASE, Identifier, check_name

if TYPE_CHECKING:
    from workbench.catalog.metastore import Metastore


class CatalogDatabases:
    """The verbs of a catalog for databases."""

    metastore: Metastore

    def check_writable(self) -> None:
        """Raise ReadOnlyCatalogError if the catalog was opened read-only."""
        raise NotImplementedError

    def _require_database(self, name: str) -> None:
        self.get_database(name)

    def _database_to_change(self, name: str) -> Database:
        """Return a database in which something is created or changed. Raises CatalogError if it is ``sys``."""
        if name == SYSTEM_DATABASE:
            raise CatalogError(f"'{name}' is the database of system tables, which is read-only.", "Name another one.")
        return self.get_database(name)

    def _similar_database(self, name: str) -> str | None:
        """Return a hint at a database with a similar name; None if there is none, or if the directory is gone."""
        with suppress(CatalogError):
            return did_you_mean(name, self.metastore.list_databases())
        return None

    def list_databases(self) -> list[str]:
        """Return the names of all databases, sorted.

        Raises:
            CatalogError: The directory of the catalog does not exist, or contains other files but no database; or the
                service does not answer or refuses the request.
        """
        return Names(sorted(self.metastore.list_databases()), f"Databases in {self.metastore.address}", "database")

    @checked
    def get_database(self, name: str) -> Database:
        """Return a database: its location, comment and properties. Raises DatabaseNotFound."""
        if name == SYSTEM_DATABASE:
            return Database(name)
        found = self.metastore.get_database(check_name(name, "database"))
        if found is None:
            hint = self._similar_database(name)
            raise DatabaseNotFound(f"There is no database '{name}' in {self.metastore.address}.", hint)
        return found

    @checked
    def create_database(
        self,
        name: str,
        exist_ok: bool = False,
        *,
        location: str | None = None,
        comment: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        """Create a database.

        Args:
            name: Its name.
            exist_ok: Whether to keep a database that exists.
            location: The directory of its tables; by default ``<warehouse>/<name>.db``.
            comment: What it is for.
            properties: Its other properties.

        Raises:
            AlreadyExists: There is a database of this name.
            Unsupported: The catalog cannot keep a location, comment or properties.
        """
        self.check_writable()
        check_name(name, "database")
        if name == SYSTEM_DATABASE:
            raise CatalogError(f"'{name}' is the database of system tables.", "Choose another name.")
        if "." in name:
            raise CatalogError(
                f"The name '{name}' of a database contains a dot, which separates it from the names of tables.",
                "Use an underscore instead.",
            )
        if self.metastore.get_database(name) is not None:
            if exist_ok:
                return
            raise AlreadyExists(f"Database '{name}' already exists.", "Pass exist_ok=True to use it.")
        try:
            self.metastore.create_database(Database(name, location, comment, dict(properties or {})))
        except AlreadyExists:
            # Another process was first.
            if not exist_ok:
                raise

    @checked
    def alter_database(self, name: str, properties: Mapping[str, str | None]) -> None:
        """Set properties of a database; the value None removes one. The comment is the property ``comment``.

        Raises:
            DatabaseNotFound: There is no such database.
            Unsupported: The catalog has no properties of databases.

        Example:
            >>> catalog.alter_database("shop", {"owner": "sales", "comment": None})
        """
        self.check_writable()
        self.metastore.alter_database(self._database_to_change(name), dict(properties))

    @checked
    def drop_database(self, name: str, cascade: bool = False) -> None:
        """Remove a database, including its tables and their data if ``cascade`` is set.

        Raises:
            DatabaseNotFound: The database does not exist.
            CatalogError: It contains tables or views, and ``cascade`` is not set; or tables of other formats
                or views of other engines. Nothing is dropped then.
        """
        self.check_writable()
        database = self._database_to_change(name)
        self._check_all_ours(name)
        tables, views = self.metastore.list_tables(name), self.metastore.list_views(name)
        if (tables or views) and not cascade:
            what = counted(len(tables), "tables") if tables else counted(len(views), "views")
            raise CatalogError(f"Database '{name}' contains {what}.", "Pass cascade=True to drop them too.")
        for table in tables:
            self.metastore.owner_check(Identifier(name, table)).check()
        for view in views:
            self.metastore.drop_view(Identifier(name, view))
        self.metastore.drop_tables(name, tables)
        self.metastore.drop_database(database)

    def _check_all_ours(self, name: str) -> None:
        """Raise CatalogError if a database has tables or views that Paimon did not create."""
        tables, views = self.metastore.list_other_tables(name), self.metastore.list_other_views(name)
        parts = [
            f"{counted(len(found), what)} of other {owners}: {', '.join(found)}"
            for found, what, owners in ((tables, "tables", "formats"), (views, "views", "engines"))
            if found
        ]
        if parts:
            raise CatalogError(
                f"Database '{name}' contains {'; '.join(parts)}.", "Drop them with the engine that created them."
            )
