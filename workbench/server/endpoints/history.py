"""``…/tables/{table}/history``: all snapshots of a table, or a part of them, in bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.parameters import MAX_ITEMS, Limit, SnapshotId
from workbench.server.requests import TableRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs

# Each answer is limited to about this time: a client repeats its request until the history is complete.
SECONDS = 0.2


@dataclass(frozen=True)
class HistoryRequest(TableRequest):
    """The snapshots from ``start`` to ``end``, by default all, in at most ``bins`` bins."""

    start: SnapshotId | None = None
    end: SnapshotId | None = None
    bins: Limit = MAX_ITEMS


def _value() -> Any:
    from workbench.lens.history.history import HistoryValue

    return HistoryValue


def _read(request: HistoryRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.history.history import collect_history

    table = catalogs.table(request)
    # Without facts: while the history is incomplete, the next answer differs although the snapshots are the same.
    return Reading(lambda: collect_history(table, request.start, request.end, request.bins, SECONDS))


HISTORY = Endpoint("history", f"{TABLE}/history", HistoryRequest, _value, _read)
