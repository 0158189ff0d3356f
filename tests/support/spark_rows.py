"""A table of orders, and the rows of statements and tables, for tests of Spark sessions."""

from __future__ import annotations

from typing import Any

COLUMNS = {"id": "BIGINT", "item": "STRING", "qty": "INT"}


def rows(session: Any, text: str) -> list[tuple[Any, ...]]:
    """Return the rows of a statement."""
    return [tuple(row) for row in session.sql(text).collect()]


def ordered(table: Any) -> list[dict[str, Any]]:
    """Return the rows of a table in an order that does not depend on its files."""
    found: list[dict[str, Any]] = table.to_arrow().to_pylist()
    return sorted(found, key=str)
