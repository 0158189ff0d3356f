"""Statements in the background: their cards while they run, after the page is reloaded, and without a kernel."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.face import Face
from tests.browser.test_sql_cells import take
from tests.browser.text_boxes import bad_texts
from tests.browser.warehouse import Warehouse

pytestmark = pytest.mark.browser

# Statements wait for their gates, and report progress as Spark reports its stages.
GATED = """
import time
from workbench.notebook.cells import script

gates, run = set(), script.execute

def gated(text, catalog, database, engine, progress, *others):
    gate = text.split("'")[1] if "'gate-" in text else None
    with progress.step("Planning the query"):
        time.sleep(0.1)
    with progress.step("INSERT INTO: stage 3", 2000, "tasks"):
        progress.describe("1,234,567 rows read (1.2 GiB)")
        progress.advance(1200)
        while gate is not None and gate not in gates:
            time.sleep(0.05)
            progress.check()
    return run(text, catalog, database, engine, progress, *others)

script.execute = gated
"""


def insert(number: int, gate: str) -> str:
    return f"%%paimon --background --out result{number}\nINSERT INTO live.jobs VALUES ({number}, '{gate}')"


def card(notebook: Locator, number: int) -> Locator:
    return notebook.get_by_role("group", name=re.compile(f"^Job {number} "))


def test_jobs_in_the_background(face: Face, warehouse: Warehouse) -> None:
    warehouse.small_table("jobs")
    connect = f"%load_ext workbench\n%paimon connect {warehouse.path}"
    notebook = face.open_notebook("jobs.ipynb", [connect, GATED])
    face.wait_for_kernel()
    notebook.click()
    face.run_cells()
    for number, gate in ((1, "gate-a"), (2, "gate-b"), (3, "gate-c")):
        # The cell ends immediately: `run_cell` waits until the kernel is idle.
        begin = time.monotonic()
        face.run_cell(insert(number, gate))
        assert time.monotonic() - begin < 20
    for number in (1, 2, 3):
        expect(card(notebook, number)).to_contain_text("1,200 of 2,000 tasks · 1,234,567 rows read (1.2 GiB)")
        expect(card(notebook, number).get_by_role("status")).to_have_text(f"Job {number} · Running")
    assert bad_texts(card(notebook, 1)) == []
    take(face, "jobs-light")
    face.choose_theme("JupyterLab Dark")
    take(face, "jobs-dark")
    face.choose_theme("JupyterLab Light")

    # One job is canceled while a cell runs; the other jobs continue.
    face.page.evaluate(
        """() => {
            const notebook = window.jupyterapp.shell.currentWidget.content;
            notebook.model.sharedModel.addCell({cell_type: 'code', source: 'time.sleep(5)'});
            notebook.activeCellIndex = notebook.model.cells.length - 1;
            void window.jupyterapp.commands.execute('notebook:run-cell');
        }"""
    )
    card(notebook, 2).get_by_role("button", name="Cancel Job 2").press("Enter")
    expect(card(notebook, 2).get_by_role("status")).to_have_text("Job 2 · Canceled", timeout=3_000)
    expect(card(notebook, 1).get_by_role("status")).to_have_text("Job 1 · Running")
    face.wait_for_kernel()

    face.run_cell("%%paimon --background\nSELECT id,\n  txet FROM live.jobs")
    expect(card(notebook, 4).get_by_role("alert")).to_contain_text("  txet FROM live.jobs\n    ^^^^")
    take(face, "jobs-failed")
    face.run_cell("%paimon jobs")
    expect(notebook.locator(".jp-OutputArea-output").last).to_contain_text("canceled")

    face.run_cell("gates.add('gate-a')")
    link = notebook.get_by_role("button", name=re.compile("Open snapshot .* of live.jobs"))
    expect(link).to_have_count(1)
    expect(card(notebook, 1)).to_have_count(0)
    take(face, "jobs-done")
    face.run_cell("print(result1.snapshots[0].commit_kind)")
    expect(notebook.locator(".jp-OutputArea-output").last).to_have_text("APPEND")

    # The page is reloaded, and the card of the third job is live again.
    face.run("docmanager:save")
    face.load()
    face.run("docmanager:open", path="jobs.ipynb", factory="Notebook")
    face.wait_for_kernel()
    notebook = face.notebook
    expect(card(notebook, 3).get_by_role("button", name="Cancel Job 3")).to_be_visible()
    seconds = card(notebook, 3).locator(".pw-job-time")
    before = seconds.text_content()
    expect(seconds).not_to_have_text(before or "")
    notebook.click()
    face.run_cell("gates.add('gate-c')")
    expect(card(notebook, 3)).to_have_count(0)
    expect(notebook.get_by_role("button", name=re.compile("Open snapshot .* of live.jobs"))).to_have_count(2)

    # A restarted kernel no longer runs its jobs.
    face.run_cell(insert(5, "gate-e"))
    expect(card(notebook, 5).get_by_role("button")).to_be_visible()
    face.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    expect(card(notebook, 5)).to_contain_text("The kernel no longer runs the job")
    expect(card(notebook, 5).get_by_role("status")).to_have_text("Job 5 · Was running")
    expect(card(notebook, 5).get_by_role("button")).to_have_count(0)
    take(face, "jobs-ended")
    face.wait_for_kernel()


@pytest.mark.long
def test_cancel_stops_a_job_of_spark(face: Face, warehouse: Warehouse) -> None:
    warehouse.small_table("canceled")
    notebook = face.open_notebook("spark_job.ipynb", [f"%load_ext workbench\n%paimon connect {warehouse.path}"])
    face.wait_for_kernel()
    notebook.click()
    face.run_cells()
    slow = "SELECT sum(sqrt(a.id * b.id)) FROM range(4000000) a CROSS JOIN range(4000000) b"
    face.run_cell(f"%%paimon --background --engine spark\n{slow}")
    expect(card(notebook, 1)).to_contain_text("stage", timeout=120_000)
    card(notebook, 1).get_by_role("button", name="Cancel Job 1").press("Enter")
    expect(card(notebook, 1).get_by_role("status")).to_have_text("Job 1 · Canceled", timeout=20_000)
    # No task of the job keeps a core busy.
    busy = "sum(info.numRunningTasks() for info in get_session()._jsc.sc().statusTracker().getExecutorInfos())"
    face.run_cell(f"from workbench.spark.session import get_session\nprint('busy', {busy})")
    expect(notebook.locator(".jp-OutputArea-output").last).to_have_text("busy 0")
    face.run_cell("%%paimon --engine spark\nSELECT count(*) + 40 AS answer FROM live.canceled")
    expect(notebook.locator(".jp-OutputArea-output").last).to_contain_text("answer")
