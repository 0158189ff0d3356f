"""Timelines of notebooks contain the whole history, in fewer bins where space is limited."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from tests.support.long_history import long_history
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.lens.history.history import HistoryValue
from workbench.lens.history.smaller import coarser, history_since
from workbench.lens.history.timeline import MAP_BINS, collect_timeline_with_history
from workbench.lens.smaller import smaller_timelines
from workbench.lens.timeline import TimelineValue, collect_timeline
from workbench.table.table import Table

KINDS = ("appends", "compacts", "overwrites", "analyzes")


@pytest.fixture
def long_table(catalog: FileSystemCatalog) -> Table:
    table: Table = long_history(catalog, "d.long", 1001)
    return table


def whole_of(timeline: TimelineValue) -> HistoryValue:
    assert timeline.whole is not None
    return timeline.whole


def listed_of(timeline: TimelineValue) -> HistoryValue:
    assert timeline.listed is not None
    return timeline.listed


def commits(history: HistoryValue) -> int:
    return sum(sum(getattr(history.bins, kind)) for kind in KINDS)


def test_a_short_history_has_a_bin_for_each_snapshot(table: Table, write: Any) -> None:
    for key in range(3):
        write("a", [key], "x")
    timeline = collect_timeline_with_history(table)
    whole = whole_of(timeline)
    assert timeline.listed is None
    assert whole.bins.ids == tuple(each.id for each in reversed(timeline.snapshots))
    assert whole.bins.rows == tuple(each.rows_total for each in reversed(timeline.snapshots))
    for curve in (whole.bins.files, whole.bins.bytes, whole.bins.runs):
        assert None not in curve


def test_a_table_never_written(table: Table) -> None:
    timeline = collect_timeline_with_history(table)
    assert (timeline.snapshots, whole_of(timeline).bins.ids, timeline.listed) == ((), (), None)


def test_a_long_history_is_finer_where_its_snapshots_are_listed(long_table: Table) -> None:
    timeline = collect_timeline_with_history(long_table, 200)
    whole, listed = whole_of(timeline), listed_of(timeline)
    assert (len(whole.bins.ids), commits(whole), whole.complete) == (MAP_BINS, 1001, True)
    assert listed.bins.ids == tuple(each.id for each in reversed(timeline.snapshots))
    assert None not in listed.bins.runs


def test_a_damaged_old_snapshot_costs_only_the_history(long_table: Table) -> None:
    Path(long_table.location, "snapshot", "snapshot-5").write_text("{")
    timeline = collect_timeline_with_history(long_table, 200)
    assert timeline == collect_timeline(long_table, limit=200)
    assert timeline.whole is None


@pytest.mark.parametrize("count", [1, 2, 3, 8, 9])
def test_coarser_bins_count_the_same(catalog: FileSystemCatalog, count: int) -> None:
    history = whole_of(collect_timeline_with_history(long_history(catalog, "d.few", count)))
    half = coarser(history)
    assert len(half.bins.ids) == (count + 1) // 2
    assert half.bins.ids[-1] == history.bins.ids[-1]
    assert half.bins.times[-1] == history.bins.times[-1]
    assert commits(half) == commits(history) == count
    assert sum(each or 0 for each in half.bins.added) == sum(each or 0 for each in history.bins.added)
    assert {len(getattr(half.bins, each.name)) for each in fields(half.bins)} == {(count + 1) // 2}


def test_a_coarser_bin_has_the_newest_number_that_is_known(long_table: Table) -> None:
    whole = whole_of(collect_timeline_with_history(long_table, 200))
    known = [each for each in whole.bins.files if each is not None]
    assert len(known) < len(whole.bins.files)
    half = [each for each in coarser(whole).bins.files if each is not None]
    assert half[-1] == known[-1]
    assert set(half) <= set(known)


def test_a_part_of_a_history(catalog: FileSystemCatalog) -> None:
    history = whole_of(collect_timeline_with_history(long_history(catalog, "d.few", 9)))
    part = history_since(history, 4)
    assert (part.start, part.end, part.total, part.read) == (4, 9, 6, 6)
    assert part.bins.ids == (4, 5, 6, 7, 8, 9)
    assert part.since_millis == history.bins.times[3]


@pytest.mark.parametrize("count", [40, 1001])
def test_smaller_forms_keep_the_whole_history(catalog: FileSystemCatalog, count: int) -> None:
    timeline = collect_timeline_with_history(long_history(catalog, "d.t", count), 200)
    forms = list(smaller_timelines(timeline))
    assert len(forms[-1].snapshots) == 1
    for form in forms[1:]:
        assert commits(whole_of(form)) == count
        assert len(whole_of(form).bins.ids) <= MAP_BINS
        assert listed_of(form).bins.ids == tuple(each.id for each in reversed(form.snapshots))
        assert form.total == count
    assert len(whole_of(forms[-1]).bins.ids) <= 60
