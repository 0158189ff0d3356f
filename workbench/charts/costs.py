"""The costs of compactions as a plotly figure: four curves below each other over the same commits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.lens.compaction.value import CostsValue

# Each has a contrast of at least 3 to white and to JupyterLab's dark background.
WRITE_COLOR, READ_COLOR, SPACE_COLOR, BYTES_COLOR = "#c2690c", "#2f81c7", "#8a63d2", "#1b7f8c"
_TEXT_COLOR = "#767b80"
_GRID_COLOR = "rgba(128,128,128,0.28)"
_HEIGHT, _GAP = 560, 0.055


def costs_figure(costs: CostsValue) -> dict[str, Any]:
    """Return the figure: write, read and space amplification, and the bytes that compactions wrote in each commit."""
    panels = [
        _curve(costs, "Write amplification", costs.write_amplification, WRITE_COLOR),
        _curve(costs, "Read amplification", costs.read_amplification, READ_COLOR),
        _curve(costs, "Space amplification", costs.space_amplification, SPACE_COLOR),
        _bars(costs),
    ]
    if not costs.keyed:
        # Files without keys are never merged on read.
        panels = [panels[0], panels[3]]
    traces = [{**trace, "xaxis": "x", "yaxis": _axis_name("y", row)} for row, trace in enumerate(panels)]
    layout = {**_layout(len(panels)), **_axes(panels)}
    return {"data": traces, "layout": layout, "config": {"responsive": True, "displaylogo": False}}


def _curve(costs: CostsValue, name: str, values: Sequence[float | None], color: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": list(costs.ids),
        "y": [None if each is None else round(each, 4) for each in values],
        "line": {"color": color, "width": 2, "shape": "hv"},
        "hovertemplate": f"snapshot %{{x}}<br>{name}: %{{y:.2f}}<extra></extra>",
    }


def _bars(costs: CostsValue) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": "Compacted bytes",
        "x": list(costs.ids),
        "y": list(costs.compacted),
        "marker": {"color": BYTES_COLOR},
        "hovertemplate": "snapshot %{x}<br>compactions wrote %{y:,} bytes<extra></extra>",
    }


def _layout(panels: int) -> dict[str, Any]:
    return {
        "height": _HEIGHT * panels // 4 + 40,
        "autosize": True,
        "margin": {"l": 64, "r": 16, "t": 24, "b": 44},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": _TEXT_COLOR, "size": 12},
        "showlegend": False,
        "hovermode": "x",
        "bargap": 0.15,
    }


def _axes(panels: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return one axis of snapshots, and an axis of values for each panel, the first one on top."""
    lines = {"gridcolor": _GRID_COLOR, "zerolinecolor": _GRID_COLOR, "linecolor": _GRID_COLOR, "automargin": True}
    share = 1 / len(panels)
    axes: dict[str, Any] = {
        "xaxis": {**lines, "title": {"text": "snapshot"}, "anchor": _axis_name("y", len(panels) - 1)}
    }
    for row, panel in enumerate(panels):
        top = 1 - row * share
        axes[_axis_name("yaxis", row)] = {
            **lines,
            "domain": [max(0.0, round(top - share + (_GAP if row < len(panels) - 1 else 0), 4)), round(top, 4)],
            "title": {"text": panel["name"].replace(" ", "<br>", 1), "font": {"size": 11}},
            "rangemode": "tozero",
            "tickformat": "~s" if panel["type"] == "bar" else "~g",
        }
    return axes


def _axis_name(letter: str, row: int) -> str:
    return letter if row == 0 else f"{letter}{row + 1}"
