"""The table of all endpoints, on which the routes, the worker and the contract with the browser are based."""

from __future__ import annotations

from typing import Any

from workbench.server.endpoint import Endpoint
from workbench.server.endpoints.biography import BIOGRAPHY
from workbench.server.endpoints.catalogs import (
    ADD_CATALOG,
    CATALOG_KINDS,
    CATALOGS,
    REMOVE_CATALOG,
    TEST_CONNECTION,
)
from workbench.server.endpoints.columns import COLUMNS
from workbench.server.endpoints.compactions import COMPACTION, COMPACTIONS, COSTS, REPLAY
from workbench.server.endpoints.count import COUNT
from workbench.server.endpoints.databases import DATABASES
from workbench.server.endpoints.definition import DEFINITION, FUNCTION, VIEW
from workbench.server.endpoints.diff import DIFF, DIFF_COUNTS, DIFF_ROWS
from workbench.server.endpoints.environment import ENVIRONMENT
from workbench.server.endpoints.explain import EXPLAIN
from workbench.server.endpoints.health import HEALTH
from workbench.server.endpoints.history import HISTORY
from workbench.server.endpoints.levels import LEVELS
from workbench.server.endpoints.live_files import LIVE_FILES
from workbench.server.endpoints.newest import NEWEST
from workbench.server.endpoints.readable import READABLE
from workbench.server.endpoints.rows import ROWS
from workbench.server.endpoints.schema import SCHEMA
from workbench.server.endpoints.snapshot_search import SNAPSHOT_SEARCH
from workbench.server.endpoints.snapshots import SNAPSHOTS
from workbench.server.endpoints.summary import SUMMARY
from workbench.server.endpoints.table_search import TABLE_SEARCH
from workbench.server.endpoints.tables import TABLES
from workbench.server.endpoints.timeline import TIMELINE

ENDPOINTS: dict[str, Endpoint[Any]] = {}


def register(endpoint: Endpoint[Any]) -> None:
    """Add an endpoint to those that the server answers.

    An extension registers its endpoints when its module is imported; name the module in
    ``c.PaimonWorkbench.endpoint_modules``, so that server and worker import it.

    Raises:
        ValueError: another endpoint has the same name, or the same path and method.
    """
    for other in ENDPOINTS.values():
        same_route = endpoint.path is not None and (endpoint.path, endpoint.method) == (other.path, other.method)
        if other.name == endpoint.name or same_route:
            raise ValueError(f"Endpoint '{endpoint.name}' conflicts with the registered endpoint '{other.name}'.")
    ENDPOINTS[endpoint.name] = endpoint


for _endpoint in (
    ENVIRONMENT,
    CATALOGS,
    ADD_CATALOG,
    REMOVE_CATALOG,
    CATALOG_KINDS,
    TEST_CONNECTION,
    DATABASES,
    TABLES,
    TABLE_SEARCH,
    SUMMARY,
    ROWS,
    COLUMNS,
    COUNT,
    READABLE,
    LIVE_FILES,
    SCHEMA,
    DEFINITION,
    VIEW,
    FUNCTION,
    TIMELINE,
    HISTORY,
    SNAPSHOTS,
    SNAPSHOT_SEARCH,
    LEVELS,
    DIFF,
    DIFF_COUNTS,
    DIFF_ROWS,
    COMPACTIONS,
    COMPACTION,
    REPLAY,
    COSTS,
    BIOGRAPHY,
    EXPLAIN,
    HEALTH,
    NEWEST,
):
    register(_endpoint)
