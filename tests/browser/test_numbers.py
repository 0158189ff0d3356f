"""Every number in the levels and timeline pictures equals the count from the files."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser import shown_numbers as shown
from tests.browser.counting import CountedBucket, CountedTable
from tests.browser.face import Face
from tests.browser.warehouse import CATALOG, Warehouse

pytestmark = pytest.mark.browser
_PLACE_TOLERANCE = 0.01
_LEAST_WIDTH = 0.02


def check_levels(view: Locator, buckets: list[CountedBucket], chosen: CountedBucket) -> None:
    """Check all numbers of a levels picture that shows the chosen bucket."""
    tables = shown.tables_in(view)
    if len(buckets) > 1:
        assert view.locator(".pwv-part-head p").inner_text() == shown.totals_text(buckets)
        assert tables["Buckets"] == [shown.bucket_row(bucket) for bucket in buckets]
        heat = view.locator('[data-ring="heat"] [role=gridcell]')
        assert shown.labels(heat) == [shown.bucket_label(bucket) for bucket in buckets]
    check_tree(view, chosen)
    check_files(tables["Files"], chosen)


def check_tree(view: Locator, bucket: CountedBucket) -> None:
    tree = view.locator('[data-ring="tree"]')
    assert shown.labels(tree.get_by_role("rowgroup")) == shown.level_labels(bucket)
    assert tree.get_by_role("row").count() == bucket.runs
    reported = shown.labels(tree.locator("[data-file]"))
    for file in bucket.files:
        (label,) = [each for each in reported if each.startswith(file.name)]
        assert label.split(", keys ")[0].removesuffix(", new") == shown.file_facts(file)
    assert len(reported) == len(bucket.files)
    if bucket.keyed:
        summary = f"{shown.counted(bucket.runs, 'sorted run')}, {shown.counted(len(bucket.files), 'file')}, "
        summary += f"{shown.counted(bucket.rows, 'stored row')}, {shown.size_text(bucket.size)}; "
        assert summary in view.locator(".pwv-part-tools").inner_text()
        check_places(tree, bucket)


def check_places(tree: Locator, bucket: CountedBucket) -> None:
    """Check that bars are at the positions of their keys on the axis from the smallest to the largest key."""
    keys = [key for file in bucket.files for key in file.keys or ()]
    low, width = min(keys), max(keys) - min(keys)
    drawn = shown.places(tree.locator("[data-file]"))
    for file in bucket.files:
        assert file.keys is not None
        first, last = ((key - low) / width for key in file.keys)
        # A bar has a minimum width, so that it can be seen and clicked.
        last = max(last, first + min(_LEAST_WIDTH, drawn[file.name][1] - drawn[file.name][0]))
        assert drawn[file.name] == pytest.approx([first, last], abs=_PLACE_TOLERANCE), file


def check_files(rows: list[dict[str, str]], bucket: CountedBucket) -> None:
    """Check the data table of files: it lists each file once, and every run belongs to one level."""
    by_name = {row["File"]: row for row in rows}
    assert len(by_name) == len(rows) == len(bucket.files)
    for file in bucket.files:
        wanted = shown.file_row(file)
        assert {key: by_name[file.name][key] for key in wanted} == wanted
    if not bucket.keyed:
        assert all("Run" not in row and "Level" not in row for row in rows)
        return
    runs: dict[str, list[str]] = {}
    for row in rows:
        runs.setdefault(row["Run"], []).append(row["Level"])
    assert list(runs) == [f"{run:,}" for run in range(1, bucket.runs + 1)]
    assert all(len(levels) == 1 for levels in runs.values() if "L0" in levels)
    assert all(len(set(levels)) == 1 for levels in runs.values())


_SNAPSHOTS = [("shop.orders", 8), ("shop.events", 5), ("shop.customers", 2)]
_MORE_SNAPSHOTS = [("shop.orders", 2), ("shop.orders", 6), ("shop.orders", 14), ("shop.events", 4), ("shop.events", 6)]


@pytest.mark.parametrize(
    ("name", "snapshot"), [*_SNAPSHOTS, *(pytest.param(*each, marks=pytest.mark.long) for each in _MORE_SNAPSHOTS)]
)
def test_levels_pages(face: Face, warehouse: Warehouse, name: str, snapshot: int) -> None:
    table = CountedTable(warehouse.table_path(name))
    check_levels_page(face, name, snapshot, table.buckets(snapshot))
    check_overview(face, table.buckets(max(table.snapshots)))


def test_a_levels_page_of_a_thousand_files(face: Face, warehouse: Warehouse) -> None:
    face.show("wide.thousand_files", "levels")
    (bucket,) = CountedTable(warehouse.table_path("wide.thousand_files")).buckets(1)
    check_tree(face.levels, bucket)
    check_files(shown.tables_in(face.levels)["Files"], bucket)


def check_levels_page(face: Face, name: str, snapshot: int, buckets: list[CountedBucket]) -> None:
    face.show(name, "levels", str(snapshot))
    expect(face.levels.locator("h3 small")).to_have_text(f"snapshot {snapshot}")
    for index, bucket in enumerate(buckets):
        if len(buckets) > 1:
            choose_bucket(face, index)
        check_levels(face.levels, buckets, bucket)


def check_overview(face: Face, buckets: list[CountedBucket]) -> None:
    """The figures at the newest version."""
    face.choose_version("latest")
    face.choose_tab("Overview")
    figures = face.table_page.locator(".pw-figures")
    others = figures.locator("div:not(.pw-rows-figure)")
    reported = zip(others.locator("dt").all_inner_texts(), others.locator("dd").all_inner_texts(), strict=True)
    runs = f"{max(bucket.runs for bucket in buckets):,}"
    stored = sum(bucket.rows for bucket in buckets)
    shown_rows = figures.locator(".pw-rows-figure")
    expect(shown_rows).to_contain_text(f"{stored:,} stored" if buckets[0].keyed and stored > 5 else f"{stored:,}")
    assert dict(reported) == {
        "Files": f"{sum(len(bucket.files) for bucket in buckets):,}",
        "Size": shown.size_text(sum(bucket.size for bucket in buckets)),
        "Partitions": shown.partitions_text(buckets),
        **({"Buckets": f"{len(buckets):,}", "Max sorted runs per bucket": runs} if buckets[0].keyed else {}),
    }


def choose_bucket(face: Face, index: int) -> None:
    cell = face.levels.locator('[data-ring="heat"] [role=gridcell]').nth(index)
    cell.click()
    expect(cell).to_have_attribute("aria-selected", "true")
    face.settle()


def test_timeline_pages(face: Face, warehouse: Warehouse) -> None:
    for name in ("shop.orders", "shop.events", "shop.customers"):
        face.show(name, "timeline")
        check_timeline(face.timeline, CountedTable(warehouse.table_path(name)))


def check_timeline(view: Locator, table: CountedTable) -> None:
    """All numbers of a timeline picture."""
    oldest_first = [shown.snapshot_row(table, snapshot) for snapshot in table.snapshots]
    tables = shown.tables_in(view)
    reported = [{key: row[key] for key in oldest_first[0]} for row in tables["Snapshots"]]
    assert reported == oldest_first[::-1]
    expect(view.locator("h3 small")).to_have_text(shown.counted(len(oldest_first), "snapshot"))
    marks = shown.labels(view.locator("[data-snapshot]"))
    labels = [mark.removesuffix(", schema changed here") for mark in marks]
    assert labels == [shown.snapshot_label(row) for row in oldest_first]
    totals = [table.rows_total(snapshot) for snapshot in table.snapshots]
    bounds = f"{min(totals):,} – {max(totals):,}" if min(totals) < max(totals) else f"{max(totals):,}"
    expect(view.locator(".pwv-lane-names .pwv-curve-name").first).to_contain_text(bounds)
    if table.tags:
        rows = [{key: row[key] for key in ("Tag", "Snapshot", "expired")} for row in tables["Tags"]]
        assert rows == shown.tag_rows(table)
        drawn = view.locator(".pwv-flag").all_inner_texts()
        assert len(drawn) == len(table.tags)
        assert all(any(tag in text for text in drawn) for tag in table.tags)
    for index, snapshot in enumerate(table.snapshots):
        view.locator("[data-snapshot]").nth(index).hover()
        facts = view.locator(".pwv-part-facts")
        expect(facts.locator("dd").first).to_have_text(str(snapshot))


@pytest.mark.long
def test_widgets(face: Face, warehouse: Warehouse) -> None:
    """The same pictures in a notebook show the same numbers."""
    connect = f"import workbench as wb\nt = wb.connect({CATALOG!r}).get_table('shop.orders')"
    face.open_notebook("widgets.ipynb", [connect, "wb.levels(t)", "wb.levels(t.at(snapshot=6))", "wb.timeline(t)"])
    face.run_cells()
    table = CountedTable(warehouse.table_path("shop.orders"))
    levels = face.notebook.locator(".pwv-levels")
    expect(levels).to_have_count(2)
    for view, snapshot in ((levels.first, 14), (levels.last, 6)):
        view.scroll_into_view_if_needed()
        buckets = table.buckets(snapshot)
        (fullest,) = [bucket for bucket in buckets if bucket.runs == max(each.runs for each in buckets)][:1]
        check_levels(view, buckets, fullest)
    last = levels.first.locator('[data-ring="heat"] [role=gridcell]').last
    last.click()
    expect(last).to_have_attribute("aria-selected", "true")
    expect(levels.first.locator('[data-ring="tree"] [role=row]')).to_have_count(table.buckets(14)[-1].runs)
    check_levels(levels.first, table.buckets(14), table.buckets(14)[-1])
    timeline = face.notebook.locator(".pwv-timeline")
    timeline.scroll_into_view_if_needed()
    check_timeline(timeline, table)
