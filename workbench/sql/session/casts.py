"""INSERT of values that Spark does not store in a column on its own, such as texts in a column of dates.

Paimon's connector casts them as CAST does, where Spark's rules of store assignment refuse the statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidExpression
from workbench.sql.cursor import Cursor
from workbench.sql.statements import quote_name

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql.types import StructType

_CANNOT_CAST = "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"
_QUERY_BEGINS = ("SELECT", "VALUES", "WITH", "FROM", "TABLE", "(")


@dataclass(frozen=True)
class _Insert:
    """The parts of an INSERT. ``names`` are the columns of its query, if it lists them."""

    head: str
    table: str
    static: frozenset[str]
    names: tuple[str, ...]
    by_name: bool
    query: str


def is_refused_cast(error: PySparkException) -> bool:
    """Return whether Spark refused a statement because a value would need a cast."""
    return error.getCondition() == _CANNOT_CAST


def with_casts(text: str, schema_of: Callable[[str], StructType]) -> str | None:
    """Return an INSERT whose query casts its columns to those of the table; None for a statement of another form.

    Args:
        text: The statement.
        schema_of: Returns the schema of a query.

    Example:
        >>> with_casts("INSERT INTO t VALUES ('2026-01-02')", schema_of)
        "INSERT INTO t SELECT CAST(c0 AS date) AS `day` FROM (VALUES ('2026-01-02')) AS q(c0)"
    """
    try:
        insert = _parsed(text)
    except InvalidExpression:
        return None
    if insert is None:
        return None
    types = {field.name.lower(): field.dataType.simpleString() for field in schema_of(f"TABLE {insert.table}")}
    given = [field.name for field in schema_of(insert.query)]
    targets: Sequence[str] = insert.names or [name for name in types if name not in insert.static]
    targets = given if insert.by_name else targets
    if len(targets) != len(given) or any(name.lower() not in types for name in targets):
        return None
    aliases = [f"c{number}" for number in range(len(given))]
    casts = (
        f"CAST({alias} AS {types[name.lower()]}) AS {quote_name(name)}"
        for alias, name in zip(aliases, targets, strict=True)
    )
    return f"{insert.head} SELECT {', '.join(casts)} FROM ({insert.query}) AS q({', '.join(aliases)})"


def _parsed(text: str) -> _Insert | None:
    cursor = Cursor(text)
    if not cursor.accept("INSERT") or cursor.choose("INTO", "OVERWRITE") is None:
        return None
    cursor.accept("TABLE")
    span = cursor.table().span
    table = text[span[0] : span[1]]
    static: frozenset[str] = frozenset()
    if cursor.accept("PARTITION"):
        static = frozenset(name.lower() for name in cursor.partition())
    by_name = cursor.accept("BY", "NAME")
    names = _names(cursor) if cursor.peek() == "(" and cursor.peek(1) not in _QUERY_BEGINS else ()
    if cursor.peek() not in _QUERY_BEGINS:
        return None
    query = cursor.rest()
    return _Insert(text[: text.rindex(query)].strip(), table, static, names, by_name, query)


def _names(cursor: Cursor) -> tuple[str, ...]:
    cursor.expect("(")
    found = [cursor.name()]
    while cursor.accept(","):
        found.append(cursor.name())
    cursor.expect(")")
    return tuple(found)
