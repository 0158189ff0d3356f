"""The same picture in a table page, in an output, in a widget and as static HTML: no text overlaps or is cut."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.face import Face
from tests.browser.text_boxes import bad_texts
from tests.browser.warehouse import CATALOG
from tests.support.sampling import sampled

pytestmark = pytest.mark.browser

THEMES = ("JupyterLab Light", "JupyterLab Dark")
WIDTHS = (1400, 1000, 700)
HEIGHT = 5000
WIDGET = "widget = lambda view: display({k: v for k, v in view._repr_mimebundle_().items() if 'widget' in k}, raw=True)"
CELLS = [
    f"import workbench as wb\ncatalog = wb.connect({CATALOG!r})\norders = catalog.get_table('shop.orders')\n{WIDGET}",
    "wb.levels(orders)",
    "wb.timeline(orders)",
    "wb.explore(catalog)",
    "widget(wb.levels(orders))",
    "widget(wb.timeline(orders))",
    "wb.summary(orders)",
    "widget(wb.summary(orders))",
    "from IPython.display import HTML\nHTML(wb.levels(orders)._repr_html_())",
    "HTML(wb.timeline(orders)._repr_html_())",
    "HTML(wb.summary(orders)._repr_html_())",
    f"%load_ext workbench\n%paimon connect {CATALOG}\n%paimon describe shop.orders",
]


def show_details(root: Locator) -> None:
    """Point at a file and at a snapshot of each picture, so that all cards are filled."""
    for item in (
        *root.locator(".pwv-levels").locator("[data-file]:nth-child(1)").all(),
        *root.locator(".pwv-levels [data-bucket]").all()[:2],
        *root.locator('.pwv-timeline [data-snapshot="6"]').all(),
    ):
        item.hover()


@pytest.mark.long
def test_no_text_of_a_notebook_overlaps_or_is_cut(face: Face) -> None:
    face.page.set_viewport_size({"width": WIDTHS[0], "height": HEIGHT})
    notebook = face.open_notebook("look.ipynb", CELLS)
    face.run_cells()
    explore = notebook.locator(".pwv-explore")
    explore.get_by_role("treeitem", name="shop").click()
    explore.locator('[data-table="shop.orders"]').click()
    expect(notebook.locator(".pwv-levels")).to_have_count(3)
    expect(notebook.locator(".pwv-timeline")).to_have_count(3)
    expect(notebook.locator(".pwv-summary")).to_have_count(2)
    problems = {}
    for theme in THEMES:
        face.choose_theme(theme)
        for width in WIDTHS:
            face.page.set_viewport_size({"width": width, "height": HEIGHT})
            show_details(notebook)
            for number, output in enumerate(notebook.locator(".jp-OutputArea-output").all()):
                problems[theme, width, number] = bad_texts(output)
    assert not {where: found for where, found in problems.items() if found}


@pytest.mark.parametrize("tab", sampled(["levels", "timeline", "overview", "schema"], 2))
def test_no_text_of_a_page_overlaps_or_is_cut(face: Face, tab: str) -> None:
    problems = {}
    for theme in THEMES:
        face.choose_theme(theme)
        for width in WIDTHS:
            face.page.set_viewport_size({"width": width, "height": HEIGHT})
            face.show("shop.orders", tab)
            panel = face.table_page.get_by_role("tabpanel")
            show_details(panel)
            problems[theme, width] = bad_texts(panel)
    assert not {where: found for where, found in problems.items() if found}


@pytest.mark.long
def test_cards_look_the_same_in_page_and_notebook(face: Face) -> None:
    """JupyterLab styles lists in outputs; those of a card keep the look that they have in a page."""
    styles = """dt => ['float', 'display', 'marginLeft', 'fontWeight', 'fontSize', 'padding'].map(
        name => getComputedStyle(dt)[name])"""
    face.show("shop.orders", "levels")
    expect(face.levels.locator("[data-file]").first).to_be_visible()
    show_details(face.table_page)
    in_page = [face.levels.locator(f".pwv-facts {tag}").last.evaluate(styles) for tag in ("dt", "dd")]
    notebook = face.open_notebook("cards.ipynb", [CELLS[0], CELLS[1], CELLS[4]])
    face.run_cells()
    expect(notebook.locator(".pwv-levels")).to_have_count(2)
    show_details(notebook)
    for picture in notebook.locator(".pwv-levels").all():
        assert [picture.locator(f".pwv-facts {tag}").last.evaluate(styles) for tag in ("dt", "dd")] == in_page


@pytest.mark.long
def test_outputs_have_no_scrollbars_of_their_own(face: Face) -> None:
    notebook = face.open_notebook("bars.ipynb", CELLS[:8])
    face.run_cells()
    expect(notebook.locator(".pwv-levels")).to_have_count(2)
    show_details(notebook)
    scrolling = """element => [element, ...element.querySelectorAll('.pwv-scroll')]
        .filter(each => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight)
        .map(each => each.className)"""
    for output in notebook.locator(".jp-OutputArea-output").all():
        assert output.evaluate(scrolling) == []
