"""``…/tables/{table}/compactions``: a page of compactions, the newest first; also endpoints for one compaction, for the
replay of a bucket, and for the costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.parameters import DEFAULT_ITEMS, MAX_ITEMS, Limit, SnapshotId, Text
from workbench.server.requests import TableRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs

# Each answer is limited to about this time: a page may contain fewer compactions, and costs fewer commits, than
# requested. A client then requests the rest.
SECONDS = 0.5


@dataclass(frozen=True)
class CompactionsRequest(TableRequest):
    """A page of the compactions of a table."""

    cursor: Text | None = None
    limit: Limit = DEFAULT_ITEMS


@dataclass(frozen=True)
class CompactionRequest(TableRequest):
    """One compaction: its snapshot, and the id of its ``bucket``, by default the one with the most compacted bytes."""

    snapshot: SnapshotId
    bucket: Text | None = None


@dataclass(frozen=True)
class ReplayRequest(TableRequest):
    """The newest commits that changed a bucket, by default the one with the most runs."""

    bucket: Text | None = None
    limit: Limit = DEFAULT_ITEMS


@dataclass(frozen=True)
class CostsRequest(TableRequest):
    """The costs of compactions, in at most ``points`` points."""

    points: Limit = MAX_ITEMS


def _compactions_value() -> Any:
    from workbench.lens.compaction.value import CompactionsValue

    return CompactionsValue


def _story_value() -> Any:
    from workbench.lens.compaction.value import CompactionStory

    return CompactionStory


def _replay_value() -> Any:
    from workbench.lens.compaction.value import ReplayAnswer

    return ReplayAnswer


def _costs_value() -> Any:
    from workbench.lens.compaction.value import CostsAnswer

    return CostsAnswer


def _read_compactions(request: CompactionsRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.compaction.collect import collect_compactions
    from workbench.server.entity_tags import newest_facts, schema_facts

    table = catalogs.table(request)
    return Reading(
        lambda: collect_compactions(table, request.cursor, request.limit, SECONDS, catalogs.progress),
        (newest_facts(table), schema_facts(table)),
        is_lasting=lambda value: not value.unread and (value.next is None or len(value.compactions) >= request.limit),
    )


def _read_story(request: CompactionRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.compaction.story import collect_story

    table = catalogs.table(request)
    return Reading(lambda: collect_story(table, request.snapshot, request.bucket))


def _read_replay(request: ReplayRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.compaction.replay import collect_replay
    from workbench.lens.compaction.value import ReplayAnswer

    table = catalogs.table(request)
    return Reading(lambda: ReplayAnswer(collect_replay(table, request.bucket, request.limit, SECONDS)))


def _read_costs(request: CostsRequest, catalogs: OpenCatalogs) -> Reading:
    import json

    from workbench.charts.costs import costs_figure
    from workbench.lens.compaction.costs import collect_costs
    from workbench.lens.compaction.value import CostsAnswer

    table = catalogs.table(request)

    def collect() -> CostsAnswer:
        costs = collect_costs(table, request.points, SECONDS, catalogs.progress)
        return CostsAnswer(costs, json.dumps(costs_figure(costs)))

    # Without facts: while the costs are incomplete, the next answer differs although the snapshots are the same.
    return Reading(collect)


COMPACTIONS = Endpoint("compactions", f"{TABLE}/compactions", CompactionsRequest, _compactions_value, _read_compactions)
COMPACTION = Endpoint("compaction", f"{TABLE}/compactions/{{snapshot}}", CompactionRequest, _story_value, _read_story)
REPLAY = Endpoint("compaction_replay", f"{TABLE}/compaction-replay", ReplayRequest, _replay_value, _read_replay)
COSTS = Endpoint("compaction_costs", f"{TABLE}/compaction-costs", CostsRequest, _costs_value, _read_costs)
