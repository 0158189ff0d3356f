"""The panel and a table page over an object store that is slow, dies, falls silent, and comes back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.face import Face
from tests.browser.far_store import NAME, FarStore, far_store
from tests.browser.test_speed import BOUND_MILLIS, SLACK

pytestmark = pytest.mark.browser
ERROR_SECONDS = 10
TABS = ("Data", "Changes", "Timeline", "Levels", "Compaction", "Health", "Schema", "Overview")
# Installed in the page: when what it shows changed last.
WATCH_DRAWING = """() => {
    window.asked = window.lastDrawn = performance.now();
    new MutationObserver(() => requestAnimationFrame(() => { window.lastDrawn = performance.now(); })).observe(
        document.querySelector('#jp-main-dock-panel'), {subtree: true, childList: true, characterData: true});
}"""
# No answer and no change for longer than an answer takes.
QUIET = """() => {
    const answers = performance.getEntriesByType('resource').filter(({name}) => name.includes('/paimon-workbench/'));
    return performance.now() - Math.max(window.lastDrawn ?? 0, ...answers.map(({responseEnd}) => responseEnd)) > 700;
}"""
# The time from the last byte of the server's answers, or from the user's action if it needs none, to the last change.
DRAWING_MILLIS = """() => {
    const answers = performance.getEntriesByType('resource').filter(({name}) => name.includes('/paimon-workbench/'));
    return window.lastDrawn - Math.max(window.asked, ...answers.map(({responseEnd}) => responseEnd));
}"""


@pytest.fixture
def far(face: Face) -> Iterator[FarStore]:
    """The catalog ``far`` of the panel."""
    with far_store(face) as far:
        yield far


def test_a_slow_storage(face: Face, far: FarStore, capsys: pytest.CaptureFixture[str]) -> None:
    far.proxy.seen.clear()
    face.expand(NAME, "mall")
    expect(face.node("returns")).to_be_visible()
    # One request for the databases, one for the names of the tables, and one for each table.
    assert far.proxy.count() <= 4
    face.page.evaluate(WATCH_DRAWING)
    took: dict[str, float] = {}
    face.show("mall.orders", catalog=NAME)
    took["opened"] = drawing_millis(face)
    for title in TABS:
        face.page.evaluate("() => { window.asked = performance.now(); }")
        face.choose_tab(title)
        took[title] = drawing_millis(face)
    with capsys.disabled():
        print("\nDrawn after the last answer: " + ", ".join(f"{name} {ms:.0f} ms" for name, ms in took.items()))
    # One of them may be late on a busy machine.
    assert median(took.values()) < BOUND_MILLIS * SLACK, took
    newest = far.write()
    expect(face.version).to_contain_text(f"snapshot {newest}")
    face.settle()
    wait_until_quiet(face)
    far.proxy.seen.clear()
    face.page.wait_for_timeout(2000)
    # The page asks only whether there is a newer snapshot, at most a tenth of the time.
    targets = [request.target for request in far.proxy.seen]
    assert 1 <= len(targets) <= 4
    assert all("list-type=2" in target and "snapshot" in target for target in targets), targets


def test_a_storage_that_dies_and_comes_back(face: Face, far: FarStore) -> None:
    face.watch.expect_refused(f"/catalogs/{NAME}/")
    face.expand(NAME, "mall")
    face.show("mall.orders", catalog=NAME)
    wait_until_quiet(face)
    page, alert = face.table_page, face.table_page.get_by_role("alert")
    # On a busy machine, nothing may be drawn for a moment before the rows are there.
    expect(page.get_by_role("gridcell", name="word 1").first).to_be_visible()
    retry = alert.get_by_role("button", name="Try again")
    with far.proxy.dead():
        began = time.monotonic()
        expect_names_cause(alert, far)
        assert time.monotonic() - began < ERROR_SECONDS
        # What was read is still there.
        expect(page.locator(".pw-figures")).to_be_visible()
        expect(page.get_by_role("gridcell", name="word 1").first).to_be_visible()
        retry.click()
        face.settle()
        expect_names_cause(alert, far)
        expect(page.locator(".pw-rows-figure")).to_contain_text("about")
        began = time.monotonic()
        face.panel.get_by_role("button", name="Refresh all").click()
        failed = face.tree.get_by_role("treeitem", name="does not answer")
        expect(failed).to_contain_text(f"The storage {far.host} does not answer")
        expect(failed).to_have_count(1)
        expect(face.node("returns")).to_be_visible()
        face.choose_tab("Levels")
        expect_names_cause(page.get_by_role("tabpanel").get_by_role("alert"), far)
        face.show("mall.returns", catalog=NAME)
        expect_names_cause(alert, far)
        assert time.monotonic() - began < 3 * ERROR_SECONDS
        newest = far.write()
    # Both pages and the tree recover by themselves.
    expect(alert).to_have_count(0)
    expect(page.locator(".pw-figures")).to_be_visible()
    face.page_tab("orders").click()
    expect(face.version).to_contain_text(f"snapshot {newest}")
    expect(face.levels.locator("[data-file]").first).to_be_visible()
    expect(alert).to_have_count(0)
    expect(failed).to_have_count(0)
    expect(face.node("returns")).to_be_visible()


@pytest.mark.long
def test_a_storage_that_falls_silent(face: Face, far: FarStore) -> None:
    face.watch.expect_refused(f"/catalogs/{NAME}/")
    face.show("mall.orders", catalog=NAME)
    wait_until_quiet(face)
    page, alert = face.table_page, face.table_page.get_by_role("alert")
    with far.proxy.silent():
        began = time.monotonic()
        page.get_by_role("button", name="Refresh").click()
        expect(page.get_by_role("tabpanel")).to_have_attribute("aria-busy", "true")
        expect(page.locator('.pw-busy[data-busy="true"]')).to_have_count(1)
        add_unreachable_catalog(face, far)
        expect_names_cause(alert, far)
        # The dialog was filled in before it waited, too.
        assert time.monotonic() - began < ERROR_SECONDS + 2
        expect(page.locator(".pw-figures")).to_be_visible()
        newest = far.write()
    expect(alert).to_have_count(0)
    expect(face.version).to_contain_text(f"snapshot {newest}")
    face.settle()


def add_unreachable_catalog(face: Face, far: FarStore) -> None:
    """Try to add the catalog under another name, which the dialog refuses with the cause."""
    face.watch.expect_refused("/catalogs")
    face.panel.get_by_role("button", name="Add catalog…").click()
    dialog = face.page.get_by_role("dialog")
    dialog.get_by_label("Directory or URL").fill(far.near.warehouse)
    dialog.get_by_label("Name", exact=True).fill("again")
    dialog.get_by_text("Other options and credentials").click()
    options = "\n".join(f"{key} = {value}" for key, value in far.options.items())
    dialog.get_by_label("Options, one per line: name = value").fill(options)
    began = time.monotonic()
    dialog.get_by_role("button", name="Add").click()
    expect(dialog.get_by_role("status")).to_contain_text(f"Opening {far.near.warehouse}")
    expect_names_cause(dialog.get_by_role("alert"), far)
    assert time.monotonic() - began < ERROR_SECONDS
    expect(dialog.get_by_role("status")).to_be_empty()
    dialog.get_by_role("button", name="Cancel").click()


def expect_names_cause(alert: Locator, far: FarStore) -> None:
    """Wait until an alert names the store and the cause."""
    expect(alert).to_contain_text(f"The storage {far.host} does not answer")


def wait_until_quiet(face: Face) -> None:
    """Wait until the page has shown all answers to what it requested."""
    face.settle()
    face.page.wait_for_function(QUIET)


def drawing_millis(face: Face) -> float:
    """Return how long the page took to show everything after the last byte had arrived."""
    wait_until_quiet(face)
    return float(face.page.evaluate(DRAWING_MILLIS))
