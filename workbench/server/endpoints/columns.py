"""``…/tables/{table}/columns``: the statistics of the columns of a version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.requests import VersionRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


def _value() -> Any:
    from workbench.lens.columns import ColumnsValue

    return ColumnsValue


def _read(request: VersionRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.columns import collect_columns
    from workbench.server.entity_tags import schema_facts, version_facts

    shown = catalogs.version(request)
    return Reading(
        lambda: collect_columns(shown),
        (version_facts(shown), schema_facts(shown)),
    )


COLUMNS = Endpoint("columns", f"{TABLE}/columns", VersionRequest, _value, _read)
