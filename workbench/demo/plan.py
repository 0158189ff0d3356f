"""Plans the loads: the year's flights as a change stream, divided into commits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

LAST_MONTH = 12
_NAMES = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)

# The last days of the commits of the streamed months. The size of a commit relative to earlier ones determines which
# rule of compaction applies: even weeks are similar (size ratio), halves outgrow the schedule (size amplification), and
# shrinking commits leave a tree of three levels.
_CUTS = {
    10: (7, 14, 21, 31),
    11: (15, 31),
    12: (15, 22, 26, 29, 31),
}


class Phase(Enum):
    """The successive stages of what is known of a flight."""

    SCHEDULED = "schedule"
    DEPARTED = "departures"
    LANDED = "arrivals"
    CANCELLED = "cancellations"


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
        months = _NAMES[self.months[0] - 1]
        if len(self.months) > 1:
            months += f" to {_NAMES[self.months[-1] - 1]}"
        whole = (self.first_day, self.last_day) == (1, 31)
        return f"{months}{'' if whole else f' {self.first_day}-{self.last_day}'}: {self.phase.value}"


def plan_loads(months: int) -> list[Load]:
    """Return the loads of the last ``months`` months of the year.

    The schedule of all of them comes first. The earlier months follow as a backlog, a commit for each phase; October to
    December as a stream: departures and arrivals in turn, and at the end of a month its cancellations.

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
