"""The SQL statements that suggestions name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.expr.sql_text import quote_name


def sql_name(table: str) -> str:
    """Return the name of a table, given as ``database.table``, as SQL."""
    return ".".join(map(quote_name, table.split(".", 1)))


def named_like(table: str, suffix: str) -> str:
    """Return, as SQL, the name of a table in the same database, with a suffix."""
    return sql_name(f"{table}{suffix}")


def set_options(table: str, options: Mapping[str, str]) -> str:
    """Return the statement that sets options of a table."""
    return f"ALTER TABLE {sql_name(table)} SET TBLPROPERTIES ({properties(options)})"


def call(procedure: str, **arguments: str) -> str:
    """Return the call of a procedure with string arguments."""
    given = ", ".join(f"{name} => {_text(value)}" for name, value in arguments.items())
    return f"CALL sys.{procedure}({given})"


def properties(options: Mapping[str, str]) -> str:
    """Return options as the list of a TBLPROPERTIES clause."""
    return ", ".join(f"{_text(key)} = {_text(value)}" for key, value in options.items())


def select(table: str, columns: Sequence[str], where: str) -> str:
    """Return a query."""
    chosen = ", ".join(map(quote_name, columns)) or "COUNT(*)"
    condition = f" WHERE {where}" if where else ""
    return f"SELECT {chosen} FROM {sql_name(table)}{condition}"


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
