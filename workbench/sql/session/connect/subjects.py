"""What a statement is about: the table, database or procedure that it names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from workbench.base.errors import InvalidExpression
from workbench.sql.cursor import Cursor
from workbench.sql.statements import names_procedure


class Kind(Enum):
    """What a statement names; the value is the number of parts of such a name without a catalog."""

    CATALOG = 0
    DATABASE = 1
    TABLE = 2


@dataclass(frozen=True)
class Subject:
    """The name in a statement, such as a table; it has no parts if the statement names nothing, as in SHOW TABLES."""

    kind: Kind
    parts: tuple[str, ...] = ()

    @property
    def catalog(self) -> str | None:
        """The catalog that is named, or None."""
        return self.parts[0] if len(self.parts) > self.kind.value else None


def subject_of(text: str) -> Subject | None:
    """Return what a statement is about; None if only Spark runs it, or if it cannot be parsed.

    Args:
        text: One SQL statement that is not a query.

    Example:
        >>> subject_of("DROP TABLE IF EXISTS paimon.shop.orders").catalog
        'paimon'
    """
    try:
        return _subject(Cursor(text))
    except InvalidExpression:
        # Spark's parser says what is wrong.
        return None


def query_of_describe(text: str) -> str | None:
    """Return the query in a DESCRIBE of a query; None for other statements.

    Args:
        text: One SQL statement.
    """
    try:
        cursor = Cursor(text)
        if cursor.choose("DESCRIBE", "DESC") is None:
            return None
        if not cursor.accept("QUERY") and cursor.peek() not in ("SELECT", "WITH", "VALUES", "FROM", "("):
            return None
        return cursor.rest()
    except InvalidExpression:
        return None


def _subject(cursor: Cursor) -> Subject | None:
    for words in _OF_TABLES:
        if cursor.accept(*words):
            _skip(cursor)
            return Subject(Kind.TABLE, cursor.path())
    for words in _OF_DATABASES:
        if cursor.accept(*words):
            _skip(cursor)
            return Subject(Kind.DATABASE, cursor.path())
    for words, kind in _LISTS:
        if cursor.accept(*words):
            return Subject(kind, cursor.path() if cursor.choose("IN", "FROM") else ())
    if cursor.accept("CALL"):
        path = cursor.path()
        return Subject(Kind.TABLE, path) if names_procedure(path) else None
    if cursor.accept("COPY", "INTO"):
        # The statement writes rows to files if a string follows.
        return Subject(Kind.CATALOG) if cursor.has_string() else Subject(Kind.TABLE, cursor.path())
    if cursor.choose("DESCRIBE", "DESC"):
        return _described(cursor)
    return None


def _described(cursor: Cursor) -> Subject | None:
    if cursor.choose("FUNCTION", "QUERY", "CATALOG"):
        return None
    kind = Kind.DATABASE if cursor.choose(*_NAMESPACE) else Kind.TABLE
    cursor.accept("TABLE")
    cursor.choose("EXTENDED", "FORMATTED")
    return Subject(kind, cursor.path())


def _skip(cursor: Cursor) -> None:
    cursor.accept("IF", "NOT", "EXISTS")
    cursor.accept("IF", "EXISTS")


_NAMESPACE = ("DATABASE", "SCHEMA", "NAMESPACE")
# A longer form comes before the form that is its prefix.
_OF_TABLES = (
    ("INSERT", "INTO", "TABLE"),
    ("INSERT", "INTO"),
    ("INSERT", "OVERWRITE", "TABLE"),
    ("INSERT", "OVERWRITE"),
    ("CREATE", "OR", "REPLACE", "TABLE"),
    ("CREATE", "TABLE"),
    ("CREATE", "OR", "REPLACE", "VIEW"),
    ("CREATE", "VIEW"),
    ("DROP", "VIEW"),
    ("ALTER", "VIEW"),
    ("REPLACE", "TABLE"),
    ("DROP", "TABLE"),
    ("ALTER", "TABLE"),
    ("COMMENT", "ON", "TABLE"),
    ("ANALYZE", "TABLE"),
    ("REFRESH", "TABLE"),
    ("DELETE", "FROM"),
    ("MERGE", "INTO"),
    ("TRUNCATE", "TABLE"),
    ("UPDATE",),
    ("SHOW", "TAGS"),
    ("SHOW", "PARTITIONS"),
    ("SHOW", "CREATE", "TABLE"),
    ("SHOW", "TBLPROPERTIES"),
    ("SHOW", "COLUMNS", "IN"),
    ("SHOW", "COLUMNS", "FROM"),
)
_OF_DATABASES = (
    *(("CREATE", word) for word in _NAMESPACE),
    *(("DROP", word) for word in _NAMESPACE),
    *(("ALTER", word) for word in _NAMESPACE),
)
_LISTS = (
    (("SHOW", "TABLES"), Kind.DATABASE),
    (("SHOW", "TABLE", "EXTENDED"), Kind.DATABASE),
    (("SHOW", "VIEWS"), Kind.DATABASE),
    (("SHOW", "DATABASES"), Kind.CATALOG),
    (("SHOW", "SCHEMAS"), Kind.CATALOG),
    (("SHOW", "NAMESPACES"), Kind.CATALOG),
)
