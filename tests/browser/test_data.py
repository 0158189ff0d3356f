"""The overview of a table: its rows, how many there are, and the condition it is in."""

from __future__ import annotations

import pyarrow as pa
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.face import Face
from tests.browser.warehouse import HOSTILE, HOSTILE_COLUMN, Warehouse

pytestmark = pytest.mark.browser


def grid_of(face: Face) -> Locator:
    return face.table_page.locator(".pw-grid")


def cells(face: Face, row: int) -> list[str]:
    """The text of the drawn cells in a row of the grid."""
    return grid_of(face).locator(f'[aria-rowindex="{row + 2}"] [role=gridcell]').all_inner_texts()


def test_the_first_rows_and_those_below(face: Face) -> None:
    face.show("wide.thousand_files")
    grid = grid_of(face)
    status = face.table_page.locator(".pw-data [role=status]")
    expect(status).to_have_text("The first 100 rows; scroll for more")
    drawn = grid.locator("[role=gridcell]").count()
    assert 10 < drawn < 60
    grid.focus()
    face.page.keyboard.press("Control+End")
    expect(status).to_have_text("The first 200 rows; scroll for more")
    active = grid.locator("[role=row]", has=face.page.locator("[data-active]"))
    expect(active).to_have_attribute("aria-rowindex", "101")
    face.page.keyboard.press("Home")
    face.page.keyboard.press("ArrowUp")
    expect(active).to_have_attribute("aria-rowindex", "100")


def test_columns_have_types_and_statistics(face: Face) -> None:
    face.show("shop.orders")
    heads = grid_of(face).get_by_role("columnheader")
    expect(heads).to_have_count(5)
    expect(heads.nth(1)).to_contain_text("BIGINT")
    expect(heads.nth(1)).to_contain_text("0 – 5999")
    expect(heads.nth(1).get_by_role("img", name="Primary key")).to_be_visible()
    expect(heads.nth(0).get_by_role("img", name="Partition column")).to_be_visible()
    expect(heads.nth(4)).to_contain_text("0% null")


def test_a_filter_and_a_wrong_one(face: Face) -> None:
    face.watch.expect_refused("where=nonsense")
    face.show("shop.orders")
    field = face.table_page.get_by_role("textbox", name="Filter rows by a condition")
    field.fill("id BETWEEN 10 AND 12")
    field.press("Enter")
    status = face.table_page.locator(".pw-data [role=status]")
    expect(status).to_have_text("5 matching rows")
    assert {cells(face, row)[1] for row in range(5)} == {"10", "11", "12"}
    field.fill("nonsense = 1")
    field.press("Enter")
    expect(face.table_page.locator(".pw-data").get_by_role("alert")).to_contain_text("nonsense")
    expect(face.table_page.locator(".pw-verdict")).to_be_visible()
    face.table_page.get_by_role("button", name="Clear").click()
    expect(status).to_contain_text("The first 100 rows")


def test_the_rows_are_those_of_the_version(face: Face, warehouse: Warehouse) -> None:
    table = warehouse.small_table("rows")
    table.write(pa.table({"id": [3], "word": ["THREE"]}))
    face.show("live.rows")
    expect(grid_of(face)).to_contain_text("THREE")
    face.choose_version("1")
    expect(grid_of(face)).to_contain_text("three")
    face.choose_version("latest")
    table.write(pa.table({"id": [4], "word": ["four"]}))
    expect(grid_of(face)).to_contain_text("four")


def test_values_are_text(face: Face) -> None:
    face.show(f"odd.{HOSTILE}")
    expect(grid_of(face).get_by_role("columnheader", name=HOSTILE_COLUMN)).to_be_visible()
    expect(grid_of(face)).to_contain_text(HOSTILE)
    assert face.page.locator("img[src=x]").count() == 0


def test_the_headline_is_the_number_of_rows(face: Face, warehouse: Warehouse) -> None:
    table = warehouse.small_table("counted")
    table.write(pa.table({"id": [2, 3, 4], "word": ["2", "3", "4"]}))
    face.show("live.counted")
    headline = face.table_page.locator(".pw-rows-figure")
    expect(headline).to_contain_text("about 4")
    expect(headline).to_contain_text("6 stored, 1.5 ×")
    headline.get_by_role("button", name="Count exactly").click()
    expect(headline.locator("dd").first).to_have_text("4")
    expect(headline.get_by_role("button")).to_have_count(0)
    table.compact(full=True)
    expect(headline).to_contain_text("all stored once")
    expect(headline.locator("dd").first).to_have_text("4")


def test_the_verdict(face: Face) -> None:
    verdict = face.table_page.locator(".pw-verdict")
    face.show("wide.thousand_files")
    expect(verdict).to_have_attribute("data-condition", "poor")
    expect(verdict).to_contain_text("1 of 1 bucket is over the compaction trigger of 5 sorted runs")
    expect(verdict).to_contain_text(
        "Compaction is off (write-only); a full compaction would turn 1,000 files into about 1: try it in the sandbox."
    )
    face.show("shop.events")
    expect(verdict).to_have_attribute("data-condition", "good")
    expect(verdict).to_contain_text("too few to compact")


def test_append_tables_speak_of_files(face: Face) -> None:
    face.show("shop.events", "levels", version="4")
    expect(face.tab("Files")).to_have_attribute("aria-selected", "true")
    expect(face.levels.get_by_role("heading")).to_contain_text("Files of shop.events")
    expect(face.levels).not_to_contain_text("L0")
    expect(face.levels).not_to_contain_text("sorted run")
    face.choose_tab("Overview")
    figures = face.table_page.locator(".pw-figures")
    expect(figures).to_contain_text("unpartitioned")
    expect(figures).not_to_contain_text("runs")
    face.show("shop.orders")
    expect(face.tab("Levels")).to_be_visible()


def test_the_heat_map_has_the_limits_of_the_options(face: Face) -> None:
    face.show("shop.orders", "levels")
    legend = face.levels.locator(".pwv-part-heat .pwv-legend")
    expect(legend).to_contain_text("up to 5")
    expect(legend).to_contain_text("over 8: stop trigger")
    face.levels.get_by_label("Shade by").select_option("deletes")
    expect(legend).to_contain_text("up to 20%")


def test_commits_say_what_they_changed(face: Face) -> None:
    face.show("shop.orders", "timeline")
    facts = face.timeline.locator(".pwv-part-facts")
    mark = face.timeline.locator('[data-snapshot="14"]')
    mark.hover()
    kind = mark.get_attribute("aria-label") or ""
    expect(facts).to_contain_text("Merged" if "COMPACT" in kind else "upserts, 10 deletes")


def test_columns_on_a_narrow_page(face: Face) -> None:
    face.show("shop.orders", "schema")
    page = face.narrow(420)
    for name in ("customer", "amount"):
        head = page.get_by_role("rowheader", name=name)
        expect(head).to_be_visible()
        assert (head.bounding_box() or {"height": 99})["height"] < 30
    assert page.locator(".pw-columns").evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
