"""The newest snapshot of a watched table, which the server polls for `workbench.server.news`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.lens.wire import Int64
from workbench.server.endpoint import Endpoint, Reading
from workbench.server.parameters import Text
from workbench.server.protocol import POLL

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


@dataclass(frozen=True)
class WatchedTable:
    """A table to watch. Its names are not checked: an impossible name is reported like an unknown one."""

    catalog: Text
    database: Text
    table: Text


@dataclass(frozen=True)
class NewestValue:
    """The id of the newest snapshot, or None for a table that was never written."""

    snapshot: Int64 | None


def _read(request: WatchedTable, catalogs: OpenCatalogs) -> Reading:
    newest = catalogs.newest_id(request)
    return Reading(lambda: NewestValue(newest))


NEWEST = Endpoint(POLL, None, WatchedTable, lambda: NewestValue, _read)
