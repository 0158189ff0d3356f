"""``python -m tests.browser.screenshots``: make the pictures of docs/screenshots from the running product."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from tests.browser import chromium, warehouse
from tests.browser.face import Face
from tests.browser.far_store import NAME as FAR
from tests.browser.far_store import far_store
from tests.browser.lab import ROOT, Lab
from tests.browser.warehouse import CATALOG

FOLDER = ROOT / "docs" / "screenshots"
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
WAIT_MILLIS = 60_000


class Camera:
    """Takes pictures of one face in one theme."""

    def __init__(self, face: Face, theme: str) -> None:
        self._face, self._theme = face, theme

    def take(self, name: str) -> None:
        """Take a picture of the whole page, without transient elements."""
        self._face.page.evaluate("() => document.fonts.ready")
        self._face.page.screenshot(path=FOLDER / f"{name}-{self._theme}.png", animations="disabled")


def take_all(face: Face, theme: str) -> None:
    """Take the pictures of the tour: panel, tabs, notebooks, states."""
    camera = Camera(face, theme)
    face.choose_theme(THEMES[theme])
    face.expand(CATALOG, "shop")
    face.show("shop.orders")
    close_launcher(face)
    expect(face.table_page.locator(".pw-grid [role=gridcell]").first).to_be_visible(timeout=WAIT_MILLIS)
    expect(face.table_page.get_by_text("Loading")).to_have_count(0, timeout=WAIT_MILLIS)
    camera.take("overview")
    face.choose_tab("Timeline")
    face.timeline.locator('[data-snapshot="8"]').hover()
    camera.take("timeline")
    face.choose_tab("Levels")
    face.levels.locator("[data-file]").nth(3).hover()
    camera.take("levels")
    face.show("shop.customers", "schema")
    camera.take("schema")
    face.run("application:close")
    notebooks(face, camera, theme)
    dead_store(face, camera)
    if theme == "light":
        states(face, camera)


def dead_store(face: Face, camera: Camera) -> None:
    """Take a picture of a page whose store has died, and of the tree."""
    with far_store(face) as far:
        face.expand(FAR, "mall")
        face.show("mall.orders", catalog=FAR)
        close_launcher(face)
        expect(face.table_page.get_by_text("about")).to_be_visible(timeout=WAIT_MILLIS)
        with far.proxy.dead():
            face.panel.get_by_role("button", name="Refresh all").click()
            expect(face.tree).to_contain_text("does not answer", timeout=WAIT_MILLIS)
            expect(face.table_page.get_by_role("alert")).to_be_visible(timeout=WAIT_MILLIS)
            camera.take("dead-store")
        face.run("application:close-all")
    face.run("paimon:refresh")


def close_launcher(face: Face) -> None:
    """Close the launcher, which JupyterLab opens when nothing else is open, and keeps open."""
    for tab in face.page_tab("Launcher").all():
        tab.locator(".lm-TabBar-tabCloseIcon").click()
    face.page.mouse.move(0, 0)


def notebooks(face: Face, camera: Camera, theme: str) -> None:
    """Take pictures of a write in a cell beside the page that follows it, and of the same views as widgets."""
    connect = f"%load_ext workbench\n%paimon connect {CATALOG}\n%paimon use shop"
    rows = "('2026-11-03', 11, 'customer 0042', 19.90, 'new'),\n  ('2026-11-03', 5999, 'customer 0071', 4.50, NULL)"
    select = "%%paimon\nSELECT id, amount FROM orders\nWHERE dt = '2026-11-03' AND id IN (11, 5999)"
    name = f"orders-{theme}.ipynb"
    face.open_notebook(name, [connect, f"%%paimon\nINSERT INTO orders VALUES\n  {rows}", select])
    face.show("shop.orders", "levels")
    face.levels.locator('[data-ring="heat"] [role=gridcell]').last.click()
    before = face.levels.locator("h3 small").inner_text()
    face.put_beside_notebook()
    face.notebook.click()
    face.run_cells()
    expect(face.levels.locator("h3 small")).not_to_have_text(before)
    face.settle()
    camera.take("notebook")
    face.run("docmanager:save-all")
    face.run("application:close-all")
    begin = f"import workbench as wb\n\norders = wb.connect('{CATALOG}').get_table('shop.orders')\nwb.levels(orders)"
    face.open_notebook(f"pictures-{theme}.ipynb", [begin, "wb.timeline(orders)"])
    face.run_cells()
    expect(face.notebook.locator(".pwv-timeline")).to_have_count(1)
    camera.take("widgets")
    face.run("docmanager:save-all")
    face.run("application:close-all")


def states(face: Face, camera: Camera) -> None:
    """Take pictures of broken and empty tables, of the version list, a search and a form."""
    face.show("odd.broken_manifest")
    close_launcher(face)
    camera.take("broken-table")
    face.show("odd.never_written", "levels")
    camera.take("never-written")
    face.show("shop.orders", "timeline", "8")
    face.version.click()
    camera.take("versions")
    face.page.keyboard.press("Escape")
    face.show("wide.thousand_files", "levels")
    face.panel.get_by_role("searchbox").fill("customer")
    expect(face.panel.get_by_role("status")).to_contain_text("2 tables found.")
    found = face.tree.get_by_role("treeitem", name="orders, column: customer")
    found.click(button="right", position={"x": 160, "y": 39})
    camera.take("search")
    face.page.keyboard.press("Escape")
    face.panel.get_by_role("button", name="Add catalog…").click()
    expect(face.page.get_by_role("dialog")).to_be_visible()
    camera.take("add-catalog")


@contextmanager
def running() -> Iterator[Lab]:
    """A lab over a new warehouse, both deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="paimon-") as directory:
        shop = warehouse.build(Path(directory) / "warehouse")
        lab = Lab(Path(directory) / "lab")
        lab.start(f'[{CATALOG}]\nwarehouse = "{shop.path}"\n')
        try:
            yield lab
        finally:
            lab.stop()


def main() -> None:
    """Take all pictures again."""
    subprocess.run([sys.executable, str(ROOT / "extension" / "tools" / "front_end.py")], check=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with running() as lab, chromium.opened(WAIT_MILLIS) as browser:
        for theme in THEMES:
            face = Face(browser.new_page(), lab)
            face.begin()
            take_all(face, theme)
            face.close()


if __name__ == "__main__":
    main()
