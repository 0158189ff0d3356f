"""Where work shows its progress: an output of a notebook, a line of a terminal, or nowhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol

from workbench.base.markup import printable
from workbench.lens.wire import to_json
from workbench.notebook.jobs.channel import Channel
from workbench.notebook.jobs.places import show_in_place
from workbench.notebook.jobs.value import JOB_MIME, JobValue, fraction_of, job_html, job_line, job_text, step_text
from workbench.sql.grid import Shown


class Card(Protocol):
    """A place that shows work while it runs."""

    def show(self, value: JobValue, cancel: Callable[[], None]) -> None:
        """Show the current state of the work. The card's button calls ``cancel``."""
        ...

    def replace(self, shown: Shown) -> None:
        """Show a result in the place of the work."""
        ...

    def end(self, value: JobValue) -> None:
        """Show how work ended without a result, if it was shown while it ran; an error reports the reason."""
        ...

    def hand_over(self, outcome: object) -> None:
        """Show nothing until the cell displays the outcome of the work, which then appears in the place of the work."""
        ...


class NotebookCard:
    """An output of the cell that is updated in place, also after the cell has ended."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._channel: Channel | None = None

    def show(self, value: JobValue, cancel: Callable[[], None]) -> None:
        """Publish the value, for the extension and for programs without it."""
        runs = value.state in ("running", "stopping")
        if self._channel is None and runs:
            self._channel = Channel(value.id, cancel)
        bundle = {"text/plain": job_text(value), "text/html": job_html(value), JOB_MIME: to_json(value)}
        self._publish(bundle, value.id)
        if not runs:
            self._close()

    def replace(self, shown: Shown) -> None:
        """Publish a result instead."""
        self._publish(shown._repr_mimebundle_(), "")
        self._close()

    def end(self, value: JobValue) -> None:
        """Publish the last state, if there was an earlier one."""
        if self._handle is not None:
            self.show(value, _nothing)

    def hand_over(self, outcome: object) -> None:
        """Empty the output until the outcome fills it."""
        if self._handle is not None:
            self._publish({"text/plain": "", "text/html": ""}, "")
            show_in_place(outcome, self._handle)
        self._close()

    def _publish(self, bundle: dict[str, Any], name: str) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=name or True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(bundle, raw=True)

    def _close(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None


class TerminalCard:
    """A line of a terminal that is overwritten in place."""

    def __init__(self) -> None:
        self._width = 0

    def show(self, value: JobValue, cancel: Callable[[], None]) -> None:  # noqa: ARG002
        """Overwrite the line with the innermost step."""
        step = next((each for each in reversed(value.steps) if not each.finished), None)
        fraction = None if step is None else fraction_of(step)
        part = "" if fraction is None else f"{fraction:4.0%} "
        text = "Stopping …" if value.state == "stopping" else job_line(value) if step is None else step_text(step)
        line = part + printable(text)
        sys.stdout.write("\r" + line.ljust(self._width))
        sys.stdout.flush()
        self._width = len(line)

    def replace(self, shown: Shown) -> None:
        """Erase the line and print a result."""
        self._erase()
        sys.stdout.write(f"{shown!r}\n")

    def end(self, value: JobValue) -> None:  # noqa: ARG002
        """Erase the line."""
        self._erase()

    def hand_over(self, outcome: object) -> None:  # noqa: ARG002
        """Erase the line."""
        self._erase()

    def _erase(self) -> None:
        if self._width:
            sys.stdout.write("\r" + " " * self._width + "\r")
            sys.stdout.flush()


class NoCard:
    """No progress, for output to a file or a pipe, and for jobs in the background of a terminal."""

    def show(self, value: JobValue, cancel: Callable[[], None]) -> None:
        """Do nothing."""

    def replace(self, shown: Shown) -> None:
        """Do nothing."""

    def end(self, value: JobValue) -> None:
        """Do nothing."""

    def hand_over(self, outcome: object) -> None:
        """Do nothing."""


def _nothing() -> None:
    """Cancel nothing: the work has ended."""


def card_for(shell: Any, *, background: bool = False) -> Card:
    """Return the card for the environment of ``shell``."""
    if hasattr(shell, "kernel"):
        return NotebookCard()
    return TerminalCard() if sys.stdout.isatty() and not background else NoCard()
