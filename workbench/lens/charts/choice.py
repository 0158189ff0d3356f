"""Which chart suits the columns of a result: a pure function of their types and of how many values they have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from workbench.lens.charts.columns import ChartColumn, Role

# The most colors that can still be distinguished, and the most columns that are drawn beside each other.
MOST_COLORS = 8
_MOST_COLUMNS = 5
# Columns whose numbers are this many times smaller than those of another column would hardly be visible beside it.
_COMPARABLE = 20
# Several lines are drawn only if they have at least this share of the points that they could have.
_LEAST_FILLED = 0.75


@dataclass(frozen=True)
class ChartChoice:
    """A chart: its kind, its columns, and a sentence that says why.

    Without ``y``, the chart counts rows. ``color`` divides the rows into series.
    """

    kind: str
    x: ChartColumn
    y: tuple[ChartColumn, ...]
    why: str
    color: ChartColumn | None = None


@dataclass(frozen=True)
class NoChart:
    """Why a result has no chart, as a sentence."""

    reason: str


@dataclass(frozen=True)
class _Columns:
    """The columns of a result, which can be selected by role and keep their order."""

    every: tuple[ChartColumn, ...]

    def of(self, *roles: Role) -> list[ChartColumn]:
        return [column for column in self.every if column.role in roles]

    def colors(self, *but: ChartColumn) -> list[ChartColumn]:
        """Return the labels that divide the rows into a few series."""
        labels = [column for column in self.of(Role.LABEL) if column not in but]
        return [label for label in labels if 2 <= label.distinct <= MOST_COLORS and not label.is_unique]


# Returns a chart of one kind, None if the columns do not suit it; `is_wanted` is whether the user named that kind.
_Rule = Callable[[_Columns, bool], ChartChoice | None]


@dataclass(frozen=True)
class ChartKind:
    """A kind of chart: its rule, and the columns that it needs, worded as the end of a sentence."""

    rule: _Rule
    needs: str


def _comparable(numbers: Sequence[ChartColumn]) -> tuple[ChartColumn, ...]:
    """Return the first column of numbers and the other columns that can be shown on the same axis."""
    first = numbers[0]
    near = [each for each in numbers if first.largest / _COMPARABLE <= each.largest <= first.largest * _COMPARABLE]
    return tuple(near[:_MOST_COLUMNS]) if first in near else (first,)


def _line(columns: _Columns, is_wanted: bool) -> ChartChoice | None:
    for x in _line_axes(columns, is_wanted):
        numbers = [number for number in columns.of(Role.NUMBER) if number != x]
        if not numbers:
            continue
        reason = f"because {x.name} is {'a time' if x.role is Role.TIME else 'in order'}"
        if x.is_unique:
            return ChartChoice("line", x, _comparable(numbers), f"A line, {reason}.")
        # Each series needs one row for most values of x: with far fewer or with more rows, the lines would be a tangle.
        for color in columns.colors(x):
            places = x.distinct * color.distinct
            if is_wanted or _LEAST_FILLED * places <= x.filled <= places:
                why = f"Lines, {reason}: one for each {color.name}."
                return ChartChoice("line", x, (numbers[0],), why, color)
        if is_wanted:
            return ChartChoice("line", x, _comparable(numbers), f"A line, {reason}.")
    return None


def _line_axes(columns: _Columns, is_wanted: bool) -> list[ChartColumn]:
    numbers = columns.of(Role.NUMBER)
    first = [column for column in columns.every[:1] if column.role is Role.NUMBER and (column.ordered or is_wanted)]
    axes = [*columns.of(Role.TIME), *first, *(numbers if is_wanted else ())]
    return [column for column in axes if column.varies]


def _bar(columns: _Columns, is_wanted: bool) -> ChartChoice | None:
    labels, numbers = columns.of(Role.LABEL), columns.of(Role.NUMBER)
    candidates = [*labels, *columns.of(Role.TIME), *numbers] if is_wanted else labels
    if not candidates:
        return None
    x, others = candidates[0], [number for number in numbers if number != candidates[0]]
    # If the label follows several numbers, the numbers are drawn as points, and the label is their color.
    if not is_wanted and (not others or (columns.every[0] != x and len(others) > 1) or columns.of(Role.TIME)):
        return None
    why = f"Bars, one for each {x.name}."
    colors = [color for color in columns.colors(x) if not x.is_unique and x.filled <= x.distinct * color.distinct]
    if others and colors:
        return ChartChoice("bar", x, (others[0],), f"{why.removesuffix('.')} and {colors[0].name}.", colors[0])
    return ChartChoice("bar", x, _comparable(others) if others else (), why)


def _scatter(columns: _Columns, is_wanted: bool) -> ChartChoice | None:
    numbers = [number for number in columns.of(Role.NUMBER) if number.varies or is_wanted]
    times = [time for time in columns.of(Role.TIME) if time.varies or is_wanted]
    axes = [*times, *numbers]
    if len(axes) < 2 or not numbers:
        return None
    x, y = axes[0], next(number for number in numbers if number != axes[0])
    same = f"{x.name} is a time with several rows" if x.role is Role.TIME else f"{x.name} and {y.name} are numbers"
    color = next(iter(columns.colors()), None)
    why = f"Points, because {same}" + (f"; colored by {color.name}." if color else ".")
    return ChartChoice("scatter", x, (y,), why, color)


def _histogram(columns: _Columns, is_wanted: bool) -> ChartChoice | None:
    ordered = [*columns.of(Role.NUMBER), *columns.of(Role.TIME), *columns.of(Role.LABEL)]
    # If all labels differ, each bar would count a single row.
    useful = [
        each for each in ordered if is_wanted or (each.varies and not (each.role is Role.LABEL and each.is_unique))
    ]
    if not useful:
        return None
    why = f"A histogram, because no other column can be drawn together with {useful[0].name}."
    return ChartChoice("histogram", useful[0], (), why)


KINDS: Mapping[str, ChartKind] = MappingProxyType(
    {
        "line": ChartKind(_line, "a time or a number, and another number"),
        "bar": ChartKind(_bar, "a column of texts, times or numbers"),
        "scatter": ChartKind(_scatter, "two columns of numbers, or a time and a number"),
        "histogram": ChartKind(_histogram, "a column of numbers, times or texts"),
    }
)
# The kind that leaves the choice to the columns.
AUTOMATIC = "auto"


def choose_chart(columns: Sequence[ChartColumn], rows: int, kind: str = AUTOMATIC) -> ChartChoice | NoChart:
    """Return the chart that suits the columns of a result.

    Args:
        columns: The columns that have values to draw.
        rows: The number of rows.
        kind: The kind of chart that the user named, or ``'auto'``.
    """
    if rows == 0:
        return NoChart("The result has no rows.")
    if not columns:
        return NoChart("No column has numbers, times or texts to draw.")
    if kind != AUTOMATIC:
        return _wanted(_Columns(tuple(columns)), kind)
    if rows == 1:
        return NoChart("The result is a single row.")
    for each in KINDS.values():
        choice = each.rule(_Columns(tuple(columns)), False)
        if choice is not None:
            return choice
    return NoChart("Each column has a single value, or a different text in each row.")


def _wanted(columns: _Columns, kind: str) -> ChartChoice | NoChart:
    choice = KINDS[kind].rule(columns, True)
    if choice is None:
        return NoChart(f"A chart of the kind '{kind}' needs {KINDS[kind].needs}.")
    return ChartChoice(choice.kind, choice.x, choice.y, "", choice.color)
