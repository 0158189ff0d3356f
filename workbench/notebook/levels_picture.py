"""The LSM tree as an SVG picture: a lane per sorted run, a bar per file, keys from left to right."""

from __future__ import annotations

from workbench.base.markup import escape
from workbench.base.texts import size_text
from workbench.lens.levels import BucketsValue, BucketValue, FileValue
from workbench.lens.palette import palette_css
from workbench.sql.grid import count_text

MAX_BUCKETS = 12
MAX_RUNS = 24
_WIDTH, _GUTTER, _LANE, _BAR, _TEXT_WIDTH = 760, 64, 30, 22, 7.2
_AXIS_LETTERS = 28

_STYLE = f"""<style>
.wb-levels{{color:var(--jp-content-font-color1,inherit);margin:.3em 0 .8em;max-width:760px;overflow-x:auto;
{palette_css("wb", ("l0", "l0-line", "middle", "middle-line", "last", "last-line"))}}}
[data-jp-theme-light=true] .wb-levels{{color-scheme:light}}[data-jp-theme-light=false] .wb-levels{{color-scheme:dark}}
.wb-levels .wb-title{{margin:.6em 0 .1em;font-size:1em;line-height:1.35;color:inherit}}
.wb-levels svg{{display:block;width:100%;min-width:520px;height:auto}}
.wb-levels text{{fill:currentColor;font:12px var(--jp-ui-font-family,system-ui,sans-serif)}}
.wb-levels .wb-dim{{opacity:.75}}
.wb-levels .wb-axis{{stroke:currentColor;stroke-opacity:.25}}
.wb-levels rect{{stroke-width:1.5}}
.wb-levels .wb-l0 rect{{fill:var(--wb-l0);stroke:var(--wb-l0-line)}}
.wb-levels .wb-middle rect{{fill:var(--wb-middle);stroke:var(--wb-middle-line)}}
.wb-levels .wb-last rect{{fill:var(--wb-last);stroke:var(--wb-last-line)}}
</style>"""


def levels_svg(levels: BucketsValue) -> str:
    """Return HTML with one figure per bucket, with a tooltip for each file; '' without files."""
    if not levels.buckets:
        return ""
    figures = [_figure(bucket, keyed=bool(levels.keys)) for bucket in levels.buckets[:MAX_BUCKETS]]
    more = len(levels.buckets) - MAX_BUCKETS
    note = f'<p class="wb-dim">{more:,} more buckets are in the table below.</p>' if more > 0 else ""
    return f'{_STYLE}<div class="wb-levels">{"".join(figures)}{note}</div>'


# Titles are no headings, because JupyterLab lists headings of outputs in its table of contents.
def _figure(bucket: BucketValue, *, keyed: bool) -> str:
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
    title = f"{bucket.label}: {_summary(bucket, keyed=keyed)}"
    hidden = len(bucket.runs) - len(runs)
    more = f'<p class="wb-dim">{hidden:,} older runs are in the table below.</p>' if hidden else ""
    return (
        f'<p class="wb-title"><b>{escape(title)}</b></p>'
        f'<svg viewBox="0 0 {_WIDTH} {height + 24}" role="img" aria-label="{escape(title)}">'
        f"{''.join(lanes)}{_axis(bucket, height) if keyed else ''}</svg>{more}"
    )


def _summary(bucket: BucketValue, *, keyed: bool) -> str:
    files = bucket.files
    runs = [count_text(len(bucket.runs), "sorted run")] if keyed else []
    rows = count_text(sum(file.rows for file in files), "stored row")
    return ", ".join([*runs, count_text(len(files), "file"), rows, size_text(sum(file.size for file in files))])


def _bar(file: FileValue, y: int) -> str:
    span = _WIDTH - _GUTTER - 2
    x = _GUTTER + file.start * span
    width = max(4.0, (file.end - file.start) * span)
    x = min(x, _WIDTH - 2 - width)
    keys = f"keys {file.min_key} to {file.max_key}, " if file.min_key is not None else ""
    deletes = f", {file.deletes:,} deletes" if file.deletes else ""
    tooltip = f"{file.name}: {keys}{count_text(file.rows, 'row')}{deletes}, {size_text(file.size)}"
    text = count_text(file.rows, "row")
    inside = f'<text x="{x + 6:.1f}" y="{y + 19}">{text}</text>' if len(text) * _TEXT_WIDTH + 12 < width else ""
    return (
        f'<rect x="{x:.1f}" y="{y + 4}" width="{width:.1f}" height="{_BAR}" rx="3">'
        f"<title>{escape(tooltip)}</title></rect>{inside}"
    )


def _axis(bucket: BucketValue, height: int) -> str:
    low = min(bucket.files, key=lambda file: file.start).min_key or ""
    high = max(bucket.files, key=lambda file: file.end).max_key or ""
    middle = (_GUTTER + _WIDTH) // 2
    words = "" if bucket.to_scale else "keys in order, not to scale"
    note = f'<text class="wb-dim" x="{middle}" y="{height + 19}" text-anchor="middle">{words}</text>' if words else ""
    return (
        f'<line class="wb-axis" x1="{_GUTTER}" x2="{_WIDTH}" y1="{height + 4}" y2="{height + 4}"/>'
        f'<text class="wb-dim" x="{_GUTTER}" y="{height + 19}">{_cut(low)}</text>'
        f'<text class="wb-dim" x="{_WIDTH}" y="{height + 19}" text-anchor="end">{_cut(high)}</text>{note}'
    )


def _cut(text: str) -> str:
    """Return the markup of a text; the whole text of a long one is its tooltip."""
    if len(text) <= _AXIS_LETTERS:
        return escape(text)
    return f"<title>{escape(text)}</title>{escape(text[: _AXIS_LETTERS - 1])}…"
