"""Tracebacks as IPython shows them: the user's own frames, without those of this library."""

from __future__ import annotations

import os
import traceback
from types import FrameType, TracebackType
from typing import Any

from workbench.base.secrets import without_secrets

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def render(error: BaseException, *, full: bool = False) -> list[str]:
    """Return the lines of the traceback of an error that was raised in a cell, only down to the call of this library.
    With ``full``, or if the user chose ``%xmode Verbose``, include all frames and causes. Notebooks keep these lines,
    so secrets in variables and causes are hidden."""
    from IPython.core import getipython

    shell = getipython.get_ipython()
    # The first frame is that of IPython, which runs the cell.
    frames = error.__traceback__.tb_next if error.__traceback__ is not None else None
    if full or (shell is not None and shell.InteractiveTB.mode == "Verbose"):
        return _formatted(shell, error, frames)
    cause, hidden = error.__cause__, error.__suppress_context__
    error.__cause__, error.__suppress_context__ = None, True
    try:
        return _formatted(shell, error, _of_the_caller(frames))
    finally:
        error.__cause__, error.__suppress_context__ = cause, hidden


def _formatted(shell: Any, error: BaseException, frames: TracebackType | None) -> list[str]:
    if shell is None:
        lines = "".join(traceback.format_exception(type(error), error, frames)).splitlines()
    else:
        lines = shell.InteractiveTB.structured_traceback(type(error), error, frames, tb_offset=0)
    return list(map(without_secrets, lines))


def _of_the_caller(frames: TracebackType | None) -> TracebackType | None:
    """Return a copy of the traceback that ends before the first frame of this library."""
    if frames is None or _is_ours(frames.tb_frame):
        return None
    return TracebackType(_of_the_caller(frames.tb_next), frames.tb_frame, frames.tb_lasti, frames.tb_lineno)


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_PACKAGE)
