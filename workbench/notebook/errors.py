"""Errors of this library as one line in the cell, which still counts as failed."""

from __future__ import annotations

from workbench.base.errors import Cancelled, ConfirmationRequired, WorkbenchError
from workbench.base.markup import printable
from workbench.base.tracebacks import render

_RED, _PLAIN = "\x1b[31m", "\x1b[0m"


def error_line(error: BaseException) -> str:
    """Return ``TableNotFound: …`` without terminal control characters. A canceled operation is not named an error."""
    name, message = type(error).__name__, printable(str(error).replace("\n", " "))
    return message if isinstance(error, Cancelled) or message.startswith(name) else f"{name}: {message}"


def error_lines(error: BaseException) -> list[str]:
    """Return ``InvalidExpression: …`` and, if it is known, the place in the statement with a line of marks."""
    excerpt = error.excerpt if isinstance(error, WorkbenchError) else ()
    return [error_line(error), *(f"  {printable(line)}" for line in excerpt)]


def with_traceback(error: WorkbenchError) -> WorkbenchError:
    """Return the error with a ``_render_traceback_`` that makes IPython show all of its frames."""
    vars(error)["_render_traceback_"] = lambda: render(error, full=True)
    return error


def shorten(error: WorkbenchError) -> WorkbenchError:
    """Return the error with a ``_render_traceback_`` that makes IPython show it as one red line. If the error contains
    the place in the statement or a cell to copy, these follow on separate lines.

    The error keeps its type, so that the output names it and tools that run notebooks detect the failure.
    """
    first, *others = error_lines(error)
    lines = [f"{_RED}{first}{_PLAIN}", *others]
    if isinstance(error, ConfirmationRequired):
        question = f"ConfirmationRequired: {printable(f'{error.message} {error.hint}')}"
        lines = [f"{_RED}{question}{_PLAIN}", "", *(printable(line) for line in error.cell.splitlines())]
    vars(error)["_render_traceback_"] = lambda: lines
    return error
