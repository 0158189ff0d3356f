"""The life of a row: opened from the grid by mouse and keyboard, its picture, and the same picture in a notebook."""

from __future__ import annotations

import pyarrow as pa
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.face import Face
from tests.browser.warehouse import Warehouse

pytestmark = pytest.mark.browser

HOSTILE_KEY = "<img src=x onerror='window.hacked = true'>"


@pytest.fixture(scope="module")
def history(warehouse: Warehouse) -> None:
    """A row that was written, compacted, deleted and written again, beside one with a hostile key."""
    catalog = warehouse.catalog
    table = catalog.create_table(
        "live.lives",
        {"name": "STRING", "n": "INT", "note": "STRING"},
        primary_key=["name"],
        options={"bucket": "1", "write-only": "true", "merge-engine": "partial-update"},
    )
    for number in (1, 2, 3):
        rows = {"name": [HOSTILE_KEY, "row"], "n": [number, number], "note": [None, "first" if number == 1 else None]}
        table.write(pa.table(rows, schema=table.arrow_schema))
    table.compact(full=True)
    table.write(pa.table({"name": ["row"], "n": [None], "note": ["last"]}, schema=table.arrow_schema))


def picture(face: Face) -> Locator:
    return face.table_page.locator(".pwv-biography")


@pytest.mark.usefixtures("history")
def test_a_row_is_opened_by_keyboard(face: Face) -> None:
    face.show("live.lives")
    grid = face.table_page.locator(".pw-grid")
    expect(grid).to_contain_text("last")
    grid.focus()
    rows = grid.locator("[role=row]").all_inner_texts()
    position = next(number for number, text in enumerate(rows[1:]) if text.startswith("row"))
    for _ in range(position):
        face.page.keyboard.press("ArrowDown")
    face.page.keyboard.press("Enter")
    expect(face.table_page.get_by_role("tab", name="Biography")).to_have_attribute("aria-selected", "true")
    shown = picture(face)
    expect(shown).to_contain_text("The row exists: 5 stored versions found, a read uses 2 of them.")
    beads = shown.locator("[data-version]")
    expect(beads).to_have_count(5)
    beads.last.focus()
    face.page.keyboard.press("ArrowLeft")
    expect(shown.locator(".pwv-facts")).to_contain_text("made by a compaction")
    face.page.keyboard.press("Home")
    face.page.keyboard.press("Enter")
    expect(beads.first).to_have_attribute("aria-pressed", "true")
    note = shown.locator("tr", has_text="note")
    expect(note.locator("button")).to_have_text(["5", "5"])
    note.locator("button").first.focus()
    expect(beads.nth(4)).to_have_attribute("data-won", "")
    face.page.keyboard.press("Enter")
    expect(beads.nth(4)).to_be_focused()
    number = shown.locator("[data-field='1']")
    expect(number.locator("button")).to_have_text(["4", "3"])


@pytest.mark.usefixtures("history")
def test_a_row_is_opened_by_mouse_and_a_hostile_key_is_text(face: Face) -> None:
    face.show("live.lives")
    row = face.table_page.locator(".pw-grid [role=row]", has_text="onerror")
    row.locator("[role=gridcell]").first.click()
    row.get_by_role("button", name="Biography of this row").click()
    shown = picture(face)
    expect(shown.locator("b").first).to_have_text(f"name = {HOSTILE_KEY}")
    expect(shown.locator("img")).to_have_count(0)
    assert face.page.evaluate("() => window.hacked") is None
    field = shown.get_by_role("textbox", name="name")
    field.fill("row")
    field.press("Enter")
    expect(shown.locator("b").first).to_have_text("name = row")
    field.fill("never")
    field.press("Enter")
    expect(shown).to_contain_text("No file that still exists contains the row.")
    face.table_page.get_by_role("button", name="Copy as Python").click()
    expect(face.page.get_by_text("Copied: import workbench as wb")).to_be_visible()
    assert face.clipboard.splitlines()[-1].startswith("wb.biography(wb.connect(")
    assert face.clipboard.endswith('.get_table("live.lives"), {"name":"never"})')


@pytest.mark.usefixtures("history")
def test_the_form_asks_for_a_key_by_keyboard(face: Face, warehouse: Warehouse) -> None:
    face.watch.expect_refused("/biography")
    table = warehouse.catalog.create_table("live.numbered", {"id": "BIGINT", "v": "INT"}, primary_key=["id"])
    table.write(pa.table({"id": [1], "v": [10]}, schema=table.arrow_schema))
    table.write(pa.table({"id": [1], "v": [11]}, schema=table.arrow_schema))
    face.show("live.numbered", "overview")
    face.choose_in_palette("Show Biography")
    shown = picture(face)
    expect(shown).to_contain_text("Enter the primary key of a row")
    field = shown.get_by_role("textbox", name="id")
    face.press_until("Tab", field)
    face.page.keyboard.type("one")
    face.page.keyboard.press("Enter")
    expect(shown.get_by_role("alert")).to_contain_text("key column id cannot be used: 'one' is not a valid BIGINT.")
    expect(field).to_have_value("one")
    expect(field).to_be_focused()
    field.fill("1")
    face.page.keyboard.press("Enter")
    expect(shown.locator("[data-version]")).to_have_count(2)
    expect(shown.get_by_role("alert")).to_have_count(0)
    face.choose_tab("Changes")
    face.table_page.get_by_role("button", name="Biography of row 1").click()
    expect(face.tab("Biography")).to_have_attribute("aria-selected", "true")
    expect(shown.locator("[data-version]")).to_have_count(2)


@pytest.mark.usefixtures("history")
def test_a_notebook_shows_the_same_picture_and_follows_writes(face: Face, warehouse: Warehouse) -> None:
    code = f"import workbench as wb\nt = wb.connect({str(warehouse.path)!r}).get_table('live.lives')"
    notebook = face.open_notebook("lives.ipynb", [code, "wb.biography(t, {'name': 'row'})"])
    face.run_cells()
    shown = notebook.locator(".pwv-biography")
    expect(shown.locator("[data-version]")).to_have_count(5)
    table = warehouse.catalog.get_table("live.lives")
    table.write(pa.table({"name": ["row"], "n": [9], "note": [None]}, schema=table.arrow_schema))
    expect(shown.locator("[data-version]")).to_have_count(6)
    expect(shown.locator("[data-field='1'] td").first).to_have_text("9")


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_both_themes(face: Face, theme: str) -> None:
    face.choose_theme(theme)
    face.show("live.lives", "biography")
    expect(picture(face)).to_contain_text("Enter the primary key of a row")
    expect(face.table_page.get_by_role("button", name="Copy as Python")).to_have_count(0)
    face.choose_tab("Overview")
    grid = face.table_page.locator(".pw-grid")
    expect(grid).to_contain_text("last")
    grid.locator("[role=gridcell]", has_text="row").first.dblclick()
    expect(picture(face).locator("[data-version]").first).to_be_visible()
    picture(face).locator("[data-version]").nth(3).hover()
    name = theme.rsplit(maxsplit=1)[-1].lower()
    face.page.screenshot(path=f"/tmp/biography-{name}.png", animations="disabled")
