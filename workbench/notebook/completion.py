"""Completions: sub-commands and flags, databases, tables, and columns of the tables that the cell names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

from workbench.base.errors import WorkbenchError
from workbench.notebook.commands import COMMANDS, Session
from workbench.sql.context import ENGINES

FLAGS = ("--out", "--limit", "--snapshot", "--tag", "--engine", "--vars")
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
    """A matcher for IPython's completer that knows what ``session`` has open."""

    def paimon_matcher(context: CompletionContext) -> SimpleMatcherResult:
        found, fragment = completions(session, context.full_text, context.line_with_cursor, context.cursor_line)
        return SimpleMatcherResult(
            completions=[SimpleCompletion(text=text, type="paimon") for text in found],
            matched_fragment=fragment,
            # Python names mean nothing in SQL: where this matcher speaks, the others are silent.
            suppress=bool(found),
        )

    matcher: Callable[[CompletionContext], SimpleMatcherResult] = context_matcher()(paimon_matcher)
    return matcher


def completions(session: Session, text: str, line: str, line_number: int) -> tuple[list[str], str]:
    """What may follow, and its part that is there already. ``line`` ends at the cursor; nothing outside the magic."""
    word = _WORD.search(line)
    fragment = word.group() if word else ""
    before = line[: len(line) - len(fragment)]
    if text.lstrip().startswith("%%paimon"):
        found = _flags(before) if line_number == 0 or line.startswith("%%") else _sql(session, text, before, fragment)
    elif line.lstrip().startswith("%paimon"):
        found = _line(session, before, fragment)
    else:
        return [], ""
    lower = fragment.lower()
    matching = dict.fromkeys(each for each in found if each.lower().startswith(lower) and each != fragment)
    return sorted(matching, key=str.lower), fragment


def _flags(before: str) -> Iterable[str]:
    if not before.strip():
        return ()
    return ENGINES if re.search(r"(--engine|-e)\s+$", before) else FLAGS


def _line(session: Session, before: str, fragment: str) -> Iterable[str]:
    words = before.split()[1:]
    if not before.strip():
        return ()
    if not words:
        return COMMANDS
    if fragment.startswith("-") or words[-1] in ("--engine", "-e"):
        return _flags(before)
    argument = COMMANDS[words[0]].argument if words[0] in COMMANDS else ""
    if argument == "database":
        return _asked(lambda: session.require_catalog().list_databases())
    return _tables(session, fragment) if argument == "table" else ()


def _sql(session: Session, text: str, before: str, fragment: str) -> Iterable[str]:
    if _AFTER_TABLE_WORD.search(before):
        return _tables(session, fragment)
    columns = [name for table in _NAMED.findall(text) for name in _columns(session, table)]
    keywords = [word if fragment[:1].isupper() else word.lower() for word in KEYWORDS]
    return [*columns, *keywords] if fragment else columns


def _tables(session: Session, fragment: str) -> list[str]:
    """Tables of the current database, and of that one which the fragment begins with; and the databases."""
    database, dot, _ = fragment.partition(".")
    if dot:
        return [f"{database}.{name}" for name in _asked(lambda: session.require_catalog().list_tables(database))]
    current = session.database
    own = _asked(lambda: session.require_catalog().list_tables(current)) if current is not None else []
    return [*own, *(f"{name}." for name in _asked(lambda: session.require_catalog().list_databases()))]


def _columns(session: Session, table: str) -> list[str]:
    return _asked(lambda: list(session.table(table).arrow_schema.names))


def _asked(question: Callable[[], Any]) -> list[str]:
    """The catalog's answer; none where it cannot be asked, for a completion is no place for errors."""
    try:
        return list(question())
    except (WorkbenchError, OSError):
        return []
