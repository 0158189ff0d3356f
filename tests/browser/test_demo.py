"""What ``paimon-workbench demo`` opens: the quickstart beside the tables, and a stream that can be watched."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

import workbench as wb
from tests.browser.lab import LABEXTENSION, ROOT
from tests.first_picture import free_port, running, wait_for, wait_for_picture
from workbench.demo import stream_board

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def page(folder: Path, browser: BrowserContext, lab: object) -> Iterator[Page]:  # noqa: ARG001 - builds the front end
    """The page of JupyterLab as the command starts it for a user without settings."""
    link = folder / "share" / "labextensions" / "paimon-workbench"
    link.parent.mkdir(parents=True)
    link.symlink_to(LABEXTENSION, target_is_directory=True)
    names = {"HOME": folder, "JUPYTER_PATH": folder / "share", "JUPYTER_CONFIG_DIR": folder / "config"}
    variables = {**os.environ, **{name: str(path) for name, path in names.items()}, "PYTHONPATH": str(ROOT)}
    port = free_port()
    jupyter = ["--no-browser", "--IdentityProvider.token=", "--ServerApp.jpserver_extensions={'workbench.server':True}"]
    command = [sys.executable, "-m", "workbench.cli", "demo", f"--port={port}", "--", *jupyter]
    log = folder / "demo.log"
    with running(command, variables, folder, log) as server:
        wait_for(f"http://127.0.0.1:{port}/api", server, log)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        yield page
        page.close()


def test_the_quickstart_opens_beside_the_tables(page: Page, folder: Path) -> None:
    wait_for_picture(page)
    assert page.url.endswith("/lab/tree/paimon-demo/quickstart.ipynb")
    expect(page.locator('.pw-tree [data-kind="catalog"]')).to_have_attribute("data-name", "demo")
    assert (folder / "paimon-demo" / "quickstart.ipynb").is_file()
    assert not (folder / "config").exists()


def test_the_stream_can_be_watched(page: Page, folder: Path) -> None:
    wait_for_picture(page)
    page.locator('[role="treeitem"][data-name="board"]').click()
    version = page.locator('.pw-page:visible [data-pw="version"]')
    expect(version).to_contain_text("snapshot 31")
    with stream_board(wb.connect(folder / "paimon-demo" / "warehouse"), seconds=0.2):
        expect(version).to_contain_text(re.compile(r"snapshot (3[4-9]|[4-9]\d|\d{3})"))
