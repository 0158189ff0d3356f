"""A compaction as an SVG picture: the levels of its bucket before and after, with ribbons from files to files."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.markup import escape
from workbench.base.texts import size_text
from workbench.lens.compaction.story import file_roles
from workbench.lens.compaction.value import CompactionStory
from workbench.lens.levels import BucketValue, FileValue
from workbench.notebook.drawings.drawing import FONT_SIZE, WIDTH, Drawing, Figure, Style
from workbench.notebook.drawings.letters import fitted, text_width
from workbench.sql.grid import count_text

MAX_RUNS = 24
MAX_RIBBONS = 600
_GUTTER, _LANE, _BAR, _GAP = 52, 26, 18, 84
_HEAD = 22

_STYLE = Style(
    "compaction",
    (
        ("rect", "stroke-width:1.5"),
        (".wb-l0 rect", "fill:var(--wb-l0);stroke:var(--wb-l0-line)"),
        (".wb-middle rect", "fill:var(--wb-middle);stroke:var(--wb-middle-line)"),
        (".wb-last rect", "fill:var(--wb-last);stroke:var(--wb-last-line)"),
        (".wb-kept", "opacity:.32"),
        (".wb-ribbon", "fill:var(--wb-last-line);opacity:.2"),
        (
            ".wb-ribbon.wb-move",
            "fill:none;stroke:var(--wb-middle-line);stroke-width:1.5;stroke-dasharray:4 3;opacity:.9",
        ),
    ),
)


def compaction_drawings(story: CompactionStory | None) -> tuple[Drawing, ...]:
    """Return the picture of a compaction; no picture if ``story`` is None."""
    if story is None:
        return ()
    compaction = story.compaction
    was, became = file_roles(story)
    before = _Side(story.before, was, _HEAD, keyed=bool(story.keys))
    after = _Side(story.after, became, before.bottom + _GAP, keyed=bool(story.keys))
    words = (
        f'<text x="0" y="14">before</text><text x="0" y="{after.top - 8}">after snapshot {compaction.snapshot}</text>'
    )
    figure = Figure(
        f"Snapshot {compaction.snapshot}, {compaction.label}: {compaction.text}",
        f"{words}{_ribbons(story, before, after)}{before.svg}{after.svg}",
        int(after.bottom + 8),
        " ".join(filter(None, (before.note, after.note))),
    )
    return (Drawing(_STYLE, (figure,)),)


class _Side:
    """The runs before or after a compaction, drawn from ``top`` to ``bottom``, and the position of each file."""

    def __init__(self, bucket: BucketValue, roles: Mapping[str, str], top: float, *, keyed: bool) -> None:
        runs = bucket.runs[:MAX_RUNS]
        hidden = len(bucket.runs) - len(runs)
        self.top = top
        self.bottom = top + max(1, len(runs)) * _LANE
        self.note = f"{count_text(hidden, 'older run')} not drawn." if hidden else ""
        self.boxes: dict[int, tuple[float, float, float]] = {}
        last = max((run.level for run in bucket.runs), default=0)
        lanes, number = [], 0
        for row, run in enumerate(runs):
            y = top + row * _LANE
            css = "wb-l0" if run.level == 0 else "wb-last" if run.level == last else "wb-middle"
            bars = []
            for file in run.files:
                bars.append(self._bar(file, number, y, roles[file.name]))
                number += 1
            label = f"L{run.level}" if keyed else "files"
            lanes.append(f'<g class="{css}"><text x="0" y="{y + 15}">{label}</text>{"".join(bars)}</g>')
        if not runs:
            lanes.append(f'<text class="wb-dim" x="{_GUTTER}" y="{top + 15}">no files</text>')
        self.svg = "".join(lanes)

    def _bar(self, file: FileValue, number: int, y: float, role: str) -> str:
        span = WIDTH - _GUTTER - 2
        width = max(4.0, (file.end - file.start) * span)
        x = min(_GUTTER + file.start * span, WIDTH - 2 - width)
        self.boxes[number] = (x, y, width)
        keys = f"keys {file.min_key} to {file.max_key}, " if file.min_key is not None else ""
        words = f"{file.name} ({role}): {keys}{count_text(file.rows, 'row')}, {size_text(file.size)}"
        text = fitted(count_text(file.rows, "row"), FONT_SIZE, width)
        inside = f'<text x="{x + 5:.1f}" y="{y + 15}">{text}</text>' if text_width(text, FONT_SIZE) + 10 < width else ""
        return (
            f'<g class="wb-{role}"><rect x="{x:.1f}" y="{y + 1:.1f}" width="{width:.1f}" height="{_BAR}" rx="3">'
            f"<title>{escape(words)}</title></rect>{inside}</g>"
        )


def _ribbons(story: CompactionStory, before: _Side, after: _Side) -> str:
    moved = set(story.moved)
    files = story.before.files
    parts = []
    for link in story.links[:MAX_RIBBONS]:
        one, other = before.boxes.get(link.before), after.boxes.get(link.after)
        if one is None or other is None:
            continue
        is_moved = files[link.before].name in moved
        parts.append(_ribbon(one, other, moved=is_moved))
    return f"<g>{''.join(parts)}</g>"


def _ribbon(one: tuple[float, float, float], other: tuple[float, float, float], *, moved: bool) -> str:
    (x, y, width), (u, v, span) = one, other
    top, bottom = y + _BAR + 1, v + 1
    middle = (top + bottom) / 2
    if moved:
        start, end = x + width / 2, u + span / 2
        path = f"M{start:.1f} {top:.1f}C{start:.1f} {middle:.1f} {end:.1f} {middle:.1f} {end:.1f} {bottom:.1f}"
        return f'<path class="wb-ribbon wb-move" d="{path}"/>'
    # The part of the resulting file that contains the keys of the compacted file.
    left, right = max(x, u), min(x + width, u + span)
    if right <= left:
        left, right = u, u + span
    path = (
        f"M{x:.1f} {top:.1f}C{x:.1f} {middle:.1f} {left:.1f} {middle:.1f} {left:.1f} {bottom:.1f}"
        f"L{right:.1f} {bottom:.1f}C{right:.1f} {middle:.1f} {x + width:.1f} {middle:.1f} {x + width:.1f} {top:.1f}Z"
    )
    return f'<path class="wb-ribbon" d="{path}"/>'
