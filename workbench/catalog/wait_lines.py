"""Where a wait is shown: the last line of a terminal, or an output of the running cell of a notebook."""

from __future__ import annotations

import shutil
import sys
from typing import Any, TextIO

from workbench.base.clock import Clock, SystemClock
from workbench.catalog.waits import WaitLine

_UPDATE_EVERY_SECONDS = 0.5


class TerminalWaitLine:
    """A line of a terminal that is overwritten in place.

    Args:
        stream: The terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def draw(self, text: str) -> None:
        """Overwrite the line."""
        width = shutil.get_terminal_size().columns - 1
        self._write(text[:width])

    def erase(self) -> None:
        """Clear the line, where the next output begins."""
        self._write("")

    def _write(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}")
        self._stream.flush()


class CellWaitLine:
    """An output of the running cell, which is empty again when the cell ends.

    Args:
        shell: The IPython shell of a kernel.
        clock: The clock that limits the number of updates.
    """

    def __init__(self, shell: Any, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._handle: Any = None
        self._updated = float("-inf")
        self._runs = True
        shell.events.register("pre_run_cell", self._begin)
        shell.events.register("post_run_cell", self._end)

    def draw(self, text: str) -> None:
        """Show the text, at most twice a second, if a cell is running."""
        now = self._clock.monotonic()
        if not self._runs or now - self._updated < _UPDATE_EVERY_SECONDS:
            return
        self._updated = now
        self._publish(text)

    def erase(self) -> None:
        """Keep the text until the cell ends: the next request usually follows at once."""

    def _begin(self, *_: object) -> None:
        self._runs = True

    def _end(self, *_: object) -> None:
        self._runs = False
        if self._handle is not None:
            self._publish("")
            self._handle = None

    def _publish(self, text: str) -> None:
        from IPython.display import display

        bundle = {"text/plain": text}
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(bundle, raw=True)


def line_here() -> WaitLine | None:
    """Return the line for the environment of this process; None if its output is a file or a pipe.

    Example:
        >>> line = line_here()
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None and hasattr(shell, "kernel"):
        return CellWaitLine(shell)
    return TerminalWaitLine(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() else None
