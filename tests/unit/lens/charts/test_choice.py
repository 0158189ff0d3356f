"""The chart of a result is chosen by the types of its columns and by how many values they have."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from workbench.lens.charts.choice import KINDS, ChartChoice, NoChart, choose_chart
from workbench.lens.charts.columns import ChartColumn, Role, chart_columns

DAYS = [datetime.date(2024, 1, day) for day in range(1, 7)]
TIMES = [datetime.datetime(2024, 1, 1, hour) for hour in range(6)]
NUMBERS = [3, 1, 4, 1, 5, 9]
OTHERS = [2.5, 0.5, 7.0, 1.5, 8.5, 2.0]
WORDS = ["pen", "ink", "cap", "nib", "jar", "box"]
SIDES = ["left", "right"] * 3


def chosen(kind: str = "auto", /, **columns: Any) -> tuple[Any, ...]:
    """Return kind, x, y and color of the chart of a table."""
    rows = pa.table(columns)
    choice = choose_chart(chart_columns(rows), rows.num_rows, kind)
    assert isinstance(choice, ChartChoice), choice
    return choice.kind, choice.x.name, tuple(y.name for y in choice.y), choice.color and choice.color.name


def refused(kind: str = "auto", /, **columns: Any) -> str:
    rows = pa.table(columns)
    choice = choose_chart(chart_columns(rows), rows.num_rows, kind)
    assert isinstance(choice, NoChart), choice
    return choice.reason


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"day": DAYS, "n": NUMBERS}, ("line", "day", ("n",), None)),
        ({"n": NUMBERS, "at": TIMES}, ("line", "at", ("n",), None)),
        ({"day": DAYS, "n": NUMBERS, "m": OTHERS}, ("line", "day", ("n", "m"), None)),
        ({"hour": range(6), "n": NUMBERS}, ("line", "hour", ("n",), None)),
        ({"hour": range(6, 0, -1), "n": NUMBERS}, ("line", "hour", ("n",), None)),
        ({"day": DAYS[:3] * 2, "side": ["a"] * 3 + ["b"] * 3, "n": NUMBERS}, ("line", "day", ("n",), "side")),
        # Series with few times in common are not drawn as lines.
        ({"at": [*TIMES, TIMES[0]], "side": [*SIDES, "left"], "n": [*NUMBERS, 2]}, ("scatter", "at", ("n",), "side")),
        ({"word": WORDS, "n": NUMBERS}, ("bar", "word", ("n",), None)),
        ({"n": NUMBERS, "word": WORDS}, ("bar", "word", ("n",), None)),
        ({"is_late": [True, False], "n": [1, 2]}, ("bar", "is_late", ("n",), None)),
        ({"word": WORDS[:3] * 2, "side": ["a"] * 3 + ["b"] * 3, "n": NUMBERS}, ("bar", "word", ("n",), "side")),
        ({"n": NUMBERS, "m": OTHERS}, ("scatter", "n", ("m",), None)),
        ({"n": NUMBERS, "m": OTHERS, "side": SIDES}, ("scatter", "n", ("m",), "side")),
        ({"day": DAYS[:2] * 3, "n": NUMBERS}, ("scatter", "day", ("n",), None)),
        ({"n": NUMBERS}, ("histogram", "n", (), None)),
        ({"day": DAYS}, ("histogram", "day", (), None)),
        ({"side": SIDES}, ("histogram", "side", (), None)),
        # A column with a single distinct value is ignored.
        ({"year": [2013] * 6, "n": NUMBERS, "m": OTHERS}, ("scatter", "n", ("m",), None)),
        ({"n": NUMBERS, "empty": pa.nulls(6)}, ("histogram", "n", (), None)),
        ({"n": NUMBERS, "bytes": [b"x"] * 6, "list": [[1]] * 6}, ("histogram", "n", (), None)),
    ],
)
def test_columns_decide(columns: dict[str, Any], expected: tuple[Any, ...]) -> None:
    assert chosen(**columns) == expected


def test_numbers_of_another_size_are_not_drawn_beside_each_other() -> None:
    flights = {"day": DAYS, "late": [10.0] * 6, "flights": [90_000] * 6, "early": [4] * 6}
    assert chosen(**flights)[2] == ("late", "early")


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"n": pa.array([], pa.int64())}, "no rows"),
        ({"n": pa.array([None, None], pa.int64())}, "No column has numbers"),
        ({"x": [float("nan"), float("inf")]}, "No column has numbers"),
        ({"list": [[1], [2]]}, "No column has numbers"),
        ({"n": [1]}, "single row"),
        ({"word": WORDS}, "different text in each row"),
        ({"n": [7, 7, 7]}, "single value"),
    ],
)
def test_a_result_without_a_sensible_chart(columns: dict[str, Any], expected: str) -> None:
    assert expected in refused(**columns)


@pytest.mark.parametrize(
    ("kind", "columns", "expected"),
    [
        ("bar", {"day": DAYS, "n": NUMBERS}, ("bar", "day", ("n",), None)),
        ("bar", {"word": WORDS}, ("bar", "word", (), None)),
        ("line", {"n": NUMBERS, "m": OTHERS}, ("line", "n", ("m",), None)),
        ("line", {"side": SIDES, "n": NUMBERS, "m": OTHERS}, ("line", "n", ("m",), "side")),
        ("scatter", {"day": DAYS, "n": NUMBERS}, ("scatter", "day", ("n",), None)),
        ("histogram", {"day": DAYS, "n": NUMBERS}, ("histogram", "n", (), None)),
        ("histogram", {"n": [1]}, ("histogram", "n", (), None)),
    ],
)
def test_a_kind_can_be_named(kind: str, columns: dict[str, Any], expected: tuple[Any, ...]) -> None:
    assert chosen(kind, **columns) == expected


@pytest.mark.parametrize("kind", ["line", "scatter"])
def test_a_kind_that_the_columns_do_not_have(kind: str) -> None:
    assert refused(kind, word=WORDS) == f"A chart of the kind '{kind}' needs {KINDS[kind].needs}."
    assert refused(kind, n=NUMBERS) == f"A chart of the kind '{kind}' needs {KINDS[kind].needs}."


def test_each_choice_says_why() -> None:
    def why(**columns: Any) -> str:
        rows = pa.table(columns)
        choice = choose_chart(chart_columns(rows), rows.num_rows)
        assert isinstance(choice, ChartChoice)
        return choice.why

    assert why(day=DAYS, n=NUMBERS) == "A line, because day is a time."
    assert why(hour=range(6), n=NUMBERS) == "A line, because hour is in order."
    assert why(word=WORDS, n=NUMBERS) == "Bars, one for each word."
    assert why(n=NUMBERS, m=OTHERS, side=SIDES) == "Points, because n and m are numbers; colored by side."


def test_columns_are_described() -> None:
    rows = pa.table(
        {
            "n": [1.0, float("nan"), None, -7.0],
            "d": pa.array([Decimal("0.5"), Decimal("2.5"), Decimal("2.5"), None], pa.decimal128(5, 2)),
            "at": pa.array([0, 1, 2, 2**62], pa.timestamp("us", "UTC")),
            "word": ["a", "a", None, ""],
        }
    )
    assert chart_columns(rows) == (
        ChartColumn(0, "n", Role.NUMBER, 2, 2, False, 7.0),
        ChartColumn(1, "d", Role.NUMBER, 3, 2, False, 2.5),
        # Years after 9999 cannot be drawn.
        ChartColumn(2, "at", Role.TIME, 3, 3, False),
        ChartColumn(3, "word", Role.LABEL, 4, 3),
    )
