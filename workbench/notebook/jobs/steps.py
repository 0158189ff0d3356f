"""Collects the steps that work reports, with their times."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.clock import Clock
from workbench.base.counting import noun
from workbench.base.progress import Step
from workbench.notebook.jobs.value import StepValue

_MOST_ENDED = 8


@dataclass
class _Timed:
    step: Step
    begun: float
    ended: float | None = None


class Steps:
    """The open steps of work, and the newest of those that have ended."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._by_label: dict[str, _Timed] = {}

    def take(self, step: Step) -> None:
        """Record a step that a `Progress` reports, on any thread."""
        now = self._clock.monotonic()
        timed = self._by_label.setdefault(step.label, _Timed(step, now))
        timed.step = step
        timed.ended = now if step.finished else None

    def values(self) -> tuple[StepValue, ...]:
        """Return the newest ended steps, followed by the open steps."""
        now = self._clock.monotonic()
        every = list(self._by_label.values())
        ended = [each for each in every if each.ended is not None]
        shown = [*ended[-_MOST_ENDED:], *(each for each in every if each.ended is None)]
        return tuple(_value(each, now) for each in shown)


def _value(timed: _Timed, now: float) -> StepValue:
    step = timed.step
    seconds = (now if timed.ended is None else timed.ended) - timed.begun
    # The noun follows the total if it is known: ``1 file``, ``1 of 3 files``.
    unit = noun(step.total or step.done, step.unit)
    return StepValue(step.label, step.done, step.total, unit, step.detail, seconds, step.finished)
