"""Which resource answers which address. Names in addresses are percent-encoded, so that no name has a slash there."""

from __future__ import annotations

import re

from jupyter_server.auth.decorator import authorized
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError, RequestHandler, authenticated

from workbench.server.catalogs import CatalogHandler, CatalogsHandler
from workbench.server.databases import DatabasesHandler
from workbench.server.environment import EnvironmentHandler
from workbench.server.levels import LevelsHandler
from workbench.server.news import NewsHandler
from workbench.server.resource import RESOURCE, ResourceHandler
from workbench.server.schema import SchemaHandler
from workbench.server.tables import TableHandler, TablesHandler
from workbench.server.timeline import TimelineHandler

_NAME = "([^/]+)"
_DATABASES = f"catalogs/{_NAME}/databases"
_TABLES = f"{_DATABASES}/{_NAME}/tables"
_TABLE = f"{_TABLES}/{_NAME}"


class NowhereHandler(ResourceHandler):
    """Every other address."""

    @authenticated
    @authorized
    async def get(self) -> None:
        """Nothing is here."""
        raise HTTPError(404)


_HANDLERS: dict[str, type[RequestHandler]] = {
    "environment": EnvironmentHandler,
    "catalogs": CatalogsHandler,
    f"catalogs/{_NAME}": CatalogHandler,
    _DATABASES: DatabasesHandler,
    _TABLES: TablesHandler,
    _TABLE: TableHandler,
    f"{_TABLE}/schema": SchemaHandler,
    f"{_TABLE}/timeline": TimelineHandler,
    f"{_TABLE}/levels": LevelsHandler,
    "news": NewsHandler,
    ".*": NowhereHandler,
}


def routes(base_url: str) -> list[tuple[str, type[RequestHandler]]]:
    """Patterns of addresses and their handlers; the first that matches counts."""
    base = re.escape(url_path_join(base_url, RESOURCE))
    return [(f"{base}/{pattern}", handler) for pattern, handler in _HANDLERS.items()]
