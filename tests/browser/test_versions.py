"""One version for all tabs, chosen in several ways; pages at the newest one follow, others announce it."""

from __future__ import annotations

import pyarrow as pa
import pytest
from playwright.sync_api import expect

from tests.browser.face import Face
from tests.browser.warehouse import Warehouse

pytestmark = pytest.mark.browser


def test_the_switch_drives_all_tabs(face: Face) -> None:
    face.show("shop.orders")
    figures = face.table_page.locator(".pw-figures")
    for version, label, snapshot in (("8", "8", 8), ("month-start", "tag:month-start", 2), ("latest", "latest", 14)):
        face.choose_version(version)
        face.expect_version(label)
        face.choose_tab("Overview")
        expect(figures).to_be_visible()
        expect(face.table_page.locator(".pw-facts")).to_contain_text(f"{snapshot} (")
        face.choose_tab("Timeline")
        expect(face.timeline.locator('[data-snapshot][aria-selected="true"]')).to_have_attribute(
            "data-snapshot", str(snapshot)
        )
        face.choose_tab("Levels")
        expect(face.levels.locator("h3 small")).to_have_text(f"snapshot {snapshot}")
        face.choose_tab("Schema")
        expect(face.table_page.get_by_role("heading", name="Columns of schema 0")).to_be_visible()


def test_schema_of_a_version(face: Face) -> None:
    face.show("shop.customers", "schema")
    expect(face.table_page.get_by_role("rowheader", name="full_name")).to_be_visible()
    versions = face.table_page.locator(".pw-schemas > li")
    expect(versions).to_have_count(3)
    expect(versions.nth(0)).to_contain_text("full_name")
    expect(versions.nth(1)).to_contain_text("city")
    face.choose_version("1")
    expect(face.table_page.get_by_role("rowheader", name="full_name")).to_have_count(0)
    expect(face.table_page.get_by_role("rowheader", name="name", exact=True)).to_be_visible()
    expect(face.table_page.locator('.pw-schemas > [aria-current="true"]')).to_contain_text("Schema 0")


def test_buttons_keys_and_clicks(face: Face) -> None:
    face.show("shop.orders", "levels")
    button = face.table_page.get_by_role("button", name="Previous snapshot")
    forth = face.table_page.get_by_role("button", name="Next snapshot")
    expect(forth).to_be_disabled()
    button.click()
    face.expect_version("13")
    face.levels.locator('[data-ring="heat"] [tabindex="0"]').focus()
    face.page.keyboard.press("Alt+[")
    face.expect_version("12")
    face.page.keyboard.press("Alt+]")
    face.expect_version("13")
    forth.click()
    face.expect_version("14")
    forth.click()
    face.expect_version("latest")
    face.choose_version("2")
    expect(button).to_be_disabled()
    face.choose_tab("Timeline")
    face.timeline.locator('[data-snapshot="6"]').click()
    face.expect_version("6")
    expect(face.timeline.locator('[data-snapshot="6"]')).to_have_attribute("aria-selected", "true")
    face.page.keyboard.press("ArrowLeft")
    face.page.keyboard.press("Enter")
    face.expect_version("5")
    face.choose_tab("Levels")
    expect(face.levels.locator("h3 small")).to_have_text("snapshot 5")
    face.watch.expect_refused("snapshot=1")
    face.show("shop.orders", version="1")
    failure = face.table_page.get_by_role("alert")
    expect(failure).to_contain_text("napshot 1")
    failure.get_by_role("button", name="Show latest").click()
    face.expect_version("latest")
    expect(face.levels.locator("h3 small")).to_have_text("snapshot 14")


def test_pages_follow_new_snapshots_or_announce_them(face: Face, warehouse: Warehouse) -> None:
    table = warehouse.small_table("followed")
    warehouse.small_table("pinned").write(pa.table({"id": [4], "word": ["four"]}))
    face.show("live.followed", "levels")
    face.show("live.pinned", "levels", version="1")
    newer = face.table_page.locator(".pw-newer")
    expect(newer).to_contain_text("Snapshot 2 is available.")
    warehouse.catalog.get_table("live.pinned").write(pa.table({"id": [5], "word": ["five"]}))
    expect(newer).to_contain_text("Snapshot 3 is available.")
    face.expect_version("1")
    newer.get_by_role("button", name="Show latest").click()
    face.expect_version("latest")
    expect(face.levels.locator("h3 small")).to_have_text("snapshot 3")
    face.page_tab("followed").click()
    table.write(pa.table({"id": [4], "word": ["four"]}))
    expect(face.levels.locator("h3 small")).to_have_text("snapshot 2")
    expect(face.levels.locator("[data-file]")).to_have_count(2)
    expect(face.table_page.locator('[data-pw="announcement"]')).to_have_text("Now showing snapshot 2")
