"""What a chart draws, as plain values that any library for charts can take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# The positions on an axis: numbers, local times as text, or the indexes of labels.
Scale = Literal["number", "time", "label"]


@dataclass(frozen=True)
class Axis:
    """The horizontal axis of a chart; ``labels`` are the labels at positions 0, 1 and so on, None for NULL."""

    title: str
    scale: Scale
    labels: tuple[str | None, ...] = ()


@dataclass(frozen=True)
class ChartSeries:
    """Points or bars of one color. ``texts`` are the ranges of values that the bars of a histogram stand for."""

    name: str
    x: tuple[float | str, ...]
    y: tuple[float, ...]
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChartValue:
    """A chart of a result.

    ``why`` says how its kind was chosen, ``notes`` what it leaves out or combines. ``width`` is that of the bars of a
    histogram; in microseconds on an axis of times.
    """

    kind: str
    title: str
    why: str
    x: Axis
    y_title: str
    series: tuple[ChartSeries, ...]
    notes: tuple[str, ...] = ()
    width: float | None = None

    @property
    def text(self) -> str:
        """The reason and the notes as one line."""
        return " ".join(part for part in (self.why, *self.notes) if part)
