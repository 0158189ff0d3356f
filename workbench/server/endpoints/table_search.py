"""``…/databases/{database}/search``: the tables whose columns or comments contain a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import DATABASE
from workbench.server.parameters import Text
from workbench.server.requests import DatabaseRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs

# Each answer is limited to about this time: a client requests the next part until there is none.
SECONDS = 0.5


@dataclass(frozen=True)
class TableSearchRequest(DatabaseRequest):
    """A part of the tables whose column names, column comments or comments contain ``text``."""

    text: Text
    cursor: Text | None = None


def _value() -> Any:
    from workbench.lens.search.tables import TableSearchValue

    return TableSearchValue


def _read(request: TableSearchRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.search.tables import search_tables

    catalog = catalogs.catalog(request.catalog)
    wanted = request.database, request.text, request.cursor
    return Reading(lambda: search_tables(catalog, *wanted, SECONDS, catalogs.progress))


TABLE_SEARCH = Endpoint("table_search", f"{DATABASE}/search", TableSearchRequest, _value, _read)
