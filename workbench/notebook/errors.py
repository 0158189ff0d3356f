"""Errors of this library as one short line in the cell, which still counts as failed."""

from __future__ import annotations

from workbench.base.errors import WorkbenchError
from workbench.sql.grid import printable

_RED, _PLAIN = "\x1b[31m", "\x1b[0m"


def error_line(error: Exception) -> str:
    """``TableNotFound: There is no table 'x'.``; nothing in it can steer a terminal."""
    name, message = type(error).__name__, printable(str(error).replace("\n", " "))
    return message if message.startswith(name) else f"{name}: {message}"


def shorten(error: WorkbenchError) -> WorkbenchError:
    """The same error, which IPython now shows as one red line: it asks an exception for its own traceback first.

    The error keeps its type, so that the cell's record names it and tools that run notebooks see the failure.
    """
    line = f"{_RED}{error_line(error)}{_PLAIN}"
    vars(error)["_render_traceback_"] = lambda: [line]
    return error
