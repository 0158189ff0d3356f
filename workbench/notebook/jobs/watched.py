"""Runs work while its cell waits: the cell shows a card, and an interrupt cancels the work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from workbench.base.clock import Clock, SystemClock
from workbench.base.errors import Cancelled
from workbench.base.progress import Progress
from workbench.catalog.waits import waits
from workbench.notebook.jobs.card import Card
from workbench.notebook.jobs.work import Work, state_after

Outcome = TypeVar("Outcome")
_WAIT_SECONDS = 0.1
_SHOW_AFTER_SECONDS = 0.8
_SHOW_EVERY_SECONDS = 0.5


def run_watched(
    function: Callable[[Progress], Outcome], card: Card, title: str = "", clock: Clock | None = None
) -> Outcome:
    """Return ``function(progress)`` and show it on a card. An interrupt cancels the work and waits for its end.

    Work that finishes nevertheless, because its commit was already published, returns its result.

    Raises:
        Cancelled: the work stopped, or a second interrupt left it running.
    """
    clock = clock or SystemClock()
    # The card shows how long the work takes.
    with waits.hidden():
        work = Work(function, title, clock=clock)
        try:
            _wait(work, card, clock)
        except Cancelled:
            card.end(work.value("canceled"))
            raise
    if work.error is not None:
        card.end(work.value(state_after(work.error)))
    outcome = work.result()
    card.hand_over(outcome)
    return outcome


def _wait(work: Work[Any], card: Card, clock: Clock) -> None:
    next_show = clock.monotonic() + _SHOW_AFTER_SECONDS
    while True:
        try:
            if work.wait(_WAIT_SECONDS):
                return
            if clock.monotonic() >= next_show:
                next_show = clock.monotonic() + _SHOW_EVERY_SECONDS
                card.show(work.value(), work.progress.cancel)
        except KeyboardInterrupt:
            if work.progress.cancelled:
                raise Cancelled("Stopped waiting; the work is being canceled in the background.") from None
            work.progress.cancel()
