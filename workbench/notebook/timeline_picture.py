"""The snapshots of a table as an SVG picture: a lane per kind of commit, a mark per snapshot, tags below."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.lens.texts import time_text
from workbench.lens.timeline import SnapshotValue, TagValue, TimelineValue
from workbench.sql.grid import count_text, escape

_WIDTH, _GUTTER, _LANE, _MARK = 760, 96, 30, 18
_KINDS = ("APPEND", "COMPACT", "OVERWRITE", "ANALYZE")
# The numbers of snapshots up to which letters fit into the marks, and ids below them.
_MAX_LETTERS, _MAX_IDS = 24, 16

_STYLE = """<style>
.wb-timeline{color:var(--jp-content-font-color1,inherit);margin:.3em 0 .8em;max-width:760px}
[data-jp-theme-light=true] .wb-timeline{color-scheme:light}[data-jp-theme-light=false] .wb-timeline{color-scheme:dark}
.wb-timeline svg{display:block;width:100%;height:auto;overflow:visible}
.wb-timeline text{fill:currentColor;font:12px var(--jp-ui-font-family,system-ui,sans-serif)}
.wb-timeline .wb-lane{stroke:currentColor;stroke-opacity:.2}
.wb-timeline .wb-tag{fill:none;stroke:currentColor;stroke-width:1.5}
.wb-timeline rect{stroke-width:1.5}
.wb-timeline .wb-append rect{fill:light-dark(#d6ecf5,#173f52);stroke:light-dark(#1b6f93,#6fc3e6)}
.wb-timeline .wb-compact rect{fill:light-dark(#e9e2fb,#3a3160);stroke:light-dark(#6b4fbb,#b09df0)}
.wb-timeline .wb-overwrite rect{fill:light-dark(#ffe3c2,#5a3a14);stroke:light-dark(#b25e09,#e9a25b)}
.wb-timeline .wb-analyze rect{fill:light-dark(#e3e8e0,#3a4236);stroke:light-dark(#566150,#b3bfab)}
</style>"""


def timeline_svg(timeline: TimelineValue) -> str:
    """Return HTML with one figure, the oldest snapshot on the left; '' without snapshots."""
    if not timeline.snapshots:
        return ""
    snapshots = sorted(timeline.snapshots, key=lambda each: each.id)
    step = (_WIDTH - _GUTTER - _MARK) / max(1, len(snapshots) - 1)
    positions = {each.id: _GUTTER + _MARK / 2 + number * step for number, each in enumerate(snapshots)}
    kinds = [kind for kind in _KINDS if any(each.kind == kind for each in snapshots)]
    wide = min(float(_MARK), max(2.0, step * 0.8))
    lanes = "".join(_lane(kind, number, snapshots, positions, wide) for number, kind in enumerate(kinds))
    height = len(kinds) * _LANE
    ids = _ids(snapshots, positions, height) if len(snapshots) <= _MAX_IDS else ""
    tags = "".join(_tag(tag, positions[tag.snapshot], height) for tag in timeline.tags if tag.snapshot in positions)
    title = f"{count_text(timeline.total, 'snapshot')} of {timeline.table}"
    return (
        f'{_STYLE}<div class="wb-timeline"><svg viewBox="0 0 {_WIDTH} {height + 36}" role="img" '
        f'aria-label="{escape(title)}">{lanes}{ids}{tags}</svg></div>'
    )


def _lane(kind: str, number: int, snapshots: Sequence[SnapshotValue], positions: dict[int, float], wide: float) -> str:
    y = number * _LANE
    lettered = len(snapshots) <= _MAX_LETTERS
    marks = "".join(
        _mark(each, positions[each.id], y, wide, lettered=lettered) for each in snapshots if each.kind == kind
    )
    return (
        f'<g class="wb-{kind.lower()}"><text x="0" y="{y + 20}">{kind}</text>'
        f'<line class="wb-lane" x1="{_GUTTER}" x2="{_WIDTH}" y1="{y + 15}" y2="{y + 15}"/>{marks}</g>'
    )


def _mark(snapshot: SnapshotValue, x: float, y: int, wide: float, *, lettered: bool) -> str:
    changes = "" if snapshot.figures is None else f". {snapshot.figures.text.removesuffix('.')}"
    reason = f". {snapshot.reason}" if snapshot.reason else ""
    tooltip = f"snapshot {snapshot.id}, {snapshot.kind}, {time_text(snapshot.time_millis)}{changes}{reason}"
    letter = f'<text x="{x:.1f}" y="{y + 19}" text-anchor="middle">{snapshot.kind[0]}</text>' if lettered else ""
    return (
        f'<rect x="{x - wide / 2:.1f}" y="{y + 6}" width="{wide:.1f}" height="{_MARK}" rx="2">'
        f"<title>{escape(tooltip)}</title></rect>{letter}"
    )


def _ids(snapshots: Sequence[SnapshotValue], positions: dict[int, float], height: int) -> str:
    return "".join(
        f'<text x="{positions[each.id]:.1f}" y="{height + 13}" text-anchor="middle">{each.id}</text>'
        for each in snapshots
    )


def _tag(tag: TagValue, x: float, height: int) -> str:
    return (
        f'<path class="wb-tag" d="M{x - 5:.1f} {height + 28}l5 -8l5 8z">'
        f"<title>{escape(f'tag {tag.name}, snapshot {tag.snapshot}')}</title></path>"
    )
