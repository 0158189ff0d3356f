"""Accessibility in light and dark themes: axe finds nothing serious in our parts of the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.face import Face
from tests.browser.lab import ROOT
from tests.browser.warehouse import CATALOG, Warehouse

pytestmark = pytest.mark.browser
AXE = ROOT / "extension" / "node_modules" / "axe-core" / "axe.min.js"
THEMES = ("JupyterLab Light", "JupyterLab Dark")
HIGH_CONTRAST = "JupyterLab Dark High Contrast"
_CHECK = """async parts => {
    const found = await axe.run({include: parts.map(part => [part])});
    if (found.passes.length === 0) {
        throw new Error('axe looked at nothing.');
    }
    return found.violations.filter(each => ['serious', 'critical'].includes(each.impact)).map(each =>
        `${each.impact} ${each.id}: ${each.help}\\n` + each.nodes.map(
            node => `${node.target} ${node.html.slice(0, 200)} ${node.failureSummary}`).join('\\n'));
}"""
_COLOURS = """view => {
    const of = (selector, name) => getComputedStyle(view.querySelector(selector)).getPropertyValue(name);
    return [of('h3', 'color'), of('[data-file]', 'background-color'), of('[data-bucket]', 'border-color')];
}"""


def violations(face: Face, *parts: str) -> list[str]:
    """What axe calls serious or critical inside the parts of the page."""
    if face.page.evaluate("() => typeof axe") == "undefined":
        face.page.add_script_tag(path=AXE)
    for part in parts:
        expect(face.page.locator(f"{part}:visible").first).to_be_visible()
    result: list[str] = face.page.evaluate(_CHECK, list(parts))
    return result


def test_panel_and_pages(face: Face) -> None:
    light, dark = (colors_of(face, theme) for theme in THEMES)
    assert all(one != other for one, other in zip(light, dark, strict=True))


@pytest.mark.long
def test_panel_and_pages_in_high_contrast(face: Face) -> None:
    assert colors_of(face, HIGH_CONTRAST)


def colors_of(face: Face, theme: str) -> list[str]:
    """Check the panel and the pages in a theme, and return the colors of a picture."""
    face.watch.expect_refused("broken_schema")
    face.choose_theme(theme)
    result = look_around(face)
    assert {position: reported for position, reported in result.items() if reported} == {}
    colors: list[str] = face.levels.evaluate(_COLOURS)
    return colors


def look_around(face: Face) -> dict[str, list[str]]:
    """Return what axe finds in the panel and everywhere on the pages; the last page shows a picture of levels."""
    result = {}
    face.expand(CATALOG, "shop")
    face.show("odd.broken_schema")
    result["broken"] = violations(face, ".pw-page")
    face.panel.get_by_role("button", name="Add catalog…").click()
    result["dialog"] = violations(face, ".pw-form")
    face.page.keyboard.press("Escape")
    face.show("shop.orders", version="8")
    result["pinned"] = violations(face, ".pw-header")
    face.version.click()
    result["version list"] = violations(face, ".pw-version-popup")
    face.page.keyboard.press("Escape")
    face.choose_version("latest")
    for tab in ("Overview", "Schema", "Timeline", "Levels"):
        face.choose_tab(tab)
        for summary in face.table_page.locator("details:not([open]) summary").all():
            summary.click()
        result[tab] = violations(face, ".pw-panel", ".pw-page")
    face.levels.locator("[data-file]").first.hover()
    result["file"] = violations(face, ".pwv-part-facts")
    face.panel.get_by_role("searchbox").fill("customer")
    expect(face.node("customers").locator("mark")).to_be_visible()
    # The row of the page in front is selected, which changes its colors.
    expect(face.tree.locator(".pw-row-reason mark")).to_be_visible()
    result["search"] = violations(face, ".pw-panel")
    face.panel.get_by_role("searchbox").fill("")
    return result


@pytest.mark.long
def test_widgets_and_links(face: Face, warehouse: Warehouse) -> None:
    warehouse.small_table("seen")
    begin = f"%load_ext workbench\n%paimon connect {CATALOG}\nimport workbench as wb\ncat = wb.connect({CATALOG!r})"
    cells = [begin, "wb.levels(cat.get_table('shop.orders'))", "wb.timeline(cat.get_table('shop.orders'))"]
    insert = "%%paimon\nINSERT INTO live.seen VALUES (4, 'four')"
    notebook = face.open_notebook("looks.ipynb", [*cells, "wb.explore(cat)", insert])
    face.run_cells()
    explore = notebook.locator(".pwv-explore")
    explore.get_by_role("treeitem", name="shop").first.click()
    explore.locator('[data-table="shop.orders"]').click()
    expect(explore.locator(".pwv-levels [data-file]").first).to_be_visible()
    for theme in THEMES:
        face.choose_theme(theme)
        assert violations(face, ".jp-OutputArea .pwv", ".pw-snapshot-link") == [], theme
