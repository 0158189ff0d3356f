"""The health of a table in its page and in notebooks: findings, cells with fixes, previews, keyboard."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from playwright.sync_api import expect

from tests.browser.face import Face
from tests.browser.screenshots import THEMES
from tests.browser.warehouse import CATALOG, HOSTILE, Warehouse
from tests.support.sampling import sampled

pytestmark = pytest.mark.browser
TABLE = "sick.orders"


@pytest.fixture(scope="module")
def sick(warehouse: Warehouse) -> Any:
    """A table without compactions, with more retained snapshots than intended."""
    warehouse.catalog.create_database("sick")
    table = warehouse.catalog.create_table(
        TABLE,
        {"day": "STRING", "id": "BIGINT", "item": "STRING"},
        primary_key=["day", "id"],
        partition_by="day",
        options={"bucket": "2", "write-only": "true", "snapshot.num-retained.min": "5000"},
    )
    for number in range(10):
        days = [f"2026-11-0{1 + each % (3 if number < 4 else 1)}" for each in range(600)]
        table.write(pa.table({"day": days, "id": range(600), "item": [f"item {number}"] * 600}))
    return table


def test_findings_fixes_and_previews(face: Face, sick: Any) -> None:
    face.show(TABLE, "health")
    health = face.table_page.locator(".pwv-health")
    expect(health.locator(".pwv-condition")).to_contain_text("Poor condition.")
    first = health.locator("[data-finding=sorted-runs]")
    expect(first).to_have_attribute("open", "")
    expect(first.locator("code").first).to_have_text(
        "CALL sys.compact(table => 'sick.orders', compact_strategy => 'full', where => 'day = \\'2026-11-01\\'')"
    )
    # By the keyboard alone.
    first.locator("> summary").focus()
    face.page.keyboard.press("ArrowDown")
    second = health.locator("details.pwv-finding").nth(1)
    assert second.locator("> summary").evaluate("each => each === document.activeElement")
    face.page.keyboard.press("Enter")
    expect(second).to_have_attribute("open", "")
    face.page.keyboard.press("Home")
    face.page.keyboard.press("Tab")
    face.press_until("Tab", first.get_by_role("button", name="Copy SQL"))
    face.page.keyboard.press("Enter")
    expect(health.get_by_role("status")).to_have_text("Copied.")
    assert face.clipboard.startswith("CALL sys.compact(")
    health.get_by_role("button", name="List the directories").click()
    expect(health.get_by_role("button", name="List the directories")).to_have_count(0)
    health.locator("[data-checks] > summary").click()
    expect(health.locator(".pwv-checks")).to_contain_text("exist in their recorded sizes")
    before = sick.version.id
    first.get_by_role("button", name="Insert cell that tries it in a sandbox").click()
    cells = face.notebook.locator(".jp-CodeCell")
    face.wait_for_kernel()
    face.run_cells()
    expect(face.notebook.locator(".jp-OutputArea-output").last).to_contain_text("The finding is resolved afterwards.")
    assert sick.version.id == before
    face.show(TABLE, "health")
    first.get_by_role("button", name="Insert cell with the fix").click()
    expect(cells.last).to_contain_text("CALL sys.compact")
    assert sick.version.id == before


@pytest.mark.usefixtures("sick")
def test_no_changes_in_a_read_only_catalog(face: Face, read_only: str) -> None:
    face.show(TABLE, "health", catalog=read_only)
    first = face.table_page.locator(".pwv-health [data-finding=sorted-runs]")
    expect(first).to_contain_text("The catalog refuses every change; try changes in a sandbox.")
    expect(first.get_by_role("button", name="Insert cell that tries it in a sandbox")).to_be_visible()
    expect(first.get_by_role("button", name="Insert cell with the fix")).to_have_count(0)


@pytest.mark.usefixtures("sick")
@pytest.mark.parametrize("theme", sampled(THEMES, 2))
def test_a_widget_and_a_catalog(face: Face, theme: str) -> None:
    face.choose_theme(THEMES[theme])
    begin = f"import workbench as wb\ncatalog = wb.connect('{CATALOG}')\nwb.health(catalog.get_table('{TABLE}'))"
    face.open_notebook(f"health-{theme}.ipynb", [begin, "wb.health(catalog)"])
    face.run_cells()
    widget = face.notebook.locator(".pwv-health")
    widget.get_by_role("button", name="Try in a sandbox").first.click()
    expect(widget.locator(".pwv-preview")).to_contain_text("The finding is resolved afterwards.")
    listed = face.notebook.locator(".pwv-catalog-health")
    expect(listed.locator("progress")).to_have_count(0, timeout=120_000)
    expect(listed.locator("tbody tr").first).to_contain_text("poor")
    expect(listed).to_contain_text(TABLE)
    face.run("docmanager:save-all")
    face.run("application:close-all")
    face.show(TABLE, "health")
    expect(face.table_page.locator(".pwv-health .pwv-condition")).to_be_visible()


@pytest.mark.parametrize("name", [f"odd.{HOSTILE}", "odd.never_written", "odd.broken_manifest", "shop.events"])
def test_odd_tables(face: Face, name: str) -> None:
    face.show(name, "health")
    expect(face.table_page.locator(".pwv-health .pwv-condition")).to_be_visible()
    assert face.page.evaluate("() => window.hacked") is None
