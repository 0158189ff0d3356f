from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, NoReturn

import pytest
from front_end import BuildError, build

from tests.browser import warehouse as warehouses
from tests.browser.lab import Lab
from tests.browser.warehouse import CATALOG, Warehouse

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from tests.browser.face import Face

WAIT_MILLIS = 30_000


def missing(what: str) -> NoReturn:
    """These tests need a browser, which not every machine has; if it is required, its absence is a failure."""
    if os.environ.get("WORKBENCH_REQUIRE_BROWSER") == "1":
        pytest.fail(what)
    pytest.skip(what)


def pytest_collect_file() -> None:
    if find_spec("playwright") is None:
        missing("Playwright is not installed: pip install 'paimon-workbench[test]'")


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    return warehouses.build(tmp_path_factory.mktemp("browser") / "warehouse")


@pytest.fixture(scope="session")
def lab(warehouse: Warehouse, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    try:
        build()
    except BuildError as error:
        missing(f"The front end cannot be built here: {error}")
    lab = Lab(tmp_path_factory.mktemp("lab"))
    lab.start(f"[{CATALOG}]\nwarehouse = {json.dumps(str(warehouse.path))}\n")
    yield lab
    lab.stop()
    assert lab.errors() == []


# One for each module, so that Playwright's event loop does not run while other tests start theirs.
@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserContext]:
    from tests.browser import chromium

    if chromium.PATH is None:
        missing("There is no chromium: apt-get install chromium")
    with chromium.opened(WAIT_MILLIS) as context:
        yield context


@pytest.fixture
def face(browser: BrowserContext, lab: Lab) -> Iterator[Face]:
    """JupyterLab in a separate workspace. No test may cause errors in the page or requests to other hosts."""
    from tests.browser.face import Face

    face = Face(browser.new_page(), lab)
    face.begin()
    yield face
    face.close()
    assert face.watch.requests > 0
    assert face.watch.problems == []
