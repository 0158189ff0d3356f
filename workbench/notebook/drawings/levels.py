"""The LSM tree as an SVG picture: a lane per sorted run, a bar per file, keys from left to right."""

from __future__ import annotations

from workbench.base.markup import escape
from workbench.base.texts import size_text
from workbench.lens.levels import BucketsValue, BucketValue, FileValue
from workbench.notebook.drawings.drawing import FONT_SIZE, WIDTH, Drawing, Figure, Style
from workbench.notebook.drawings.letters import fitted, text_width
from workbench.sql.grid import count_text

MAX_BUCKETS = 12
MAX_RUNS = 24
_GUTTER, _LANE, _BAR = 64, 30, 22
_KEY_WIDTH = 230

_STYLE = Style(
    "levels",
    (
        (".wb-axis", "stroke:currentColor;stroke-opacity:.25"),
        ("rect", "stroke-width:1.5"),
        (".wb-l0 rect", "fill:var(--wb-l0);stroke:var(--wb-l0-line)"),
        (".wb-middle rect", "fill:var(--wb-middle);stroke:var(--wb-middle-line)"),
        (".wb-last rect", "fill:var(--wb-last);stroke:var(--wb-last-line)"),
    ),
)


def levels_drawings(levels: BucketsValue, heading: str) -> tuple[Drawing, ...]:
    """Return one figure per bucket, with a tooltip for each file; no figure if there are no files."""
    if not levels.buckets:
        return ()
    figures = tuple(_figure(bucket, keyed=bool(levels.keys)) for bucket in levels.buckets[:MAX_BUCKETS])
    more = len(levels.buckets) - MAX_BUCKETS
    note = f"{more:,} more buckets are not drawn." if more > 0 else ""
    return (Drawing(_STYLE, figures, note, heading),)


def _figure(bucket: BucketValue, *, keyed: bool) -> Figure:
    runs = bucket.runs[:MAX_RUNS]
    last = max(run.level for run in bucket.runs)
    lanes = []
    for number, run in enumerate(runs):
        css = "wb-l0" if run.level == 0 else "wb-last" if run.level == last else "wb-middle"
        y = number * _LANE
        bars = "".join(_bar(file, y) for file in run.files)
        label = f"L{run.level}" if keyed else "files"
        lanes.append(f'<g class="{css}"><text x="0" y="{y + 20}">{label}</text>{bars}</g>')
    height = len(runs) * _LANE
    hidden = len(bucket.runs) - len(runs)
    return Figure(
        f"{bucket.label}: {_summary(bucket, keyed=keyed)}",
        f"{''.join(lanes)}{_axis(bucket, height) if keyed else ''}",
        height + 24,
        f"{hidden:,} older runs are not drawn." if hidden else "",
    )


def _summary(bucket: BucketValue, *, keyed: bool) -> str:
    files = bucket.files
    runs = [count_text(len(bucket.runs), "sorted run")] if keyed else []
    rows = count_text(sum(file.rows for file in files), "stored row" if keyed else "row")
    return ", ".join([*runs, count_text(len(files), "file"), rows, size_text(sum(file.size for file in files))])


def _bar(file: FileValue, y: int) -> str:
    span = WIDTH - _GUTTER - 2
    x = _GUTTER + file.start * span
    width = max(4.0, (file.end - file.start) * span)
    x = min(x, WIDTH - 2 - width)
    keys = f"keys {file.min_key} to {file.max_key}, " if file.min_key is not None else ""
    deletes = f", {file.deletes:,} deletes" if file.deletes else ""
    tooltip = f"{file.name}: {keys}{count_text(file.rows, 'row')}{deletes}, {size_text(file.size)}"
    text = count_text(file.rows, "row")
    inside = f'<text x="{x + 6:.1f}" y="{y + 19}">{text}</text>' if text_width(text, FONT_SIZE) + 12 < width else ""
    return (
        f'<rect x="{x:.1f}" y="{y + 4}" width="{width:.1f}" height="{_BAR}" rx="3">'
        f"<title>{escape(tooltip)}</title></rect>{inside}"
    )


def _axis(bucket: BucketValue, height: int) -> str:
    low = min(bucket.files, key=lambda file: file.start).min_key or ""
    high = max(bucket.files, key=lambda file: file.end).max_key or ""
    middle = (_GUTTER + WIDTH) // 2
    words = "" if bucket.to_scale else "keys in order, not to scale"
    note = f'<text class="wb-dim" x="{middle}" y="{height + 19}" text-anchor="middle">{words}</text>' if words else ""
    return (
        f'<line class="wb-axis" x1="{_GUTTER}" x2="{WIDTH}" y1="{height + 4}" y2="{height + 4}"/>'
        f'<text class="wb-dim" x="{_GUTTER}" y="{height + 19}">{_cut(low)}</text>'
        f'<text class="wb-dim" x="{WIDTH}" y="{height + 19}" text-anchor="end">{_cut(high)}</text>{note}'
    )


def _cut(text: str) -> str:
    """Return the markup of a text. A long text is cut, and its tooltip shows the full text."""
    short = fitted(text, FONT_SIZE, _KEY_WIDTH)
    return escape(text) if short == text else f"<title>{escape(text)}</title>{escape(short)}"
