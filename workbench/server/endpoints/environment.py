"""``environment``: the Python environment that the server runs in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.requests import NoParameters

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


def _value() -> Any:
    from workbench.lens.environment import EnvironmentValue

    return EnvironmentValue


def _read(_request: NoParameters, _catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.environment import collect_environment

    return Reading(collect_environment)


ENVIRONMENT = Endpoint("environment", "environment", NoParameters, _value, _read)
