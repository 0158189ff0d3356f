"""The life of a row as an SVG picture: a lane per level, a column per commit, a bead per stored version."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.counting import counted
from workbench.base.markup import escape
from workbench.base.texts import time_text
from workbench.lens.biography.value import (
    BiographyCommit,
    BiographyLane,
    BiographyStay,
    BiographyValue,
    BiographyVersion,
)
from workbench.notebook.drawings.drawing import FONT_SIZE, WIDTH, Drawing, Figure, Style
from workbench.notebook.drawings.letters import text_width
from workbench.sql.grid import count_text

_GUTTER, _LANE, _RADIUS = 150, 40, 12
_MOST_COMMITS = 24

_STYLE = Style(
    "biography",
    (
        (".wb-lane", "stroke:currentColor;stroke-opacity:.2"),
        (".wb-stay", "stroke-width:6;stroke-opacity:.55;stroke:var(--wb-last-line)"),
        (".wb-flow", "fill:none;stroke:currentColor;stroke-opacity:.55;stroke-dasharray:4 3"),
        (".wb-bead", "stroke-width:1.5;fill:var(--wb-last);stroke:var(--wb-last-line)"),
        (".wb-write .wb-bead", "fill:var(--wb-l0);stroke:var(--wb-l0-line)"),
        (".wb-write .wb-stay", "stroke:var(--wb-l0-line)"),
        (".wb-deleted .wb-bead", "stroke:var(--wb-poor);stroke-width:2.5"),
        (".wb-marked .wb-bead", "stroke:var(--wb-poor);stroke-dasharray:3 2;stroke-width:2.5"),
    ),
)


def biography_drawings(value: BiographyValue) -> tuple[Drawing, ...]:
    """Return one figure of the newest commits, the oldest of them on the left; no figure if there are no versions."""
    if not value.versions:
        return ()
    commits = value.commits[-_MOST_COMMITS:]
    step = (WIDTH - _GUTTER - 60) / max(1, len(commits))
    places = {each.id: _GUTTER + 40 + number * step for number, each in enumerate(commits)}
    lanes = "".join(_lane(lane, number) for number, lane in enumerate(value.lanes))
    picture = _Picture(value, places)
    drawn = [each for each in value.versions if picture.is_drawn(each)]
    stays = "".join(picture.stays(each) for each in drawn)
    flows = "".join(picture.flows(each) for each in drawn)
    beads = "".join(picture.bead(each) for each in drawn)
    height = len(value.lanes) * _LANE
    ids = "".join(_commit(each, places[each.id], height, step) for each in commits)
    key = ", ".join(f"{each.name}={each.text}" for each in value.key)
    shown = "" if len(commits) == len(value.commits) else f", the newest {counted(len(commits), 'commits')}"
    title = f"Life of {value.table} {key}: {count_text(len(value.versions), 'stored version')}{shown}"
    note = "A bead is a stored version with the kind of its row; dashed lines lead to it from what a compaction merged."
    return (Drawing(_STYLE, (Figure(title, f"{lanes}{flows}{stays}{beads}{ids}", height + 34, note),)),)


def _lane(lane: BiographyLane, number: int) -> str:
    y = number * _LANE + _LANE / 2
    where = f"{lane.partition}, " if lane.partition else ""
    full = f"{where}bucket {lane.bucket}, L{lane.level}"
    name = full if len(full) <= 24 else f"…{full[-23:]}"
    return (
        f'<text x="0" y="{y + 4:.1f}">{escape(name)}<title>{escape(full)}</title></text>'
        f'<line class="wb-lane" x1="{_GUTTER}" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
    )


def _commit(commit: BiographyCommit, x: float, height: int, step: float) -> str:
    label = f"{commit.id}"
    if text_width(label, FONT_SIZE) + 4 > step:
        return ""
    tooltip = f"snapshot {commit.id}, {commit.kind}, {time_text(commit.time_millis)}. {commit.text}"
    letters = f'<text x="{x:.1f}" y="{height + 14}" text-anchor="middle">{label}<title>{escape(tooltip)}</title></text>'
    return f'{letters}<text x="{x:.1f}" y="{height + 28}" text-anchor="middle">{commit.kind[:1]}</text>'


class _Picture:
    def __init__(self, value: BiographyValue, places: Mapping[int, float]) -> None:
        self._value = value
        self._places = places
        self._by_id = {each.id: each for each in value.versions}

    def is_drawn(self, version: BiographyVersion) -> bool:
        """Return whether at least one of the shown commits contains the version."""
        last = version.stays[-1].until
        return last is None or last in self._places

    def stays(self, version: BiographyVersion) -> str:
        lines = "".join(self._stay(stay) for stay in version.stays)
        return f'<g class="{_class(version)}">{lines}</g>'

    def _stay(self, stay: BiographyStay) -> str:
        y = self._y(stay.lane)
        start = self._places.get(stay.since or 0, _GUTTER + 16.0)
        end = WIDTH - 8.0 if stay.until is None else self._places.get(stay.until, _GUTTER + 16.0)
        return f'<line class="wb-stay" x1="{start:.1f}" x2="{end:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'

    def flows(self, version: BiographyVersion) -> str:
        x, y = self._place(version)
        parts = []
        for number in (*version.inputs, *version.looked_up):
            source = self._by_id.get(number)
            if source is not None:
                parts.append(
                    f'<path class="wb-flow" d="M{x - 22:.1f} {self._y(source.stays[-1].lane):.1f}L{x:.1f} {y:.1f}"/>'
                )
        return "".join(parts)

    def bead(self, version: BiographyVersion) -> str:
        x, y = self._place(version)
        by = "expired commits" if version.commit is None else f"snapshot {version.commit}"
        tooltip = f"version {version.id}, {version.kind}, by {by}, {version.state}, in {version.file}"
        return (
            f'<g class="{_class(version)}"><circle class="wb-bead" cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}">'
            f"<title>{escape(tooltip)}</title></circle>"
            f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{version.kind}</text></g>'
        )

    def _place(self, version: BiographyVersion) -> tuple[float, float]:
        stay = version.stays[0]
        return self._places.get(stay.since or 0, _GUTTER + 16.0), self._y(stay.lane)

    def _y(self, lane: int) -> float:
        return lane * _LANE + _LANE / 2


def _class(version: BiographyVersion) -> str:
    names = [f"wb-{version.source}"]
    names += ["wb-deleted"] if version.kind in ("-D", "-U") else []
    names += ["wb-marked"] if version.marked is not None else []
    return " ".join(names)
