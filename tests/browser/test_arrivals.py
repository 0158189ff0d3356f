"""An open page moves through the snapshots that arrive together, so that each write is seen."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.face import Face
from tests.browser.warehouse import Warehouse

pytestmark = pytest.mark.browser

# The titles of the picture, when they were shown, and how many files moved in it.
RECORD = """() => {
    const record = window.record = { shown: [], ghosts: 0 };
    const picture = document.querySelector('.pwv-levels');
    const note = () => {
        const title = picture.querySelector('h3 small').textContent;
        const last = record.shown[record.shown.length - 1];
        if (!last || last.title !== title) record.shown.push({ title, at: performance.now() });
        record.ghosts = Math.max(record.ghosts, picture.querySelectorAll('.pwv-ghost').length);
    };
    note();
    new MutationObserver(note).observe(picture, { childList: true, subtree: true, characterData: true });
}"""


def compacting_table(warehouse: Warehouse, name: str) -> Any:
    """A table that is compacted by the write that adds its fourth run; it has three."""
    options = {"bucket": "1", "num-sorted-run.compaction-trigger": "4"}
    table = warehouse.catalog.create_table(
        f"live.{name}", {"id": "BIGINT", "word": "STRING"}, primary_key="id", options=options
    )
    for first in (0, 100, 200):
        write(table, first)
    return table


def write(table: Any, first: int, count: int = 120) -> None:
    table.write([{"id": first + each, "word": f"word {each}"} for each in range(count)])


def story(face: Face) -> Locator:
    return face.table_page.locator('[data-pw="story"]')


def test_a_write_is_seen_before_its_compaction(face: Face, warehouse: Warehouse) -> None:
    table = compacting_table(warehouse, "compacted")
    assert table.snapshot().id == 3
    face.show("live.compacted", "levels")
    expect(face.levels.locator("h3 small")).to_be_visible()
    face.page.evaluate(RECORD)
    write(table, 50, 174)
    assert [str(each.commit_kind) for each in table.snapshots()[-2:]] == ["APPEND", "COMPACT"]
    expect(story(face)).to_have_text("4 APPEND +174 rows, 5 COMPACT: 4 runs into L4")
    record = face.page.evaluate("() => window.record")
    assert [each["title"] for each in record["shown"]] == ["snapshot 3", "snapshot 4", "snapshot 5"]
    assert record["shown"][2]["at"] - record["shown"][1]["at"] > 500
    assert record["ghosts"] == 4
    expect(face.levels.locator(".pwv-ghost")).to_have_count(0)
    expect(face.levels.locator("[data-file]")).to_have_count(1)
    expect(face.table_page.locator('[data-pw="announcement"]')).to_have_text("Now showing snapshot 5")
    face.choose_version("4")
    expect(story(face)).to_have_text("")
    expect(face.levels.locator("[data-file]")).to_have_count(4)


def test_reduced_motion_is_respected(face: Face, warehouse: Warehouse) -> None:
    table = compacting_table(warehouse, "still")
    face.page.emulate_media(reduced_motion="reduce")
    face.show("live.still", "levels")
    expect(face.levels.locator("h3 small")).to_be_visible()
    face.page.evaluate(RECORD)
    write(table, 50, 174)
    expect(story(face)).to_have_text("4 APPEND +174 rows, 5 COMPACT: 4 runs into L4")
    record = face.page.evaluate("() => window.record")
    assert record["ghosts"] == 0
    assert record["shown"][-1]["at"] - record["shown"][0]["at"] < 5000
    face.page.emulate_media(reduced_motion="no-preference")


def test_other_tabs_move_at_once(face: Face, warehouse: Warehouse) -> None:
    table = compacting_table(warehouse, "jumped")
    face.show("live.jumped", "timeline")
    write(table, 50, 174)
    expect(face.timeline.locator('[data-snapshot="5"]')).to_have_attribute("aria-selected", "true")
    expect(face.timeline.locator('[data-snapshot="4"]')).to_be_visible()
