"""A chart of a result as a static picture, for programs that do not have plotly."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.base.markup import escape
from workbench.lens.charts.value import ChartSeries, ChartValue
from workbench.notebook.charts.figure import COLORS, label_text
from workbench.notebook.drawings.drawing import FONT_SIZE, WIDTH, Drawing, Figure, Style
from workbench.notebook.drawings.letters import fitted, text_width

_LEFT, _RIGHT, _TOP, _HEIGHT, _AXIS = 72, 16, 8, 240, 24
_LABEL_LEFT, _BAR, _BAR_GAP = 160, 16, 8
_LEGEND_LINE, _LEGEND_GAP, _SWATCH = 20, 18, 10
_TICKS = 5
_PAD = 0.03
_DASHES = ("", "6 3", "2 2", "8 3 2 3")
_DAY_SECONDS = 86_400

_STYLE = Style(
    "chart",
    (
        (".wb-rule", "stroke:currentColor;stroke-opacity:.2"),
        (".wb-course", "fill:none;stroke-width:2;stroke-linejoin:round"),
        (".wb-dots", "fill:none;stroke-width:6;stroke-linecap:round;stroke-opacity:.75"),
    ),
)


@dataclass(frozen=True)
class _Scale:
    """A linear scale that maps values from ``low`` to ``high`` to pixels from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def chart_drawing(chart: ChartValue) -> Drawing:
    """Return one figure: if the x axis has labels, bars beside these labels, otherwise a plot above the axis."""
    body, height = _bars(chart) if chart.x.scale == "label" else _plot(chart)
    names, below = _legend(chart.series, height)
    return Drawing(_STYLE, (Figure(chart.title, body + names, height + below, chart.text),))


def _bars(chart: ChartValue) -> tuple[str, int]:
    values = [value for series in chart.series for value in series.y]
    low, high = _domain([0.0, *values])
    scale = _Scale(low, high, _LABEL_LEFT, WIDTH - _RIGHT)
    step = _BAR * len(chart.series) + _BAR_GAP
    height = _TOP + step * len(chart.x.labels)
    ticks = _across(_ticks(low, high), scale, height, _number)
    labels = "".join(
        f'<text x="{_LABEL_LEFT - 6}" y="{_TOP + step * (number + 0.5) + 1:.1f}" text-anchor="end">'
        f"{escape(fitted(label_text(label), FONT_SIZE, _LABEL_LEFT - 12))}</text>"
        for number, label in enumerate(chart.x.labels)
    )
    bars = "".join(
        _box(scale(min(0.0, value)), _TOP + step * place + _BAR * number, abs(scale(value) - scale(0.0)), _BAR, number)
        for number, series in enumerate(chart.series)
        for place, value in zip(map(float, series.x), series.y, strict=True)
    )
    return ticks + labels + bars, height + _AXIS


def _plot(chart: ChartValue) -> tuple[str, int]:
    is_time = chart.x.scale == "time"
    places = [_places(series, is_time=is_time) for series in chart.series]
    half = 0.0 if chart.width is None else chart.width / (2_000_000 if is_time else 2)
    from_zero = [0.0] if chart.width is not None else []
    left, right = _domain([edge for values in places for value in values for edge in (value - half, value + half)])
    low, high = _domain([*from_zero, *(value for series in chart.series for value in series.y)])
    if chart.width is None:
        # Room for the halves of points at the edge.
        pad_x, pad_y = (right - left) * _PAD, (high - low) * _PAD
        left, right, low, high = left - pad_x, right + pad_x, low - pad_y, high + pad_y
    x, y = _Scale(left, right, _LEFT, WIDTH - _RIGHT), _Scale(low, high, _TOP + _HEIGHT, _TOP)
    shown = "".join(
        _series(chart.kind, number, values, series.y, (x, y, half))
        for number, (values, series) in enumerate(zip(places, chart.series, strict=True))
    )
    first, last = _domain([value for values in places for value in values])
    time_ticks = [first + (last - first) * number / (_TICKS - 2) for number in range(_TICKS - 1)]
    texts = _time(last - first) if is_time else _number
    below = _across(time_ticks if is_time else _ticks(left, right), x, _TOP + _HEIGHT, texts)
    return _beside(_ticks(low, high), y) + below + shown, _TOP + _HEIGHT + _AXIS


def _series(
    kind: str, number: int, xs: Sequence[float], ys: Sequence[float], scales: tuple[_Scale, _Scale, float]
) -> str:
    x, y, half = scales
    color = COLORS[number % len(COLORS)]
    if kind == "histogram":
        return "".join(
            _box(x(left - half), y(top), x(left + half) - x(left - half) - 1, y(0.0) - y(top), number)
            for left, top in zip(xs, ys, strict=True)
        )
    points = [f"{x(left):.1f} {y(top):.1f}" for left, top in zip(xs, ys, strict=True)]
    if kind == "line" and len(points) > 1:
        dash = _DASHES[number // 2 % len(_DASHES)]
        style = f' stroke-dasharray="{dash}"' if dash else ""
        return f'<path class="wb-course" stroke="{color}"{style} d="M{"L".join(points)}"/>'
    return f'<path class="wb-dots" stroke="{color}" d="{"".join(f"M{point}h0" for point in points)}"/>'


def _box(x: float, y: float, width: float, height: float, number: int) -> str:
    size = f'width="{max(1.0, width):.1f}" height="{max(0.0, height):.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{COLORS[number % len(COLORS)]}"/>'


def _places(series: ChartSeries, *, is_time: bool) -> list[float]:
    """Return the x values as numbers: times as seconds since the epoch."""
    if not is_time:
        return [float(value) for value in series.x]
    micros: list[int] = np.array(series.x, "datetime64[us]").astype("int64").tolist()
    return [value / 1_000_000 for value in micros]


def _domain(values: Sequence[float]) -> tuple[float, float]:
    """Return the limits of an axis, which are never the same."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    return (low, high) if high > low else (low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2)


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two limits."""
    least = (high - low) / _TICKS
    power = 10.0 ** math.floor(math.log10(least))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)
    return [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _number(value: float) -> str:
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:.3g}"


def _time(seconds: float) -> Callable[[float], str]:
    unit = "D" if seconds > 4 * _DAY_SECONDS else "m" if seconds > 600 else "s"
    return lambda value: str(np.datetime64(round(value), "s").astype(f"datetime64[{unit}]")).replace("T", " ")


def _across(values: Sequence[float], scale: _Scale, bottom: float, texts: Callable[[float], str]) -> str:
    """Return a vertical line at each value, with a label below it that does not extend beyond the picture."""
    parts = []
    for value in values:
        text, place = texts(value), scale(value)
        half = text_width(text, FONT_SIZE) / 2
        middle = min(max(place, half), WIDTH - half)
        parts.append(f'<line class="wb-rule" x1="{place:.1f}" x2="{place:.1f}" y1="{_TOP}" y2="{bottom:.1f}"/>')
        parts.append(f'<text x="{middle:.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{escape(text)}</text>')
    return "".join(parts)


def _beside(values: Sequence[float], scale: _Scale) -> str:
    return "".join(
        f'<line class="wb-rule" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{scale(value):.1f}" y2="{scale(value):.1f}"/>'
        f'<text x="{_LEFT - 6}" y="{scale(value) + 4:.1f}" text-anchor="end">{_number(value)}</text>'
        for value in values
    )


def _legend(series: Sequence[ChartSeries], top: int) -> tuple[str, int]:
    """Return a legend with the names of the series, broken into lines, and its height; nothing for a single series."""
    if len(series) < 2:
        return "", 0
    parts, x, y = [], 0.0, top + _LEGEND_LINE
    for number, each in enumerate(series):
        name = label_text(each.name)
        width = _SWATCH + 6 + text_width(name, FONT_SIZE) + _LEGEND_GAP
        if x and x + width > WIDTH:
            x, y = 0.0, y + _LEGEND_LINE
        parts.append(_box(x, y - _SWATCH, _SWATCH, _SWATCH, number))
        parts.append(f'<text x="{x + _SWATCH + 6:.1f}" y="{y}">{escape(name)}</text>')
        x += width
    return "".join(parts), y + 6 - top
