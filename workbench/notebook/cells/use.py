"""``USE``: the statement of a cell that chooses the database of the following ones."""

from __future__ import annotations

from workbench.base.errors import InvalidExpression
from workbench.sql.cursor import Cursor


def database_of_use(text: str) -> str | None:
    """Return the name in ``USE [DATABASE] name``, None for other statements."""
    try:
        cursor = Cursor(text)
        if not cursor.accept("USE"):
            return None
        cursor.choose("DATABASE", "SCHEMA", "NAMESPACE")
        parts = cursor.path()
        cursor.expect_end()
    except InvalidExpression:
        return None
    return parts[0] if len(parts) == 1 else None
