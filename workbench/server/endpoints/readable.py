"""``…/tables/{table}/readable``: the newest version of a damaged table that can be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.parameters import Text
from workbench.server.requests import VersionRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


@dataclass(frozen=True)
class ReadableVersionRequest(VersionRequest):
    """A damaged version, and the path of the file that is known to be damaged."""

    damaged: Text | None = None


def _value() -> Any:
    from workbench.lens.readable import ReadableVersionValue

    return ReadableVersionValue


def _read(request: ReadableVersionRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.readable import collect_readable_version

    # The requested version is not opened: it may be what is damaged.
    table = catalogs.table(request)
    return Reading(lambda: collect_readable_version(table, request.snapshot, request.tag, request.damaged))


READABLE = Endpoint("readable", f"{TABLE}/readable", ReadableVersionRequest, _value, _read)
