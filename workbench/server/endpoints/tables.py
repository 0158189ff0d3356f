"""``…/databases/{database}/tables``: a page of table names, and what the database has besides tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLES as PATH
from workbench.server.parameters import DEFAULT_ITEMS, Limit, Text
from workbench.server.requests import DatabaseRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


@dataclass(frozen=True)
class TablesRequest(DatabaseRequest):
    """A page of the tables whose names contain ``search``."""

    search: Text = ""
    cursor: Text | None = None
    limit: Limit = DEFAULT_ITEMS


def _value() -> Any:
    from workbench.lens.catalog import TablesValue

    return TablesValue


def _read(request: TablesRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.catalog import collect_tables

    catalog = catalogs.catalog(request.catalog)
    page = request.search, request.cursor, request.limit
    return Reading(lambda: collect_tables(catalog, request.database, *page))


TABLES = Endpoint("tables", PATH, TablesRequest, _value, _read)
