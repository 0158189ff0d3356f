"""Completions: sub-commands, flags, databases, tables, and columns of the tables in the cell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

from workbench.base.errors import WorkbenchError
from workbench.notebook.command import Session
from workbench.notebook.commands import commands
from workbench.sql.engines.registry import engine_names

FLAGS = ("--out", "--save", "--limit", "--snapshot", "--tag", "--engine", "--vars")
KEYWORDS = (
    *("SELECT", "FROM", "WHERE", "ORDER BY", "GROUP BY", "LIMIT", "JOIN", "ON", "AS", "DISTINCT", "VERSION AS OF"),
    *("INSERT INTO", "INSERT OVERWRITE", "VALUES", "CREATE TABLE", "CREATE DATABASE", "IF NOT EXISTS", "PRIMARY KEY"),
    *("PARTITIONED BY", "TBLPROPERTIES", "DROP TABLE", "SHOW TABLES", "SHOW DATABASES", "DESCRIBE", "AND", "OR", "NOT"),
    *("NULL", "BETWEEN", "LIKE", "IS NULL", "IN", "COUNT", "SUM", "MIN", "MAX"),
)
_WORD = re.compile(r"[^\s(),;=<>+*/]*$")
_AFTER_TABLE_WORD = re.compile(r"\b(from|join|into|overwrite|table|describe|desc|exists)\s+$", re.IGNORECASE)
_NAMED = re.compile(r"\b(?:from|join|into|overwrite)\s+([\w.`$]+)", re.IGNORECASE)


def make_matcher(session: Session) -> Callable[[CompletionContext], SimpleMatcherResult]:
    """Return a matcher for IPython's completer with the names of the session's catalog."""

    def paimon_matcher(context: CompletionContext) -> SimpleMatcherResult:
        candidates, fragment = completions(session, context.full_text, context.line_with_cursor, context.cursor_line)
        return SimpleMatcherResult(
            completions=[SimpleCompletion(text=text, type="paimon") for text in candidates],
            matched_fragment=fragment,
            # Python names are of no use in SQL: if this matcher finds any, it suppresses the others.
            suppress=bool(candidates),
        )

    matcher: Callable[[CompletionContext], SimpleMatcherResult] = context_matcher()(paimon_matcher)
    return matcher


def completions(session: Session, text: str, line: str, line_number: int) -> tuple[list[str], str]:
    """Return the completions inside the magic, and the fragment that ends at the cursor, as ``line`` does."""
    word = _WORD.search(line)
    fragment = word.group() if word else ""
    before = line[: len(line) - len(fragment)]
    if text.lstrip().startswith("%%paimon"):
        candidates = (
            _flags(before) if line_number == 0 or line.startswith("%%") else _sql(session, text, before, fragment)
        )
    elif line.lstrip().startswith("%paimon"):
        candidates = _line(session, before, fragment)
    else:
        return [], ""
    lower = fragment.lower()
    matching = dict.fromkeys(each for each in candidates if each.lower().startswith(lower) and each != fragment)
    return sorted(matching, key=str.lower), fragment


def _flags(before: str) -> Iterable[str]:
    if not before.strip():
        return ()
    return engine_names() if re.search(r"(--engine|-e)\s+$", before) else FLAGS


def _line(session: Session, before: str, fragment: str) -> Iterable[str]:
    words = before.split()[1:]
    if not before.strip():
        return ()
    if not words:
        return commands()
    if fragment.startswith("-") or words[-1] in ("--engine", "-e"):
        return _flags(before)
    command = commands().get(words[0])
    argument = command.argument if command else ""
    if argument == "database":
        return _names(lambda: session.require_catalog().list_databases())
    return _tables(session, fragment) if argument == "table" else ()


def _sql(session: Session, text: str, before: str, fragment: str) -> Iterable[str]:
    if _AFTER_TABLE_WORD.search(before):
        return _tables(session, fragment)
    columns = [name for table in _NAMED.findall(text) for name in _columns(session, table)]
    keywords = [word if fragment[:1].isupper() else word.lower() for word in KEYWORDS]
    return [*columns, *keywords] if fragment else columns


def _tables(session: Session, fragment: str) -> list[str]:
    """Return the tables of the current database, or of the one in the fragment, and the databases."""
    database, dot, _ = fragment.partition(".")
    if dot:
        return [f"{database}.{name}" for name in _names(lambda: session.require_catalog().list_tables(database))]
    current = session.database
    own = _names(lambda: session.require_catalog().list_tables(current)) if current is not None else []
    return [*own, *(f"{name}." for name in _names(lambda: session.require_catalog().list_databases()))]


def _columns(session: Session, table: str) -> list[str]:
    return _names(lambda: list(session.table(table).arrow_schema.names))


def _names(lookup: Callable[[], Any]) -> list[str]:
    """Return the names that the catalog lists; none if it fails, because completions must not raise."""
    try:
        return list(lookup())
    except (WorkbenchError, OSError):
        return []
