"""One protocol for progress and cancel: reads, writes, maintenance, Spark and jobs all speak it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from workbench.base.errors import Cancelled


@dataclass(frozen=True)
class Step:
    """A moment of some work. ``total`` is None while it is unknown; ``unit`` is a plural such as 'files' or 'rows'."""

    label: str
    done: int
    total: int | None
    unit: str
    finished: bool = False

    @property
    def fraction(self) -> float | None:
        """Part done, 0 to 1, or None while the total is unknown."""
        return None if not self.total else min(1.0, self.done / self.total)


@dataclass(eq=False)
class _OpenStep:
    step: Step
    thread: int


class Progress:
    """Counts work, tells listeners, and carries the wish to cancel. Safe to use from several threads.

    Long work calls `advance` as it goes and `check` at points where it may stop; whoever watches passes a listener, and
    calls `cancel` from any thread.
    """

    def __init__(self, listener: Callable[[Step], None] | None = None) -> None:
        self._listener = listener
        self._cancelled = threading.Event()
        # Reentrant, so that a listener may look at the work or begin a step of its own.
        self._lock = threading.RLock()
        self._open: list[_OpenStep] = []

    def cancel(self) -> None:
        """Ask the work to stop at its next check."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """True once somebody asked to stop."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raise `Cancelled` if somebody asked to stop."""
        if self._cancelled.is_set():
            raise Cancelled

    @contextmanager
    def step(self, label: str, total: int | None = None, unit: str = "files") -> Iterator[Progress]:
        """Begin a piece of work; the step it interrupts, if any, is told again when this one ends.

        Each thread has its own innermost step.
        """
        self.check()
        mine = _OpenStep(Step(label, 0, total, unit), threading.get_ident())
        with self._lock:
            self._open.append(mine)
        try:
            with self._lock:
                self._tell(mine.step)
            yield self
        finally:
            with self._lock:
                self._open.remove(mine)
                self._tell(replace(mine.step, finished=True))
                outer = self._innermost()
                if outer is not None:
                    self._tell(outer.step)

    def advance(self, amount: int = 1) -> None:
        """Note ``amount`` more units done in this thread's step, or in the last one begun; stop here if asked to."""
        self.check()
        with self._lock:
            current = self._innermost()
            if current is not None:
                current.step = replace(current.step, done=current.step.done + amount)
                self._tell(current.step)

    def _innermost(self) -> _OpenStep | None:
        here = threading.get_ident()
        own = (opened for opened in reversed(self._open) if opened.thread == here)
        return next(own, self._open[-1] if self._open else None)

    def _tell(self, step: Step) -> None:
        if self._listener is not None:
            self._listener(step)
