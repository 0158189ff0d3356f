"""Finds the statements that the library runs instead of Spark: those that Spark's parser or analyzer does not know.

Spark itself runs everything else, such as queries, INSERT, CREATE, most of ALTER, SHOW and DESCRIBE, on the catalog
that the session knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workbench.base.errors import InvalidExpression
from workbench.sql.cursor import Cursor
from workbench.sql.statements import names_procedure


@dataclass(frozen=True)
class Route:
    """What a statement that the library runs is about: the name of a table, or of the procedure in a CALL.

    ``changes_rows``: Spark plans the statement, too, and runs it if the library does not know a part of it.
    ``finds_views``: The name may be that of a temporary view, which takes precedence; Spark then runs or refuses the
    statement.
    ``only_views``: The library runs the statement only if the catalog has a view of that name.
    """

    parts: tuple[str, ...]
    is_procedure: bool = False
    changes_rows: bool = False
    finds_views: bool = False
    only_views: bool = False

    @property
    def catalog(self) -> str | None:
        """The catalog that the statement names, or None."""
        return self.parts[0] if len(self.parts) > 2 else None


def route_of(text: str) -> Route | None:
    """Return what a statement is about if the library may run it; None if Spark runs it.

    Args:
        text: One SQL statement.

    Example:
        >>> route_of("CALL sys.compact(table => 'shop.orders')")
        Route(parts=('sys', 'compact'), is_procedure=True)
    """
    try:
        cursor = Cursor(text)
        find = _ROUTES.get(cursor.peek())
        return None if find is None else find(cursor)
    except InvalidExpression:
        # Spark's parser says what is wrong.
        return None


def _call(cursor: Cursor) -> Route | None:
    cursor.expect("CALL")
    path = cursor.path()
    return Route(path, is_procedure=True) if names_procedure(path) else None


def _table_after(*words: str, changes_rows: bool = False) -> Callable[[Cursor], Route | None]:
    def find(cursor: Cursor) -> Route | None:
        if not cursor.accept(*words):
            return None
        return Route(cursor.table().parts, changes_rows=changes_rows, finds_views=True)

    return find


_OF_TABLES = (
    ("CREATE", "TAG"),
    ("CREATE", "OR"),
    ("REPLACE", "TAG"),
    ("DELETE", "TAG"),
    ("RENAME", "TAG"),
    ("ADD", "PARTITION"),
    ("ADD", "IF"),
    ("DROP", "PARTITION"),
    ("DROP", "IF"),
)


def _alter(cursor: Cursor) -> Route | None:
    if cursor.accept("ALTER", "VIEW"):
        return Route(cursor.table().parts, finds_views=True)
    if not cursor.accept("ALTER", "TABLE"):
        return None
    table = cursor.table()
    if any(cursor.accept(*words) for words in _OF_TABLES) or _gives_length(cursor):
        return Route(table.parts)
    return None


def _gives_length(cursor: Cursor) -> bool:
    """Return whether a nested field becomes CHAR(n) or VARCHAR(n), which is STRING for Spark inside other types."""
    is_nested = cursor.accept("ALTER", "COLUMN") and len(cursor.path()) > 1
    return is_nested and cursor.accept("TYPE") and cursor.choose("CHAR", "VARCHAR") is not None


def _show(cursor: Cursor) -> Route | None:
    if cursor.accept("SHOW", "TAGS"):
        return Route(cursor.table().parts)
    if cursor.accept("SHOW", "PARTITIONS"):
        return Route(cursor.table().parts, finds_views=True)
    if cursor.accept("SHOW", "CREATE", "TABLE"):
        parts = cursor.table().parts
        # System tables and branches have no definition of their own.
        return Route(parts, finds_views=True) if cursor.is_at_end and "$" not in parts[-1] else None
    if cursor.accept("SHOW", "TABLE", "EXTENDED"):
        names = cursor.path() if cursor.choose("IN", "FROM") else ()
        cursor.expect("LIKE")
        cursor.string()
        return Route((*names, "*")) if cursor.accept("PARTITION") else None
    if cursor.accept("SHOW", "TBLPROPERTIES"):
        return Route(cursor.table().parts, finds_views=True, only_views=True)
    if cursor.accept("SHOW", "VIEWS"):
        # Spark would refuse the statement for catalogs of other libraries.
        names = cursor.path() if cursor.choose("IN", "FROM") else ()
        return Route((*names, "*"))
    return None


def _copy(cursor: Cursor) -> Route | None:
    cursor.expect("COPY", "INTO")
    if not cursor.has_string():
        return Route(cursor.table().parts)
    cursor.string()
    cursor.expect("FROM")
    return Route(()) if cursor.peek() == "(" else Route(cursor.table().parts)


def _create(cursor: Cursor) -> Route | None:
    cursor.expect("CREATE")
    if cursor.accept("VIEW") or cursor.accept("OR", "REPLACE", "VIEW"):
        cursor.accept("IF", "NOT", "EXISTS")
        return Route(cursor.table().parts)
    if not cursor.accept("TABLE"):
        return None
    cursor.accept("IF", "NOT", "EXISTS")
    table = cursor.table()
    return Route(table.parts) if cursor.accept("LIKE") else None


def _drop(cursor: Cursor) -> Route | None:
    if not cursor.accept("DROP", "VIEW"):
        return None
    cursor.accept("IF", "EXISTS")
    return Route(cursor.table().parts, finds_views=True)


def _describe(cursor: Cursor) -> Route | None:
    cursor.choose("DESCRIBE", "DESC")
    cursor.accept("TABLE")
    cursor.choose("EXTENDED", "FORMATTED")
    return Route(cursor.table().parts, finds_views=True, only_views=True)


_ROUTES: Mapping[str, Callable[[Cursor], Route | None]] = {
    "ALTER": _alter,
    "ANALYZE": _table_after("ANALYZE", "TABLE"),
    "CALL": _call,
    "COPY": _copy,
    "CREATE": _create,
    "DESC": _describe,
    "DESCRIBE": _describe,
    "DROP": _drop,
    "DELETE": _table_after("DELETE", "FROM", changes_rows=True),
    "MERGE": _table_after("MERGE", "INTO", changes_rows=True),
    "SHOW": _show,
    "TRUNCATE": _table_after("TRUNCATE", "TABLE"),
    "UPDATE": _table_after("UPDATE", changes_rows=True),
}
