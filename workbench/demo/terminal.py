"""Terminal output: a progress line, and tables of text."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TextIO

from workbench.base.clock import Clock, SystemClock
from workbench.base.progress import Step

_BAR_WIDTH = 24
_MILESTONES = 10


class ProgressLine:
    """A listener for `Progress` that redraws one line; outside a terminal it prints a line for each tenth of the work.

    The outermost step is counted; steps inside it name the current activity.
    """

    def __init__(self, stream: TextIO, clock: Clock | None = None) -> None:
        self._stream = stream
        self._live = stream.isatty()
        self._clock = clock or SystemClock()
        self._started = self._clock.monotonic()
        self._work: Step | None = None
        self._doing = ""
        self._milestone = 0

    def __call__(self, step: Step) -> None:
        """Record a step and draw it."""
        if self._work is None or step.label == self._work.label:
            self._work = step
        elif not step.finished:
            self._doing = step.label
        if self._live:
            self._draw(self._work)
        else:
            self._report(self._work)
        if self._work.finished:
            self._work = None

    def _draw(self, work: Step) -> None:
        done = round((work.fraction or 0) * _BAR_WIDTH)
        bar = "#" * done + "." * (_BAR_WIDTH - done)
        doing = "done" if work.finished else self._doing
        text = f"[{bar}] {work.done}/{work.total} {work.unit}, {self._elapsed()}  {doing}"
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r{text[:width]:<{width}}" + ("\n" if work.finished else ""))
        self._stream.flush()

    def _report(self, work: Step) -> None:
        milestone = int((work.fraction or 0) * _MILESTONES)
        if milestone > self._milestone:
            self._milestone = milestone
            self._stream.write(f"{work.done}/{work.total} {work.unit}, {self._elapsed()}  {self._doing}\n")
            self._stream.flush()

    def _elapsed(self) -> str:
        seconds = int(self._clock.monotonic() - self._started)
        return f"{seconds // 60}:{seconds % 60:02}"


def grid(headers: Sequence[str], rows: Sequence[Sequence[object]], *, thousands: bool = True) -> str:
    """Return rows as aligned columns: integers are right-aligned, optionally with ``thousands`` separators; None
    becomes an empty cell.
    """
    cells = [[_cell(value, thousands) for value in row] for row in rows]
    numeric = [all(isinstance(row[index], int | None) for row in rows) and bool(rows) for index in range(len(headers))]
    widths = [max(len(line[index]) for line in [list(headers), *cells]) for index in range(len(headers))]
    lines = [list(headers), ["-" * width for width in widths], *cells]
    return "\n".join(
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in lines
    )


def _cell(value: object, thousands: bool) -> str:
    if value is None:
        return ""
    return f"{value:,}" if thousands and isinstance(value, int) else str(value)
