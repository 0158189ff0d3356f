"""``…/tables/{table}/search``: the snapshots that a text finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.history import SECONDS
from workbench.server.endpoints.paths import TABLE
from workbench.server.parameters import DEFAULT_ITEMS, Limit, Text
from workbench.server.requests import TableRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


@dataclass(frozen=True)
class SnapshotSearchRequest(TableRequest):
    """The snapshots to find: ``text`` is part of their user, statement, operation or kind, or is their id or a time."""

    text: Text
    limit: Limit = DEFAULT_ITEMS


def _value() -> Any:
    from workbench.lens.history.search import SearchValue

    return SearchValue


def _read(request: SnapshotSearchRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.history.search import search_snapshots

    table = catalogs.table(request)
    # Without facts: while the search is incomplete, the next answer differs although the text is the same.
    return Reading(lambda: search_snapshots(table, request.text, request.limit, SECONDS))


SNAPSHOT_SEARCH = Endpoint("snapshot_search", f"{TABLE}/search", SnapshotSearchRequest, _value, _read)
