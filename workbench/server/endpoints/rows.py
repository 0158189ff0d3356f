"""``…/tables/{table}/rows``: a page of the first rows of a version, as strings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.parameters import DEFAULT_ROWS, Limit, Position, Text
from workbench.server.requests import VersionRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


@dataclass(frozen=True)
class RowsRequest(VersionRequest):
    """A page of the rows that match ``where``, or of all rows if it is empty, beginning at row ``start``."""

    where: Text = ""
    start: Position = 0
    limit: Limit = DEFAULT_ROWS


def _value() -> Any:
    from workbench.lens.rows import RowsValue

    return RowsValue


def _read(request: RowsRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.rows import collect_rows
    from workbench.server.entity_tags import row_facts

    shown = catalogs.version(request)
    return Reading(
        lambda: collect_rows(shown, request.where, request.start, request.limit, catalogs.progress),
        row_facts(shown),
    )


ROWS = Endpoint("rows", f"{TABLE}/rows", RowsRequest, _value, _read)
