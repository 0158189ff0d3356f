"""Broken, empty and hostile tables, and catalogs that do not exist yet."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
from playwright.sync_api import Locator, expect

import workbench as wb
from tests.browser import warehouse as names
from tests.browser.face import Face
from tests.browser.warehouse import CATALOG, HOSTILE, Warehouse
from workbench.lens.damage import data_files

pytestmark = pytest.mark.browser


def expect_text_only(page_part: Locator) -> None:
    """Check that no markup in a name became an element."""
    for result in ("img[src=x]", "b[onclick]", "svg[onload]", "i[onmouseover]", "u"):
        assert page_part.locator(result).count() == 0, result
    scripts = page_part.locator("script").all_text_contents()
    assert not any("alert" in script for script in scripts)


def test_a_broken_table_among_good_ones(face: Face) -> None:
    face.watch.expect_refused("broken_")
    face.expand(CATALOG, "odd")
    face.node("broken_schema").click()
    failure = face.table_page.get_by_role("alert")
    expect(failure).to_contain_text("schema-0")
    expect(failure.get_by_role("button", name="Try again")).to_be_visible()
    face.expand("shop")
    face.node("orders").click()
    expect(face.table_page.get_by_role("heading", name="shop.orders")).to_be_visible()
    expect(face.table_page.locator(".pw-figures")).to_be_visible()
    face.node("broken_manifest").click()
    expect(failure).to_contain_text("manifest-list")
    face.choose_version("1")
    expect(face.table_page.locator(".pw-figures")).to_contain_text("Files")
    face.page_tab("broken_schema").click()
    failure.get_by_role("button", name="Try again").click()
    expect(failure).to_contain_text("schema-0")


def test_damage_stays_in_the_tabs_that_need_the_file(face: Face) -> None:
    face.watch.expect_refused("broken_manifest")
    face.expand(CATALOG, "odd")
    face.show("odd.broken_manifest")
    page, failure = face.table_page, face.table_page.get_by_role("alert")
    expect(failure).to_contain_text("manifest-list")
    expect(failure).to_contain_text("Snapshot 2 is damaged. Snapshot 1 can be read:")
    expect(page.locator(".pw-facts").last).to_contain_text("2 (APPEND)")
    expect(face.node("broken_manifest, damaged").locator(".pw-row-damaged")).to_be_visible()
    face.choose_tab("Schema")
    expect(page.get_by_role("rowheader", name="id")).to_be_visible()
    expect(failure).to_have_count(0)
    face.choose_tab("Timeline")
    expect(face.timeline.locator("[data-snapshot]")).to_have_count(2)
    face.timeline.locator('[data-snapshot="2"]').hover()
    expect(face.timeline.locator(".pwv-part-facts")).to_contain_text("details not read")
    face.choose_tab("Levels")
    expect(failure).to_contain_text("manifest-list")
    failure.get_by_role("button", name="Open snapshot 1").click()
    face.expect_version("1")
    expect(face.levels.locator("[data-file]")).to_have_count(1)
    face.choose_tab("Overview")
    expect(page.locator(".pw-grid")).to_contain_text("1")
    expect(failure).to_have_count(0)


def test_a_damaged_data_file(face: Face, warehouse: Warehouse) -> None:
    table = warehouse.small_table("damaged_file")
    before = {file.path for file in data_files(table.store, table.snapshot())}
    table.write(pa.table({"id": [4], "word": ["four"]}))
    (added,) = (file for file in data_files(table.store, table.snapshot()) if file.path not in before)
    Path(added.path).write_bytes(b"cut")
    face.watch.expect_refused("damaged_file")
    face.show("live.damaged_file")
    failure = face.table_page.get_by_role("alert")
    expect(failure.get_by_role("row", name="Damaged file")).to_contain_text(added.path)
    expect(failure.get_by_role("row", name="Expected size")).to_contain_text(f"{added.size:,} bytes")
    expect(failure.get_by_role("row", name="Actual size")).to_contain_text("3 bytes")
    expect(failure).to_contain_text("Snapshot 2 is damaged. Snapshot 1 can be read:")
    failure.get_by_text("Roll back to snapshot 1").click()
    failure.get_by_role("button", name="Copy as Python").click()
    expect(face.page.get_by_text("Copied: import workbench")).to_be_visible()
    code = face.clipboard
    assert code.endswith('.get_table("live.damaged_file").rollback_to(snapshot=1)')
    assert warehouse.catalog.get_table("live.damaged_file").rollback_to(snapshot=1).snapshot == 1
    face.table_page.get_by_role("button", name="Refresh").click()
    expect(face.table_page.get_by_role("gridcell", name="three")).to_be_visible()
    expect(failure).to_have_count(0)


def test_no_rollback_in_a_read_only_catalog(face: Face, warehouse: Warehouse, read_only: str) -> None:
    table = warehouse.small_table("damaged_and_locked")
    before = {file.path for file in data_files(table.store, table.snapshot())}
    table.write(pa.table({"id": [4], "word": ["four"]}))
    (added,) = (file for file in data_files(table.store, table.snapshot()) if file.path not in before)
    Path(added.path).unlink()
    face.watch.expect_refused("damaged_and_locked")
    face.show("live.damaged_and_locked", catalog=read_only)
    failure = face.table_page.get_by_role("alert")
    expect(failure).to_contain_text("Snapshot 1 can be read:")
    expect(failure).to_contain_text("The catalog refuses every change; try changes in a sandbox.")
    expect(failure.get_by_text("Roll back to snapshot 1")).to_have_count(0)


def test_a_table_that_breaks_while_it_is_open(face: Face, warehouse: Warehouse) -> None:
    warehouse.small_table("breaking")
    face.watch.expect_refused("breaking")
    face.show("live.breaking", "levels")
    snapshots = warehouse.table_path("live.breaking") / "snapshot"
    kept = (snapshots / "snapshot-1").read_text()
    (snapshots / "snapshot-1").write_text("{ no snapshot")
    alert = face.table_page.get_by_role("alert")
    refresh = face.table_page.get_by_role("button", name="Refresh")
    refresh.click()
    expect(face.table_page.get_by_role("tabpanel", name="Levels").get_by_role("alert")).to_contain_text("snapshot-1")
    (snapshots / "snapshot-1").write_text(kept)
    refresh.click()
    expect(face.levels.locator("[data-file]")).to_have_count(1)
    expect(alert).to_have_count(0)


def test_names_are_text_everywhere(face: Face) -> None:
    page = face.page
    face.expand(CATALOG, "odd")
    row = face.node(HOSTILE)
    expect(row).to_have_attribute("title", HOSTILE)
    row.hover()
    row.click()
    expect(face.page_tab(HOSTILE)).to_be_visible()
    face.page_tab(HOSTILE).hover()
    expect(face.table_page.get_by_role("heading", name=f"odd.{HOSTILE}", exact=True)).to_be_visible()
    expect(face.table_page.get_by_role("cell", name=names.HOSTILE_COMMENT)).to_be_visible()
    expect(face.table_page.get_by_role("cell", name=names.HOSTILE_OPTION).first).to_be_visible()
    face.choose_tab("Schema")
    expect(face.table_page.get_by_role("rowheader", name=names.HOSTILE_COLUMN)).to_be_visible()
    face.choose_tab("Timeline")
    expect(face.timeline.locator(".pwv-flag")).to_have_text(names.HOSTILE_TAG)
    face.timeline.locator('[data-snapshot="1"]').hover()
    expect(face.timeline.locator(".pwv-part-facts")).to_contain_text(f"INSERT INTO t VALUES ('{HOSTILE}')")
    face.timeline.locator("summary").click()
    expect(face.timeline.locator("table").first).to_contain_text(HOSTILE)
    face.choose_tab("Levels")
    face.levels.locator("summary").click()
    expect(face.levels.locator("table").last).to_contain_text(names.HOSTILE_KEY)
    face.levels.locator("[data-file]").last.hover()
    expect(face.levels.locator(".pwv-part-facts")).to_contain_text(names.HOSTILE_KEY)
    expect(face.levels.locator(".pwv-key").last).to_have_text(names.HOSTILE_KEY)
    expect_text_only(page.locator("body"))
    face.choose_version(names.HOSTILE_TAG[:6])
    expect(face.version).to_contain_text(names.HOSTILE_TAG)
    face.panel.get_by_role("searchbox").fill("<img")
    expect(row.locator("mark")).to_have_text("<img")
    row.click(button="right")
    expect_text_only(page.locator("body"))
    face.choose_in_menu("Copy name")
    expect(page.get_by_text(f"Copied: odd.{HOSTILE}")).to_be_visible()
    assert face.clipboard == f"odd.{HOSTILE}"
    expect_text_only(page.locator("body"))
    page.keyboard.press("Control+Shift+C")
    page.keyboard.type("Open Table")
    page.keyboard.press("Enter")
    page.get_by_role("combobox", name="Table", exact=True).fill("<img")
    expect(page.get_by_role("option", name=f"odd.{HOSTILE} ({CATALOG})")).to_be_visible()
    expect_text_only(page.locator("body"))
    page.keyboard.press("Escape")


def test_a_table_never_written_and_an_append_table(face: Face, warehouse: Warehouse) -> None:
    face.show("odd.never_written")
    expect(face.table_page).to_contain_text("No snapshots yet")
    face.choose_tab("Timeline")
    expect(face.timeline).to_contain_text("No snapshots yet")
    face.choose_tab("Levels")
    expect(face.levels).to_contain_text("No snapshots yet")
    empty = warehouse.catalog.create_table(
        "live.first_write", {"id": "BIGINT"}, primary_key="id", options={"bucket": 1}
    )
    face.show("live.first_write", "levels")
    empty.write(pa.table({"id": [1]}))
    expect(face.levels.locator("[data-file]")).to_have_count(1)
    face.show("shop.events", "levels", version="4")
    expect(face.tab("Files")).to_have_attribute("aria-selected", "true")
    assert not re.search(r"(?i)sorted run|\blevels?\b|stored|merge", face.levels.inner_text())
    expect(face.levels.locator("[data-file]")).to_have_count(4)
    expect(face.levels.get_by_role("rowheader")).to_contain_text("files")
    expect(face.table_page.locator(".pw-header")).to_contain_text("Append table")


def test_no_catalogs_and_the_first_one(face: Face, tmp_path: Path) -> None:
    added = wb.connect(tmp_path)
    added.create_database("found")
    added.create_table("found.treasure", {"id": "BIGINT"})
    face.page.route("**/paimon-workbench/catalogs?*", lambda route: route.fulfill(json={"items": []}))
    face.page.route("**/paimon-workbench/catalogs", lambda route: route.fulfill(json={"items": []}), times=1)
    face.panel.get_by_role("button", name="Refresh all").click()
    expect(face.panel).to_contain_text("No catalogs yet")
    expect(face.panel).to_contain_text("paimon_catalogs.toml")
    face.page.unroute_all()
    face.panel.get_by_role("button", name="Add catalog…").last.click()
    dialog = face.page.get_by_role("dialog")
    dialog.get_by_label("Directory or URL").fill(str(tmp_path))
    dialog.get_by_label("Name", exact=True).fill("second")
    dialog.get_by_role("button", name="Add").click()
    # The catalog expands once it has been added; a click before that would end up collapsing it.
    expect(face.node("second")).to_have_attribute("aria-expanded", "true")
    face.expand("found")
    expect(face.node("treasure")).to_be_visible()
    expect(face.node(CATALOG)).to_be_visible()
    face.node("second").click(button="right")
    face.choose_in_menu("Remove")
    face.page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(face.node("second")).to_have_count(0)


def test_a_catalog_is_remembered(face: Face, tmp_path: Path) -> None:
    wb.connect(tmp_path).create_database("kept")
    before = face.lab.catalog_file.read_text()
    try:
        face.panel.get_by_role("button", name="Add catalog…").click()
        dialog = face.page.get_by_role("dialog")
        dialog.get_by_label("Directory or URL").fill(str(tmp_path))
        dialog.get_by_label("Name", exact=True).fill("kept-catalog")
        dialog.get_by_label("Save to my catalog file").check()
        dialog.get_by_role("button", name="Add").click()
        # The panel must have read the databases before the catalog is removed from the file.
        expect(face.node("kept")).to_be_visible()
        assert f'["kept-catalog"]\n"warehouse" = {json.dumps(str(tmp_path))}' in face.lab.catalog_file.read_text()
    finally:
        face.lab.catalog_file.write_text(before)


def test_a_missing_catalog(face: Face, tmp_path: Path) -> None:
    face.watch.expect_refused("/catalogs")
    face.panel.get_by_role("button", name="Add catalog…").click()
    dialog = face.page.get_by_role("dialog")
    path, error = dialog.get_by_label("Directory or URL"), dialog.get_by_role("alert")
    dialog.get_by_role("button", name="Add").click()
    expect(error).to_have_text("Fill in: The directory or URL of the tables.")
    path.fill(str(tmp_path / "no" / "such" / "place"))
    dialog.get_by_text("Other options and credentials").click()
    options = dialog.get_by_label("Options, one per line: name = value")
    options.fill("no option")
    dialog.get_by_role("button", name="Add").click()
    expect(error).to_contain_text("“no option” is not a valid option.")
    options.fill("")
    path.press("Enter")
    expect(error).to_contain_text("There is no warehouse at")
    expect(path).to_have_value(str(tmp_path / "no" / "such" / "place"))
    wb.connect(tmp_path).create_database("found")
    path.fill(str(tmp_path))
    options.fill("metastore = filesystem")
    dialog.get_by_label("Name", exact=True).fill("mended")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog).to_have_count(0)
    expect(face.node("found")).to_be_visible()
    face.node("mended").click(button="right")
    face.choose_in_menu("Remove")
    face.page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(face.node("mended")).to_have_count(0)


@pytest.mark.fresh_page
def test_the_welcome_page_is_shown_once(face: Face) -> None:
    face.page.evaluate(
        """() => window.jupyterapp.serviceManager.settings.save('paimon-workbench:plugin', '{"welcome": true}')"""
    )
    face.load()
    page = face.page.locator(".pw-welcome")
    expect(page.get_by_role("link", name="Read the Apache Paimon documentation")).to_be_visible()
    page.get_by_role("button", name="Add a catalog").click()
    face.page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    face.workspace += "-again"
    face.begin()
    expect(page).to_have_count(0)
    face.choose_in_palette("Show Welcome Page")
    expect(page).to_be_visible()
    page.get_by_role("button", name="Insert a first %%paimon cell").click()
    expect(face.notebook.locator(".jp-Cell").filter(has_text="SHOW DATABASES")).to_be_visible()
    face.wait_for_kernel()
