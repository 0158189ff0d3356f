"""``…/tables/{table}/readable``: the newest version of a damaged table that can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.requests import VersionRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


def _value() -> Any:
    from workbench.lens.readable import ReadableVersionValue

    return ReadableVersionValue


def _read(request: VersionRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.readable import collect_readable_version

    # The requested version is not opened: it may be what is damaged.
    table = catalogs.table(request)
    return Reading(lambda: collect_readable_version(table, request.snapshot))


READABLE = Endpoint("readable", f"{TABLE}/readable", VersionRequest, _value, _read)
