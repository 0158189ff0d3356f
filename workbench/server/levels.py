"""The LSM trees of a table's buckets."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from workbench.server.parameters import DEFAULT_BUCKETS
from workbench.server.resource import ResourceHandler, page_arguments, version_arguments


class LevelsHandler(ResourceHandler):
    """``…/tables/{table}/levels``."""

    @authenticated
    @authorized
    async def get(self, catalog: str, database: str, table: str) -> None:
        """A page of buckets, and one of them with its files."""
        given = self.parameters("snapshot", "tag", "bucket", "cursor", "limit")
        place = self.table_arguments(catalog, database, table)
        page = page_arguments(given, DEFAULT_BUCKETS)
        await self.respond("levels", {**place, **version_arguments(given), "bucket": given.get("bucket"), **page})
