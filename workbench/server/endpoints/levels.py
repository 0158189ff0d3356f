"""``…/tables/{table}/levels``: the LSM trees of a page of buckets, and the files of one bucket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.parameters import DEFAULT_BUCKETS, Limit, Text
from workbench.server.requests import VersionRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


@dataclass(frozen=True)
class LevelsRequest(VersionRequest):
    """A page of buckets, and the id of the ``bucket`` whose files to return."""

    bucket: Text | None = None
    cursor: Text | None = None
    limit: Limit = DEFAULT_BUCKETS


def _value() -> Any:
    from workbench.lens.levels import LevelsValue

    return LevelsValue


def _read(request: LevelsRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.levels import collect_levels
    from workbench.server.entity_tags import schema_facts, version_facts

    shown = catalogs.version(request)
    return Reading(
        lambda: collect_levels(shown, request.bucket, request.cursor, request.limit),
        (version_facts(shown), schema_facts(shown)),
    )


LEVELS = Endpoint("levels", f"{TABLE}/levels", LevelsRequest, _value, _read)
