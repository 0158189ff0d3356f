"""``…/tables/{table}/schema``: the schema history, and which schema the requested version has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.requests import VersionRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


def _value() -> Any:
    from workbench.lens.schema import SchemaHistoryValue

    return SchemaHistoryValue


def _read(request: VersionRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.schema import collect_schema_history
    from workbench.server.entity_tags import schema_facts

    table, shown = catalogs.table(request), catalogs.version(request)
    return Reading(lambda: collect_schema_history(shown), (schema_facts(table), schema_facts(shown)))


SCHEMA = Endpoint("schema", f"{TABLE}/schema", VersionRequest, _value, _read)
