"""INSERT as Paimon's connector interprets it, where Spark differs.

Values that Spark does not store in a column without a cast, such as strings in a DATE column, are cast as CAST does.
The values of partition columns that PARTITION names without a value come last in the query.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidExpression
from workbench.sql.cursor import Cursor
from workbench.sql.statements import quote_name

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

SchemaOf = Callable[[str], "StructType"]
_INSERT, _BY_NAME = (re.compile(words, re.IGNORECASE) for words in (r"\s*INSERT\b", r"\bBY\s+NAME\b"))
_QUERY_BEGINS = ("SELECT", "VALUES", "WITH", "FROM", "TABLE", "(")


@dataclass(frozen=True)
class _Insert:
    """The parts of an INSERT: ``partition`` maps the columns in PARTITION to the text of their values, or to None,
    and ``names`` are the columns of the query, if the statement lists them."""

    head: str
    parts: tuple[str, ...]
    table: str
    partition: Mapping[str, str | None]
    names: tuple[str, ...]
    by_name: bool
    query: str


def with_casts(text: str, schema_of: SchemaOf) -> str | None:
    """Return an INSERT whose query casts its columns to those of the table; None for a statement of another form.

    Args:
        text: The statement.
        schema_of: Returns the schema of a query.

    Example:
        >>> with_casts("INSERT INTO t VALUES ('2026-01-02')", schema_of)
        "INSERT INTO t SELECT CAST(c0 AS date) AS `day` FROM (VALUES ('2026-01-02')) AS q(c0)"
    """
    insert = _parsed(text)
    if insert is None:
        return None
    static = {name for name, value in insert.partition.items() if value is not None}
    types = {field.name.lower(): field.dataType.simpleString() for field in schema_of(f"TABLE {insert.table}")}
    given = [field.name for field in schema_of(insert.query)]
    targets: Sequence[str] = insert.names or [name for name in types if name not in static]
    targets = given if insert.by_name else targets
    if len(targets) != len(given) or any(name.lower() not in types for name in targets):
        return None
    aliases = [f"c{number}" for number in range(len(given))]
    casts = (
        f"CAST({alias} AS {types[name.lower()]}) AS {quote_name(name)}"
        for alias, name in zip(aliases, targets, strict=True)
    )
    return f"{insert.head} SELECT {', '.join(casts)} FROM ({insert.query}) AS q({', '.join(aliases)})"


def with_dynamic_partitions_last(text: str, schema_of: SchemaOf, is_attached: Callable[[Sequence[str]], bool]) -> str:
    """Return the statement; an INSERT gets a list of columns if PARTITION names columns without a value.

    Without this list, Spark expects the columns of the query in the order of the table.

    Args:
        text: The statement.
        schema_of: Returns the schema of a query.
        is_attached: Returns whether the parts of a name are those of a table in an attached catalog.

    Example:
        >>> text = "INSERT INTO t PARTITION (day) SELECT 1, '2026-01-02'"
        >>> with_dynamic_partitions_last(text, schema_of, is_attached)
        "INSERT INTO t PARTITION (day) (`id`, `day`) SELECT 1, '2026-01-02'"
    """
    insert = _parsed(text) if "partition" in text.lower() else None
    if (
        insert is None
        or insert.names
        or insert.by_name
        or all(insert.partition.values())
        or not is_attached(insert.parts)
    ):
        return text
    dynamic = [name for name, value in insert.partition.items() if value is None]
    if list(insert.partition)[-len(dynamic) :] != dynamic:
        # Spark refuses a column with a value after a column without one.
        return text
    every = [field.name for field in schema_of(f"TABLE {insert.table}")]
    last = [name for name in every if name.lower() in dynamic]
    own = [name for name in every if name.lower() not in insert.partition]
    listed = ", ".join(map(quote_name, [*own, *last]))
    return f"{insert.head} ({listed}) {insert.query}"


def is_by_position(text: str) -> bool:
    """Return whether a statement is an INSERT whose columns are matched by position."""
    if _INSERT.match(text) is None:
        return False
    insert = _parsed(text) if _BY_NAME.search(text) else None
    return insert is None or not insert.by_name


def _parsed(text: str) -> _Insert | None:
    """Return the parts of an INSERT; None for other statements and forms."""
    try:
        return _insert(Cursor(text), text)
    except InvalidExpression:
        # Spark says what is wrong.
        return None


def _insert(cursor: Cursor, text: str) -> _Insert | None:
    if not cursor.accept("INSERT") or cursor.choose("INTO", "OVERWRITE") is None:
        return None
    cursor.accept("TABLE")
    reference = cursor.table()
    table = text[reference.span[0] : reference.span[1]]
    partition = _partition(cursor) if cursor.accept("PARTITION") else {}
    by_name = cursor.accept("BY", "NAME")
    names = _names(cursor) if cursor.peek() == "(" and cursor.peek(1) not in _QUERY_BEGINS else ()
    if cursor.peek() not in _QUERY_BEGINS:
        return None
    query = cursor.rest()
    return _Insert(text[: text.rindex(query)].strip(), reference.parts, table, partition, names, by_name, query)


def _partition(cursor: Cursor) -> dict[str, str | None]:
    cursor.expect("(")
    found: dict[str, str | None] = {}
    while not found or cursor.accept(","):
        name = cursor.name().lower()
        found[name] = cursor.text_until(",", ")") if cursor.accept("=") else None
    cursor.expect(")")
    return found


def _names(cursor: Cursor) -> tuple[str, ...]:
    cursor.expect("(")
    found = [cursor.name()]
    while cursor.accept(","):
        found.append(cursor.name())
    cursor.expect(")")
    return tuple(found)
