"""``…/tables/{table}/live-files``: whether the files of a version are in storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.requests import VersionRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


def _value() -> Any:
    from workbench.lens.live_files import LiveFilesValue

    return LiveFilesValue


def _read(request: VersionRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.live_files import collect_live_files_value

    shown = catalogs.version(request)
    # Files can disappear at any time, so the answer has no lasting facts.
    return Reading(lambda: collect_live_files_value(shown, catalogs.progress))


LIVE_FILES = Endpoint("live_files", f"{TABLE}/live-files", VersionRequest, _value, _read)
