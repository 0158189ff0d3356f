from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING, NoReturn

import pytest
from front_end import BuildError, build

from tests.browser import warehouse as warehouses
from tests.browser.lab import Lab
from tests.browser.services import VARIABLES, Services
from tests.browser.warehouse import CATALOG, Warehouse
from tests.support import toy_service
from tests.support.toy_service import PASSWORD, VARIABLE

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from tests.browser.face import Face

WAIT_MILLIS = 30_000
PASSED = pytest.StashKey[bool]()


def missing(what: str) -> NoReturn:
    """Skip the test, since not every machine has a browser; fail if the environment requires one."""
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
    lab = Lab(
        tmp_path_factory.mktemp("lab"), modules=(toy_service.__name__,), variables={VARIABLE: PASSWORD, **VARIABLES}
    )
    lab.start(f"[{CATALOG}]\nwarehouse = {json.dumps(str(warehouse.path))}\n")
    yield lab
    lab.stop()
    assert lab.errors() == []


@pytest.fixture(scope="package")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """Services of catalogs, which start when they are first needed."""
    with ExitStack() as stack:
        yield Services(tmp_path_factory.mktemp("services"), stack)


# One for this folder: Playwright's event loop must not run while other tests start theirs.
@pytest.fixture(scope="package")
def browser() -> Iterator[BrowserContext]:
    from tests.browser import chromium

    if chromium.PATH is None:
        missing("There is no chromium: apt-get install chromium")
    with chromium.opened(WAIT_MILLIS) as context:
        yield context


@pytest.fixture(scope="package")
def clear_pages() -> list[Page]:
    """The cleared page of the previous test, if any. It closes with the browser."""
    return []


@pytest.fixture
def face(browser: BrowserContext, clear_pages: list[Page], lab: Lab, request: pytest.FixtureRequest) -> Iterator[Face]:
    """JupyterLab in a separate workspace. No test may cause errors in the page or requests to other hosts.

    Loading JupyterLab takes longer than most tests. They continue in the page of the previous test, where everything
    has been closed, except tests with the mark ``fresh_page`` and tests after a failed one.
    """
    from tests.browser.face import Face

    fresh = request.node.get_closest_marker("fresh_page") is not None
    if clear_pages and not fresh:
        face = Face(clear_pages.pop(), lab)
        face.begin_again()
    else:
        face = Face(browser.new_page(), lab)
        face.begin()
    yield face
    if request.node.stash.get(PASSED, False) and not fresh:
        face.clear()
        clear_pages.append(face.page)
    else:
        face.close()
    assert face.watch.requests > 0
    assert face.watch.problems == []


@pytest.fixture
def read_only(face: Face, warehouse: Warehouse) -> Iterator[str]:
    """The name of a read-only catalog of the same warehouse."""
    file, name = face.lab.catalog_file, f"locked-{CATALOG}"
    before = file.read_text()
    file.write_text(f"{before}[{name}]\nwarehouse = {json.dumps(str(warehouse.path))}\nread_only = true\n")
    face.run("paimon:refresh")
    face.node(f"{name}, read-only").wait_for()
    yield name
    file.write_text(before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[PASSED] = report.passed
    return report
