"""``…/tables/{table}/diff``: the comparison of two states; below it, ``…/counts`` and ``…/rows``: the changed rows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workbench.server.endpoint import Endpoint, Facts, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.parameters import Limit, Position, Text
from workbench.server.requests import VersionRequest

if TYPE_CHECKING:
    from workbench.lens.diff.collect import Comparison
    from workbench.lens.diff.ends import End
    from workbench.server.catalog_cache import OpenCatalogs

_PAGE = 50
# The page shows what was counted until then, and continues with another request.
_COUNT_SECONDS = 1.0


@dataclass(frozen=True)
class DiffRequest(VersionRequest):
    """The states to compare, such as ``snapshot:3``, ``tag:v1`` or ``branch:dev``: by default, ``after`` is the version
    of the request, and ``before`` the version before the last commit that changed rows. ``mode`` is where rows come
    from."""

    before: Text | None = None
    after: Text | None = None
    mode: Text = "diff"


@dataclass(frozen=True)
class DiffRowsRequest(DiffRequest):
    """The changed rows to count or to show, filtered by kind of change, changed column, partition and condition."""

    kind: Text = ""
    column: Text = ""
    partition: Text = ""
    where: Text = ""
    start: Position = 0
    limit: Limit = _PAGE


@dataclass(frozen=True)
class DiffCountsRequest(DiffRowsRequest):
    """The changed rows to count. ``counted`` continues a count that was answered with so many counted parts."""

    counted: Position = 0


def _comparison(request: DiffRequest, catalogs: OpenCatalogs) -> Comparison:
    from workbench.lens.diff.collect import Comparison
    from workbench.lens.diff.ends import end_named, end_of, usual_ends
    from workbench.lens.diff.filters import DiffFilter

    table = catalogs.table(request)
    after = end_of(catalogs.version(request)) if request.after is None else end_named(table, request.after)
    if request.before is None:
        before, after = usual_ends(table, after)
    else:
        before = end_named(table, request.before)
    chosen = DiffFilter()
    if isinstance(request, DiffRowsRequest):
        chosen = DiffFilter(request.kind, request.column, request.partition, request.where)
    return Comparison(before, after, request.mode, chosen)


def _facts(comparison: Comparison) -> tuple[Facts, ...]:
    return tuple(map(_end_facts, (comparison.before, comparison.after)))


def _end_facts(end: End) -> Facts:
    found = None if end.found is None else end.found.delta_manifest_list
    schema = end.store.schema
    return [end.ref, end.number, found, end.store.branch, schema.id, schema.time_millis]


def _diff_value() -> Any:
    from workbench.lens.diff.value import DiffValue

    return DiffValue


def _counts_value() -> Any:
    from workbench.lens.diff.counts import DiffCountsValue

    return DiffCountsValue


def _rows_value() -> Any:
    from workbench.lens.diff.pages import DiffRowsValue

    return DiffRowsValue


def _read_diff(request: DiffRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.diff.collect import collect_metadata_diff
    from workbench.server.entity_tags import newest_facts, tag_facts

    comparison = _comparison(request, catalogs)
    table = catalogs.table(request)
    branches: Facts = [*table.branches()]
    facts = (*_facts(comparison), newest_facts(table), tag_facts(table), branches)
    return Reading(lambda: collect_metadata_diff(comparison), facts)


def _read_counts(request: DiffCountsRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.diff.counts import BegunCount, DiffCountsValue, collect_counts
    from workbench.server.entity_tags import entity_tag

    comparison = _comparison(request, catalogs)
    source = comparison.source(catalogs.progress)
    facts = _facts(comparison)

    def key(counted: int) -> Hashable:
        return replace(request, counted=counted), entity_tag(*facts)

    def count() -> DiffCountsValue:
        begun: BegunCount = (catalogs.begun.take(key(request.counted)) if request.counted else None) or BegunCount()
        value = collect_counts(source, comparison.filter, _COUNT_SECONDS, begun)
        if not value.complete:
            catalogs.begun.keep(key(value.counted), begun)
        return value

    return Reading(count, facts, is_lasting=lambda counts: counts.complete)


def _read_rows(request: DiffRowsRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.diff.pages import collect_diff_rows

    comparison = _comparison(request, catalogs)
    source = comparison.source(catalogs.progress)
    return Reading(
        lambda: collect_diff_rows(source, comparison.filter, request.start, request.limit),
        _facts(comparison),
        is_lasting=lambda page: page.state != "slow",
    )


DIFF = Endpoint("diff", f"{TABLE}/diff", DiffRequest, _diff_value, _read_diff)
DIFF_COUNTS = Endpoint("diff_counts", f"{TABLE}/diff/counts", DiffCountsRequest, _counts_value, _read_counts)
DIFF_ROWS = Endpoint("diff_rows", f"{TABLE}/diff/rows", DiffRowsRequest, _rows_value, _read_rows)
