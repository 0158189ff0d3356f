"""The condition and the size of a table as an SVG picture: a box per number."""

from __future__ import annotations

from workbench.base.markup import escape
from workbench.lens.headline import Figure as Number
from workbench.lens.headline import figures_of
from workbench.lens.summary import SummaryValue
from workbench.notebook.drawings.drawing import FONT_SIZE, WIDTH, Drawing, Figure, Style
from workbench.notebook.drawings.letters import text_width

_VALUE_SIZE = 16
_LEFT, _GAP, _PADDING, _HEIGHT, _TOP = 12, 8, 10, 46, 4

_STYLE = Style(
    "summary",
    (
        (".wb-box", "fill:none;stroke:currentColor;stroke-opacity:.25"),
        (".wb-value", f"font-size:{_VALUE_SIZE}px"),
        (".wb-good", "fill:var(--wb-fresh)"),
        (".wb-fair", "fill:var(--wb-fair)"),
        (".wb-poor", "fill:var(--wb-poor)"),
    ),
)


def summary_drawings(summary: SummaryValue) -> tuple[Drawing, ...]:
    """Return one figure; no figure for a version that has no files or cannot be read."""
    contents = summary.contents
    if contents is None or contents.verdict is None:
        return ()
    x, y, boxes = _LEFT, _TOP, []
    for number in figures_of(summary, contents):
        width = _width(number)
        if x + width > WIDTH:
            x, y = _LEFT, y + _HEIGHT + _GAP
        boxes.append(_box(number, x, y, width))
        x += width + _GAP
    height = y + _HEIGHT + _TOP
    bar = f'<rect class="wb-{contents.verdict.condition}" x="0" y="{_TOP}" width="4" height="{height - 2 * _TOP}"/>'
    figure = Figure(str(contents.verdict), f"{bar}{''.join(boxes)}", height)
    return (Drawing(_STYLE, (figure,), heading=f"{summary.table}, snapshot {summary.snapshot}"),)


def _width(number: Number) -> int:
    return 2 * _PADDING + round(max(text_width(number.name, FONT_SIZE), _value_width(number) + _note_width(number)))


def _value_width(number: Number) -> float:
    return text_width(number.text, _VALUE_SIZE) + (_GAP if number.text and number.note else 0)


def _note_width(number: Number) -> float:
    return text_width(number.note, FONT_SIZE)


def _box(number: Number, x: int, y: int, width: int) -> str:
    left, line = x + _PADDING, y + 38
    note_at = left + _value_width(number)
    value = f'<text class="wb-value" x="{left}" y="{line}">{escape(number.text)}</text>' if number.text else ""
    note = f'<text class="wb-dim" x="{note_at:.1f}" y="{line}">{escape(number.note)}</text>' if number.note else ""
    return (
        f'<rect class="wb-box" x="{x}" y="{y}" width="{width}" height="{_HEIGHT}" rx="4"/>'
        f'<text class="wb-dim" x="{left}" y="{y + 17}">{escape(number.name)}</text>{value}{note}'
    )
