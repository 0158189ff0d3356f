"""What charts draw: which rows, in which order, and how many points."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.session import session_options
from workbench.lens.charts.chart import chart_of
from workbench.lens.charts.points import MOST_BARS, MOST_POINTS
from workbench.lens.charts.value import ChartValue


@pytest.fixture(autouse=True)
def zone() -> Iterator[None]:
    before, session_options.timezone = session_options.timezone, "Europe/Berlin"
    yield
    session_options.timezone = before


def drawn(kind: str = "auto", /, **columns: Any) -> ChartValue:
    chart = chart_of(pa.table(columns), kind)
    assert isinstance(chart, ChartValue), chart
    return chart


def test_lines_are_sorted_and_averaged() -> None:
    days = [datetime.date(2024, 1, day) for day in (2, 1, 2, 3)]
    chart = drawn("line", day=days, n=[1, 5, 3, None])
    (line,) = chart.series
    assert (line.x, line.y) == (("2024-01-01", "2024-01-02"), (5.0, 2.0))
    assert chart.notes == ("1 of 4 rows is not drawn, for lack of n.", "Rows with the same day are averaged.")
    assert chart.title == "n by day"


def test_each_series_has_its_own_points() -> None:
    chart = drawn(hour=[0, 0, 1, 1, 2], side=["a", None, "a", None, "a"], n=[1, 2, 3, 4, 5])
    assert [(each.name, each.x, each.y) for each in chart.series] == [
        ("a", (0.0, 1.0, 2.0), (1.0, 3.0, 5.0)),
        ("NULL", (0.0, 1.0), (2.0, 4.0)),
    ]


def test_instants_are_local_times_of_the_session() -> None:
    instants = pa.array([0, 3_600_000_000], pa.timestamp("us", "UTC"))
    assert drawn(at=instants, n=[1, 2]).series[0].x == ("1970-01-01 01:00:00", "1970-01-01 02:00:00")
    local = pa.array([0, 500_000], pa.timestamp("us"))
    assert drawn(at=local, n=[1, 2]).series[0].x == ("1970-01-01 00:00:00.000000", "1970-01-01 00:00:00.500000")


def test_values_that_cannot_be_drawn_are_left_out() -> None:
    numbers = [1.0, float("nan"), float("inf"), None, 4.0]
    chart = drawn("scatter", a=[1, 2, 3, 4, 5], b=numbers)
    assert (chart.series[0].x, chart.series[0].y) == ((1.0, 5.0), (1.0, 4.0))
    assert chart.notes == ("3 of 5 rows are not drawn, for lack of b.",)
    far = pa.array([0, 2**62, -(2**62)], pa.timestamp("us"))
    assert drawn("scatter", at=far, n=[1, 2, 3]).series[0].x == ("1970-01-01",)


def test_bars_keep_the_order_of_rows_and_labels_of_any_type() -> None:
    chart = drawn(word=["b", None, "", "a"], n=[Decimal("1.5"), Decimal("2.5"), Decimal("0.5"), None])
    assert chart.x.labels == ("b", None, "")
    assert (chart.series[0].x, chart.series[0].y) == ((0, 1, 2), (1.5, 2.5, 0.5))
    assert drawn("bar", hour=[12, 9], n=[1, 2]).x.labels == ("12", "9")
    assert drawn("bar", day=[datetime.date(2024, 1, 2)], n=[1]).x.labels == ("2024-01-02",)
    assert drawn(late=[True, False, None], n=[1, 2, 3]).x.labels == ("true", "false", None)
    long = drawn(word=["x" * 1000, "y"], n=[1, 2]).x.labels[0]
    assert long is not None
    assert len(long) == 200


def test_bars_of_series_share_their_places() -> None:
    chart = drawn(word=["a", "b", "a"], side=["l", "l", "r"], n=[1, 2, 3])
    assert chart.x.labels == ("a", "b")
    assert [(each.name, each.x, each.y) for each in chart.series] == [("l", (0, 1), (1.0, 2.0)), ("r", (0,), (3.0,))]


def test_the_largest_of_many_bars_are_drawn() -> None:
    numbers = list(range(100))
    random.Random(1).shuffle(numbers)
    chart = drawn(word=[f"w{number}" for number in numbers], n=numbers)
    assert len(chart.x.labels) == MOST_BARS
    assert list(chart.x.labels) == [f"w{number}" for number in numbers if number >= 100 - MOST_BARS]
    assert chart.notes == ("The 30 largest of 100 bars are drawn.",)


def test_texts_are_counted() -> None:
    chart = drawn(word=["b", "a", "a", None])
    assert chart.x.labels == ("a", "b", None)
    assert chart.series[0].y == (2.0, 1.0, 1.0)
    many = drawn("bar", word=[f"w{number}" for number in range(100)])
    assert many.notes == ("The 30 most frequent of 100 values are drawn.",)


def test_many_points_are_reduced_to_few() -> None:
    count = 50_000
    values = [0.0] * count
    values[12_345], values[40_000] = 99.0, -99.0
    line = drawn(n=range(count), v=values)
    assert len(line.series[0].x) <= MOST_POINTS
    assert (max(line.series[0].y), min(line.series[0].y)) == (99.0, -99.0)
    assert list(line.series[0].x) == sorted(line.series[0].x)
    assert line.notes == ("Of many points, the lowest and highest of each of 1,000 stretches are drawn.",)
    points = drawn("scatter", n=range(count), v=values)
    assert len(points.series[0].x) == MOST_POINTS
    assert points.notes == ("A random sample of 2,000 of 50,000 points is drawn.",)
    assert drawn("scatter", n=range(count), v=values) == points
    sides = drawn("scatter", n=range(count), v=values, side=["a"] * (count - 5000) + ["b"] * 5000)
    assert sum(len(side.x) for side in sides.series) == MOST_POINTS
    assert 150 < len(sides.series[1].x) < 250
    assert sides.notes == points.notes


def test_histogram_of_whole_numbers() -> None:
    chart = drawn(n=[1, 1, 3, None])
    assert (chart.series[0].x, chart.series[0].y, chart.width) == ((1.0, 3.0), (2.0, 1.0), 1.0)
    assert chart.series[0].texts == ("1", "3")
    assert chart.notes == ("1 of 4 rows is not drawn, for lack of n.",)


def test_histogram_of_real_numbers_has_round_limits() -> None:
    chart = drawn(n=[index / 100 for index in range(1000)])
    assert chart.width == 0.5
    assert chart.series[0].texts[:2] == ("0 to 0.5", "0.5 to 1")
    assert set(chart.series[0].y) == {50.0}
    assert drawn("histogram", n=[-1e299, 1e299]).series[0].y == (1.0, 1.0)
    assert drawn("histogram", n=[0.1, 0.1]).series[0].y == (2.0,)


def test_histogram_of_times() -> None:
    days = [datetime.date(2024, 1, 1), datetime.date(2024, 1, 1), datetime.date(2024, 1, 5)]
    chart = drawn(day=days)
    assert chart.series[0].texts == ("2024-01-01 to 2024-01-02", "2024-01-05 to 2024-01-06")
    assert chart.series[0].y == (2.0, 1.0)
    hours = drawn(at=[datetime.datetime(2024, 1, 1, hour, 30) for hour in (0, 0, 5)])
    assert hours.series[0].texts[-1] == "2024-01-01 05:30:00 to 2024-01-01 05:45:00"


def test_columns_of_the_same_name() -> None:
    rows = pa.Table.from_arrays([pa.array(["a", "b"]), pa.array([1, 2])], names=["v", "v"])
    chart = chart_of(rows)
    assert isinstance(chart, ChartValue)
    assert chart.series[0].y == (1.0, 2.0)
