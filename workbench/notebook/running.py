"""Runs work on another thread, while the thread of the cell shows progress and handles interrupts."""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from workbench.base.clock import Clock, SystemClock
from workbench.base.errors import Cancelled
from workbench.base.progress import Progress, Step
from workbench.sql.grid import STYLE, escape, printable

Outcome = TypeVar("Outcome")
_WAIT_SECONDS = 0.1
_SHOW_AFTER_SECONDS = 0.4
_SHOW_EVERY_SECONDS = 0.5


class Line(Protocol):
    """A progress line that is overwritten in place and removed at the end."""

    def show(self, text: str, fraction: float | None) -> None:
        """Replace the line."""
        ...

    def clear(self) -> None:
        """Remove the line."""
        ...


class NotebookLine:
    """An output of the cell that is updated in place, in JupyterLab and with nbconvert."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, text: str, fraction: float | None) -> None:
        """Replace the line."""
        value = "" if fraction is None else f' value="{fraction:.3f}"'
        self._publish(
            {
                "text/plain": printable(text),
                "text/html": f'{STYLE}<div class="wb-grid"><p class="wb-line" role="status">'
                f'<progress max="1"{value} aria-label="progress"></progress> {escape(text)}</p></div>',
            }
        )

    def clear(self) -> None:
        """Leave an empty output; the result below it reports what was done."""
        if self._handle is not None:
            self._publish({"text/plain": "", "text/html": ""})

    def _publish(self, bundle: dict[str, str]) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(bundle, raw=True)


class TerminalLine:
    """A line of a terminal that is overwritten in place."""

    def __init__(self) -> None:
        self._width = 0

    def show(self, text: str, fraction: float | None) -> None:
        """Replace the line."""
        part = "" if fraction is None else f"{fraction:4.0%} "
        line = part + printable(text)
        sys.stdout.write("\r" + line.ljust(self._width))
        sys.stdout.flush()
        self._width = len(line)

    def clear(self) -> None:
        """Erase the line."""
        if self._width:
            sys.stdout.write("\r" + " " * self._width + "\r")
            sys.stdout.flush()


class NoLine:
    """No progress, for output to a file or a pipe."""

    def show(self, text: str, fraction: float | None) -> None:
        """Do nothing."""

    def clear(self) -> None:
        """Do nothing."""


def line_for(shell: Any) -> Line:
    """Return the progress line for the environment of ``shell``."""
    if hasattr(shell, "kernel"):
        return NotebookLine()
    return TerminalLine() if sys.stdout.isatty() else NoLine()


def step_text(step: Step, seconds: float) -> str:
    """Return ``Writing shop.orders: 3 of 8 files · 1.2 s``."""
    done = f": {step.done:,} of {step.total:,} {step.unit}" if step.total else f": {step.done:,} {step.unit}"
    return f"{step.label}{done if step.total or step.done else ''} · {seconds:,.1f} s"


class _Job(Generic[Outcome]):
    """Work on its own thread, with its result or error."""

    def __init__(self, work: Callable[[], Outcome]) -> None:
        self._work = work
        self._outcome: list[Outcome] = []
        self._error: BaseException | None = None
        # An interrupted Thread.join may consider a running thread finished; an event is reliable.
        self._finished = threading.Event()
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(self._run,), name="workbench-cell", daemon=True).start()

    def _run(self) -> None:
        try:
            self._outcome.append(self._work())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread of the cell
            self._error = error
        finally:
            self._finished.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the work at most so long. Return whether it has ended."""
        return self._finished.wait(seconds)

    def result(self) -> Outcome:
        if self._error is not None:
            raise self._error
        return self._outcome[0]


def run_watched(work: Callable[[Progress], Outcome], line: Line, clock: Clock | None = None) -> Outcome:
    """Return ``work(progress)`` and show its steps on ``line``. An interrupt cancels the work and waits for its end.

    Work that finishes nevertheless, because its commit was already published, returns its result.

    Raises:
        Cancelled: the work stopped, or a second interrupt left it running.
    """
    clock = clock or SystemClock()
    begin = clock.monotonic()
    next_show = begin + _SHOW_AFTER_SECONDS
    latest: list[Step] = []
    progress = Progress(lambda step: latest.__setitem__(slice(None), [step]))
    job = _Job(lambda: work(progress))
    try:
        while True:
            try:
                if job.wait(_WAIT_SECONDS):
                    break
                now = clock.monotonic()
                if latest and now >= next_show:
                    next_show = now + _SHOW_EVERY_SECONDS
                    text = "Stopping …" if progress.cancelled else step_text(latest[0], now - begin)
                    line.show(text, latest[0].fraction)
            except KeyboardInterrupt:
                if progress.cancelled:
                    raise Cancelled("Stopped waiting; the work is being cancelled in the background.") from None
                progress.cancel()
    finally:
        line.clear()
    return job.result()
