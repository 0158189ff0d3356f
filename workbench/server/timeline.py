"""The snapshots and tags of a table."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from workbench.server.resource import ResourceHandler, page_arguments


class TimelineHandler(ResourceHandler):
    """``…/tables/{table}/timeline``."""

    @authenticated
    @authorized
    async def get(self, catalog: str, database: str, table: str) -> None:
        """A page of snapshots, the newest first, and all tags."""
        page = page_arguments(self.parameters("cursor", "limit"))
        await self.respond("timeline", {**self.table_arguments(catalog, database, table), **page})
