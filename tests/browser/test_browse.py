"""From the tree of catalogs to the files of a bucket: by mouse, by keyboard alone, and again after a reload."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.face import Face
from tests.browser.warehouse import CATALOG, HOSTILE_COMMENT, MANY_TABLES, Warehouse

pytestmark = pytest.mark.browser


@pytest.mark.fresh_page
def test_the_first_catalog_is_expanded_in_a_new_workspace(face: Face) -> None:
    expect(face.node("shop")).to_be_visible()
    expect(face.node("orders")).to_have_count(0)


def test_by_mouse(face: Face) -> None:
    face.expand(CATALOG, "shop")
    face.node("orders").click()
    expect(face.table_page.get_by_role("heading", name="shop.orders", exact=True)).to_be_visible()
    face.choose_tab("Levels")
    cells = face.levels.locator('[data-ring="heat"] [role=gridcell]')
    expect(cells).to_have_count(6)
    cells.nth(1).click()
    expect(cells.nth(1)).to_have_attribute("aria-selected", "true")
    files = face.levels.locator('[data-ring="tree"] [role=gridcell]')
    expect(face.levels.get_by_role("grid", name="dt=2026-11-01, bucket 1")).to_be_visible()
    name = files.first.get_attribute("data-file")
    files.first.hover()
    expect(face.levels.locator(".pwv-part-facts code")).to_have_text(name)


@pytest.mark.fresh_page
def test_by_keyboard_alone(face: Face) -> None:
    keyboard = face.page.keyboard
    face.choose_in_palette("Show Paimon Panel")
    expect(face.node(CATALOG)).to_be_focused()
    keyboard.press("Home")
    keyboard.press("ArrowRight")
    expect(face.node("shop")).to_be_visible()
    keyboard.type("shop")
    expect(face.node("shop")).to_be_focused()
    keyboard.press("ArrowRight")
    expect(face.node("orders")).to_be_visible()
    keyboard.type("ord")
    expect(face.node("orders")).to_be_focused()
    keyboard.press("Enter")
    face.settle()
    face.press_until("Tab", face.tab("Overview"), maximum=12)
    keyboard.press("End")
    expect(face.tab("Schema")).to_be_focused()
    for name in ("Health", "Compaction", "Levels"):
        keyboard.press("ArrowLeft")
        expect(face.tab(name)).to_be_focused()
    face.settle()
    buckets = face.levels.locator('[data-ring="heat"] [role=gridcell]')
    face.press_until("Tab", buckets, maximum=6)
    keyboard.press("Home")
    keyboard.press("ArrowRight")
    expect(buckets.nth(1)).to_be_focused()
    expect(face.levels.locator(".pwv-part-heat-facts")).to_contain_text("dt=2026-11-01, bucket 1, 2 sorted runs")
    keyboard.press("Enter")
    expect(buckets.nth(1)).to_have_attribute("aria-selected", "true")
    files = face.levels.locator('[data-ring="tree"] [role=gridcell]')
    face.press_until("Tab", files, maximum=6)
    seen = set()
    for key in ("Home", "ArrowDown", "ArrowRight", "End"):
        keyboard.press(key)
        focused = face.levels.locator("[data-file]:focus")
        name = focused.get_attribute("data-file")
        expect(face.levels.locator(".pwv-part-facts code")).to_have_text(name)
        seen.add(name)
    assert len(seen) == 4
    face.choose_in_palette("Open Table")
    field = face.page.get_by_role("combobox", name="Table", exact=True)
    expect(field).to_be_focused()
    face.page.keyboard.type("never")
    option = face.page.get_by_role("option", name=f"odd.never_written ({CATALOG})")
    expect(option).to_be_visible()
    face.page.keyboard.press("Enter")
    face.settle()
    expect(face.table_page.get_by_role("heading", name="odd.never_written")).to_be_visible()


def test_search(face: Face) -> None:
    face.expand(CATALOG)
    field = face.panel.get_by_role("searchbox")
    field.fill("ERS")
    expect(face.node("customers")).to_be_visible()
    expect(face.node("orders")).to_be_visible()
    expect(face.node("events")).to_have_count(0)
    expect(face.node("orders").locator("mark")).to_have_text("ers")
    field.press("ArrowDown")
    expect(face.tree.locator("[role=treeitem]:focus")).to_have_count(1)
    field.fill("table_0999")
    expect(face.node("table_0999")).to_be_visible()
    field.fill("no such table")
    expect(face.panel.get_by_text("No matches.", exact=False)).to_be_visible()
    expect(face.tree).to_have_count(0)
    field.press("Escape")
    expect(face.node("shop")).to_be_visible()


def test_search_of_columns_and_comments(face: Face) -> None:
    field = face.panel.get_by_role("searchbox")
    field.fill("destination")
    found = face.tree.get_by_role("treeitem", name="customers, comment of city: The destination", exact=True)
    expect(found).to_be_visible()
    expect(found.locator(".pw-row-reason mark")).to_have_text("destination")
    status = face.panel.get_by_role("status")
    expect(status).to_contain_text("1 table found.")
    expect(status).to_contain_text(f"These could not be searched: {CATALOG}.odd.broken_schema.")
    field.fill("CUSTOMER")
    expect(face.node("customers")).to_be_visible()
    orders = face.tree.get_by_role("treeitem", name="orders, column: customer", exact=True)
    expect(orders).to_be_visible()
    # The row is as high as its lines, and the next row begins below it.
    row, reason = orders.bounding_box(), orders.locator(".pw-row-reason").bounding_box()
    assert row is not None
    assert reason is not None
    assert row["y"] < reason["y"]
    assert reason["y"] + reason["height"] <= row["y"] + row["height"]
    orders.click()
    expect(face.table_page.get_by_role("heading", name="shop.orders", exact=True)).to_be_visible()
    field.fill("alert(3)")
    hostile = face.tree.get_by_role("treeitem", name=f"comment: {HOSTILE_COMMENT}")
    expect(hostile).to_be_visible()
    field.press("Escape")
    expect(face.tree.locator(".pw-row-reason")).to_have_count(0)


def test_refresh_context_menu_and_a_thousand_tables(face: Face, warehouse: Warehouse) -> None:
    face.expand(CATALOG, "live")
    warehouse.small_table("appeared")
    expect(face.node("appeared")).to_have_count(0)
    face.node("live").click(button="right")
    face.choose_in_menu("Refresh")
    expect(face.node("appeared")).to_be_visible()
    face.node("appeared").click(button="right")
    face.choose_in_menu("Copy name")
    assert face.clipboard == "live.appeared"
    face.node("appeared").click(button="right")
    face.choose_in_menu("Copy location")
    expect(face.page.get_by_text(f"Copied: {warehouse.table_path('live.appeared')}")).to_be_visible()
    assert face.clipboard == str(warehouse.table_path("live.appeared"))
    warehouse.catalog.drop_table("live.appeared")
    face.node("live").focus()
    face.page.keyboard.press("F5")
    expect(face.node("appeared")).to_have_count(0)
    face.expand("many")
    expect(face.node("table_0000")).to_be_visible()
    expect(face.node(f"table_{MANY_TABLES - 1:04d}")).to_have_count(0)
    face.node("table_0000").focus()
    assert face.tree.locator("[role=treeitem]").count() < 100
    face.page.keyboard.type(f"table_{MANY_TABLES - 1:04d}")
    expect(face.node(f"table_{MANY_TABLES - 1:04d}")).to_be_focused()


@pytest.mark.fresh_page
def test_a_reload_restores(face: Face) -> None:
    face.expand(CATALOG, "shop")
    face.show("shop.customers", tab="schema")
    face.show("shop.orders", tab="levels", version="8")
    cell = face.levels.locator('[data-ring="heat"] [role=gridcell]').nth(2)
    chosen = cell.get_attribute("data-bucket")
    cell.click()
    expect(cell).to_have_attribute("aria-selected", "true")
    pages = [f'paimon-table:["{CATALOG}","shop","{name}"]' for name in ("customers", "orders")]
    face.wait_until_saved(str(chosen), f'["{CATALOG}","shop"]', *pages)
    face.load()
    expect(face.node("orders")).to_be_visible()
    expect(face.page_tab("customers")).to_be_visible()
    face.expect_version("8")
    expect(face.tab("Levels")).to_have_attribute("aria-selected", "true")
    expect(face.levels.locator(f'[data-bucket="{chosen}"]')).to_have_attribute("aria-selected", "true")
    face.page_tab("customers").click()
    expect(face.tab("Schema")).to_have_attribute("aria-selected", "true")


def test_an_open_page_takes_the_whole_window_when_it_becomes_narrow(face: Face) -> None:
    face.show("shop.orders")
    expect(face.panel).to_be_visible()
    # 1280 pixels at 400 %.
    face.page.set_viewport_size({"width": 320, "height": 900})
    expect(face.panel).to_be_hidden()
    box = face.table_page.bounding_box()
    assert box is not None
    assert box["width"] > 240
    face.run("paimon:open-panel")
    face.page.set_viewport_size({"width": 300, "height": 900})
    face.page.wait_for_timeout(500)
    expect(face.panel).to_be_visible()
