"""The views and functions of a catalog, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.base.arguments import checked
from workbench.base.card import Names
from workbench.base.errors import AlreadyExists, InvalidSchema, TableNotFound, did_you_mean
from workbench.catalog.descriptions import Database, Function, View
from workbench.catalog.identifier import SYSTEM_DATABASE, Identifier, check_name
from workbench.metadata.definition.columns import Columns

if TYPE_CHECKING:
    from workbench.catalog.metastore import Metastore


class CatalogViews:
    """The verbs of a catalog for views and functions."""

    metastore: Metastore

    def check_writable(self) -> None:
        """Raise ReadOnlyCatalogError if the catalog was opened read-only."""
        raise NotImplementedError

    def _require_database(self, name: str) -> None:
        raise NotImplementedError

    def _database_to_change(self, name: str) -> Database:
        raise NotImplementedError

    @property
    def has_views(self) -> bool:
        """Whether catalogs of this kind can have views."""
        from workbench.catalog.metastore import Metastore

        return type(self.metastore).get_view is not Metastore.get_view

    @checked
    def list_views(self, database: str) -> list[str]:
        """Return the names of all views of a database, sorted. Raises DatabaseNotFound.

        Example:
            >>> catalog.list_views("shop")
        """
        found = [] if database == SYSTEM_DATABASE else self.metastore.list_views(check_name(database, "database"))
        if not found:
            self._require_database(database)
        return Names(sorted(found), f"Views in {database}", "view")

    @checked
    def get_view(self, name: str) -> View:
        """Return a view: its query and its columns. It is read by SQL, as in ``%%paimon``.

        Raises:
            DatabaseNotFound, TableNotFound: It does not exist; the message suggests the most similar name.
        """
        return self._view(Identifier.parse(name, whole=True))

    @checked
    def create_view(
        self,
        name: str,
        query: str,
        schema: Columns,
        *,
        dialects: Mapping[str, str] | None = None,
        comment: str | None = None,
        options: Mapping[str, str] | None = None,
        exist_ok: bool = False,
    ) -> View:
        """Create a view: a query that is run whenever the view is read.

        Args:
            name: ``database.view``.
            query: The query. Tables in it have the names that the engine uses that created the view.
            schema: The columns of its result: an Arrow schema, or column names with Paimon types.
            dialects: The query in the dialects of engines, by their names, such as ``spark`` and ``flink``.
            comment: What it is for.
            options: Its properties.
            exist_ok: Whether to keep a view that exists.

        Returns:
            The view.

        Raises:
            AlreadyExists: There is a view or a table of this name.
            DatabaseNotFound: There is no such database.
            Unsupported: The catalog has no views.

        Example:
            >>> catalog.create_view("shop.large", "SELECT id FROM shop.orders WHERE qty > 9", {"id": "BIGINT"})
        """
        # Loaded here, because opening a table does not need it.
        from workbench.metadata.definition.new_schema import new_table_schema

        self.check_writable()
        identifier = Identifier.parse(name, whole=True)
        self._database_to_change(identifier.database)
        existing = self.metastore.get_view(identifier)
        if existing is not None and exist_ok:
            return existing
        self._check_free(identifier, existing is not None)
        if not query.strip():
            raise InvalidSchema(f"View {identifier} has no query.", "Pass the text of a SELECT statement.")
        fields = new_table_schema(schema, time_millis=0).fields
        view = View(fields, query, dict(dialects or {}), comment, dict(options or {}))
        try:
            self.metastore.create_view(identifier, view)
        except AlreadyExists:
            # Another process was first.
            existing = self.metastore.get_view(identifier) if exist_ok else None
            if existing is None:
                raise
            return existing
        return view

    @checked
    def alter_view(self, name: str, view: View) -> View:
        """Replace a view. Raises DatabaseNotFound, TableNotFound, Unsupported.

        Example:
            >>> catalog.alter_view("shop.large", dataclasses.replace(catalog.get_view("shop.large"), comment="hot"))
        """
        self.check_writable()
        identifier = Identifier.parse(name, whole=True)
        self.metastore.replace_view(identifier, self._view(identifier), view)
        return view

    @checked
    def rename_view(self, name: str, new_name: str) -> None:
        """Rename a view. Its query is kept as it is: names without a database mean tables of the database of the view,
        so others in another database. Raises DatabaseNotFound, TableNotFound, AlreadyExists, Unsupported."""
        self.check_writable()
        old, new = Identifier.parse(name, whole=True), Identifier.parse(new_name, whole=True)
        self._view(old)
        self._database_to_change(new.database)
        self._check_free(new, self.metastore.get_view(new) is not None)
        self.metastore.rename_view(old, new)

    @checked
    def drop_view(self, name: str, missing_ok: bool = False) -> None:
        """Remove a view. Raises TableNotFound unless ``missing_ok``."""
        self.check_writable()
        identifier = Identifier.parse(name, whole=True)
        if missing_ok and self.metastore.get_view(identifier) is None:
            return
        self._view(identifier)
        try:
            self.metastore.drop_view(identifier)
        except TableNotFound:
            # Another process was first.
            if not missing_ok:
                raise

    @checked
    def list_functions(self, database: str) -> list[str]:
        """Return the names of all functions of a database, sorted. Raises DatabaseNotFound."""
        found = [] if database == SYSTEM_DATABASE else self.metastore.list_functions(check_name(database, "database"))
        if not found:
            self._require_database(database)
        return Names(sorted(found), f"Functions in {database}", "function")

    @checked
    def get_function(self, name: str) -> Function:
        """Return a function, to look at: only the engines that its definitions name can call it.

        Raises:
            DatabaseNotFound, TableNotFound: It does not exist; the message suggests the most similar name.
        """
        identifier = Identifier.parse(name, whole=True)
        found = self.metastore.get_function(identifier)
        if found is None:
            known = self.list_functions(identifier.database)
            raise TableNotFound(f"There is no function {identifier}.", did_you_mean(identifier.table, known))
        return found

    def _view(self, identifier: Identifier) -> View:
        found = self.metastore.get_view(identifier)
        if found is None:
            known = self.list_views(identifier.database)
            raise TableNotFound(f"There is no view {identifier}.", did_you_mean(identifier.table, known))
        return found

    def _check_free(self, identifier: Identifier, is_view: bool) -> None:
        if is_view:
            raise AlreadyExists(f"View {identifier} already exists.", "Replace it with alter_view.")
        if self.metastore.has_table(identifier):
            raise AlreadyExists(f"{identifier} is a table.", "Choose another name for the view.")
