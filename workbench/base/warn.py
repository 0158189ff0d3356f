"""Warnings that are shown at the user's line."""

from __future__ import annotations

import os
import sys
import warnings

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def warn_caller(message: str) -> None:
    """Warn at the line that called this library; unlike other warnings, each time and not only once per line."""
    frame = sys._getframe(1)
    outer = frame
    while outer.f_back is not None and outer.f_code.co_filename.startswith(_PACKAGE):
        outer = outer.f_back
    # Threads are not called by any line of the user.
    where = frame if outer.f_code.co_filename.startswith(_PACKAGE) else outer
    warnings.warn_explicit(
        message, UserWarning, where.f_code.co_filename, where.f_lineno, module=where.f_globals.get("__name__")
    )
