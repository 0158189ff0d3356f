"""Runs work on another thread, while the thread of the cell shows progress and handles interrupts."""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from workbench.base.clock import Clock, SystemClock
from workbench.base.errors import Cancelled
from workbench.base.markup import STYLE, escape, printable
from workbench.base.progress import Progress, Step

Outcome = TypeVar("Outcome")
_WAIT_SECONDS = 0.1
_SHOW_AFTER_SECONDS = 0.4
_SHOW_EVERY_SECONDS = 0.5
_MOST_STEPS = 8
# JupyterLab runs the command of a button that was clicked; other front ends have a button of the notebook for it.
_STOP = '<button type="button" data-commandlinker-command="notebook:interrupt-kernel">Stop</button>'


class Line(Protocol):
    """A progress line that is overwritten in place and removed at the end."""

    def show(self, text: str, fraction: float | None, before: Sequence[str] = ()) -> None:
        """Replace the line. ``before`` are the steps that have ended."""
        ...

    def clear(self) -> None:
        """Remove the line."""
        ...


class NotebookLine:
    """An output of the cell that is updated in place, in JupyterLab and with nbconvert."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, text: str, fraction: float | None, before: Sequence[str] = ()) -> None:
        """Replace the line, with a bar for each step and a button that interrupts the kernel."""
        ended = "".join(f'<p class="wb-line">{_bar(1.0)} {escape(each)}</p>' for each in before)
        current = f'<p class="wb-line" role="status">{_bar(fraction)} {escape(text)} {_STOP}</p>'
        self._publish(
            {"text/plain": printable(text), "text/html": f'{STYLE}<div class="wb-grid">{ended}{current}</div>'}
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


def _bar(fraction: float | None) -> str:
    value = "" if fraction is None else f' value="{fraction:.3f}"'
    return f'<progress max="1"{value} aria-label="progress"></progress>'


class TerminalLine:
    """A line of a terminal that is overwritten in place."""

    def __init__(self) -> None:
        self._width = 0

    def show(self, text: str, fraction: float | None, before: Sequence[str] = ()) -> None:  # noqa: ARG002
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

    def show(self, text: str, fraction: float | None, before: Sequence[str] = ()) -> None:
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
    detail = f", {step.detail}" if step.detail else ""
    return f"{step.label}{done if step.total or step.done else ''}{detail} · {seconds:,.1f} s"


class _Steps:
    """The steps of work: the current one, and those that have ended, with their times."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._begun: dict[str, float] = {}
        self._ended: dict[str, str] = {}
        self.current: Step | None = None

    def take(self, step: Step) -> None:
        """Take what a `Progress` reports, on any thread."""
        self._begun.setdefault(step.label, self._clock.monotonic())
        self.current = step
        if step.finished:
            self._ended[step.label] = self.text(step)

    def text(self, step: Step) -> str:
        """Return a step with the time since it began."""
        return step_text(step, self._clock.monotonic() - self._begun[step.label])

    def before(self, step: Step) -> list[str]:
        """Return the newest steps that have ended, except ``step``."""
        ended = [text for label, text in list(self._ended.items()) if label != step.label]
        return ended[-_MOST_STEPS:]


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
    next_show = clock.monotonic() + _SHOW_AFTER_SECONDS
    steps = _Steps(clock)
    progress = Progress(steps.take)
    job = _Job(lambda: work(progress))
    try:
        while True:
            try:
                if job.wait(_WAIT_SECONDS):
                    break
                now = clock.monotonic()
                current = steps.current
                if current is not None and now >= next_show:
                    next_show = now + _SHOW_EVERY_SECONDS
                    text = "Stopping …" if progress.cancelled else steps.text(current)
                    line.show(text, current.fraction, steps.before(current))
            except KeyboardInterrupt:
                if progress.cancelled:
                    raise Cancelled("Stopped waiting; the work is being cancelled in the background.") from None
                progress.cancel()
    finally:
        line.clear()
    return job.result()
