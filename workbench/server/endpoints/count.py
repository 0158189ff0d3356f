"""``…/tables/{table}/count``: the number of rows of a version, estimated or counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.parameters import QueryFlag
from workbench.server.requests import VersionRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


@dataclass(frozen=True)
class CountRequest(VersionRequest):
    """The number of rows. If metadata does not determine it, ``exact`` counts the rows instead of estimating."""

    exact: QueryFlag = False


def _value() -> Any:
    from workbench.lens.row_count import RowCountValue

    return RowCountValue


def _read(request: CountRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.row_count import collect_row_count
    from workbench.server.entity_tags import row_facts

    shown = catalogs.version(request)
    return Reading(
        lambda: collect_row_count(shown, exact=request.exact, progress=catalogs.progress),
        row_facts(shown),
    )


COUNT = Endpoint("count", f"{TABLE}/count", CountRequest, _value, _read)
