"""``…/tables/{table}/definition``: the statement that creates a table like this one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.requests import VersionRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


@dataclass(frozen=True)
class DefinitionValue:
    """The CREATE TABLE statement of a version of a table, without secrets."""

    statement: str


def _value() -> Any:
    return DefinitionValue


def _read(request: VersionRequest, catalogs: OpenCatalogs) -> Reading:
    from dataclasses import replace

    from workbench.lens.credentials import shown_option
    from workbench.server.entity_tags import schema_facts
    from workbench.sql.commands.create_text import create_table_text

    table = catalogs.version(request)
    options = {key: shown_option(key, value) for key, value in table.schema.options.items()}
    schema = replace(table.schema, options=options)
    statement = create_table_text(schema, (request.database, request.table))
    return Reading(lambda: DefinitionValue(statement), (schema_facts(table),))


DEFINITION = Endpoint("definition", f"{TABLE}/definition", VersionRequest, _value, _read)
"""The CREATE TABLE statement of a table."""
