"""How long this process waits for a storage: anything above a second is shown to its user."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from workbench.base.clock import Clock, SystemClock

SHOW_AFTER_SECONDS = 1.0
_DRAW_EVERY_SECONDS = 0.25
# Requests that follow each other within this time belong to the same wait.
_GAP_SECONDS = 0.5


class WaitLine(Protocol):
    """A line that shows a wait."""

    def draw(self, text: str) -> None:
        """Show a text in place of the former one."""
        ...

    def erase(self) -> None:
        """Show nothing: after the answer, something else may be written."""
        ...


class Waits:
    """The requests that this process waits for, on any thread.

    Args:
        clock: The clock that measures them.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self.line: WaitLine | None = None
        self._clock = clock or SystemClock()
        self._lock = threading.RLock()
        self._open = 0
        self._hidden = 0
        self._answers = 0
        self._what = self._shown = ""
        self._begun = 0.0
        self._ended = float("-inf")
        self._is_watched = False

    @contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Show the line while the block runs, once the wait has taken `SHOW_AFTER_SECONDS`.

        Args:
            what: What is waited for, such as ``Waiting for s3://lake``.

        Example:
            >>> with waits.waiting("Waiting for s3://lake"):
            ...     pass
        """
        self._begin(what)
        try:
            yield
        finally:
            self._end()

    def hide(self) -> None:
        """Show no line any more, because the output of this process is not looked at.

        Example:
            >>> Waits().hide()
        """
        self._hidden += 1

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Show no line while the block runs, because something else shows the work.

        Example:
            >>> with waits.hidden():
            ...     pass
        """
        with self._lock:
            self._hidden += 1
            self._erase()
        try:
            yield
        finally:
            with self._lock:
                self._hidden -= 1

    def _begin(self, what: str) -> None:
        with self._lock:
            if self._open == 0 and self._clock.monotonic() - self._ended > _GAP_SECONDS:
                self._begun, self._answers = self._clock.monotonic(), 0
            self._open += 1
            self._what = what
            self._draw()
            if self.line is not None and not self._is_watched:
                self._is_watched = True
                threading.Thread(target=self._watch, name="workbench-waits", daemon=True).start()

    def _end(self) -> None:
        with self._lock:
            self._open -= 1
            self._answers += 1
            self._ended = self._clock.monotonic()
            if self._open == 0:
                self._erase()

    def _watch(self) -> None:
        """Draw the line again and again, until no request has been open for a while."""
        while True:
            self._clock.sleep(_DRAW_EVERY_SECONDS)
            with self._lock:
                if self._open == 0 and self._clock.monotonic() - self._ended > _GAP_SECONDS:
                    self._is_watched = False
                    return
                self._draw()

    def _draw(self) -> None:
        seconds = self._clock.monotonic() - self._begun
        if self.line is None or not self._open or self._hidden or seconds < SHOW_AFTER_SECONDS:
            return
        answers = f", {self._answers:,} answers" if self._answers > 1 else ""
        text = f"{self._what}: {seconds:.0f} s{answers}"
        if text != self._shown:
            self.line.draw(text)
            self._shown = text

    def _erase(self) -> None:
        if self.line is not None and self._shown:
            self.line.erase()
            self._shown = ""


waits = Waits()
"""The waits of this process."""
