"""The versions of a table's schema."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from workbench.server.resource import ResourceHandler, version_arguments


class SchemaHandler(ResourceHandler):
    """``…/tables/{table}/schema``."""

    @authenticated
    @authorized
    async def get(self, catalog: str, database: str, table: str) -> None:
        """All versions, and which one the asked version of the table has."""
        version = version_arguments(self.parameters("snapshot", "tag"))
        await self.respond("schema", {**self.table_arguments(catalog, database, table), **version})
