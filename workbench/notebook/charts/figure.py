"""A chart as the JSON of a plotly figure, readable on light and on dark pages."""

from __future__ import annotations

from typing import Any

from workbench.base.markup import printable
from workbench.lens.charts.value import Axis, ChartSeries, ChartValue

# Each has a contrast of at least 3 to white and to JupyterLab's dark background. Neighbors differ in lightness, too.
COLORS = ("#2f81c7", "#c2690c", "#8a63d2", "#2e8b57", "#d1495b", "#64788c", "#b5487f", "#7c7a1a")
# The extension replaces this with the text color of the page.
TEXT_COLOR = "#767b80"
_GRID_COLOR = "rgba(128,128,128,0.28)"
_SHORT, _MOST_UPRIGHT = 16, 12
# The longest label, in characters: it leaves two thirds of a narrow page for the bars.
_LONGEST_TICK = 20
_DAY_LENGTH, _MOST_DAYS = len("2024-01-31"), 8
_HEIGHT, _BAR_HEIGHT = 360, 26
_MICROS_PER_MILLI = 1000
_SYMBOLS = ("circle", "square", "diamond", "cross", "x", "triangle-up", "star", "hexagon")
_DASHES = ("solid", "dash", "dot", "dashdot")


def figure_of(chart: ChartValue) -> dict[str, Any]:
    """Return the figure. It contains no text except the chart's, and no NaN, so that any JSON reader accepts it."""
    horizontal = _is_horizontal(chart)
    traces = [_trace(chart, series, number, horizontal=horizontal) for number, series in enumerate(chart.series)]
    return {
        "data": traces,
        "layout": _layout(chart, horizontal=horizontal),
        "config": {"responsive": True, "displaylogo": False},
    }


def _is_horizontal(chart: ChartValue) -> bool:
    """Return whether bars are horizontal, with room for labels beside them."""
    labels = chart.x.labels
    return len(labels) > _MOST_UPRIGHT or any(len(label_text(label)) > _SHORT for label in labels)


def _trace(chart: ChartValue, series: ChartSeries, number: int, *, horizontal: bool) -> dict[str, Any]:
    x, y = list(series.x), list(series.y)
    color = COLORS[number % len(COLORS)]
    trace: dict[str, Any] = {
        "name": _plain(series.name),
        "x": y if horizontal else x,
        "y": x if horizontal else y,
        **_hover(chart, series, horizontal=horizontal),
    }
    if chart.kind == "scatter":
        symbol = _SYMBOLS[number % len(_SYMBOLS)]
        marker = {"color": color, "symbol": symbol, "size": 7, "opacity": 0.75}
        return {**trace, "type": "scatter", "mode": "markers", "marker": marker}
    if chart.kind == "line":
        line = {"color": color, "width": 2, "dash": _DASHES[number // 2 % len(_DASHES)]}
        mode = "lines+markers" if len(x) <= _MOST_UPRIGHT * 3 else "lines"
        return {**trace, "type": "scatter", "mode": mode, "line": line, "marker": {"color": color, "size": 6}}
    bars = {"type": "bar", "orientation": "h" if horizontal else "v", "marker": {"color": color}}
    return {**trace, **bars, **_width(chart)}


def _width(chart: ChartValue) -> dict[str, float]:
    if chart.width is None:
        return {}
    return {"width": chart.width / _MICROS_PER_MILLI if chart.x.scale == "time" else chart.width}


def _hover(chart: ChartValue, series: ChartSeries, *, horizontal: bool) -> dict[str, Any]:
    """Return what is shown when the user points at a value: full labels, and ranges instead of their centers."""
    value = "%{x}" if horizontal else "%{y}"
    if series.texts:
        texts = [_plain(text) for text in series.texts]
    elif chart.x.labels:
        texts = [_plain(_shown(chart.x.labels[int(place)])) for place in series.x]
    else:
        return {"hovertemplate": f"%{{x}}<br>{_plain(series.name)}: {value}<extra></extra>"}
    template = f"%{{hovertext}}<br>{_plain(series.name)}: {value}<extra></extra>"
    return {"hovertext": texts, "hovertemplate": template}


def _layout(chart: ChartValue, *, horizontal: bool) -> dict[str, Any]:
    x, y = {**_axis(chart.x), **_days(chart)}, _value_axis(chart.y_title)
    if horizontal:
        # An axis title would cover long labels; the title of the chart names the axis, too.
        x, y = y, {**x, "autorange": "reversed", "title": {"text": ""}}
    legend = {"orientation": "h", "x": 0, "y": -0.22, "yanchor": "top"}
    bars = len(chart.x.labels) * (len(chart.series) if chart.kind == "bar" else 1)
    return {
        "title": {"text": _plain(chart.title), "x": 0.02, "font": {"size": 14}},
        "height": max(_HEIGHT, 120 + _BAR_HEIGHT * bars) if horizontal else _HEIGHT,
        "autosize": True,
        "margin": {"l": 56, "r": 16, "t": 48, "b": 48},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": TEXT_COLOR, "size": 12},
        "colorway": list(COLORS),
        "showlegend": len(chart.series) > 1,
        "legend": legend,
        "hovermode": "closest" if chart.kind == "scatter" else ("y" if horizontal else "x"),
        "barmode": "group",
        "bargap": 0.05 if chart.width is not None else 0.25,
        "xaxis": x,
        "yaxis": y,
    }


def _days(chart: ChartValue) -> dict[str, Any]:
    """Return one tick per day if there are only a few days, because plotly would add hours between them."""
    texts = {str(x) for series in chart.series for x in series.x}
    are_days = chart.x.scale == "time" and chart.width is None and all(len(text) == _DAY_LENGTH for text in texts)
    return {"tickvals": sorted(texts), "tickformat": "%-d %b %Y"} if are_days and len(texts) <= _MOST_DAYS else {}


def _value_axis(title: str) -> dict[str, Any]:
    return {"title": {"text": _plain(title)}, "type": "linear", **_lines()}


def _axis(axis: Axis) -> dict[str, Any]:
    result = {"title": {"text": _plain(axis.title)}, **_lines()}
    if axis.scale != "label":
        return {**result, "type": "date" if axis.scale == "time" else "linear"}
    ticks = [_plain(label_text(label)) for label in axis.labels]
    places = {"tickvals": list(range(len(ticks))), "ticktext": ticks}
    return {**result, "type": "linear", **places, "showgrid": False, "zeroline": False}


def _lines() -> dict[str, Any]:
    return {"gridcolor": _GRID_COLOR, "zerolinecolor": _GRID_COLOR, "linecolor": _GRID_COLOR, "automargin": True}


def _shown(label: str | None) -> str:
    return "NULL" if label is None else label or "''"


def label_text(label: str | None) -> str:
    """Return a label as it is shown beside an axis: long ones are cut."""
    text = _shown(label)
    return text if len(text) <= _LONGEST_TICK else f"{text[: _LONGEST_TICK - 1]}…"


def _plain(text: str) -> str:
    """Return the text escaped so that plotly shows it unchanged and does not interpret tags and placeholders in it."""
    escaped = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped.replace("%{", "%&#123;").replace("$", "&#36;")
