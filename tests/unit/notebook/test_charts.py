"""`%%paimon --chart` displays a chart above the table, whose figure plotly accepts."""

from __future__ import annotations

import datetime
import json
import re
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import InvalidExpression, Unsupported
from workbench.base.progress import Progress
from workbench.lens.charts.chart import chart_of
from workbench.lens.charts.value import ChartValue
from workbench.notebook.charts import chart as charts
from workbench.notebook.charts.chart import CHART_MIME, PLOTLY_MIME, Chart, chart_kinds, draw
from workbench.notebook.charts.figure import COLORS, TEXT_COLOR, figure_of
from workbench.notebook.drawings.drawing import WIDTH
from workbench.sql.result import Result, rows_result

DAYS = [datetime.date(2024, 1, day) for day in (1, 2, 3)]
ROWS = {
    "line": {"day": DAYS, "n": [1, 2, None]},
    "lines": {"day": DAYS * 2, "side": ["a"] * 3 + [None] * 3, "n": [1, 2, 3, 4, 5, 6]},
    "bar": {"word": ["pen", None, ""], "n": [1.5, 2.5, 3.5]},
    "lying bars": {"word": ["a label that is very, very long", "b"], "n": [1, 2]},
    "scatter": {"n": [1, 3, 2], "m": [2.0, float("nan"), 4.0]},
    "histogram": {"n": [0.5, 2.5, 2.75]},
    "histogram of times": {"at": [datetime.datetime(2024, 1, 1, hour) for hour in (0, 0, 5)]},
    "histogram of texts": {"word": ["a", "a", "b"]},
}


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What cells display above their results."""
    shown: list[Any] = []
    monkeypatch.setattr("workbench.notebook.magics.display", shown.append)
    return shown


def cell(shell: Any, flags: str, text: str = "SELECT item, id FROM orders ORDER BY id") -> Any:
    return shell.run_cell_magic("paimon", flags, text)


def figure(rows: dict[str, Any]) -> dict[str, Any]:
    value = chart_of(pa.table(rows))
    assert isinstance(value, ChartValue), value
    return figure_of(value)


@pytest.mark.parametrize("name", ROWS)
def test_plotly_accepts_figures(name: str) -> None:
    graph_objects = pytest.importorskip("plotly.graph_objects")
    made = figure(ROWS[name])
    # Raises an error for each property that plotly does not know.
    graph_objects.Figure(data=made["data"], layout=made["layout"])
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert made["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"


def test_a_chart_is_displayed_above_the_result(shell: Any, displayed: list[Any]) -> None:
    result = cell(shell, "--chart --out kept")
    (chart,) = displayed
    assert isinstance(chart, Chart)
    assert isinstance(result, Result)
    assert shell.user_ns["kept"] is result
    bundle = chart._repr_mimebundle_()
    assert bundle[CHART_MIME] == {"version": 1, "title": "id by item", "text": "Bars, one for each item."}
    assert bundle[PLOTLY_MIME]["data"][0]["y"] == [1.0, 2.0, 3.0]
    assert bundle["text/plain"] == "id by item. Bars, one for each item."
    assert "id by item" in bundle["text/html"]


def test_a_kind_is_named(shell: Any, displayed: list[Any]) -> None:
    cell(shell, "--chart histogram --limit 1")
    assert displayed[0].value.kind == "histogram"
    # All rows are drawn, not only those on display.
    assert sum(displayed[0].value.series[0].y) == 3


def test_results_without_a_chart(shell: Any, displayed: list[Any]) -> None:
    assert cell(shell, "--chart", "SELECT 1 AS one").to_arrow()["one"].to_pylist() == [1]
    assert cell(shell, "--chart", "SELECT id FROM orders WHERE id > 9").to_arrow().num_rows == 0
    cell(shell, "--chart", "INSERT INTO orders VALUES (9, 'x')")
    cell(shell, "--chart scatter", "SELECT item FROM orders")
    assert [repr(each) for each in displayed] == [
        "No chart: the result is a single row.",
        "No chart: the result has no rows.",
        "No chart: the statement has no rows.",
        "No chart: a chart of the kind 'scatter' needs two columns of numbers, or a time and a number.",
    ]


def test_mistakes_are_reported_before_the_query_runs(
    shell: Any, displayed: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.notebook.cells.script.execute", None)
    with pytest.raises(InvalidExpression, match="'bars' is not a kind of chart") as caught:
        cell(shell, "--chart bars")
    assert "Did you mean 'bar'" in str(caught.value)
    with pytest.raises(InvalidExpression, match="line, bar, scatter, histogram"):
        cell(shell, "--chart pie")
    with pytest.raises(InvalidExpression, match="takes no --chart"):
        shell.run_line_magic("paimon", "tables --chart")
    monkeypatch.setattr(charts, "find_spec", lambda _name: None)
    with pytest.raises(Unsupported, match=r"needs plotly.*pip install 'paimon-workbench\[lab\]'"):
        cell(shell, "--chart")
    assert displayed == []


def test_help_and_completion_know_charts(shell: Any) -> None:
    assert "--chart [line|bar|scatter|histogram]" in repr(shell.run_line_magic("paimon", "help"))
    assert chart_kinds() == ("auto", "line", "bar", "scatter", "histogram")


def test_labels_are_shown_as_they_are() -> None:
    word = "<b>%{x} & $y$</b>\n\x1b"
    made = figure({"word": [word, "b"], "n": [1, 2]})
    assert made["data"][0]["hovertext"][0] == "&lt;b&gt;%&#123;x} &amp; &#36;y&#36;&lt;/b&gt;\\n\\x1b"
    # Labels with many characters are cut beside the axis only.
    long = figure(ROWS["lying bars"])
    assert long["layout"]["yaxis"]["ticktext"] == ["a label that is ver…", "b"]
    assert long["data"][0]["hovertext"][0] == "a label that is very, very long"
    assert long["data"][0]["orientation"] == "h"


@pytest.mark.parametrize("name", ROWS)
def test_each_chart_has_a_static_picture(name: str) -> None:
    value = chart_of(pa.table(ROWS[name]))
    assert isinstance(value, ChartValue)
    chart = Chart(value)
    html = chart._repr_mimebundle_()["text/html"]
    assert f'role="img" aria-label="{value.title}"' in html
    marks = len(re.findall(r"<rect", html)) + len(re.findall(r'M[\d.]+ [\d.]+h0|[ML"][\d.]+ [\d.]+(?=[L"])', html))
    points = sum(len(series.y) for series in value.series)
    swatches = len(value.series) if len(value.series) > 1 else 0
    assert marks == points + swatches
    # Nothing is drawn outside of the picture.
    across = [float(x) for x in re.findall(r' x\d?="(-?[\d.]+)"', html)]
    assert min(across) >= 0
    assert max(across) <= WIDTH
    form = chart._repr_png_()
    assert form is not None
    assert form[0].startswith(b"\x89PNG")


def test_static_pictures_of_extreme_values() -> None:
    for columns in (
        {"n": [1e299, -1e299, 0.0]},
        {"a": [1, 1], "b": [2.0, 2.0]},
        {"at": [datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31)], "n": [1, 2]},
        {"word": ["a", "b"], "n": [-1.0, -2.0]},
    ):
        for kind in chart_kinds():
            chart = draw(rows_result(pa.table(columns), "Query", 10), kind, Progress())
            assert "nan" not in chart._html().partition("<svg")[2]


def test_few_days_have_a_tick_each() -> None:
    assert figure(ROWS["line"])["layout"]["xaxis"]["tickvals"] == ["2024-01-01", "2024-01-02"]


def test_a_query_on_spark_is_drawn_from_its_first_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql.types import StructType

    class Frame:
        sparkSession = None  # noqa: N815 - the name in PySpark
        schema = StructType().add("n", "long")

        def limit(self, count: int) -> Any:
            self.rows = pa.table({"n": range(count)})
            return self

        def toArrow(self) -> pa.Table:
            return self.rows

    monkeypatch.setattr("workbench.spark.progress.run_job", lambda _session, _label, action, _progress: action())
    monkeypatch.setattr(charts, "MOST_ROWS", 5)
    frame: Any = Frame()
    chart = draw(Result("Query", pa.table({"n": [0]}), None, 1, frame=frame), "histogram", Progress())
    assert isinstance(chart, Chart)
    assert chart.value.notes == ("Only the first 5 rows of the query are drawn.",)
    assert sum(chart.value.series[0].y) == 5


def test_charts_stay_small() -> None:
    count = 100_000
    rows = pa.table(
        {
            "n": range(count),
            "m": [index**0.5 for index in range(count)],
            "p": [1 / (index + 1) for index in range(count)],
        }
    )
    for kind in chart_kinds():
        chart: Any = draw(rows_result(rows, "Query", 10), kind, Progress())
        assert len(json.dumps(chart._repr_mimebundle_())) < 256 * 1024


def _luminance(color: str) -> float:
    parts = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("color", [*COLORS, TEXT_COLOR])
@pytest.mark.parametrize("page", ["#ffffff", "#111111"])
def test_colors_are_visible_on_light_and_dark_pages(color: str, page: str) -> None:
    darker, lighter = sorted((_luminance(color), _luminance(page)))
    assert (lighter + 0.05) / (darker + 0.05) >= (4 if color == TEXT_COLOR else 3)
