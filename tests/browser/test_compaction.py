"""Compactions: chosen by keyboard, before and after, replayed, and what they cost; in both themes and in notebooks."""

from __future__ import annotations

import re
from statistics import median
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import pyarrow as pa
import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.face import Face
from tests.browser.frames import MEASURE, RESULT, SLACK, TASK_MILLIS
from tests.browser.text_boxes import bad_texts
from tests.browser.warehouse import CATALOG, HOSTILE, Warehouse
from tests.support.many_compactions import many_compactions

pytestmark = pytest.mark.browser
FRAME_MILLIS = 33
WANTED, PAGE = 200, 30


@pytest.fixture(scope="module")
def compacted(warehouse: Warehouse) -> Any:
    """A partition whose name is markup, compacted several times."""
    table = warehouse.catalog.create_table(
        "live.rewritten",
        {"p": "STRING", "id": "BIGINT", "word": "STRING"},
        primary_key=["p", "id"],
        partition_by="p",
        options={"bucket": "1", "num-sorted-run.compaction-trigger": "3"},
    )
    for number in range(12):
        ids = range(number * 40, number * 40 + 60)
        table.write(pa.table({"p": [HOSTILE] * 60, "id": ids, "word": [HOSTILE] * 60}))
    return table


@pytest.fixture(scope="module")
def busy(warehouse: Warehouse) -> Any:
    """A bucket of a thousand files, compacted hundreds of times; only its metadata exists."""
    return many_compactions(warehouse.catalog, "live.busy", snapshots=1000, files=1000, buckets=1)


def picture_of(face: Face) -> Locator:
    return face.table_page.locator(".pwv-compaction")


def opened(face: Face, name: str) -> Locator:
    face.show(name, "compaction")
    picture = picture_of(face)
    expect(picture.locator(".pwv-story")).to_be_visible()
    return picture


def show_by_keyboard(face: Face, tab: str) -> None:
    """Move from the chosen tab of the picture to another one."""
    picture = picture_of(face)
    face.press_until("Tab", picture.locator('[role=tab][aria-selected="true"]'))
    there = picture.get_by_role("tab", name=tab)
    face.press_until("ArrowRight", there, 3)
    expect(there).to_have_attribute("aria-selected", "true")


def caption(picture: Locator) -> Locator:
    return picture.locator(".pwv-replay-caption")


@pytest.mark.usefixtures("compacted")
def test_compactions_are_chosen_by_keyboard(face: Face) -> None:
    face.show("live.rewritten", "overview")
    tab = face.tab("Compaction")
    face.press_until("Tab", face.tab("Overview"))
    face.press_until("ArrowRight", tab)
    face.page.keyboard.press("Enter")
    picture = picture_of(face)
    items = picture.get_by_role("option")
    expect(items.first).to_have_attribute("aria-selected", "true")
    expect(picture.locator('[data-box^="before:"]').first).to_be_visible()
    newest = picture.locator(".pwv-part-verdict").inner_text()
    face.press_until("Tab", items.first)
    face.page.keyboard.press("ArrowDown")
    expect(items.nth(1)).to_be_focused()
    face.page.keyboard.press("Enter")
    expect(items.nth(1)).to_have_attribute("aria-selected", "true")
    expect(items.nth(1)).to_be_focused()
    expect(picture.locator(".pwv-part-verdict")).not_to_have_text(newest)
    chosen = items.nth(1).get_attribute("aria-label") or ""
    snapshot = re.findall(r"Snapshot (\d+)", chosen)[0]
    expect(picture.locator(".pwv-story")).to_have_attribute("aria-label", re.compile(f"Snapshot {snapshot}"))
    face.press_until("Tab", picture.locator('[data-box="before:0"]'))
    expect(picture.locator(".pwv-lit")).not_to_have_count(0)
    expect(picture.locator(".pwv-part-facts")).to_contain_text("data-")
    face.page.keyboard.press("End")
    after = picture.locator('[data-box^="after:"]').last
    expect(after).to_be_focused()
    assert "written" in (after.get_attribute("aria-label") or "")
    face.table_page.get_by_role("button", name="Copy as Python").press("Enter")
    expect(face.page.get_by_text("Copied: import workbench as wb")).to_be_visible()
    assert f"snapshot={snapshot}" in face.clipboard


@pytest.mark.usefixtures("compacted")
def test_a_replay_by_keyboard(face: Face) -> None:
    picture = opened(face, "live.rewritten")
    show_by_keyboard(face, "Replay")
    play = picture.locator('[data-replay="play"]')
    expect(play).to_have_text(re.compile("Play"))
    last = caption(picture).inner_text()
    face.press_until("Tab", play)
    face.page.keyboard.press("Enter")
    expect(play).to_have_text(re.compile("Pause"))
    # At the last commit, the replay starts over from the first one.
    expect(caption(picture)).not_to_have_text(last)
    face.page.keyboard.press("Enter")
    expect(play).to_have_text(re.compile("Play"))
    expect(play).to_be_focused()
    stopped = caption(picture).inner_text()
    face.page.wait_for_timeout(1500)
    expect(caption(picture)).to_have_text(stopped)
    slider = picture.get_by_role("slider")
    face.press_until("Tab", slider)
    face.page.keyboard.press("Home")
    expect(caption(picture)).to_contain_text("Before snapshot 1")
    face.page.keyboard.press("ArrowRight")
    expect(caption(picture)).to_contain_text("Snapshot 1, APPEND")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("Snapshot 1, APPEND"))
    face.page.keyboard.press("End")
    expect(caption(picture)).to_have_text(last)
    previous = picture.locator('[data-replay="previous"]')
    face.press_until("Shift+Tab", previous)
    face.page.keyboard.press("Enter")
    expect(caption(picture)).to_contain_text("COMPACT")
    expect(previous).to_be_focused()
    assert bad_texts(picture) == []


def test_costs_by_keyboard(face: Face, compacted: Any) -> None:
    picture = opened(face, "live.rewritten")
    show_by_keyboard(face, "Costs")
    curves = picture.locator(".pwv-curve")
    expect(curves).to_have_count(4)
    figure = picture.get_by_role("figure", name="Costs of compactions by commit")
    expect(figure.locator(".scatterlayer .trace")).to_have_count(3)
    expect(figure.locator(".barlayer .trace")).to_have_count(1)
    expect(picture.get_by_text("Reading older snapshots")).to_have_count(0)
    face.press_until("Tab", picture.locator("summary"))
    face.page.keyboard.press("Enter")
    rows = picture.get_by_role("table", name="Costs by commit").locator("tbody tr")
    expect(rows).to_have_count(compacted.snapshot().id)
    assert bad_texts(picture) == []


@pytest.mark.usefixtures("compacted")
def test_names_are_text_in_both_themes_and_narrow_windows(face: Face) -> None:
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        face.choose_theme(theme)
        for width in (1400, 900):
            face.page.set_viewport_size({"width": width, "height": 1400})
            picture = opened(face, "live.rewritten")
            expect(picture.locator(".pwv-part-verdict")).to_be_visible()
            expect(picture.locator(".pwv-part-head h3")).to_contain_text("live.rewritten")
            expect(picture.locator(".pwv-story")).to_have_attribute("aria-label", re.compile(re.escape("<img")))
            assert picture.locator("img").count() == 0
            assert bad_texts(picture) == []
            for tab, content in (("Replay", ".pwv-replay-caption"), ("Costs", ".pwv-curve")):
                picture.get_by_role("tab", name=tab).click()
                expect(picture.locator(content).first).to_be_visible()
                assert bad_texts(picture) == []
            face.run("application:close")


@pytest.mark.long
def test_a_widget_in_a_narrow_notebook(face: Face, compacted: Any) -> None:
    face.page.set_viewport_size({"width": 1000, "height": 1800})
    cells = [f"import workbench as wb\nt = wb.connect({CATALOG!r}).get_table('live.rewritten')\nwb.compaction(t)"]
    notebook = face.open_notebook("compaction.ipynb", cells)
    face.run_cells()
    picture = notebook.locator(".pwv-compaction")
    expect(picture.locator(".pwv-story")).to_be_visible()
    beside = 1000 - int(picture.evaluate("each => each.clientWidth"))
    face.page.set_viewport_size({"width": 600 + beside, "height": 1800})
    expect(picture).to_have_js_property("clientWidth", 600)
    assert bad_texts(picture) == []
    items = picture.get_by_role("option")
    before = items.count()
    items.first.focus()
    face.page.keyboard.press("ArrowDown")
    face.page.keyboard.press("Enter")
    label = items.nth(1).get_attribute("aria-label") or ""
    snapshot = re.findall(r"Snapshot (\d+)", label)[0]
    expect(picture.locator(".pwv-story")).to_have_attribute("aria-label", re.compile(f"Snapshot {snapshot},"))
    show = picture.get_by_role("tab", name="Replay")
    show.click()
    expect(caption(picture)).to_contain_text("Snapshot")
    assert bad_texts(picture) == []
    picture.get_by_role("tab", name="Costs").click()
    expect(picture.locator(".pwv-curve")).to_have_count(4)
    plot = picture.locator(".js-plotly-plot .main-svg").first
    expect(plot).to_be_visible()
    assert float(plot.evaluate("each => each.getBoundingClientRect().width")) <= 600
    assert bad_texts(picture) == []
    for number in range(4):
        compacted.write(pa.table({"p": [HOSTILE], "id": [number], "word": ["new"]}))
    expect(items).not_to_have_count(before)


@pytest.mark.usefixtures("busy")
@pytest.mark.long
def test_the_list_grows_by_itself(face: Face) -> None:
    """The list fills up by itself when a slow server returns short pages."""
    held: list[Route] = []

    def shorten(route: Route) -> None:
        parts = urlsplit(route.request.url)
        query = dict(parse_qsl(parts.query))
        query["limit"] = str(min(PAGE, int(query.get("limit", WANTED))))
        if "cursor" in query and not held:
            held.append(route)
            return
        route.continue_(url=urlunsplit(parts._replace(query=urlencode(query))))

    face.page.route(re.compile(r"/compactions(\?|$)"), shorten)
    picture = opened(face, "live.busy")
    items = picture.get_by_role("option")
    more = picture.locator("[data-more]")
    expect(items).to_have_count(PAGE)
    expect(more).to_have_text("Reading older snapshots…")
    expect(more).to_have_attribute("aria-disabled", "true")
    held[0].continue_()
    expect(items).to_have_count(WANTED)
    expect(more).to_have_text("Show older compactions")
    labels = [each.get_attribute("data-compaction") for each in items.all()]
    assert len(set(labels)) == WANTED
    more.press("Enter")
    expect(items).to_have_count(2 * WANTED)
    expect(more).to_have_text("Show older compactions")
    expect(more).to_be_focused()


@pytest.mark.usefixtures("busy")
def test_a_replay_of_a_thousand_files_is_smooth(face: Face, capsys: pytest.CaptureFixture[str]) -> None:
    picture = opened(face, "live.busy")
    picture.get_by_role("tab", name="Replay").click()
    expect(caption(picture)).to_contain_text("1,00")
    picture.get_by_label("Speed").select_option("8")
    play = picture.locator('[data-replay="play"]')
    face.page.evaluate(MEASURE)
    play.click()
    face.page.wait_for_timeout(5000)
    play.click()
    result: dict[str, list[float]] = face.page.evaluate(RESULT)
    frames, tasks = sorted(result["frames"]), result["tasks"]
    most, slowest = frames[int(len(frames) * 0.95)], max(tasks, default=0)
    with capsys.disabled():
        print(f"\nReplay of 1,000 files: {len(frames)} frames, median {median(frames):.1f} ms, 95% within ", end="")
        print(f"{most:.1f} ms, longest task {slowest:.0f} ms (bounds {FRAME_MILLIS} and {TASK_MILLIS} ms)", end="")
    assert len(frames) > 10
    assert most <= FRAME_MILLIS * SLACK
    assert slowest <= TASK_MILLIS * SLACK
