"""The chart of a result, as an output above its table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from workbench.base.errors import InvalidExpression, Unsupported, did_you_mean
from workbench.base.progress import Progress
from workbench.lens.charts.chart import chart_of
from workbench.lens.charts.choice import AUTOMATIC, KINDS, NoChart
from workbench.lens.charts.value import ChartValue
from workbench.notebook.charts.drawing import chart_drawing
from workbench.notebook.charts.figure import figure_of
from workbench.notebook.drawings.drawing import drawing_html
from workbench.notebook.drawings.png import PngForm, png_form
from workbench.sql.grid import Shown
from workbench.sql.result import Result, done

PLOTLY_MIME = "application/vnd.plotly.v1+json"
# The name and the description of the figure in the same output, with which the extension draws it in the page's theme.
CHART_MIME = "application/vnd.paimon.chart+json"
CHART_VERSION = 1
# A notebook does not show all rows of a Spark query; the chart reads at most this many of them.
MOST_ROWS = 100_000


def chart_kinds() -> tuple[str, ...]:
    """Return the kinds of charts that users can name."""
    return (AUTOMATIC, *KINDS)


def require_chart(kind: str) -> None:
    """Refuse a chart that cannot be drawn, before the query runs.

    Raises:
        InvalidExpression: There is no such kind.
        Unsupported: Plotly is not installed.
    """
    if kind not in chart_kinds():
        hint = did_you_mean(kind, chart_kinds()) or f"Use {', '.join(KINDS)}, or --chart alone for a choice by columns."
        raise InvalidExpression(f"'{kind}' is not a kind of chart.", hint)
    if find_spec("plotly") is None:
        raise Unsupported("--chart needs plotly, which is not installed.", "Run: pip install 'paimon-workbench[lab]'.")


@dataclass(frozen=True, eq=False, repr=False)
class Chart(Shown):
    """The chart of a result. Front ends without plotly show a static picture."""

    value: ChartValue

    def _text(self) -> str:
        return f"{self.value.title}. {self.value.text}".strip()

    def _html(self) -> str:
        return drawing_html(chart_drawing(self.value))

    def _repr_png_(self) -> PngForm | None:
        return png_form((chart_drawing(self.value),))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        described = {"version": CHART_VERSION, "title": self.value.title, "text": self.value.text}
        forms = super()._repr_mimebundle_(include, exclude)
        return {**forms, CHART_MIME: described, PLOTLY_MIME: figure_of(self.value)}


def draw(result: Result, kind: str, progress: Progress) -> Shown:
    """Return the chart of a result, or a line that says why there is none."""
    if result.message is not None:
        return done("No chart: the statement has no rows.")
    rows = _rows(result, progress)
    chart = chart_of(rows, kind)
    if isinstance(chart, NoChart):
        return done(f"No chart: {chart.reason[0].lower()}{chart.reason[1:]}")
    if rows is not result.rows and rows.num_rows == MOST_ROWS:
        chart = replace(chart, notes=(*chart.notes, f"Only the first {MOST_ROWS:,} rows of the query are drawn."))
    return Chart(chart)


def _rows(result: Result, progress: Progress) -> pa.Table:
    if result.frame is None or result.total is not None:
        return result.rows
    from workbench.spark.frames import arrow_of
    from workbench.spark.progress import run_job

    frame = result.frame.limit(MOST_ROWS)
    rows: pa.Table = run_job(frame.sparkSession, "Reading rows for the chart", lambda: arrow_of(frame), progress)
    return rows
