"""``…/tables/{table}/snapshots``: all facts of a few consecutive snapshots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.parameters import SnapshotId
from workbench.server.requests import TableRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


@dataclass(frozen=True)
class SnapshotsRequest(TableRequest):
    """The snapshots from ``start`` to ``end``."""

    start: SnapshotId
    end: SnapshotId


def _value() -> Any:
    from workbench.lens.timeline import SnapshotsValue

    return SnapshotsValue


def _read(request: SnapshotsRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.timeline import collect_snapshots
    from workbench.server.entity_tags import newest_facts, schema_facts, tag_facts

    table = catalogs.table(request)
    facts = newest_facts(table), tag_facts(table), schema_facts(table)
    return Reading(lambda: collect_snapshots(table, request.start, request.end), facts)


SNAPSHOTS = Endpoint("snapshots", f"{TABLE}/snapshots", SnapshotsRequest, _value, _read)
