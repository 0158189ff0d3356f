"""The place in a statement that an error is about."""

from __future__ import annotations

import re

from workbench.base.errors import TableNotFound, WorkbenchError
from workbench.notebook.cells.unknown_names import unknown_names
from workbench.notebook.command import Session

_WIDEST = 100
_QUOTED = re.compile(r"'([^']+)'|`([^`]+)`")


def excerpt(error: WorkbenchError, statement: str, session: Session) -> tuple[str, ...]:
    """Return the line of the statement that an error is about, and a line that marks the place; an empty tuple if the
    place is not known.

    Example:
        >>> excerpt(InvalidExpression("There is no column 'amuont'."), "SELECT amuont FROM orders", session)
        ('SELECT amuont FROM orders', '       ^^^^^^')
    """
    span = error.span or _unknown_name(error, statement, session) or _quoted_word(error, statement)
    return () if span is None else _marked(statement, *span)


def _unknown_name(error: WorkbenchError, statement: str, session: Session) -> tuple[int, int] | None:
    """Return the place of the table or column that the catalog does not know."""
    if not isinstance(error, TableNotFound) or session.catalog is None:
        return None
    found = next(iter(unknown_names(session, statement)), None)
    return None if found is None else (found.start, found.end)


def _quoted_word(error: WorkbenchError, statement: str) -> tuple[int, int] | None:
    """Return the place of the first name quoted in the message that occurs in the statement."""
    for single, backquoted in _QUOTED.findall(error.message):
        name = single or backquoted
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", statement, re.IGNORECASE)
        if found is not None:
            return found.span()
    return None


def _marked(statement: str, start: int, end: int) -> tuple[str, ...]:
    first = statement.rfind("\n", 0, start) + 1
    last = statement.find("\n", start)
    line = statement[first : len(statement) if last < 0 else last]
    begin, width = start - first, max(1, min(end, first + len(line)) - start)
    cut = max(0, begin + min(width, _WIDEST) - _WIDEST)
    shown = line[cut : cut + _WIDEST].replace("\t", " ")
    return shown, " " * (begin - cut) + "^" * min(width, _WIDEST - (begin - cut))
