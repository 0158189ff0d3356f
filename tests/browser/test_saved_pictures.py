"""Pictures in notebooks that were saved: reopened, without a kernel, after its restart, and in other programs."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import nbformat
import pyarrow as pa
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.face import Face
from tests.browser.lab import Lab
from tests.browser.text_boxes import bad_texts
from tests.browser.warehouse import CATALOG, Warehouse
from tests.support.sampling import sampled
from workbench.notebook.saved import MAX_BYTES, SAVED_MIME

pytestmark = pytest.mark.browser

BEGIN = f"import workbench as wb\ncatalog = wb.connect({CATALOG!r})\norders = catalog.get_table('shop.orders')"
VIEWS = ["wb.levels(orders)", "wb.timeline(orders)", "wb.explore(catalog)", "wb.summary(orders)"]
RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
SHUTDOWN = "() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()"


def saved_notebook(face: Face, cells: list[str]) -> str:
    """Run the cells in a new notebook, save and close it, end its kernel, and return its name."""
    name = f"saved-{secrets.token_hex(4)}.ipynb"
    notebook = face.open_notebook(name, cells)
    face.run_cells()
    expect(notebook.locator(".pw-picture")).to_have_count(len(cells) - 1)
    face.run("docmanager:save")
    face.run("application:close")
    face.page.evaluate("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")
    return name


def reopened(face: Face, name: str) -> Locator:
    face.run("docmanager:open", path=name, factory="Notebook")
    face.wait_for_kernel()
    return face.notebook


def buckets(picture: Locator) -> Locator:
    return picture.locator("[data-bucket]")


@pytest.mark.long
def test_a_reopened_notebook_shows_its_pictures(face: Face, warehouse: Warehouse) -> None:
    newest = warehouse.catalog.get_table("shop.orders").snapshot().id
    notebook = reopened(face, saved_notebook(face, [BEGIN, *VIEWS]))
    notice = notebook.locator(".pwv-notice")
    still = f"This picture is of snapshot {newest}. Run the cell to make it live."
    expect(notice).to_have_text([still, still, "This picture is not live. Run the cell to make it live.", still])
    levels, timeline = notebook.locator(".pwv-levels"), notebook.locator(".pwv-timeline")
    for number in (4, 0, 3):
        chosen = buckets(levels).nth(number)
        chosen.click()
        expect(chosen).to_have_attribute("aria-selected", "true")
        facts = chosen.get_attribute("aria-label") or ""
        files = re.search(r"(\d+) files?", facts)
        assert files is not None
        expect(levels.locator("[data-file]")).to_have_count(int(files[1]))
    levels.locator("[data-file]").first.hover()
    expect(levels.locator(".pwv-facts")).to_contain_text("data-")
    mark = timeline.locator("[data-snapshot]").nth(2)
    mark.click()
    expect(mark).to_have_attribute("aria-selected", "true")
    expect(timeline.locator(".pwv-facts")).to_contain_text("Commit user")
    face.page.evaluate(SHUTDOWN)
    buckets(levels).nth(1).click()
    expect(buckets(levels).nth(1)).to_have_attribute("aria-selected", "true")
    explore = notebook.locator(".pwv-explore")
    explore.get_by_role("treeitem", name="shop").click()
    explore.locator('[data-table="shop.orders"]').click()
    unknown = "The notebook does not contain this. Run the cell to see it."
    expect(notice.nth(2)).to_have_text(unknown)
    summary = notebook.locator(".pwv-summary")
    expect(summary.locator(".pwv-verdict")).to_be_visible()
    summary.get_by_role("button", name="Count exactly").click()
    expect(notice.last).to_have_text(unknown)


@pytest.mark.long
def test_a_live_picture_survives_a_restart(face: Face, warehouse: Warehouse) -> None:
    table = warehouse.small_table("restarted")
    begin = f"import workbench as wb\ntable = wb.connect({CATALOG!r}).get_table('live.restarted')"
    notebook = face.open_notebook("restart.ipynb", [begin, "wb.levels(table)"])
    face.run_cells()
    levels, notice = notebook.locator(".pwv-levels"), notebook.locator(".pwv-notice")
    expect(levels.locator("[data-file]")).to_have_count(1)
    expect(notice).to_have_count(0)
    table.write(pa.table({"id": [9], "word": ["nine"]}))
    expect(levels.locator("[data-file]")).to_have_count(2)
    face.page.evaluate(RESTART)
    face.wait_for_kernel()
    expect(notice).to_contain_text("The kernel was restarted. This picture is of snapshot 2.")
    levels.locator("[data-file]").last.click()
    expect(levels.locator("[data-file]").last).to_have_attribute("aria-selected", "true")
    table.write(pa.table({"id": [10], "word": ["ten"]}))
    face.run_cells()
    expect(notice).to_have_count(0)
    expect(levels.locator("h3 small")).to_have_text("snapshot 3")


@pytest.mark.fresh_page
def test_a_reloaded_page_is_live_again(face: Face, warehouse: Warehouse) -> None:
    table = warehouse.small_table("reloaded")
    begin = f"import workbench as wb\ntable = wb.connect({CATALOG!r}).get_table('live.reloaded')"
    face.open_notebook("reload.ipynb", [begin, "wb.levels(table)"])
    face.run_cells()
    face.run("docmanager:save")
    face.wait_until_saved("reload.ipynb")
    table.write(pa.table({"id": [9], "word": ["nine"]}))
    face.load()
    levels = face.notebook.locator(".pwv-levels")
    expect(levels.locator("h3 small")).to_have_text("snapshot 2")
    expect(face.notebook.locator(".pwv-notice")).to_have_count(0)
    table.write(pa.table({"id": [10], "word": ["ten"]}))
    expect(levels.locator("h3 small")).to_have_text("snapshot 3")


@pytest.mark.long
def test_large_pictures_are_simplified(face: Face) -> None:
    begin = f"import workbench as wb\ntable = wb.connect({CATALOG!r}).get_table('wide.thousand_files')"
    name = saved_notebook(face, [begin, "wb.levels(table)"])
    (output,) = outputs(face.lab, name)
    assert len(nbformat.writes(nbformat.v4.new_notebook(metadata={"view": output[SAVED_MIME]}))) < 3 * MAX_BYTES
    levels = reopened(face, name).locator(".pwv-levels")
    expect(face.notebook.locator(".pwv-notice")).to_contain_text("It is simplified")
    expect(levels.locator(".pwv-part-tools")).to_contain_text("1,000 sorted runs, 1,000 files")
    assert 60 < levels.locator("[data-file]").count() < 1000
    levels.locator("[data-file]").first.hover()
    expect(levels.locator(".pwv-facts")).to_contain_text(re.compile(r"\d+ files: data-"))


def test_an_untrusted_notebook_shows_its_pictures_and_nothing_else(face: Face) -> None:
    name = saved_notebook(face, [BEGIN, *VIEWS[:2]])
    path = face.lab.home / name
    notebook = nbformat.read(path, nbformat.NO_CONVERT)
    levels, timeline = (cell.outputs[0].data for cell in notebook.cells[1:3])
    levels[SAVED_MIME]["value"]["table"] = "<img src=x onerror=alert(1)>"
    levels[SAVED_MIME]["value"]["bucket"]["runs"][0]["files"][0]["start"] = "0;background:url(//example.org)"
    timeline[SAVED_MIME]["version"] = 99
    timeline["text/html"] += "<script>alert(2)</script><p onmouseover=alert(3)>last</p>"
    nbformat.write(notebook, face.lab.home / f"foreign-{name}")
    shown = reopened(face, f"foreign-{name}")
    expect(shown.locator(".pwv-levels h3")).to_contain_text("<img src=x onerror=alert(1)>")
    expect(shown.locator(".pwv-levels [data-file]").first).to_be_attached()
    problem = shown.locator(".pw-picture-problem")
    expect(problem).to_have_text(
        "This picture was saved by another version of Paimon Workbench. Run the cell to draw it again."
    )
    # Sanitizers drop the drawing; its heading and its tables stay.
    expect(shown.get_by_text("Snapshots of shop.orders: 13 snapshots")).to_be_visible()
    expect(shown.get_by_text("Snapshots of shop.orders: show as table")).to_be_visible()
    shown.get_by_text("last", exact=True).hover()


def outputs(lab: Lab, name: str) -> list[Any]:
    """The outputs of a notebook by MIME type."""
    notebook = nbformat.read(lab.home / name, nbformat.NO_CONVERT)
    return [output.data for cell in notebook.cells for output in cell.outputs]


@pytest.mark.long
def test_saved_views_fit_a_narrow_notebook_in_both_themes(face: Face) -> None:
    begin = f"{BEGIN}\n%load_ext workbench\n%paimon connect {CATALOG}"
    views = [
        "wb.compaction(orders)",
        "wb.diff(orders)",
        "wb.biography(orders, orders.to_arrow(orders.primary_key, limit=1).to_pylist()[0])",
        "wb.explain(orders, 'amount > 10')",
        "wb.health(orders)",
    ]
    query = "%%paimon\nSELECT customer FROM shop.orders WHERE amount > 10"
    name = f"narrow-{secrets.token_hex(4)}.ipynb"
    notebook = face.open_notebook(name, [begin, *views, query])
    face.run_cells()
    expect(notebook.locator(".pw-picture")).to_have_count(len(views))
    face.run("docmanager:save")
    face.run("application:close")
    face.page.evaluate("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")
    notebook = reopened(face, name)
    face.page.evaluate(SHUTDOWN)
    pictures = notebook.locator(".pw-picture")
    width = int(pictures.first.evaluate("each => each.clientWidth"))
    assert face.page.viewport_size is not None
    face.page.set_viewport_size({"width": face.page.viewport_size["width"] - width + 600, "height": 2000})
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        face.choose_theme(theme)
        for picture in pictures.all():
            picture.scroll_into_view_if_needed()
            expect(picture.locator(".pwv-notice").first).to_contain_text("Run the cell to make it live.")
            assert bad_texts(picture) == []
            assert picture.evaluate("each => each.scrollWidth <= each.clientWidth")
    read = notebook.locator("details.wb-reads")
    read.locator("summary").click()
    expect(read.get_by_role("table")).to_contain_text("all files")
    assert bad_texts(read) == []
    html, _ = HTMLExporter().from_filename(str(face.lab.home / name))
    page = face.page.context.new_page()
    page.set_content(html, wait_until="commit")
    page.locator("details.wb-reads summary").click()
    expect(page.locator("details.wb-reads table")).to_be_visible()
    page.close()


# --- in other programs --------------------------------------------------------------------------------------------


@pytest.fixture(params=sampled([False, True], 2), ids=["without scripts", "with scripts"])
def reader(request: pytest.FixtureRequest, browser: BrowserContext) -> Iterator[Page]:
    """A browser that reads a file, without a network."""
    assert browser.browser is not None
    context = browser.browser.new_context(java_script_enabled=request.param, offline=True)
    yield context.new_page()
    context.close()


def test_nbconvert_keeps_the_pictures(face: Face, reader: Page, tmp_path: Path) -> None:
    name = saved_notebook(face, [BEGIN, *VIEWS])
    # A collapsed catalog has no PNG, since its text is complete.
    assert ["image/png" in output for output in outputs(face.lab, name)] == [True, True, False, True]
    html, _ = HTMLExporter().from_filename(str(face.lab.home / name))
    file = tmp_path / "saved.html"
    file.write_text(html)
    reader.goto(file.as_uri(), wait_until="commit")
    for picture in ("levels", "timeline", "summary"):
        expect(reader.locator(f".wb-{picture} svg").first).to_be_visible()
    expect(reader.locator("summary", has_text="Databases and tables of")).to_be_visible()
    for output in reader.locator(".jp-OutputArea-output").all():
        assert bad_texts(output) == []


@pytest.mark.long
def test_static_pictures_are_readable_without_styles_and_drawings(face: Face, warehouse: Warehouse) -> None:
    name = saved_notebook(face, [BEGIN, *VIEWS[:2]])
    levels, timeline = (
        re.sub(r"(?s)<(style|script|svg)\b.*?</\1>", "", output["text/html"]) for output in outputs(face.lab, name)
    )
    page = face.page.context.new_page()
    page.set_content(levels + timeline)
    text = page.locator("body").text_content() or ""
    orders = warehouse.catalog.get_table("shop.orders")
    assert all(f"snapshot {orders.snapshot().id}" in text or str(each.id) in text for each in orders.snapshots())
    for heading in ("sorted runs, ", "Buckets of shop.orders", "Files of shop.orders", "Snapshots of shop.orders"):
        expect(page.get_by_text(heading).first).to_be_visible()
    assert page.locator("svg, style, script").count() == 0
    assert bad_texts(page.locator("body")) == []
    page.close()


@pytest.mark.skipif(find_spec("notebook") is None, reason="Notebook 7 is not installed")
@pytest.mark.long
def test_notebook_7_shows_them(face: Face) -> None:
    name = saved_notebook(face, [BEGIN, *VIEWS])
    page = face.page.context.new_page()
    page.goto(f"{face.lab.url}notebooks/{name}?token={face.lab.token}")
    levels = page.locator(".pw-picture .pwv-levels")
    expect(page.locator(".pwv-notice").first).to_contain_text("Run the cell to make it live.")
    buckets(levels).nth(3).click()
    expect(buckets(levels).nth(3)).to_have_attribute("aria-selected", "true")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    expect(page.locator(".pwv-notice")).to_have_count(0)
    # A kernel starts first.
    expect(levels.locator("[data-file]").first).to_be_visible(timeout=90_000)
    page.close()
