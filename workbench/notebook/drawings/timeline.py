"""The snapshots of a table as an SVG picture: a lane per kind of commit, a mark per snapshot, tags below."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.markup import escape
from workbench.base.texts import time_text
from workbench.lens.timeline import SnapshotValue, TagValue, TimelineValue
from workbench.notebook.drawings.drawing import FONT_SIZE, WIDTH, Drawing, Figure, Style
from workbench.notebook.drawings.letters import text_width
from workbench.sql.grid import count_text

_GUTTER, _LANE, _MARK = 96, 30, 18
# The lanes, and the letters of their marks.
LETTERS = {"APPEND": "A", "OVERWRITE": "O", "COMPACT": "C", "ANALYZE": "N"}
# The radius of the corners of a mark, as a share of its width: kinds differ in shape as well as in color.
_CORNERS = {"APPEND": 0.5, "OVERWRITE": 0.3, "COMPACT": 0.1, "ANALYZE": 0.5}
# The largest number of snapshots for which letters fit into the marks, and the largest for which ids fit below them.
_MAX_LETTERS, _MAX_IDS, _ID_GAP = 24, 16, 6

_STYLE = Style(
    "timeline",
    (
        (".wb-lane", "stroke:currentColor;stroke-opacity:.2"),
        (".wb-tag", "fill:var(--wb-middle);stroke:var(--wb-middle-line);stroke-width:1.5"),
        (".wb-mark", "stroke-width:1.5;fill:none;stroke:currentColor"),
        (".wb-append .wb-mark", "fill:var(--wb-l0);stroke:var(--wb-l0-line)"),
        (".wb-compact .wb-mark", "fill:var(--wb-last);stroke:var(--wb-last-line)"),
        (".wb-overwrite .wb-mark", "fill:var(--wb-middle);stroke:var(--wb-middle-line)"),
        (".wb-analyze .wb-mark", "stroke-dasharray:3 2"),
    ),
)


def timeline_drawings(timeline: TimelineValue) -> tuple[Drawing, ...]:
    """Return one figure, the oldest snapshot on the left; no figure if there are no snapshots."""
    if not timeline.snapshots:
        return ()
    snapshots = sorted(timeline.snapshots, key=lambda each: each.id)
    step = (WIDTH - _GUTTER - _MARK - 2) / max(1, len(snapshots) - 1)
    positions = {each.id: _GUTTER + _MARK / 2 + number * step for number, each in enumerate(snapshots)}
    kinds = [kind for kind in LETTERS if any(each.kind == kind for each in snapshots)]
    wide = min(float(_MARK), max(2.0, step * 0.8))
    lanes = "".join(_lane(kind, number, snapshots, positions, wide) for number, kind in enumerate(kinds))
    height = len(kinds) * _LANE
    ids = _ids(snapshots, positions, step, height)
    tags = "".join(_tag(tag, positions[tag.snapshot], height) for tag in timeline.tags if tag.snapshot in positions)
    title = f"Snapshots of {timeline.table}: {_summary(timeline, len(snapshots))}"
    return (Drawing(_STYLE, (Figure(title, f"{lanes}{ids}{tags}", height + 36),)),)


def _summary(timeline: TimelineValue, shown: int) -> str:
    newest = max(timeline.snapshots, key=lambda each: each.id)
    count = count_text(timeline.total, "snapshot")
    counted = count if shown == timeline.total else f"the newest {shown:,} of {count}"
    return f"{counted}; newest {newest.id}, {newest.kind}, {time_text(newest.time_millis)}"


def _lane(kind: str, number: int, snapshots: Sequence[SnapshotValue], positions: dict[int, float], wide: float) -> str:
    y = number * _LANE
    lettered = len(snapshots) <= _MAX_LETTERS
    marks = "".join(
        _mark(each, positions[each.id], y, wide, lettered=lettered) for each in snapshots if each.kind == kind
    )
    return (
        f'<g class="wb-{kind.lower()}"><text x="0" y="{y + 20}">{kind}</text>'
        f'<line class="wb-lane" x1="{_GUTTER}" x2="{WIDTH}" y1="{y + 15}" y2="{y + 15}"/>{marks}</g>'
    )


def _mark(snapshot: SnapshotValue, x: float, y: int, wide: float, *, lettered: bool) -> str:
    changes = "" if snapshot.figures is None else f". {snapshot.figures.text.removesuffix('.')}"
    reason = f". {snapshot.reason}" if snapshot.reason else ""
    tooltip = f"snapshot {snapshot.id}, {snapshot.kind}, {time_text(snapshot.time_millis)}{changes}{reason}"
    letter = f'<text x="{x:.1f}" y="{y + 19}" text-anchor="middle">{LETTERS[snapshot.kind]}</text>' if lettered else ""
    return (
        f'<rect class="wb-mark" x="{x - wide / 2:.1f}" y="{y + 6}" width="{wide:.1f}" height="{_MARK}" '
        f'rx="{wide * _CORNERS[snapshot.kind]:.1f}">'
        f"<title>{escape(tooltip)}</title></rect>{letter}"
    )


def _ids(snapshots: Sequence[SnapshotValue], positions: dict[int, float], step: float, height: int) -> str:
    """Return the ids below the marks: all of them if there is room, otherwise only the first and the last."""
    widths = {each.id: text_width(str(each.id), FONT_SIZE) for each in snapshots}
    has_room = len(snapshots) <= _MAX_IDS and max(widths.values()) + _ID_GAP < step
    shown = snapshots if has_room or len(snapshots) == 1 else (snapshots[0], snapshots[-1])
    return "".join(
        # The id of the last snapshot would reach beyond the edge.
        f'<text x="{min(positions[each.id], WIDTH - widths[each.id] / 2):.1f}" y="{height + 13}" '
        f'text-anchor="middle">{each.id}</text>'
        for each in shown
    )


def _tag(tag: TagValue, x: float, height: int) -> str:
    return (
        f'<path class="wb-tag" d="M{x - 5:.1f} {height + 28}l5 -8l5 8z">'
        f"<title>{escape(f'tag {tag.name}, snapshot {tag.snapshot}')}</title></path>"
    )
