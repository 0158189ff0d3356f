"""What changed between two versions: the tab, the timeline that opens it, and the same picture in notebooks."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

import workbench as wb
from tests.browser.face import Face
from tests.browser.warehouse import CATALOG, HOSTILE, Warehouse

pytestmark = pytest.mark.browser
# Screenshots for inspection are taken if this names a folder.
PICTURES = os.environ.get("WORKBENCH_PICTURES")


def picture(face: Face, name: str) -> None:
    if PICTURES:
        face.page.screenshot(path=Path(PICTURES) / f"{name}.png", animations="disabled")


def diff_of(face: Face) -> Locator:
    return face.table_page.locator(".pwv-diff")


def bar(diff: Locator, what: str, value: str) -> Locator:
    return diff.locator(f'[data-filter="{what}"][data-value="{value}"]')


def wait_for_rows(diff: Locator) -> None:
    expect(diff.locator('.pwv-part-rows[aria-busy="false"]')).to_be_attached()


def shown_count(diff: Locator, kind: str) -> int:
    return int(bar(diff, "kind", kind).locator("b").inner_text().replace(",", ""))


@pytest.fixture(scope="module", autouse=True)
def changed(warehouse: Warehouse) -> Any:
    """Updates of single columns, inserts, deletes, and a compaction."""
    table = warehouse.catalog.create_table(
        "live.changed",
        {"dt": "STRING NOT NULL", "id": "BIGINT NOT NULL", "name": "STRING", "qty": "INT", "price": "DOUBLE"},
        ["dt", "id"],
        ["dt"],
        options={"bucket": "1"},
    )
    rows = [
        {"dt": f"2026-11-0{key % 3 + 1}", "id": key, "name": f"item {key}", "qty": key, "price": 1.5}
        for key in range(200)
    ]
    table.write(rows)
    table.write([{**row, "qty": row["qty"] + 1, "price": 2.5 if row["id"] % 2 else 1.5} for row in rows[:90]])
    table.delete("id BETWEEN 150 AND 159")
    table.compact(full=True)
    return table


def test_the_tab_counts_and_shows_rows(face: Face, changed: Any) -> None:
    face.show("live.changed", "changes", "2")
    diff = diff_of(face)
    wait_for_rows(diff)
    counts = wb.diff(changed, 1, 2).counts
    expect(bar(diff, "kind", "updated").locator("b")).to_have_text(f"{counts.updated}")
    expect(bar(diff, "kind", "deleted").locator("b")).to_have_text("0")
    expect(bar(diff, "column", "price").locator("b")).to_have_text("45")
    expect(bar(diff, "partition", "dt=2026-11-01").locator("b")).to_have_text("30")
    first = diff.locator("tbody tr.pwv-diff-updated").first
    expect(first.locator("ins").first).to_be_visible()
    expect(first.locator("del").first).to_be_visible()
    picture(face, "diff-light")
    diff.get_by_role("button", name="Next").click()
    wait_for_rows(diff)
    expect(diff.get_by_text("Changes 51 to 90 of 90")).to_be_visible()
    face.choose_theme("JupyterLab Dark")
    picture(face, "diff-dark")


def test_a_compaction_is_skipped(face: Face) -> None:
    face.show("live.changed", "changes")
    diff = diff_of(face)
    wait_for_rows(diff)
    expect(diff.locator("h3 small")).to_have_text("snapshot 2 → snapshot 4")
    expect(bar(diff, "kind", "deleted").locator("b")).to_have_text("10")
    expect(diff.get_by_text("removed (")).to_be_visible()


def test_by_keyboard_alone(face: Face) -> None:
    face.show("live.changed", "changes", "2")
    diff = diff_of(face)
    wait_for_rows(diff)
    face.tab("Changes").focus()
    face.press_until("Tab", diff.locator('[data-focus="before"]'))
    face.page.keyboard.press("End")
    wait_for_rows(diff)
    expect(diff.locator("h3 small")).to_have_text("the empty table → snapshot 2")
    expect(bar(diff, "kind", "inserted").locator("b")).to_have_text("200")
    face.press_until("Tab", diff.locator('[data-focus="usual"]'))
    face.page.keyboard.press("Enter")
    expect(diff.locator("h3 small")).to_have_text("snapshot 1 → snapshot 2")
    wait_for_rows(diff)
    face.press_until("Tab", diff.locator('[data-ring="kind"] button[tabindex="0"]'))
    face.press_until("Tab", diff.locator('[data-ring="column"] button[tabindex="0"]'))
    face.page.keyboard.press("ArrowDown")
    face.page.keyboard.press("Enter")
    wait_for_rows(diff)
    expect(bar(diff, "column", "price")).to_have_attribute("aria-pressed", "true")
    expect(bar(diff, "kind", "updated").locator("b")).to_have_text("45")
    face.press_until("Tab", diff.locator('[data-focus="where"]'))
    face.page.keyboard.type("id < 10")
    face.page.keyboard.press("Enter")
    wait_for_rows(diff)
    expect(bar(diff, "kind", "updated").locator("b")).to_have_text("5")
    face.watch.expect_refused("where=nonsense")
    diff.locator('[data-focus="where"]').fill("nonsense")
    face.page.keyboard.press("Enter")
    expect(diff.get_by_role("alert")).to_be_visible()


def test_two_snapshots_of_the_timeline(face: Face) -> None:
    face.show("live.changed", "timeline")
    mark = face.timeline.locator('[data-snapshot="1"]')
    mark.click(modifiers=["Shift"])
    diff = diff_of(face)
    expect(diff.locator("h3 small")).to_have_text("snapshot 1 → snapshot 4")
    wait_for_rows(diff)
    face.choose_tab("Timeline")
    face.timeline.locator('[data-snapshot="2"]').focus()
    face.page.keyboard.press("Shift+Enter")
    expect(diff.locator("h3 small")).to_have_text("snapshot 2 → snapshot 4")
    face.table_page.get_by_role("button", name="Copy as Python").click()
    assert re.search(r"wb\.diff\(.*, 2, 4\)", face.clipboard)


def test_hostile_names_are_text(face: Face) -> None:
    face.show(f"odd.{HOSTILE}", "changes")
    diff = diff_of(face)
    wait_for_rows(diff)
    expect(bar(diff, "kind", "inserted").locator("b")).not_to_have_text("0")
    expect(diff.locator("tbody").first).to_contain_text(HOSTILE)
    assert diff.locator("img, script, svg:not([aria-hidden])").count() == 0


def test_a_table_never_written(face: Face) -> None:
    face.show("odd.never_written", "changes")
    expect(diff_of(face).get_by_text("No rows changed.")).to_be_visible()


def test_the_widget_in_a_notebook(face: Face) -> None:
    table = f"import workbench as wb\nt = wb.connect({CATALOG!r}).get_table('live.changed')"
    begin = f"%load_ext workbench\n%paimon connect {CATALOG}\n{table}"
    notebook = face.open_notebook("diff.ipynb", [begin, "wb.diff(t, 1, 2)", "%paimon diff live.changed@2..3"])
    face.run_cells()
    diff = notebook.locator(".pwv-diff").first
    expect(bar(diff, "kind", "updated").locator("b")).to_have_text("90")
    picture(face, "diff-notebook")
    bar(diff, "column", "price").click()
    expect(bar(diff, "kind", "updated").locator("b")).to_have_text("45")
    expect(bar(notebook.locator(".pwv-diff").nth(1), "kind", "deleted").locator("b")).to_have_text("10")


def test_the_timeline_of_a_notebook_opens_a_diff_and_stories(face: Face) -> None:
    begin = f"import workbench as wb\nt = wb.connect({CATALOG!r}).get_table('live.changed')"
    notebook = face.open_notebook("opened.ipynb", [begin, "wb.timeline(t)"])
    face.run_cells()
    timeline = notebook.locator(".pwv-timeline")
    timeline.locator('[data-snapshot="2"]').focus()
    face.page.keyboard.press("Enter")
    expect(timeline.locator('[data-snapshot="2"]')).to_have_attribute("aria-selected", "true")
    timeline.locator('[data-snapshot="1"]').focus()
    face.page.keyboard.press("Shift+Enter")
    opened = notebook.locator(".pwv-opened")
    expect(bar(opened.locator(".pwv-diff"), "kind", "updated").locator("b")).to_have_text("90")
    close = opened.get_by_role("button", name="Close").first
    expect(close).to_be_focused()
    opened.locator("[data-row]").first.press("Enter")
    expect(opened.locator(".pwv-biography [data-version]").first).to_be_visible()
    close.press("Enter")
    expect(opened).to_have_count(0)
    timeline.locator('[data-snapshot="4"]').click()
    timeline.locator("[data-story]").first.click()
    expect(opened.locator(".pwv-compaction .pwv-story")).to_be_visible()
    face.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    expect(notebook.locator(".pwv-notice")).to_contain_text("Run the cell to make it live.")
    close.click()
    expect(opened).to_have_count(0)
