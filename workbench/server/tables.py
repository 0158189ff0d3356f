"""The tables of a database, and one of them at a glance."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from workbench.server.resource import ResourceHandler, page_arguments, version_arguments


class TablesHandler(ResourceHandler):
    """``catalogs/{catalog}/databases/{database}/tables``."""

    @authenticated
    @authorized
    async def get(self, catalog: str, database: str) -> None:
        """A page of names."""
        given = self.parameters("search", "cursor", "limit")
        place = self.database_arguments(catalog, database)
        await self.respond("tables", {**place, "search": given.get("search", ""), **page_arguments(given)})


class TableHandler(ResourceHandler):
    """``catalogs/{catalog}/databases/{database}/tables/{table}``."""

    @authenticated
    @authorized
    async def get(self, catalog: str, database: str, table: str) -> None:
        """The summary of a version."""
        version = version_arguments(self.parameters("snapshot", "tag"))
        place = self.table_arguments(catalog, database, table)
        self.log.info("Paimon workbench: table %r of %r in catalog %r is opened", table, database, catalog)
        await self.respond("summary", {**place, **version})
