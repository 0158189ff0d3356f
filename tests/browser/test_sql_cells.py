"""Cells that begin with %%paimon look like SQL, complete like SQL, and underline names that do not exist."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.face import Face
from tests.browser.warehouse import Warehouse

pytestmark = pytest.mark.browser

SQL = "%%paimon --limit 5\nSELECT customer, amount FROM shop.ordrs WHERE 'a' = 'b'"
GOOD = "%%paimon\nSELECT customer, amuont FROM shop.orders LIMIT 3"


def take(face: Face, name: str) -> None:
    """Keep a picture if the environment names a folder for it."""
    folder = os.environ.get("WORKBENCH_PICTURES")
    if folder:
        face.page.screenshot(path=Path(folder, f"{name}.png"), animations="disabled")


def test_sql_looks_like_sql(face: Face, warehouse: Warehouse) -> None:
    connect = f"%load_ext workbench\n%paimon connect {warehouse.path}"
    notebook = face.open_notebook("sql.ipynb", [connect, SQL, GOOD, "x = 'SELECT'"])
    face.wait_for_kernel()
    cells = notebook.locator(".jp-CodeCell")
    expect(cells).to_have_count(4)
    for number, language in enumerate(("python", "sql", "sql", "python")):
        expect(cells.nth(number).locator(".cm-content")).to_have_attribute("data-language", language)
    notebook.locator(".jp-CodeCell").first.click()
    face.run("notebook:run-cell")
    # The catalog is open now, so cells are checked before they run.
    unknown = cells.nth(1).locator(".pw-unknown-name")
    expect(unknown).to_have_text("shop.ordrs")
    assert "Did you mean 'orders'?" in str(unknown.get_attribute("title"))
    expect(cells.nth(2).locator(".pw-unknown-name")).to_have_text("amuont")
    take(face, "sql-light")
    face.choose_theme("JupyterLab Dark")
    take(face, "sql-dark")
    # JupyterLab removes its splash screen after a moment, and fails if the theme changes before that.
    expect(face.page.locator("#jupyterlab-splash")).to_have_count(0)
    face.choose_theme("JupyterLab Light")

    cells.nth(2).locator(".cm-line").nth(1).click()
    face.page.keyboard.press("End")
    face.page.keyboard.press("ControlOrMeta+A")
    face.page.keyboard.type("%%paimon\nSELECT o. FROM shop.orders o")
    for _ in range(len(" FROM shop.orders o")):
        face.page.keyboard.press("ArrowLeft")
    face.page.keyboard.press("Tab")
    completer = face.page.locator(".jp-Completer:visible")
    expect(completer).to_contain_text("column, ")
    take(face, "sql-completion")
    face.page.keyboard.press("Escape")
    expect(cells.nth(2).locator(".pw-unknown-name")).to_have_count(0)

    face.page.keyboard.press("ControlOrMeta+A")
    face.page.keyboard.type("%%paimon\nCREATE TABLE t (a INT) TBLPROPERTIES ('buck")
    face.page.keyboard.press("Tab")
    expect(completer).to_contain_text("option, default -1: number of buckets")
    take(face, "sql-options")
    face.page.keyboard.press("Escape")

    # The cell becomes Python again.
    face.page.keyboard.press("ControlOrMeta+A")
    face.page.keyboard.type("x = 1")
    expect(cells.nth(2).locator(".cm-content")).to_have_attribute("data-language", "python")


WATCHED = """
import time
from workbench.notebook.jobs.card import NotebookCard
from workbench.notebook.jobs.watched import run_watched

def patient(progress):
    with progress.step("Starting"):
        time.sleep(1)
    with progress.step("Working", 900, "files"):
        for _ in range(900):
            time.sleep(0.1)
            progress.advance()

run_watched(patient, NotebookCard(), "Patient work")
"""


def test_deleting_needs_a_yes_and_work_can_be_stopped(face: Face, warehouse: Warehouse) -> None:
    warehouse.small_table("doomed")
    connect = f"%load_ext workbench\n%paimon connect {warehouse.path}"
    notebook = face.open_notebook("drop.ipynb", [connect])
    face.wait_for_kernel()
    notebook.click()
    face.run_cells()
    outputs = notebook.locator(".jp-OutputArea-output")
    face.run_cell("%%paimon\nDROP TABLE live.doomed")
    expect(outputs.last).to_contain_text("ConfirmationRequired: This would delete table live.doomed with ")
    expect(outputs.last).to_contain_text("%%paimon --yes")
    take(face, "drop")
    assert "doomed" in warehouse.catalog.list_tables("live")
    face.run_cell("%%paimon --yes\nDROP TABLE live.doomed")
    expect(outputs.last).to_have_text("DROP TABLE live.doomed")

    # Unlike `run_cell`, this does not wait for the end of the cell.
    face.page.evaluate(
        """source => {
            const notebook = window.jupyterapp.shell.currentWidget.content;
            notebook.model.sharedModel.addCell({cell_type: 'code', source});
            notebook.activeCellIndex = notebook.model.cells.length - 1;
            void window.jupyterapp.commands.execute('notebook:run-cell');
        }""",
        WATCHED,
    )
    stop = notebook.get_by_role("button", name="Cancel Patient work")
    expect(stop).to_be_visible()
    expect(notebook.locator("progress")).to_have_count(2)
    take(face, "steps")
    stop.click()
    expect(outputs.last).to_contain_text("Canceled")
