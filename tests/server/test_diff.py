"""The endpoints of comparisons: what they answer, their entity tags, and what they refuse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench.base.errors import InvalidRequest, WorkbenchError
from workbench.catalog.connect import connect
from workbench.lens.diff.source import ComparedStates
from workbench.scan.incremental import state_diff
from workbench.server.catalog_cache import CatalogCache, OpenCatalogs
from workbench.server.endpoints import diff
from workbench.server.endpoints.diff import (
    DIFF,
    DIFF_COUNTS,
    DIFF_ROWS,
    DiffCountsRequest,
    DiffRequest,
    DiffRowsRequest,
)

_NAME = {"catalog": "c", "database": "d", "table": "t"}


@pytest.fixture
def catalogs(tmp_path: Any) -> OpenCatalogs:
    catalog = connect(tmp_path)
    catalog.create_database("d")
    table = catalog.create_table("d.t", {"k": "INT NOT NULL", "v": "STRING"}, ["k"], options={"bucket": "1"})
    table.write([{"k": number, "v": "a"} for number in range(10)])
    table.write([{"k": number, "v": "b"} for number in range(4)])
    table.create_tag("v1", 1)
    table.compact(full=True)
    return OpenCatalogs(CatalogCache(), {"c": {"warehouse": str(tmp_path)}})


def read(endpoint: Any, request: Any, catalogs: OpenCatalogs) -> Any:
    return endpoint.read(request, catalogs).collect()


def test_the_usual_ends_skip_compactions(catalogs: OpenCatalogs) -> None:
    value = read(DIFF, DiffRequest(**_NAME), catalogs)
    assert (value.before.ref, value.after.ref) == ("snapshot:1", "snapshot:3")
    assert {each.ref for each in value.choices} == {"snapshot:1", "snapshot:2", "snapshot:3", "tag:v1", "snapshot:0"}
    assert (value.counts, value.page) == (None, None)
    assert value.files.total.added == 1
    first = read(DIFF, DiffRequest(**_NAME, snapshot=1), catalogs)
    assert (first.before.ref, first.after.ref) == ("snapshot:0", "snapshot:1")


def test_counts_and_rows(catalogs: OpenCatalogs) -> None:
    ends = {"before": "tag:v1", "after": "snapshot:2"}
    counts = read(DIFF_COUNTS, DiffCountsRequest(**_NAME, **ends), catalogs)
    assert (counts.inserted, counts.updated, counts.deleted) == (0, 4, 0)
    page = read(DIFF_ROWS, DiffRowsRequest(**_NAME, **ends, where="k > 1", limit=1), catalogs)
    assert page.state == "more"
    assert [(each.kind, each.before, each.after, each.changed) for each in page.rows] == [
        ("+U", ("2", "a"), ("2", "b"), (1,))
    ]
    rest = read(DIFF_ROWS, DiffRowsRequest(**_NAME, **ends, where="k > 1", start=1), catalogs)
    assert [each.after[0] for each in rest.rows] == ["3"]


def test_a_long_count_is_continued(tmp_path: Path, catalogs: OpenCatalogs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request counts a part at least, and the last one returns what one request would return."""
    table = connect(tmp_path).create_table(
        "d.p", {"p": "INT NOT NULL", "k": "INT NOT NULL", "v": "STRING"}, ["p", "k"], "p", options={"bucket": "1"}
    )
    for value in ("a", "b"):
        table.write([{"p": number, "k": 1, "v": value} for number in range(5)])
    monkeypatch.setattr(state_diff, "_PLACES_TOGETHER", 1)
    request = DiffCountsRequest("c", "d", "p", before="snapshot:1", after="snapshot:2")
    whole = read(DIFF_COUNTS, request, catalogs)
    assert (whole.complete, whole.updated, whole.partition_total) == (True, 5, 5)
    monkeypatch.setattr(diff, "_COUNT_SECONDS", 0.0)
    planned = []
    find = ComparedStates.counted_units
    monkeypatch.setattr(ComparedStates, "counted_units", lambda source: planned.append(source) or find(source))
    seen = [read(DIFF_COUNTS, request, catalogs)]
    while not seen[-1].complete:
        seen.append(read(DIFF_COUNTS, replace(request, counted=seen[-1].counted), catalogs))
    assert [(each.counted, each.parts, each.updated) for each in seen] == [(n, 5, n) for n in range(1, 6)]
    assert seen[-1] == whole
    assert len(planned) == 1
    # What was taken up is forgotten, and what belongs to another filter is not taken up.
    assert read(DIFF_COUNTS, replace(request, counted=1), catalogs).counted == 1
    read(DIFF_COUNTS, request, catalogs)
    assert read(DIFF_COUNTS, replace(request, counted=1, where="k > 0"), catalogs).counted == 1


def test_entity_tags_differ_by_versions(catalogs: OpenCatalogs) -> None:
    facts = [
        DIFF_COUNTS.read(DiffCountsRequest(**_NAME, before=f"snapshot:{first}", after="snapshot:3"), catalogs).facts
        for first in (0, 1, 2)
    ]
    assert len({str(each) for each in facts}) == 3


def test_refused_requests(catalogs: OpenCatalogs) -> None:
    with pytest.raises(InvalidRequest, match="names no version"):
        read(DIFF, DiffRequest(**_NAME, before="3"), catalogs)
    with pytest.raises(WorkbenchError):
        read(DIFF, DiffRequest(**_NAME, before="tag:unknown"), catalogs)
    with pytest.raises(WorkbenchError, match="Mode 'all'"):
        read(DIFF, DiffRequest(**_NAME, mode="all"), catalogs)
    with pytest.raises(InvalidRequest, match="start must be"):
        read(DIFF_ROWS, DiffRowsRequest(**_NAME, start=10_000), catalogs)
