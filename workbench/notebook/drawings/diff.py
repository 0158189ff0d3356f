"""The counts of a comparison as an SVG picture: bars by kind of change, and by column."""

from __future__ import annotations

from workbench.base.markup import escape
from workbench.lens.diff.value import DiffValue
from workbench.notebook.drawings.drawing import FONT_SIZE, Drawing, Figure, Style
from workbench.notebook.drawings.letters import text_width

_NAMES, _ROW, _BAR, _TOP = 180, 22, 14, 4
_LONGEST, _GAP, _MOST_COLUMNS = 420, 8, 12
_STYLE = Style(
    "diff",
    (
        (".wb-inserted", "fill:var(--wb-fresh)"),
        (".wb-updated", "fill:var(--wb-fair)"),
        (".wb-deleted", "fill:var(--wb-poor)"),
        (".wb-column", "fill:var(--wb-middle-line)"),
    ),
)


def diff_drawings(diff: DiffValue) -> tuple[Drawing, ...]:
    """Return bars by kind of change, and by column if rows were updated; no bars if rows were not counted."""
    counts = diff.counts
    if counts is None or not counts.changes:
        return ()
    kinds = [
        ("+ inserted", counts.inserted, "inserted"),
        ("~ updated", counts.updated, "updated"),
        ("− deleted", counts.deleted, "deleted"),
    ]
    columns = sorted((each for each in counts.columns if each.rows), key=lambda each: -each.rows)[:_MOST_COLUMNS]
    figures = [_bars(counts.summary, kinds)]
    if columns:
        figures.append(_bars("Updated rows by column", [(each.name, each.rows, "column") for each in columns]))
    return (Drawing(_STYLE, tuple(figures), heading=f"{diff.table}: {diff.before.text} → {diff.after.text}"),)


def _bars(title: str, bars: list[tuple[str, int, str]]) -> Figure:
    most = max(count for _, count, _ in bars)
    lines = []
    for number, (name, count, kind) in enumerate(bars):
        y = _TOP + number * _ROW
        width = max(round(_LONGEST * count / most), 1 if count else 0)
        lines.append(
            f'<text x="{_NAMES - _GAP}" y="{y + _BAR - 2}" text-anchor="end">{escape(_fitting(name))}</text>'
            f'<rect class="wb-{kind}" x="{_NAMES}" y="{y}" width="{width}" height="{_BAR}" rx="2"/>'
            f'<text x="{_NAMES + width + _GAP}" y="{y + _BAR - 2}">{count:,}</text>'
        )
    return Figure(title, "".join(lines), _TOP + len(bars) * _ROW + _TOP)


def _fitting(name: str) -> str:
    """Shorten a name to fit on the left of the bars."""
    room = _NAMES - 2 * _GAP
    if text_width(name, FONT_SIZE) <= room:
        return name
    while name and text_width(f"{name}…", FONT_SIZE) > room:
        name = name[:-1]
    return f"{name}…"
