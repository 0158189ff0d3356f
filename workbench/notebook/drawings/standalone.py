"""One SVG of all static pictures of a view: black on white, with their titles and notes as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.base.markup import escape
from workbench.notebook.drawings.drawing import FONT_SIZE, WIDTH, Drawing, light_css
from workbench.notebook.drawings.letters import lines_of

_MARGIN, _GAP = 12, 14
_HEADING_SIZE, _TITLE_SIZE = 15, 13
_LINE = 18
_INK, _DIM, _PAPER = "#1f2328", "#57606a", "#ffffff"


@dataclass(frozen=True)
class Svg:
    """An SVG document and its size in pixels."""

    text: str
    width: int
    height: int


@dataclass(frozen=True)
class _Block:
    """A part of the document that is never split. The origin of ``svg`` is the top left corner of the block."""

    svg: str
    height: int


def standalone_svg(drawings: Sequence[Drawing], most: int) -> Svg:
    """Return a document with as many of the figures as fit into ``most`` pixels of height, at least one.

    If there are more figures, the last line says so.
    """
    blocks = [block for drawing in drawings for block in _blocks(drawing)]
    shown = _fitting(blocks, most)
    parts, y = [], _MARGIN
    for block in shown:
        parts.append(f'<g transform="translate({_MARGIN} {y})">{block.svg}</g>')
        y += block.height + _GAP
    width, height = WIDTH + 2 * _MARGIN, y - _GAP + _MARGIN
    css = light_css(drawing.style for drawing in drawings)
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'color="{_INK}" fill="{_INK}" font-family="sans-serif" font-size="{FONT_SIZE}"><style>{css}</style>'
        f'<rect width="{width}" height="{height}" fill="{_PAPER}"/>{"".join(parts)}</svg>'
    )
    return Svg(text, width, height)


def _fitting(blocks: Sequence[_Block], most: int) -> list[_Block]:
    """Return the first blocks that fit, followed by a line that says so if some are left out."""
    height = 2 * _MARGIN
    shown: list[_Block] = []
    for block in blocks:
        height += block.height + _GAP
        if len(shown) > 1 and height > most:
            return [*shown, _note("There is more than this picture shows.")]
        shown.append(block)
    return shown


def _blocks(drawing: Drawing) -> Iterator[_Block]:
    if drawing.heading:
        yield _lines(lines_of(drawing.heading, _HEADING_SIZE, WIDTH), _HEADING_SIZE, _INK)
    for figure in drawing.figures:
        title = _lines(lines_of(figure.title, _TITLE_SIZE, WIDTH), _TITLE_SIZE, _INK)
        body = f'<g class="wb-{drawing.style.name}" transform="translate(0 {title.height + 2})">{figure.svg}</g>'
        height = title.height + 2 + figure.height
        note = _note(figure.note)
        yield _Block(f'{title.svg}{body}<g transform="translate(0 {height})">{note.svg}</g>', height + note.height)
    if drawing.note:
        yield _note(drawing.note)


def _note(text: str) -> _Block:
    return _lines(lines_of(text, FONT_SIZE, WIDTH), FONT_SIZE, _DIM)


def _lines(lines: Sequence[str], size: int, color: str) -> _Block:
    texts = (
        f'<text y="{number * _LINE + size}" font-size="{size}" fill="{color}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return _Block("".join(texts), len(lines) * _LINE)
