"""The protocol for progress and cancellation of reads, writes, maintenance, Spark and jobs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from workbench.base.arguments import checked
from workbench.base.errors import Cancelled


@dataclass(frozen=True)
class Step:
    """The state of a piece of work. ``total`` is None while it is unknown; ``unit`` is a plural such as 'files' or
    'rows'. ``detail`` is further information, such as the number of rows read."""

    label: str
    done: int
    total: int | None
    unit: str
    finished: bool = False
    detail: str = ""

    @property
    def fraction(self) -> float | None:
        """The completed part, 0 to 1, or None while the total is unknown."""
        return None if not self.total else min(1.0, self.done / self.total)


@dataclass(eq=False)
class _OpenStep:
    step: Step
    thread: int


class Progress:
    """Counter of completed work that notifies a listener and passes on the request to cancel. Thread-safe.

    Long operations call `advance` as they progress and `check` at points where they may stop; an observer passes a
    listener, and may call `cancel` from any thread.

    Args:
        listener: Called with the current step whenever it changes.

    Example:
        >>> progress = Progress(lambda step: print(step.label, step.done, step.finished))
        >>> with progress.step("Reading", total=2):
        ...     progress.advance()
        Reading 0 False
        Reading 1 False
        Reading 1 True
    """

    @checked
    def __init__(self, listener: Callable[[Step], None] | None = None) -> None:
        self._listener = listener
        self._cancelled = threading.Event()
        # Reentrant, so that a listener may inspect the work or begin a step itself.
        self._lock = threading.RLock()
        self._open: list[_OpenStep] = []

    def cancel(self) -> None:
        """Request the work to stop at its next check."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Whether cancellation was requested."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raise `Cancelled` if cancellation was requested."""
        if self._cancelled.is_set():
            raise Cancelled

    @checked
    @contextmanager
    def step(self, label: str, total: int | None = None, unit: str = "files") -> Iterator[Progress]:
        """Begin a piece of work; when it ends, the enclosing step, if any, is reported again.

        Each thread has its own innermost step.

        Args:
            label: What is being done, as a user reads it.
            total: The number of units, if known.
            unit: The plural of the units that `advance` counts.

        Raises:
            Cancelled: Cancellation was requested.
        """
        self.check()
        mine = _OpenStep(Step(label, 0, total, unit), threading.get_ident())
        with self._lock:
            self._open.append(mine)
        try:
            with self._lock:
                self._notify(mine.step)
            yield self
        finally:
            with self._lock:
                self._open.remove(mine)
                self._notify(replace(mine.step, finished=True))
                outer = self._innermost()
                if outer is not None:
                    self._notify(outer.step)

    @checked
    def advance(self, amount: int = 1) -> None:
        """Add ``amount`` completed units to this thread's step or, if it has none, to the step that was begun last.
        Raise `Cancelled` if cancellation was requested."""
        self.check()
        with self._lock:
            current = self._innermost()
            if current is not None:
                current.step = replace(current.step, done=current.step.done + amount)
                self._notify(current.step)

    @checked
    def describe(self, detail: str) -> None:
        """Set the ``detail`` of this thread's step or, if it has none, of the step that was begun last."""
        with self._lock:
            current = self._innermost()
            if current is not None and current.step.detail != detail:
                current.step = replace(current.step, detail=detail)
                self._notify(current.step)

    def _innermost(self) -> _OpenStep | None:
        here = threading.get_ident()
        own = (opened for opened in reversed(self._open) if opened.thread == here)
        return next(own, self._open[-1] if self._open else None)

    def _notify(self, step: Step) -> None:
        if self._listener is not None:
            self._listener(step)
