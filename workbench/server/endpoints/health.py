"""``…/tables/{table}/health``: what should be done about a table, and the statements that do it."""

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
class HealthRequest(VersionRequest):
    """The version to check; with ``storage``, all directories are listed, which finds orphan files."""

    storage: QueryFlag = False


def _value() -> Any:
    from workbench.lens.health.values import HealthValue

    return HealthValue


def _read(request: HealthRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.health.health import collect_health

    shown = catalogs.version(request)
    # Tags, consumers and the age of snapshots change without a new version, so the answer has no lasting facts.
    return Reading(lambda: collect_health(shown, storage=request.storage, progress=catalogs.progress))


HEALTH = Endpoint("health", f"{TABLE}/health", HealthRequest, _value, _read)
