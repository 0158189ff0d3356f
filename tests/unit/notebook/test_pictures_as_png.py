"""The PNG of a view: its size, what is in it, and that no text is cut or covers another."""

from __future__ import annotations

import html
import io
import itertools
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from IPython.core.formatters import DisplayFormatter
from PIL import Image, ImageChops

import workbench as wb
from workbench.lens.levels import LevelsValue, collect_buckets
from workbench.lens.timeline import SnapshotValue, TimelineValue
from workbench.notebook.drawings import png
from workbench.notebook.drawings.drawing import FONT_SIZE, WIDTH, Drawing, Figure, Style, drawing_html
from workbench.notebook.drawings.letters import fitted, lines_of, text_width
from workbench.notebook.drawings.png import FONT, MAX_BYTES, png_form
from workbench.notebook.drawings.standalone import standalone_svg
from workbench.notebook.table_views.levels import levels_view, static_levels
from workbench.notebook.table_views.timeline import timeline_view

EVIL = "<img src=x onerror=alert(1)>\u202e]]>&"
PLAIN = Style("plain", ())


@pytest.fixture
def orders(tmp_path: Path) -> Any:
    catalog = wb.connect(tmp_path / "warehouse")
    catalog.create_database("shop")
    fields = {"id": "BIGINT", "item": "STRING"}
    table = catalog.create_table("shop.orders", fields, primary_key=["id"], options={"write-only": "true"})
    for first in range(3):
        table.write([{"id": first * 100 + each, "item": "pen"} for each in range(200)])
    table.create_tag("monday", snapshot=2)
    return table


def picture(drawings: tuple[Drawing, ...]) -> Image.Image:
    form = png_form(drawings)
    assert form is not None
    return Image.open(io.BytesIO(form[0])).convert("RGB")


def ink(image: Image.Image) -> tuple[int, int, int, int]:
    """The box around everything that is not white."""
    box = ImageChops.difference(image, Image.new("RGB", image.size, "white")).getbbox()
    assert box is not None, "the picture is blank"
    return box


@pytest.mark.parametrize("view", [wb.levels, wb.timeline])
def test_ipython_gets_a_picture_of_the_right_size(orders: Any, view: Any) -> None:
    data, metadata = DisplayFormatter().format(view(orders))
    image = Image.open(io.BytesIO(data["image/png"]))
    shown = metadata["image/png"]
    assert shown["width"] == WIDTH + 24
    assert image.size == (round(shown["width"] * 1.5), round(shown["height"] * 1.5))
    assert len(data["image/png"]) < MAX_BYTES
    assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    assert len(image.convert("RGB").getcolors(1 << 16)) > 20
    left, top, right, bottom = ink(image.convert("RGB"))
    assert 8 <= left < 40
    assert 8 <= top < 40
    assert image.width - 60 < right <= image.width - 8
    assert image.height - 80 < bottom <= image.height - 8


def test_tables_without_a_picture_have_no_png(orders: Any, tmp_path: Path) -> None:
    empty = wb.connect(tmp_path / "warehouse").create_table("shop.empty", {"id": "BIGINT"})
    for view in (wb.levels(empty), wb.timeline(empty), wb.explore(wb.connect(tmp_path / "warehouse"))):
        assert "image/png" not in DisplayFormatter().format(view)[0]
    failing = wb.levels(orders, bucket="no such")
    assert "image/png" not in DisplayFormatter().format(failing)[0]


def test_without_the_renderer_there_is_no_png(orders: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "find_spec", lambda _name: None)
    data, _ = DisplayFormatter().format(wb.levels(orders))
    assert set(data) >= {"text/plain", "text/html"}
    assert "image/png" not in data


def test_the_renderer_is_loaded_for_the_first_picture_only() -> None:
    code = "import sys, workbench.notebook.view_definitions; assert 'resvg_py' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_usual_picture_takes_less_than_50_milliseconds(orders: Any) -> None:
    drawings = (*static_levels(wb.levels(orders).value).drawings, *timeline_view(wb.timeline(orders).value).drawings)
    times = []
    for drawing in drawings * 3:
        # Processor time excludes other processes.
        begin = time.process_time()
        png_form((drawing,))
        times.append(time.process_time() - begin)
    assert sorted(times)[len(times) // 2] < 0.05


def test_the_picture_is_the_same_on_machines_with_other_fonts(orders: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import resvg_py

    calls: list[dict[str, Any]] = []
    render = resvg_py.svg_to_bytes
    monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **given: (calls.append(given), render(**given))[1])
    assert wb.timeline(orders)._repr_png_() is not None
    assert [call["skip_system_fonts"] for call in calls] == [True]
    png_form((Drawing(PLAIN, (Figure("表", "", 10),)),))
    assert calls[-1]["skip_system_fonts"] is False


def text_picture(text: str) -> Image.Image:
    markup = f'<text x="0" y="20" xml:space="preserve">{html.escape(text)}</text>'
    return picture((Drawing(PLAIN, (Figure("", markup, 30),)),))


def test_every_letter_that_needs_no_other_font_is_drawn() -> None:
    ranges = [(0x21, 0x7E), (0xA1, 0x17F), (0x391, 0x3A1), (0x3A3, 0x3CE), (0x401, 0x44F), (0x2190, 0x2193)]
    letters = [chr(code) for first, last in ranges for code in range(first, last + 1) if code != 0xAD]
    letters += "…–—‘’“”•€−≈≤≥✓✕"
    for line in (letters[at : at + 20] for at in range(0, len(letters), 20)):
        markup = "".join(f'<text x="{n * 30}" y="20">{html.escape(letter)}</text>' for n, letter in enumerate(line))
        image = picture((Drawing(PLAIN, (Figure("", markup, 30),)),))
        for n, letter in enumerate(line):
            cell = image.crop((18 + n * 45, 0, 18 + n * 45 + 30, image.height))
            assert ImageChops.invert(cell).getbbox() is not None, letter


@pytest.mark.parametrize("text", ["".join(map(chr, range(0x20, 0x7F))), "WWWW", "iiii", "äßЖΩ→…", "1,234,567 rows"])
def test_measured_texts_are_not_wider_than_measured(text: str) -> None:
    left, _, right, _ = ink(text_picture(text))
    assert (right - left) / 1.5 <= text_width(text, FONT_SIZE) + 1
    assert (right - left) / 1.5 >= text_width(text, FONT_SIZE) * 0.5 - 4


def test_long_texts_are_broken_or_cut() -> None:
    lines = lines_of("the quick brown fox " * 20, 13, 300)
    assert " ".join(lines).split() == ["the", "quick", "brown", "fox"] * 20
    assert all(200 < text_width(line, 13) <= 300 for line in lines[:-1])
    (cut,) = lines_of("W" * 100, 13, 300)
    assert cut.endswith("…")
    assert 270 < text_width(cut, 13) <= 300
    assert fitted("short", 12, 100) == "short"


def long_names(levels: LevelsValue) -> LevelsValue:
    assert levels.bucket is not None
    files = tuple(
        replace(file, min_key="W" * 200, max_key="M" * 200, rows=10**15) for file in levels.bucket.runs[0].files
    )
    runs = (replace(levels.bucket.runs[0], files=files),)
    bucket = replace(levels.bucket, partition="region=" + "Ж" * 300, runs=runs)
    return replace(levels, bucket=bucket, table="shop." + "W" * 300)


def long_history() -> TimelineValue:
    snapshots = tuple(
        SnapshotValue(10**12 + n, "OVERWRITE", n, 1, n, None, 0, "user", "", "", "", "", ()) for n in range(16)
    )
    return TimelineValue("shop." + "W" * 300, "UTC", snapshots, (), 5000, None)


def test_nothing_reaches_beyond_the_edge(orders: Any) -> None:
    """Even with very long names, at least eight pixels stay white at the left, right and bottom edges."""
    long = (*static_levels(long_names(wb.levels(orders).value)).drawings, *timeline_view(long_history()).drawings)
    image = picture(long)
    left, _, right, bottom = ink(image)
    assert left >= 8
    assert right <= image.width - 8
    assert bottom <= image.height - 8


def texts_of(svg: str) -> list[tuple[float, float, float]]:
    """Return the baseline and the left and right end of each text, provided that no group moves it."""
    found = []
    for attributes, content in re.findall(r"<text\b([^>]*)>(.*?)</text>", svg):
        text = re.sub(r"<title>.*?</title>", "", content)
        x, y = (float((re.search(rf'\b{name}="([\d.]+)"', attributes) or ["", "0"])[1]) for name in "xy")
        width = text_width(text, FONT_SIZE)
        begin = {"middle": x - width / 2, "end": x - width}.get(
            (re.search(r'text-anchor="(\w+)"', attributes) or ["", ""])[1], x
        )
        found.append((y, begin, begin + width))
    return found


def test_texts_do_not_cover_each_other(orders: Any) -> None:
    for drawing in (
        *static_levels(wb.levels(orders).value).drawings,
        *timeline_view(wb.timeline(orders).value).drawings,
        *timeline_view(long_history()).drawings,
        *static_levels(long_names(wb.levels(orders).value)).drawings,
    ):
        for figure in drawing.figures:
            texts = sorted(texts_of(figure.svg))
            assert len(texts) > 2
            assert all(begin >= 0 and end <= WIDTH + 0.1 for _, begin, end in texts)
            for (line, _, end), (other, begin, _) in itertools.pairwise(texts):
                assert line != other or end <= begin


def test_hostile_names_are_text(orders: Any) -> None:
    named = replace(timeline_view(wb.timeline(orders).value).drawings[0], heading=EVIL)
    drawing = replace(named, figures=(replace(named.figures[0], title=EVIL),))
    assert "<img" not in drawing_html(drawing)
    assert "<img" not in standalone_svg((drawing,), 900).text
    ink(picture((drawing,)))


def test_large_pictures_are_shortened_to_the_limit(tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path / "warehouse")
    catalog.create_database("big")
    table = catalog.create_table(
        "big.t", {"id": "BIGINT"}, primary_key=["id"], options={"bucket": "20", "write-only": "true"}
    )
    for first in range(8):
        table.write([{"id": first * 7 + each} for each in range(400)])
    form = levels_view(collect_buckets(table))._repr_png_()
    assert form is not None
    content, size = form
    assert len(content) <= MAX_BYTES
    assert size["height"] <= 950


def test_a_picture_above_the_limit_is_left_out(orders: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    form = wb.levels(orders)._repr_png_()
    assert form is not None
    monkeypatch.setattr(png, "MAX_BYTES", len(form[0]) - 1)
    smaller = wb.levels(orders)._repr_png_()
    assert smaller is not None
    assert Image.open(io.BytesIO(smaller[0])).width == form[1]["width"]
    monkeypatch.setattr(png, "MAX_BYTES", 100)
    assert wb.levels(orders)._repr_png_() is None


def test_the_font_carries_its_license() -> None:
    license_text = FONT.with_suffix(".LICENSE").read_text()
    assert "Bitstream Vera" in license_text
    assert "Tavmjong Bah" in license_text
