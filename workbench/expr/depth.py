"""Refuses what is nested too deeply to be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from workbench.base.errors import InvalidExpression


@contextmanager
def refused_depth() -> Iterator[None]:
    """Refuse expressions and statements that exceed Python's depth of calls.

    Raises:
        InvalidExpression: If the code inside raises RecursionError.
    """
    try:
        yield
    except RecursionError:
        # The traceback of a RecursionError has a thousand lines that say nothing.
        raise InvalidExpression(
            "The expression is nested too deeply.", "Use IN for long lists, and compute long chains in several steps."
        ) from None
