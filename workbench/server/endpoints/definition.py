"""How tables, views and functions are defined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import FUNCTION as FUNCTION_PATH
from workbench.server.endpoints.paths import TABLE
from workbench.server.endpoints.paths import VIEW as VIEW_PATH
from workbench.server.parameters import Name
from workbench.server.requests import DatabaseRequest, VersionRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


@dataclass(frozen=True)
class DefinitionValue:
    """The CREATE TABLE statement of a version of a table, without secrets."""

    statement: str


@dataclass(frozen=True)
class ViewRequest(DatabaseRequest):
    """A request about a view."""

    view: Name


@dataclass(frozen=True)
class FunctionRequest(DatabaseRequest):
    """A request about a function."""

    function: Name


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


def _entry_value() -> Any:
    from workbench.lens.catalogs.definitions import EntryValue

    return EntryValue


def _read_view(request: ViewRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.catalogs.definitions import describe_view

    catalog = catalogs.catalog(request.catalog)
    return Reading(lambda: describe_view(catalog, f"{request.database}.{request.view}"))


def _read_function(request: FunctionRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.catalogs.definitions import describe_function

    catalog = catalogs.catalog(request.catalog)
    return Reading(lambda: describe_function(catalog, f"{request.database}.{request.function}"))


VIEW = Endpoint("view", VIEW_PATH, ViewRequest, _entry_value, _read_view)
"""The query and the columns of a view."""

FUNCTION = Endpoint("function", FUNCTION_PATH, FunctionRequest, _entry_value, _read_function)
"""The definitions and the parameters of a function."""

DEFINITION = Endpoint("definition", f"{TABLE}/definition", VersionRequest, _value, _read)
"""The CREATE TABLE statement of a table."""
