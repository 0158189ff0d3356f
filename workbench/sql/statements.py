"""The statements of Paimon's SQL as typed values, and the SQL text of names and versions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.base.modules import exp, sqlglot

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class TimeTravel:
    """A point in a table's history. ``kind`` is 'snapshot' (``value`` is an int), 'tag' or 'timestamp' (a string)."""

    kind: str
    value: int | str

    @property
    def sql(self) -> str:
        """The SQL clause of this version, such as ``VERSION AS OF 3``."""
        if self.kind == "snapshot":
            return f"VERSION AS OF {self.value}"
        word = "TIMESTAMP" if self.kind == "timestamp" else "VERSION"
        return f"{word} AS OF {quote_text(str(self.value))}"

    def __str__(self) -> str:
        return f"{self.kind} {self.value}"


@dataclass(frozen=True)
class TableRef:
    """A table reference of one to three parts with an optional version. ``span`` is its position in the text."""

    parts: tuple[str, ...]
    version: TimeTravel | None = None
    span: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        return ".".join(self.parts)


@dataclass(frozen=True)
class Select:
    """A query. ``columns`` are the columns that it names; None if it selects ``*`` or reads several tables."""

    text: str
    tables: tuple[TableRef, ...]
    columns: tuple[str, ...] | None
    tree: exp.Expression | None = field(compare=False, repr=False)


@dataclass(frozen=True)
class Rows:
    """``VALUES (…), (…)``: rows of literal expressions, all of the same length."""

    rows: tuple[tuple[exp.Expression, ...], ...]


@dataclass(frozen=True)
class InsertInto:
    """``INSERT INTO|OVERWRITE table [(columns)] source``; ``partition`` has the values of a PARTITION clause.

    ``partition_from_rows`` are the columns that the clause names without a value; they come last in the source.
    """

    text: str
    table: TableRef
    columns: tuple[str, ...]
    source: Rows | Select
    overwrite: bool = False
    by_name: bool = False
    partition: Mapping[str, Any] = field(default_factory=dict)
    partition_from_rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class Column:
    """A column of CREATE TABLE; ``type`` is in Paimon's type grammar, without NOT NULL."""

    name: str
    type: str
    nullable: bool = True
    comment: str | None = None
    default: str | None = None


@dataclass(frozen=True)
class CreateTable:
    """``CREATE TABLE``; ``query``, if there is one, provides the columns and the first rows."""

    text: str
    table: TableRef
    columns: tuple[Column, ...] = ()
    primary_key: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    if_not_exists: bool = False
    query: Select | None = None


@dataclass(frozen=True)
class CreateTableLike:
    """``CREATE TABLE table LIKE source``: the same columns, keys, comments and options, without rows."""

    text: str
    table: TableRef
    source: TableRef
    options: Mapping[str, str] = field(default_factory=dict)
    if_not_exists: bool = False


@dataclass(frozen=True)
class DropTable:
    """``DROP TABLE [IF EXISTS] name``."""

    text: str
    table: TableRef
    if_exists: bool = False


@dataclass(frozen=True)
class DropDatabase:
    """``DROP DATABASE [IF EXISTS] name [CASCADE]``."""

    text: str
    name: str
    if_exists: bool = False
    cascade: bool = False


Statement = Select | InsertInto | CreateTable | CreateTableLike | DropTable | DropDatabase


def quote_text(text: str) -> str:
    """Return a SQL string literal of ``text`` with all quotes escaped."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def quote_name(name: str) -> str:
    """Return an identifier in backquotes with all backquotes escaped."""
    return "`" + name.replace("`", "``") + "`"


def quote_if_needed(name: str) -> str:
    """Return an identifier, in backquotes unless it is a plain word that is not a keyword."""
    is_plain = _PLAIN_NAME.fullmatch(name) and sqlglot.tokenize(name, read="spark")[0].token_type.name == "VAR"
    return name if is_plain else quote_name(name)


def with_full_names(
    select: Select, names: Mapping[TableRef, tuple[str, ...]], version: TimeTravel | None = None
) -> str:
    """Return the query's text with the full name of every table; ``version`` is added to each table without one.

    Cutting into the text, instead of printing the tree, keeps every other character as the user wrote it.
    """
    begin = 0
    pieces: list[str] = []
    for table in select.tables:
        pieces.append(select.text[begin : table.span[0]])
        pieces.append(".".join(quote_name(part) for part in names[table]))
        if version is not None and table.version is None:
            pieces.append(f" {version.sql}")
        begin = table.span[1]
    return "".join([*pieces, select.text[begin:]])


def names_procedure(parts: Sequence[str]) -> bool:
    """Return whether the parts of a name are those of a procedure, ``[catalog.]sys.name`` in any case."""
    return len(parts) > 1 and parts[-2].lower() == "sys"
