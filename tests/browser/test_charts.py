"""`%%paimon --chart` draws a result in JupyterLab, in the theme of the page, and the drawing is saved."""

from __future__ import annotations

import os
import re
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import Locator, expect

from tests.browser.face import Face
from tests.browser.text_boxes import bad_texts
from tests.browser.warehouse import Warehouse

pytestmark = pytest.mark.browser

LINE = (
    "%%paimon --chart\n"
    "SELECT * FROM VALUES (DATE '2024-01-01', 'north', 4), (DATE '2024-01-02', 'north', 7), (DATE "
    "'2024-01-01', 'south', 5), (DATE '2024-01-02', 'south', NULL), (DATE '2024-01-03', 'south', 9) "
    "AS t (day, region, orders)"
)
BAR = (
    "%%paimon --chart bar\n"
    "SELECT customer, sum(amount) AS total FROM shop.orders GROUP BY customer ORDER BY total DESC "
    "LIMIT 5"
)
SCATTER = "%%paimon --chart\nSELECT * FROM VALUES (3, 1.5), (1, 2), (2, 0.5), (1, 4) AS t (a, b)"
HISTOGRAM = "%%paimon --chart histogram\nSELECT amount FROM shop.orders"
LONG = (
    "%%paimon --chart\n"
    "SELECT * FROM VALUES ('a very long label that would never fit below a bar <b>', 1.5), (NULL, "
    "2.25), ('', 3) AS t (label, value)"
)
NOTHING = "%%paimon --chart\nSELECT 1 AS one"


def take(face: Face, figure: Locator, name: str) -> None:
    """Keep a picture if the environment names a folder for it."""
    folder = os.environ.get("WORKBENCH_PICTURES")
    if folder:
        figure.scroll_into_view_if_needed()
        face.page.screenshot(path=Path(folder, f"{name}.png"), animations="disabled")


def text_color(figure: Locator) -> str:
    """The color of the texts beside an axis."""
    return str(figure.locator(".xtick text").first.evaluate("text => getComputedStyle(text).fill"))


def test_a_chart_follows_the_theme_and_is_saved(face: Face, warehouse: Warehouse) -> None:
    begin = f"%load_ext workbench\n%paimon connect {warehouse.path}"
    notebook = face.open_notebook("charts.ipynb", [begin, LINE])
    face.run_cells()
    figure = notebook.get_by_role("figure", name="orders by day and region")
    expect(figure.locator(".scatterlayer .trace")).to_have_count(2)
    expect(figure.locator(".legendtext")).to_have_text(["north", "south"])
    expect(figure.locator(".pw-chart-text")).to_have_text(
        "Lines, because day is a time: one for each region. 1 of 5 rows is not drawn, for lack of orders."
    )
    # The table is below the chart.
    expect(notebook.get_by_role("region").get_by_role("table")).to_contain_text("south")
    light = text_color(figure)
    take(face, figure, "chart-light")
    face.choose_theme("JupyterLab Dark")
    expect(figure.locator(".xtick text").first).not_to_have_css("fill", light)
    expect(figure.locator(".scatterlayer .trace")).to_have_count(2)
    take(face, figure, "chart-dark")
    expect(face.page.locator("#jupyterlab-splash")).to_have_count(0)
    face.choose_theme("JupyterLab Light")

    # The chart is saved in the file, and is drawn without a kernel.
    face.run("docmanager:save")
    face.run("application:close")
    face.page.evaluate("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")
    saved = nbformat.read(face.lab.home / "charts.ipynb", nbformat.NO_CONVERT)
    # A slow query also has a card with its progress.
    output = next(each.data for each in saved.cells[1].outputs if "application/vnd.plotly.v1+json" in each.data)
    assert "image/png" in output
    face.run("docmanager:open", path="charts.ipynb", factory="Notebook")
    face.wait_for_kernel()
    expect(face.notebook.get_by_role("figure").locator(".scatterlayer .trace")).to_have_count(2)
    # Other programs show the static picture.
    html, _ = HTMLExporter().from_filename(str(face.lab.home / "charts.ipynb"))
    assert 'class="wb-chart"' in html
    page = face.page.context.new_page()
    page.set_content(output["text/html"])
    expect(page.get_by_role("img", name="orders by day and region")).to_be_visible()
    assert bad_texts(page.locator("body")) == []
    page.close()


@pytest.mark.long
def test_charts_of_each_kind(face: Face, warehouse: Warehouse) -> None:
    begin = f"%load_ext workbench\n%paimon connect {warehouse.path}"
    notebook = face.open_notebook("kinds.ipynb", [begin, BAR, SCATTER, HISTOGRAM, LONG, NOTHING])
    face.run_cells()
    figures = notebook.get_by_role("figure")
    expect(figures).to_have_count(4)
    names = ("total by customer", "b by a", "rows by amount", "value by label")
    for number, name in enumerate(names):
        expect(figures.nth(number)).to_have_attribute("aria-label", name)
        expect(figures.nth(number).locator(".point").first).to_be_attached()
        take(face, figures.nth(number), f"chart-{number}")
    ticks = figures.nth(3).locator(".ytick text")
    expect(ticks).to_have_text([re.compile("^a very long label .*…$"), "NULL", "''"])
    expect(notebook.get_by_text("No chart: the result is a single row.")).to_be_visible()


@pytest.mark.long
def test_a_narrow_page_has_room_for_a_chart(face: Face, warehouse: Warehouse) -> None:
    face.run("application:toggle-left-area")
    face.page.set_viewport_size({"width": 400, "height": 900})
    begin = f"%load_ext workbench\n%paimon connect {warehouse.path}"
    notebook = face.open_notebook("narrow.ipynb", [begin, LONG])
    face.run_cells()
    figure = notebook.get_by_role("figure")
    expect(figure.locator(".point").first).to_be_attached()
    box, plot = figure.bounding_box(), figure.locator(".main-svg").first.bounding_box()
    assert box is not None
    assert plot is not None
    assert plot["width"] <= box["width"] + 1
    for text in figure.locator("text:visible").all():
        place = text.bounding_box()
        assert place is not None
        assert place["x"] >= box["x"] - 1, text.text_content()
    take(face, figure, "chart-narrow")
