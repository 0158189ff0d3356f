"""``catalogs/{catalog}/databases``: a page of database names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import DATABASES as PATH
from workbench.server.parameters import DEFAULT_ITEMS, Limit, Text
from workbench.server.requests import CatalogRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


@dataclass(frozen=True)
class DatabasesRequest(CatalogRequest):
    """A page of the databases whose names contain ``search``."""

    search: Text = ""
    cursor: Text | None = None
    limit: Limit = DEFAULT_ITEMS


def _value() -> Any:
    from workbench.lens.catalog import DatabaseValue, Page

    return Page[DatabaseValue]


def _read(request: DatabasesRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.catalog import collect_databases

    catalog = catalogs.catalog(request.catalog)
    return Reading(lambda: collect_databases(catalog, request.search, request.cursor, request.limit))


DATABASES = Endpoint("databases", PATH, DatabasesRequest, _value, _read)
