"""``…/tables/{table}/timeline``: a page of snapshots, the newest first, and all tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.parameters import DEFAULT_ITEMS, Limit, Text
from workbench.server.requests import TableRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs


@dataclass(frozen=True)
class TimelineRequest(TableRequest):
    """A page of the snapshots of a table."""

    cursor: Text | None = None
    limit: Limit = DEFAULT_ITEMS


def _value() -> Any:
    from workbench.lens.timeline import TimelineValue

    return TimelineValue


def _read(request: TimelineRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.timeline import collect_timeline
    from workbench.server.entity_tags import newest_facts, schema_facts, tag_facts

    table = catalogs.table(request).reading_once()
    reads_changes = table.store.is_local
    facts = newest_facts(table), tag_facts(table), schema_facts(table)
    return Reading(
        lambda: collect_timeline(table, request.cursor, request.limit),
        facts,
        is_lasting=lambda timeline: not reads_changes or all(each.figures for each in timeline.snapshots),
    )


TIMELINE = Endpoint("timeline", f"{TABLE}/timeline", TimelineRequest, _value, _read)
