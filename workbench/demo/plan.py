"""Plans the history of the flights: the year's flights as a change stream, divided into commits, and what else happens
to the table."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from workbench.demo.events import (
    Event,
    add_gained,
    branch_with_corrections,
    mistaken_update,
    overwrite_month,
    rollback_of_mistake,
    tag_month,
)

CHANGE = "change"
"""The column with the row kind in the stream: +I, +U or -D. It is not stored."""

LAST_MONTH = 12
_KNOWN_AT_DEPARTURE = ("dep_time", "dep_delay", "tailnum")
_KNOWN_AT_ARRIVAL = ("arr_time", "arr_delay", "air_time")

# The last day of each commit in the streamed months. The size of a commit relative to earlier ones determines which
# rule of compaction applies: even weeks are similar (size ratio), halves outgrow the schedule (size amplification), and
# shrinking commits leave a tree of three levels.
_CUTS = {
    10: (7, 14, 21, 31),
    11: (15, 30),
    12: (15, 22, 26, 29, 31),
}


class Phase(Enum):
    """The successive stages of what is known about a flight."""

    SCHEDULED = "schedule"
    DEPARTED = "departures"
    LANDED = "arrivals"
    CANCELLED = "cancellations"

    @property
    def row_kind(self) -> str:
        """The row kind of a load in this phase."""
        return {Phase.SCHEDULED: "+I", Phase.CANCELLED: "-D"}.get(self, "+U")

    @property
    def has_left(self) -> bool | None:
        """Whether the phase concerns only flights that left, or only flights that did not; None for all flights."""
        return {Phase.SCHEDULED: None, Phase.CANCELLED: False}.get(self, True)

    @property
    def unknown(self) -> tuple[str, ...]:
        """The columns that are not known yet, and therefore null."""
        if self is Phase.LANDED:
            return ()
        return _KNOWN_AT_ARRIVAL if self is Phase.DEPARTED else (*_KNOWN_AT_DEPARTURE, *_KNOWN_AT_ARRIVAL)


@dataclass(frozen=True)
class Load:
    """One commit: the data of ``phase`` for the flights of these months, from ``first_day`` to ``last_day`` of each."""

    phase: Phase
    months: tuple[int, ...]
    first_day: int = 1
    last_day: int = 31

    @property
    def label(self) -> str:
        """A label such as ``December 1-15: departures``."""
        months = calendar.month_name[self.months[0]]
        if len(self.months) > 1:
            months += f" to {calendar.month_name[self.months[-1]]}"
        whole = (self.first_day, self.last_day) == (1, 31)
        return f"{months}{'' if whole else f' {self.first_day}-{self.last_day}'}: {self.phase.value}"


def plan_history(months: int) -> list[Load | Event]:
    """Return the loads of the last ``months`` months, and the events between them.

    A month is tagged once it is complete. Before December, October is overwritten, a column is added, and a branch
    starts from November. In the middle of December, a mistaken update is rolled back.

    Raises:
        ValueError: If ``months`` is not between 1 and 12.
    """
    history: list[Load | Event] = []
    december = False
    for load in plan_loads(months):
        if load.months == (LAST_MONTH,) and load.phase is Phase.DEPARTED and not december:
            december = True
            history += _before_december(months)
        history.append(load)
        if load.phase is Phase.CANCELLED:
            history.append(tag_month(load.months[-1]))
        if load == _BEFORE_MISTAKE:
            history += [mistaken_update(), rollback_of_mistake()]
    return history


_BEFORE_MISTAKE = Load(Phase.LANDED, (LAST_MONTH,), 1, _CUTS[LAST_MONTH][0])


def _before_december(months: int) -> list[Event]:
    complete = range(LAST_MONTH - months + 1, LAST_MONTH)
    overwritten = [overwrite_month(10)] if 10 in complete else []
    branched = [branch_with_corrections(11)] if 11 in complete else []
    return [*overwritten, add_gained(), *branched]


def plan_loads(months: int) -> list[Load]:
    """Return the loads of the last ``months`` months of the year.

    The schedule of all these months comes first. The months before October follow as a backlog, with one commit for
    each phase. October to December follow as a stream: departures and arrivals in turn, and at the end of each month
    its cancellations.

    Raises:
        ValueError: If ``months`` is not between 1 and 12.
    """
    if not 1 <= months <= LAST_MONTH:
        raise ValueError(f"months must be between 1 and 12, got {months}.")
    chosen = tuple(range(LAST_MONTH - months + 1, LAST_MONTH + 1))
    backlog = tuple(month for month in chosen if month not in _CUTS)
    loads = [Load(Phase.SCHEDULED, chosen)]
    if backlog:
        loads += [Load(phase, backlog) for phase in (Phase.DEPARTED, Phase.LANDED, Phase.CANCELLED)]
    for month in chosen[len(backlog) :]:
        loads += _stream(month, _CUTS[month])
    return loads


def _stream(month: int, cuts: Sequence[int]) -> list[Load]:
    loads = []
    first = 1
    for last in cuts:
        loads += [Load(phase, (month,), first, last) for phase in (Phase.DEPARTED, Phase.LANDED)]
        first = last + 1
    return [*loads, Load(Phase.CANCELLED, (month,))]
