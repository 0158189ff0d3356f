"""The databases of a catalog."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from workbench.server.resource import ResourceHandler, page_arguments


class DatabasesHandler(ResourceHandler):
    """``catalogs/{catalog}/databases``."""

    @authenticated
    @authorized
    async def get(self, catalog: str) -> None:
        """A page of names."""
        given = self.parameters("search", "cursor", "limit")
        arguments = {**self.catalog_arguments(catalog), "search": given.get("search", ""), **page_arguments(given)}
        await self.respond("databases", arguments)
