"""The chart of a result: chosen by its columns, with the points to draw."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from workbench.lens.charts.choice import AUTOMATIC, ChartChoice, NoChart, choose_chart
from workbench.lens.charts.columns import Role, chart_columns
from workbench.lens.charts.histogram import histogram
from workbench.lens.charts.points import bar_chart, label_histogram, point_chart
from workbench.lens.charts.value import ChartValue


def _histogram(rows: pa.Table, choice: ChartChoice) -> ChartValue:
    return label_histogram(rows, choice) if choice.x.role is Role.LABEL else histogram(rows, choice)


_CHARTS: dict[str, Callable[[pa.Table, ChartChoice], ChartValue]] = {
    "line": point_chart,
    "bar": bar_chart,
    "scatter": point_chart,
    "histogram": _histogram,
}


def chart_of(rows: pa.Table, kind: str = AUTOMATIC) -> ChartValue | NoChart:
    """Return the chart of the rows of a result, or why they have none.

    Args:
        rows: All rows of the result.
        kind: The kind of chart, or ``'auto'`` to choose one by the types of the columns and how many values they have.
    """
    choice = choose_chart(chart_columns(rows), rows.num_rows, kind)
    return choice if isinstance(choice, NoChart) else _CHARTS[choice.kind](rows, choice)
