"""The findings about a table as an SVG picture: a row per finding with its number against the limit."""

from __future__ import annotations

from workbench.base.markup import escape
from workbench.lens.health.values import FindingValue, HealthValue
from workbench.notebook.drawings.drawing import WIDTH, Drawing, Figure, Style

# The sign of each severity, for readers who do not see its color.
SIGNS = {"good": "✓", "notice": "i", "attention": "!", "poor": "✕"}
_ROW, _LEFT, _BAR, _MAX_ROWS = 40, 34, 170, 20
_LONGEST_TITLE = 76

_STYLE = Style(
    "health",
    (
        (".wb-track", "fill:currentColor;fill-opacity:.12"),
        (".wb-limit", "stroke:currentColor;stroke-width:2"),
        (".wb-sign", "font-weight:700;text-anchor:middle"),
        (".wb-notice", "fill:var(--wb-last-line)"),
        (".wb-attention", "fill:var(--wb-fair)"),
        (".wb-poor", "fill:var(--wb-poor)"),
        (".wb-ring", "fill:none;stroke-width:2;stroke:currentColor"),
    ),
)


def health_drawings(health: HealthValue) -> tuple[Drawing, ...]:
    """Return one figure, the worst finding first; no figure if there are no findings."""
    if not health.findings:
        return ()
    shown = health.findings[:_MAX_ROWS]
    rows = "".join(_row(finding, index * _ROW) for index, finding in enumerate(shown))
    more = len(health.findings) - len(shown)
    note = f"{more:,} further findings are in the table." if more else ""
    figure = Figure(f"Findings about {health.table}: {health.text}", rows, len(shown) * _ROW, note)
    return (Drawing(_STYLE, (figure,)),)


def bar_share(amount: float, limit: float | None) -> tuple[float, float]:
    """Return the lengths of a bar and of its limit, scaled so that the longer one is 1."""
    full = max(abs(amount), abs(limit or 0), 1e-9)
    return min(1.0, abs(amount) / full), min(1.0, abs(limit or 0) / full)


def _row(finding: FindingValue, y: int) -> str:
    length, limit = bar_share(finding.amount, finding.limit)
    title = finding.title if len(finding.title) <= _LONGEST_TITLE else f"{finding.title[: _LONGEST_TITLE - 1]}…"
    x = WIDTH - _BAR - 4
    mark = (
        f'<line class="wb-limit" x1="{x + limit * _BAR:.1f}" x2="{x + limit * _BAR:.1f}" y1="{y + 6}" y2="{y + 20}"/>'
    )
    numbers = "; ".join(filter(None, (finding.amount_text, finding.limit_text)))
    filled = max(2.0, length * _BAR)
    bar = (
        f'<rect class="wb-track" x="{x}" y="{y + 9}" width="{_BAR}" height="8" rx="2"/>'
        f'<rect class="wb-{finding.severity}" x="{x}" y="{y + 9}" width="{filled:.1f}" height="8" rx="2"/>'
        f"{mark if finding.limit else ''}"
    )
    return (
        f'<circle class="wb-ring" cx="14" cy="{y + 13}" r="9"/>'
        f'<text class="wb-sign" x="14" y="{y + 17}">{SIGNS[finding.severity]}</text>'
        f'<text x="{_LEFT}" y="{y + 17}">{escape(title)}</text>'
        f'<text class="wb-dim" x="{_LEFT}" y="{y + 33}">{escape(numbers)}</text>'
        f"{'' if finding.limit is None else bar}"
    )
