"""The front end as a user handles it: the panel, table pages, notebooks, by mouse and keyboard."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Sequence
from typing import Any

import nbformat
from playwright.sync_api import Locator, Page, expect

from tests.browser.chromium import VIEWPORT
from tests.browser.lab import Lab
from tests.browser.warehouse import CATALOG
from tests.browser.watch import Watch

COMMAND_SECONDS = 120
_READY = "() => window.jupyterapp?.restored.then(() => true)"
_KERNEL_STATUS = "() => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status"


class Face:
    """One browser page with JupyterLab in it."""

    def __init__(self, page: Page, lab: Lab) -> None:
        self.page, self.lab, self.watch = page, lab, Watch(page)
        self.workspace = f"face-{secrets.token_hex(4)}"
        self.panel = page.locator(".pw-panel")
        self.tree = self.panel.get_by_role("tree")
        self.table_page = page.locator(".pw-page:visible")
        self.levels = self.table_page.locator(".pwv-levels")
        self.timeline = self.table_page.locator(".pwv-timeline")
        self.version = self.table_page.locator('[data-pw="version"]')

    # --- JupyterLab -----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Open JupyterLab in a new workspace, and wait for its launcher, which takes the focus last of all."""
        self.load()
        expect(self.page.locator(".jp-Launcher:focus-within, .jp-Launcher:focus")).to_be_visible()
        self.begin_again()

    def begin_again(self) -> None:
        """Start in a page that another test has cleared."""
        # The server keeps the theme that another test has chosen.
        if self.page.locator("body").get_attribute("data-jp-theme-light") != "true":
            self.choose_theme("JupyterLab Light")

    def load(self) -> None:
        """Open JupyterLab in the workspace of this face; a second call restores the layout."""
        self.page.goto(f"{self.lab.url}lab/workspaces/{self.workspace}?token={self.lab.token}")
        self.page.wait_for_function(_READY)
        expect(self.panel).to_be_visible()

    def run(self, command: str, **arguments: Any) -> None:
        """Run a command, and wait until it is done."""
        self.page.evaluate(
            """([name, args, seconds]) => Promise.race([
                window.jupyterapp.commands.execute(name, args).then(() => null),
                new Promise((_, fail) => setTimeout(() => fail(new Error(`${name} does not end`)), seconds * 1000))
            ])""",
            [command, arguments, COMMAND_SECONDS],
        )

    def wait_until_saved(self, *texts: str) -> None:
        """Wait until the saved workspace contains all of the texts, since JupyterLab saves with a delay."""
        url = f"{self.lab.url}lab/api/workspaces/{self.workspace}"
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            saved = self.page.evaluate("async url => (await fetch(url)).text()", url)
            if all(json.dumps(text)[1:-1] in saved for text in texts):
                return
            self.page.wait_for_timeout(200)
        raise AssertionError(f"JupyterLab did not save {texts}, but {saved}")

    def choose_theme(self, name: str) -> None:
        """Change the theme as the menu does."""
        self.run("apputils:change-theme", theme=name)
        light = "true" if "Light" in name else "false"
        expect(self.page.locator("body")).to_have_attribute("data-jp-theme-light", light)

    def choose_in_palette(self, label: str) -> None:
        """Run a command from the palette, with the keyboard alone."""
        self.page.keyboard.press("Control+Shift+C")
        field = self.page.locator(".lm-CommandPalette-input")
        expect(field).to_be_focused()
        self.page.keyboard.type(label)
        expect(self.page.locator(".lm-CommandPalette-item.lm-mod-active")).to_contain_text(label)
        self.page.keyboard.press("Enter")

    def choose_in_menu(self, label: str) -> None:
        """Choose from the context menu that is open."""
        self.page.locator(".lm-Menu").get_by_role("menuitem", name=label, exact=True).click()

    @property
    def clipboard(self) -> str:
        """The text that was copied last."""
        return str(self.page.evaluate("() => navigator.clipboard.readText()"))

    def press_until(self, key: str, there: Locator, maximum: int = 40) -> None:
        """Press a key until the element has the focus, as users without a mouse do."""
        for _ in range(maximum):
            self.page.keyboard.press(key)
            if there.evaluate_all("found => found.includes(document.activeElement)"):
                return
        focused = self.page.evaluate("() => document.activeElement.outerHTML.slice(0, 300)")
        raise AssertionError(f"{maximum} times {key} did not lead to {there}, but to {focused}")

    # --- the panel ------------------------------------------------------------------------------------------------

    def node(self, name: str) -> Locator:
        """A line of the tree; the name of a table is followed by ``damaged`` once a page has found that."""
        return self.tree.get_by_role("treeitem", name=re.compile(rf"^{re.escape(name)}(, damaged)?$"))

    def expand(self, *names: str) -> None:
        """Open nodes of the tree, one below the other."""
        for name in names:
            if self.node(name).get_attribute("aria-expanded") == "false":
                self.node(name).click()
            expect(self.node(name)).to_have_attribute("aria-expanded", "true")

    # --- table pages ----------------------------------------------------------------------------------------------

    def show(self, name: str, tab: str | None = None, version: str | None = None, catalog: str = CATALOG) -> None:
        """Open the page of ``database.table`` by its command."""
        database, table = name.split(".", 1)
        position = {key: value for key, value in (("tab", tab), ("version", version)) if value is not None}
        self.run("paimon:open-table", catalog=catalog, database=database, table=table, **position)
        self.settle()

    def narrow(self, width: int) -> Locator:
        """Shrink the window until the page in front, beside the panel, is narrower than ``width`` pixels."""
        for window in range(700, 300, -40):
            self.page.set_viewport_size({"width": window, "height": VIEWPORT["height"]})
            self.page.wait_for_timeout(200)
            box = self.table_page.bounding_box()
            if box is not None and box["width"] < width:
                return self.table_page
        raise AssertionError(f"The page is never narrower than {width} pixels.")

    def tab(self, title: str) -> Locator:
        """A tab of the page in front."""
        return self.table_page.get_by_role("tab", name=title, exact=True)

    def settle(self) -> None:
        """Wait until the page shows the requested data."""
        expect(self.table_page.get_by_role("tabpanel")).to_have_attribute("aria-busy", "false")

    def choose_tab(self, title: str) -> None:
        """Show a tab, and wait for its content."""
        self.tab(title).click()
        expect(self.tab(title)).to_have_attribute("aria-selected", "true")
        self.settle()

    def choose_version(self, text: str) -> None:
        """Choose the first version that a search in the version switch finds."""
        self.version.click()
        self.table_page.get_by_role("combobox", name="Search versions").fill(text)
        self.page.keyboard.press("Enter")
        self.settle()

    def expect_version(self, text: str) -> None:
        """Wait until the page is at a version, ``latest``, ``12`` or ``tag:v1``."""
        expect(self.version).to_have_attribute("data-version", text)
        self.settle()

    def page_tab(self, label: str) -> Locator:
        """The tab in JupyterLab's main area."""
        return self.page.locator("#jp-main-dock-panel").get_by_role("tab", name=label, exact=True)

    def put_beside_notebook(self) -> None:
        """Move the page in front to the right of the notebook, so that both can be seen."""
        self.page.evaluate(
            """() => {
                const { shell } = window.jupyterapp;
                const notebook = [...shell.widgets('main')].find(widget => widget.hasClass('jp-NotebookPanel'));
                shell.add(shell.currentWidget, 'main', {mode: 'split-right', ref: notebook.id});
            }"""
        )
        expect(self.notebook).to_be_visible()

    # --- notebooks ------------------------------------------------------------------------------------------------

    def open_notebook(self, name: str, cells: Sequence[str], kernel: str = "python3") -> Locator:
        """Open a new notebook with these cells, and wait until its kernel is idle."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata["kernelspec"] = {"name": kernel, "display_name": kernel, "language": "python"}
        (self.lab.home / name).write_text(json.dumps(notebook))
        self.run("docmanager:open", path=name, factory="Notebook")
        self.wait_for_kernel()
        return self.notebook

    @property
    def notebook(self) -> Locator:
        """The notebook in front."""
        return self.page.locator(".jp-Notebook:visible")

    def run_cells(self) -> None:
        """Run all cells of the notebook in front, and check that none fails."""
        self.run("notebook:run-all-cells")
        self.wait_for_kernel()
        expect(self.notebook.locator('[data-mime-type="application/vnd.jupyter.error"]')).to_have_count(0)

    def run_cell(self, source: str) -> None:
        """Add a cell at the end of the notebook in front, and run it."""
        self.run("notebook:move-cursor-down")
        self.page.evaluate(
            """source => {
                const notebook = window.jupyterapp.shell.currentWidget.content;
                notebook.model.sharedModel.addCell({cell_type: 'code', source});
                notebook.activeCellIndex = notebook.model.cells.length - 1;
            }""",
            source,
        )
        self.run("notebook:run-cell")
        self.wait_for_kernel()

    def wait_for_kernel(self) -> None:
        """Wait until the kernel of the notebook in front has nothing to do."""
        self.page.wait_for_function(f"({_KERNEL_STATUS})() === 'idle'", timeout=120_000)

    def close(self) -> None:
        """End all kernels, remove the added catalogs from the server, and close the page."""
        self._end_kernels()
        self._remove_catalogs()
        self.page.close()

    def clear(self) -> None:
        """Close everything in the page, so that another test can start in it."""
        self._end_kernels()
        self.page.evaluate("() => [...window.jupyterapp.shell.widgets('main')].forEach(widget => widget.dispose())")
        self._collapse()
        self._remove_catalogs()
        self.run("paimon:refresh")
        expect(self.page.locator(".jp-Dialog, .lm-Menu")).to_have_count(0)
        self.page.set_viewport_size(VIEWPORT)
        self.page.unroute_all()
        launcher = self.page.locator(".jp-Launcher")
        expect(launcher).to_be_visible()
        launcher.focus()

    def _collapse(self) -> None:
        """Scroll to the top of the tree, which contains only visible rows, and collapse nodes from the bottom up."""
        if self.panel.is_visible():
            self.panel.get_by_role("searchbox").fill("")
        self.page.evaluate(
            """async () => {
                const opened = async () => {
                    document.querySelector('.pw-panel [role=tree]')?.scrollTo(0, 0);
                    await new Promise(done => setTimeout(done, 50));
                    return [...document.querySelectorAll('.pw-panel [role=treeitem][aria-expanded=true]')].pop();
                };
                for (let each = await opened(); each; each = await opened()) {
                    each.click();
                }
            }"""
        )

    def _end_kernels(self) -> None:
        self.page.evaluate("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")

    def _remove_catalogs(self) -> None:
        """Remove the added catalogs from the server."""
        self.page.evaluate(
            """async url => {
                const token = document.cookie.match(/_xsrf=([^;]*)/)[1];
                const { items } = await (await fetch(url)).json();
                const added = items.filter(catalog => catalog.origin === 'session');
                await Promise.all(added.map(({ name }) => fetch(
                    `${url}/${encodeURIComponent(name)}`, {method: 'DELETE', headers: {'X-XSRFToken': token}})));
            }""",
            f"{self.lab.url}paimon-workbench/catalogs",
        )
