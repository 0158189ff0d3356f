"""A read explained: opened from the filter of the data, by keyboard, in both themes, and in notebooks."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.face import Face
from tests.browser.text_boxes import bad_texts
from tests.browser.warehouse import CATALOG, HOSTILE, Warehouse

pytestmark = pytest.mark.browser
WHERE = "dt = '2026-11-02' AND id > 120"


@pytest.fixture(scope="module", autouse=True)
def explained(warehouse: Warehouse) -> Any:
    """Three partitions with four files of different ids in each, and a name that is markup."""
    table = warehouse.catalog.create_table(
        "live.explained", {"dt": "STRING", "id": "BIGINT", "name": "STRING"}, partition_by=["dt"]
    )
    for day in (1, 2, 3):
        for start in (0, 50, 100, 150):
            ids = list(range(start, start + 50))
            table.write(pa.table({"dt": [f"2026-11-0{day}"] * 50, "id": ids, "name": [HOSTILE] * 50}))
    return table


def picture_of(face: Face) -> Locator:
    return face.table_page.locator(".pwv-explain")


def explain(face: Face, where: str) -> Locator:
    """Filter the data, and open the explanation, with the keyboard alone."""
    face.show("live.explained", "overview")
    field = face.table_page.get_by_role("textbox", name="Filter rows by a condition")
    field.fill(where)
    field.press("Enter")
    face.settle()
    face.press_until("Tab", face.table_page.get_by_role("button", name="Explain this read"))
    face.page.keyboard.press("Enter")
    picture = picture_of(face)
    expect(picture.locator(".pwv-step").first).to_be_visible()
    return picture


def test_the_funnel_by_keyboard(face: Face) -> None:
    picture = explain(face, WHERE)
    expect(face.tab("Explain")).to_have_attribute("aria-selected", "true")
    expect(picture).to_contain_text("2 of 12 files are read")
    chosen = picture.locator('[data-step="manifest"]')
    expect(chosen).to_have_attribute("aria-selected", "true")
    expect(picture).to_contain_text("dt = '2026-11-02' excludes 8 files")
    face.press_until("Tab", chosen)
    face.page.keyboard.press("ArrowDown")
    face.page.keyboard.press("ArrowDown")
    face.page.keyboard.press("Enter")
    expect(picture).to_contain_text("id > 120; the file has id: 0 to 49, no NULL")
    picture.get_by_role("button", name="rows").press("Enter")
    expect(picture.locator('[data-step="value range"]')).to_contain_text("100 rows")
    picture.get_by_role("button", name="Run and measure").press("Enter")
    expect(picture).to_contain_text("The read returned 79 rows")


def test_the_code_of_the_read(face: Face) -> None:
    explain(face, WHERE)
    face.table_page.get_by_role("button", name="Copy as Python").click()
    face.page.wait_for_function(
        "async text => (await navigator.clipboard.readText()).includes(text)",
        arg=f'get_table("live.explained"), "{WHERE}")',
    )


def test_hostile_values_and_both_themes(face: Face) -> None:
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        face.choose_theme(theme)
        picture = explain(face, f"name = '{HOSTILE}'")
        expect(picture.locator("code").first).to_contain_text(HOSTILE)
        assert picture.locator("img").count() == 0
        assert bad_texts(picture) == []


def test_a_wrong_condition(face: Face) -> None:
    face.watch.expect_refused("nonsense")
    face.show("live.explained", "overview")
    field = face.table_page.get_by_role("textbox", name="Filter rows by a condition")
    field.fill("nonsense = 1")
    field.press("Enter")
    face.table_page.get_by_role("button", name="Explain this read").click()
    expect(face.table_page).to_contain_text("nonsense")
    expect(picture_of(face)).to_have_count(0)


def test_in_a_notebook(face: Face) -> None:
    face.page.set_viewport_size({"width": 700, "height": 2400})
    table = f"table = wb.connect({CATALOG!r}).get_table('live.explained')"
    cells = [
        f"import workbench as wb\n{table}\nwb.explain(table, {WHERE!r})",
        f"%load_ext workbench\n%paimon connect {CATALOG}",
        f"%%paimon\nSELECT name FROM live.explained WHERE {WHERE}",
    ]
    notebook = face.open_notebook("explain.ipynb", cells)
    face.run_cells()
    picture = notebook.locator(".pwv-explain")
    expect(picture).to_contain_text("2 of 12 files are read")
    picture.locator('[data-step="value range"]').click()
    expect(picture).to_contain_text("id > 120 excludes 2 files")
    assert bad_texts(picture) == []
    read = notebook.locator("details.wb-reads")
    read.locator("summary").click()
    expect(read).to_contain_text("value range")
    expect(read.locator("code")).to_contain_text("%paimon explain live.explained WHERE")
