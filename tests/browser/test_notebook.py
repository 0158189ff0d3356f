"""From panel to notebook and back: copied code, inserted cells, writes that open pictures answer, live widgets."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from playwright.sync_api import expect

import workbench as wb
from tests.browser.face import Face
from tests.browser.lab import OTHER_KERNEL
from tests.browser.test_states import expect_text_only
from tests.browser.warehouse import CATALOG, HOSTILE, HOSTILE_PARTITION, Warehouse

pytestmark = pytest.mark.browser


def test_copied_code_and_inserted_cells_run(face: Face, warehouse: Warehouse) -> None:
    face.show("shop.orders", version="8")
    face.table_page.get_by_role("button", name="Copy as Python").click()
    expect(face.page.get_by_text("Copied: import workbench as wb")).to_be_visible()
    code = face.clipboard
    face.table_page.get_by_role("button", name="Insert %%paimon cell").click()
    cells = face.notebook.locator(".jp-CodeCell")
    expect(cells).to_have_count(3)
    face.wait_for_kernel()
    face.run_cells()
    expect(cells.nth(1)).to_contain_text("%%paimon --snapshot 8")
    expect(face.notebook.locator(".jp-OutputArea-output tbody tr:not(details *)")).to_have_count(20)
    face.run_cell(code)
    face.run_cell("print('rows:', _.to_arrow().num_rows)")
    rows = warehouse.catalog.get_table("shop.orders").at(snapshot=8).to_arrow().num_rows
    expect(face.notebook).to_contain_text(f"rows: {rows}")
    face.expand(CATALOG, "odd")
    face.node(HOSTILE).click(button="right")
    face.choose_in_menu("Copy as Python")
    expect(face.page.get_by_text("Copied: import workbench as wb").last).to_be_visible()
    face.run_cell(f"{face.clipboard}.to_arrow().num_rows")
    expect(face.notebook.locator(".jp-OutputArea-output").last).to_have_text("2")
    face.node(HOSTILE).click(button="right")
    face.choose_in_menu("Insert %%paimon cell")
    expect(cells).to_have_count(7)
    face.run("notebook:run-cell")
    face.wait_for_kernel()
    expect(face.notebook.locator(".jp-OutputArea-output").last).to_contain_text("2 rows")


def test_a_write_from_a_cell_changes_the_open_picture(face: Face, warehouse: Warehouse) -> None:
    warehouse.small_table("written")
    connect = f"%load_ext workbench\n%paimon connect {warehouse.path}"
    insert = "%%paimon\nINSERT INTO live.written VALUES (4, 'four'), (5, 'five')"
    notebook = face.open_notebook("write.ipynb", [connect, insert])
    face.show("live.written", "levels")
    face.put_beside_notebook()
    expect(face.levels.locator("[data-file]")).to_have_count(1)
    notebook.click()
    face.run_cells()
    expect(face.levels.locator("h3 small")).to_have_text("snapshot 2")
    expect(face.levels.locator("[data-file]")).to_have_count(2)
    face.choose_version("1")
    link = notebook.get_by_role("button", name="Open snapshot 2 of live.written")
    link.click()
    face.expect_version("2")
    expect(face.levels.locator("h3 small")).to_have_text("snapshot 2")


def test_a_link_to_an_unknown_warehouse_asks(face: Face, tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path)
    catalog.create_database("far")
    catalog.create_table("far.away", {"id": "BIGINT"}, primary_key="id", options={"bucket": "1"})
    connect = f"%load_ext workbench\n%paimon connect {tmp_path}"
    notebook = face.open_notebook("unknown.ipynb", [connect, "%%paimon\nINSERT INTO far.away VALUES (1)"])
    face.run_cells()
    link = notebook.get_by_role("button", name="Open snapshot 1 of far.away")
    dialog = face.page.get_by_role("dialog")
    link.click()
    expect(dialog).to_contain_text(str(tmp_path))
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    expect(face.table_page).to_have_count(0)
    link.click()
    dialog.get_by_role("button", name="Add").click()
    face.expect_version("1")
    expect(face.table_page.get_by_role("heading", name="far.away", exact=True)).to_be_visible()


def test_widgets_follow_a_write(face: Face, warehouse: Warehouse) -> None:
    table = warehouse.small_table("watched")
    begin = f"import workbench as wb\ncat = wb.connect({CATALOG!r})\nt = cat.get_table('live.watched')"
    notebook = face.open_notebook("follow.ipynb", [begin, "wb.levels(t)", "wb.timeline(t)", "wb.explore(cat)"])
    face.run_cells()
    levels, timeline = notebook.locator(".pwv-levels").first, notebook.locator(".pwv-timeline").first
    explore = notebook.locator(".pwv-explore")
    expect(levels.locator("[data-file]")).to_have_count(1)
    expect(timeline.locator("[data-snapshot]")).to_have_count(1)
    explore.get_by_role("treeitem", name="live", exact=False).first.click()
    explore.locator('[data-table="live.watched"]').click()
    expect(explore.locator(".pwv-levels [data-file]")).to_have_count(1)
    table.write(pa.table({"id": [9], "word": ["nine"]}))
    expect(levels.locator("[data-file]")).to_have_count(2)
    expect(levels.locator("h3 small")).to_have_text("snapshot 2")
    expect(timeline.locator("[data-snapshot]")).to_have_count(2)
    expect(explore.locator(".pwv-levels [data-file]")).to_have_count(2)
    expect(explore.locator(".pwv-timeline [data-snapshot]")).to_have_count(2)


def test_names_in_a_notebook_are_text(face: Face) -> None:
    insert = f"%%paimon\nINSERT INTO odd.`{HOSTILE}` VALUES ('{HOSTILE_PARTITION}', '<a>', '{HOSTILE}')"
    begin = f"%load_ext workbench\n%paimon connect {CATALOG}\nimport workbench as wb\nt = wb.connect({CATALOG!r})"
    show = [f".get_table('odd.{HOSTILE}')\nwb.levels(t)", "wb.timeline(t)", f"wb.explore(wb.connect({CATALOG!r}))"]
    notebook = face.open_notebook("hostile.ipynb", [begin + show[0], *show[1:], insert])
    face.run_cells()
    link = notebook.get_by_role("button", name=f"of odd.{HOSTILE}")
    expect(link).to_be_visible()
    explore = notebook.locator(".pwv-explore")
    explore.get_by_role("treeitem", name="odd", exact=False).first.click()
    explore.locator("[data-table]", has_text=HOSTILE).click()
    expect(explore.locator(".pwv-levels [data-file]").first).to_be_visible()
    for view in (notebook.locator(".pwv-levels").first, notebook.locator(".pwv-timeline").first):
        expect(view).to_contain_text(HOSTILE)
        view.locator("summary").click()
    expect_text_only(notebook)
    link.click()
    expect(face.table_page.get_by_role("heading", name=f"odd.{HOSTILE}", exact=True)).to_be_visible()
    expect_text_only(face.page.locator("body"))


def test_another_environment_is_reported(face: Face) -> None:
    face.open_notebook("other.ipynb", ["import workbench"], kernel=OTHER_KERNEL)
    face.run_cells()
    notice = face.panel.locator(".pw-notice")
    expect(notice).to_contain_text("pictures may differ")
    notice.get_by_role("button", name="Dismiss").click()
    expect(notice).to_have_count(0)
    face.open_notebook("same.ipynb", ["import workbench"])
    face.run_cells()
    expect(notice).to_have_count(0)
