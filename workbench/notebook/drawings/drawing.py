"""Static pictures: SVG figures below each other, for HTML that follows the theme and for pictures on white."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from workbench.base.markup import escape
from workbench.lens.palette import PALETTE, palette_css

WIDTH = 760
FONT_SIZE = 12
_COLOR = re.compile(r"var\(--wb-([a-z0-9-]+)\)")


@dataclass(frozen=True)
class Style:
    """The look of a kind of figures. ``rules`` are CSS rules, whose colors are variables such as ``--wb-l0``.

    Args:
        name: The CSS class of the figures, without its prefix.
        rules: Pairs of a selector and declarations.
    """

    name: str
    rules: tuple[tuple[str, str], ...]

    @property
    def css(self) -> str:
        """The rules, restricted to elements inside the class of the figures."""
        return "".join(f".wb-{self.name} {selector}{{{declarations}}}" for selector, declarations in self.rules)

    @property
    def colors(self) -> tuple[str, ...]:
        """The names of the colors in the rules."""
        return tuple(dict.fromkeys(_COLOR.findall(self.css)))


@dataclass(frozen=True)
class Figure:
    """A picture of `WIDTH` by ``height`` pixels. ``svg`` is markup without the outer element, ``note`` a line below."""

    title: str
    svg: str
    height: int
    note: str = ""


@dataclass(frozen=True)
class Drawing:
    """Figures of one style, one below the other. ``note`` is a line below all of them.

    ``heading`` says what is drawn; pages leave it out, because the tables below the drawing say the same.
    """

    style: Style
    figures: tuple[Figure, ...]
    note: str = ""
    heading: str = ""


def drawing_html(drawing: Drawing) -> str:
    """Return the drawing as HTML in the colors of the page."""
    name = drawing.style.name
    figures = "".join(map(_figure_html, drawing.figures))
    return f'{_page_style(drawing.style)}<div class="wb-{name}">{figures}{_note_html(drawing.note)}</div>'


def light_css(styles: Iterable[Style]) -> str:
    """Return the rules of styles, in which variables are replaced with the colors for light pages."""
    rules = "".join(dict.fromkeys(style.css for style in styles))
    return _COLOR.sub(lambda match: PALETTE[match[1]][0], rules)


# Titles are not HTML headings, because JupyterLab lists headings of outputs in its table of contents.
def _figure_html(figure: Figure) -> str:
    title = escape(figure.title)
    return (
        f'<p class="wb-title"><b>{title}</b></p>'
        f'<svg viewBox="0 0 {WIDTH} {figure.height}" role="img" aria-label="{title}">{figure.svg}</svg>'
        f"{_note_html(figure.note)}"
    )


def _note_html(note: str) -> str:
    return f'<p class="wb-dim">{escape(note)}</p>' if note else ""


def _page_style(style: Style) -> str:
    box = f".wb-{style.name}"
    return f"""<style>
{box}{{color:var(--jp-content-font-color1,inherit);margin:.3em 0 .8em;max-width:{WIDTH}px;overflow-x:auto;
{palette_css("wb", style.colors)}}}
[data-jp-theme-light=true] {box}{{color-scheme:light}}[data-jp-theme-light=false] {box}{{color-scheme:dark}}
{box} .wb-title{{margin:.6em 0 .1em;font-size:1em;line-height:1.35;color:inherit}}
{box} svg{{display:block;width:100%;min-width:520px;height:auto}}
{box} text{{fill:currentColor;font:{FONT_SIZE}px var(--jp-ui-font-family,system-ui,sans-serif)}}
{box} .wb-dim{{opacity:.75}}
{style.css}
</style>"""
