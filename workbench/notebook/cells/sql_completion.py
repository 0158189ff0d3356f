"""What may follow at a position in SQL: tables, columns, options, functions, keywords."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from workbench.base.errors import WorkbenchError
from workbench.lens.names import function_names, option_names, system_table_names
from workbench.notebook.cells.call_completion import parameter_candidates, procedure_candidates, table_fragment
from workbench.notebook.command import Session
from workbench.sql.context import CATALOG_NAME
from workbench.sql.documentation import signatures

KEYWORDS = (
    *("SELECT", "FROM", "WHERE", "ORDER BY", "GROUP BY", "HAVING", "LIMIT", "JOIN", "LEFT JOIN", "INNER JOIN"),
    *("CROSS JOIN", "ON", "AS", "DISTINCT", "UNION ALL", "WITH", "CASE", "WHEN", "THEN", "ELSE", "END", "OVER"),
    *("PARTITION BY", "VERSION AS OF", "TIMESTAMP AS OF", "INSERT INTO", "INSERT OVERWRITE", "VALUES"),
    *("CREATE TABLE", "CREATE DATABASE", "IF NOT EXISTS", "PRIMARY KEY", "NOT ENFORCED", "PARTITIONED BY"),
    *("TBLPROPERTIES", "COMMENT", "DROP TABLE", "DROP DATABASE", "SHOW TABLES", "SHOW DATABASES", "DESCRIBE", "USE"),
    *("UPDATE", "SET", "DELETE FROM", "MERGE INTO", "USING", "WHEN MATCHED", "WHEN NOT MATCHED", "TRUNCATE TABLE"),
    *("ALTER TABLE", "ADD COLUMN", "DROP COLUMN", "RENAME COLUMN", "ALTER COLUMN", "RENAME TO", "SET TBLPROPERTIES"),
    *(
        "CREATE TAG",
        "DELETE TAG",
        "AS OF VERSION",
        "SHOW TAGS",
        "SHOW PARTITIONS",
        "SHOW CREATE TABLE",
        "SHOW COLUMNS IN",
    ),
    *("CALL sys.", "ANALYZE TABLE", "COMPUTE STATISTICS"),
    *("AND", "OR", "NOT", "NULL", "BETWEEN", "LIKE", "IS NULL", "IS NOT NULL", "IN", "EXISTS", "ASC", "DESC"),
)
_AFTER_TABLE_WORD = re.compile(
    r"\b(from|join|into|overwrite|table|describe|desc|exists|update|using|tags|partitions)\s+$", re.IGNORECASE
)
_NAME = r"(?:`[^`]+`|[\w$]+)(?:\.(?:`[^`]+`|[\w$]+))*"
_NOT_AN_ALIAS = (
    *("where", "on", "join", "left", "right", "inner", "cross", "full", "order", "group", "having", "limit", "union"),
    *("version", "timestamp", "values", "select", "using", "natural", "lateral", "partition", "set", "as"),
)
_NAMED = re.compile(
    rf"\b(?:from|join|into|overwrite|update|using|table|,)\s+({_NAME})(?:\s+(?:as\s+)?(?!(?:{'|'.join(_NOT_AN_ALIAS)})\b)(\w+))?",
    re.IGNORECASE,
)
_OPTIONS = re.compile(r"\b(?:tblproperties|options)\s*\(((?:[^()']|'[^']*')*'?[\w.-]*)$", re.IGNORECASE)
_VALUE = re.compile(r"'([\w.-]+)'\s*=\s*'?([\w.-]*)$")
_LONGEST_MEANING = 60


@dataclass(frozen=True)
class Candidate:
    """A possible completion. ``kind`` says what it is; the completer shows this beside the text."""

    text: str
    kind: str


def sql_candidates(session: Session, before: str, body: str, fragment: str) -> tuple[Iterable[Candidate], str]:
    """Return completions of ``before``, which ends with ``fragment``, and the part of ``before`` that they replace."""
    in_call = _call_candidates(session, before)
    if in_call is not None:
        return in_call
    options = _OPTIONS.search(before)
    if options is not None:
        return _option_candidates(options.group(1))
    if _AFTER_TABLE_WORD.search(before[: len(before) - len(fragment)]):
        return table_names(session, fragment), fragment
    tables = _tables_by_alias(body)
    qualifier, dot, _ = fragment.rpartition(".")
    if dot:
        table = tables.get(qualifier.strip("`").lower())
        return ((Candidate(f"{qualifier}.{each.text}", each.kind) for each in _columns(session, table)), fragment)
    columns = [column for table in dict.fromkeys(tables.values()) for column in _columns(session, table)]
    return [*columns, *_words(tables, fragment, has_columns=bool(columns))], fragment


def _call_candidates(session: Session, before: str) -> tuple[Iterable[Candidate], str] | None:
    procedures = procedure_candidates(before)
    if procedures is not None:
        return [Candidate(name, "procedure") for name in procedures[0]], procedures[1]
    table = table_fragment(before)
    if table is not None:
        return table_names(session, table), table
    parameters = parameter_candidates(before)
    return None if parameters is None else ([Candidate(*each) for each in parameters[0]], parameters[1])


def table_names(session: Session, fragment: str) -> list[Candidate]:
    """Return the tables of the current database, and the databases; if the fragment names a database, its tables; after
    a ``$``, the system tables and branches of a table."""
    first, dot, rest = fragment.partition(".")
    if dot and first.lower() == CATALOG_NAME and not _is_database(session, first):
        return [replace(each, text=f"{first}.{each.text}") for each in _in_catalog(session, rest)]
    table, dollar, _ = fragment.partition("$")
    if dollar:
        branches = _found(lambda: session.table(table).branches())
        system = [Candidate(f"{table}${name}", "system table") for name in system_table_names()]
        return [*system, *(Candidate(f"{table}$branch_{name}", "branch") for name in branches)]
    database, dot, _ = fragment.partition(".")
    if dot:
        names = _found(lambda: session.require_catalog().list_tables(database))
        return [Candidate(f"{database}.{name}", "table") for name in names]
    current = session.database
    own = _found(lambda: session.require_catalog().list_tables(current)) if current is not None else []
    databases = (Candidate(f"{each.text}.", each.kind) for each in database_names(session))
    catalog = [] if session.catalog is None else [Candidate(f"{CATALOG_NAME}.", "catalog")]
    return [*(Candidate(name, "table") for name in own), *databases, *catalog]


def _in_catalog(session: Session, fragment: str) -> list[Candidate]:
    """Return what may follow the name of the catalog: databases, or the tables of the database in the fragment."""
    if "." in fragment or "$" in fragment:
        return table_names(session, fragment)
    return [Candidate(f"{each.text}.", each.kind) for each in database_names(session)]


def _is_database(session: Session, name: str) -> bool:
    return name in _found(lambda: session.require_catalog().list_databases())


def database_names(session: Session) -> list[Candidate]:
    """Return the databases of the catalog."""
    return [Candidate(name, "database") for name in _found(lambda: session.require_catalog().list_databases())]


def _option_candidates(written: str) -> tuple[Iterable[Candidate], str]:
    """Return the options, or the values of an option, that may follow inside the parentheses of TBLPROPERTIES."""
    value = _VALUE.search(written)
    if value is not None:
        allowed = next((each.allowed for each in option_names() if each.name == value[1]), ())
        quote = "" if written[: value.start(2)].endswith("'") else "'"
        return [Candidate(f"{quote}{each}{quote}", "value") for each in allowed], value[2]
    name = re.search(r"('?)([\w.-]*)$", written)
    assert name is not None
    quote = "" if name[1] else "'"
    candidates = (
        Candidate(f"{quote}{each.name}{quote}", _cut(f"option, default {each.default or 'none'}: {each.meaning}"))
        for each in option_names()
    )
    return candidates, name[2]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_MEANING else f"{text[: _LONGEST_MEANING - 1]}…"


def _tables_by_alias(body: str) -> dict[str, str]:
    """Return the tables that a statement names. Keys are their aliases and the last parts of their names."""
    found: dict[str, str] = {}
    for table, alias in _NAMED.findall(body):
        found[table.rpartition(".")[2].strip("`").lower()] = table
        if alias:
            found[alias.lower()] = table
    return found


def _words(tables: Iterable[str], fragment: str, *, has_columns: bool) -> Iterator[Candidate]:
    if has_columns and not fragment:
        return
    upper = fragment[:1].isupper() or not fragment
    yield from (Candidate(alias, "alias") for alias in tables if fragment)
    yield from (Candidate(word if upper else word.lower(), "keyword") for word in sorted(KEYWORDS))
    if fragment:
        known = signatures()
        for name in dict.fromkeys((*function_names(), *known)):
            kind = f"function, of {known[name]}" if name in known else "function"
            yield Candidate(f"{name.upper() if upper else name}(", _cut(kind))


def _columns(session: Session, table: str | None) -> list[Candidate]:
    if table is None:
        return []
    fields = _found(lambda: session.table(table).schema.fields)
    return [Candidate(_quoted(field.name), f"column, {field.type}") for field in fields]


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"\w+", name) else f"`{name.replace('`', '``')}`"


def _found(lookup: Callable[[], Iterable[Any]]) -> list[Any]:
    """Return what ``lookup`` finds; an empty list if it fails, because completions must not raise."""
    try:
        return list(lookup())
    except (WorkbenchError, OSError):
        return []
