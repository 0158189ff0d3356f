"""Parses SQL text in Spark's dialect into typed statements; unsupported statements are refused by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from workbench.base.counting import counted
from workbench.base.errors import InvalidExpression, Unsupported, WorkbenchError, did_you_mean
from workbench.base.modules import exp, sqlglot
from workbench.expr.depth import refused_depth
from workbench.expr.dialect import statement_dialect, with_selects
from workbench.sql.commands.databases import create_database
from workbench.sql.commands.protocol import Command
from workbench.sql.commands.registry import COMMANDS
from workbench.sql.commands.views import create_view, drop_view
from workbench.sql.parts import inner_select, parse_tree, select_of, select_of_rows, table_ref
from workbench.sql.statements import (
    DropDatabase,
    DropTable,
    InsertInto,
    Rows,
    Select,
    Statement,
)

_QUERY_WORDS = ("SELECT", "WITH", "VALUES", "TABLE", "FROM", "(")
_STATEMENT_WORDS = (*_QUERY_WORDS[:4], "INSERT", "CREATE", "DROP", *COMMANDS)
SUPPORTED = ", ".join(("SELECT", "INSERT", "CREATE TABLE", "CREATE VIEW", "CREATE DATABASE", "DROP", "USE", *COMMANDS))
_OF_OBJECTS: Sequence[tuple[str, Callable[[str], Command | None]]] = (
    ("CREATE", create_view),
    ("CREATE", create_database),
    ("DROP", drop_view),
)
_KNOWN_ELSEWHERE = (
    *(
        "CACHE",
        "CLEAR",
        "EXPLAIN",
        "GRANT",
        "LOAD",
        "MSCK",
        "REPLACE",
        "RESET",
        "REVOKE",
        "SET",
        "UNCACHE",
        "USE",
    ),
)


def split_script(text: str) -> list[str]:
    """Return the statements of a script as written, without the semicolons between them.

    Raises:
        InvalidExpression: If a quote is not closed.
    """
    try:
        tokens = sqlglot.Dialect.get_or_raise(statement_dialect()).tokenize(text)
    except sqlglot.errors.TokenError as error:
        raise InvalidExpression("The statement ends inside a quoted string.", "Close the quote.") from error
    statements: list[str] = []
    begin: int | None = None
    end = 0
    for token in tokens:
        if token.token_type.name == "SEMICOLON":
            if begin is not None:
                statements.append(text[begin:end].rstrip())
            begin = None
            continue
        begin = token.start if begin is None else begin
        end = token.end + 1
    if begin is not None:
        # The tokens of some statements, such as EXPLAIN, include the white space that follows them.
        statements.append(text[begin:end].rstrip())
    return statements


def parse(text: str) -> Statement | Command:
    """Return the one statement in ``text``.

    Raises:
        InvalidExpression: If there is no statement or more than one, or if it cannot be parsed; the message quotes the
            position.
        Unsupported: If Spark or Paimon has the statement but this library does not run it.
    """
    with refused_depth():
        return _parsed(only_statement(text))


def _parsed(body: str) -> Statement | Command:
    words = [word.upper() for word in body.replace("(", " ( ", 1).split(None, 2)[:2]]
    if words[0] in COMMANDS:
        return COMMANDS[words[0]](body)
    for word, parsed in _OF_OBJECTS:
        if words[0] == word and (command := parsed(body)) is not None:
            return command
    if words[0] not in (*_STATEMENT_WORDS, *_QUERY_WORDS):
        raise _refusal(words[0], body)
    body = with_selects(body)
    return _statement(parse_tree(body), body, " ".join(words))


def only_statement(text: str) -> str:
    """Return the one statement in ``text``, without a semicolon.

    Raises:
        InvalidExpression: If there is no statement, or more than one.
    """
    statements = split_script(text)
    if len(statements) != 1:
        count = "no statement" if not statements else f"{len(statements)} statements"
        raise InvalidExpression(f"Expected one statement, found {count}.")
    return statements[0]


def is_query(text: str) -> bool:
    """Return whether the text begins like a query, in any dialect."""
    words = only_statement(text).replace("(", " ( ", 1).split(None, 1)
    return words[0].upper() in (*_QUERY_WORDS, "PIVOT", "UNPIVOT")


def _refusal(word: str, body: str) -> WorkbenchError:
    if word == "EXPLAIN":
        # The command takes one line, in which a comment would end the query.
        query = " ".join(body.split()[1:]) if "--" not in body else ""
        return Unsupported("EXPLAIN is not supported.", f"Write %paimon explain {query or 'SELECT …'}.")
    if word in _KNOWN_ELSEWHERE:
        return Unsupported(f"{word} statements are not supported.", f"Supported are {SUPPORTED}.")
    return InvalidExpression(
        f"Unknown statement '{body.split()[0]}'.",
        did_you_mean(word, (*_STATEMENT_WORDS, *_KNOWN_ELSEWHERE)) or f"Statements begin with {SUPPORTED}.",
    )


def _statement(tree: exp.Expression, body: str, words: str) -> Statement:
    from workbench.sql.ddl import create_table

    if isinstance(tree, exp.Query | exp.Values):
        return select_of(tree, body)
    if isinstance(tree, exp.Insert):
        return _insert(tree, body)
    if isinstance(tree, exp.Create) and tree.kind == "TABLE":
        return create_table(tree, body)
    if isinstance(tree, exp.Drop) and tree.kind in ("TABLE", "DATABASE", "SCHEMA"):
        return _drop(tree, body)
    raise Unsupported(f"{words} statements are not supported.", f"Supported are {SUPPORTED}.")


def _drop(tree: exp.Drop, body: str) -> Statement:
    target = tree.find(exp.Table)
    assert target is not None
    exists = bool(tree.args.get("exists"))
    if tree.kind == "TABLE":
        return DropTable(body, table_ref(target), exists)
    return DropDatabase(body, _database_name(target), exists, bool(tree.args.get("cascade")))


def _database_name(target: exp.Expression) -> str:
    return str(target.name or target.text("db"))


def _insert(tree: exp.Insert, body: str) -> InsertInto:
    from workbench.sql.literals import literal_value

    target = tree.this
    columns: tuple[str, ...] = ()
    if isinstance(target, exp.Schema):
        columns = tuple(column.name for column in target.expressions)
        target = target.this
    for clause in ("where", "alternative", "conflict", "returning"):
        if tree.args.get(clause):
            raise Unsupported(f"INSERT with {clause.replace('_', ' ').upper()} is not supported.")
    partition: dict[str, Any] = {}
    from_rows: list[str] = []
    given = target.args.get("partition")
    for part in given.expressions if given else ():
        if not isinstance(part, exp.EQ):
            from_rows.append(part.name)
            continue
        partition[part.this.name] = literal_value(part.expression)
    return InsertInto(
        body,
        table_ref(target),
        columns,
        _source(tree, body),
        bool(tree.args.get("overwrite")),
        bool(tree.args.get("by_name")),
        partition,
        tuple(from_rows),
    )


def _source(tree: exp.Insert, body: str) -> Rows | Select:
    from workbench.sql.literals import is_literal

    source = tree.expression
    if isinstance(source, exp.Values):
        rows = rows_of(source)
        # Rows of other expressions are a query, so that an engine computes them.
        return rows if all(map(is_literal, chain.from_iterable(rows.rows))) else select_of_rows(body)
    if isinstance(source, exp.Query):
        return inner_select(source, body)
    raise Unsupported("This form of INSERT is not supported.", "Use INSERT INTO t VALUES … or INSERT INTO t SELECT ….")


def rows_of(values: exp.Values) -> Rows:
    """Return the rows of a VALUES list, with NULL for DEFAULT: a write replaces it by the default of the column.

    Raises:
        InvalidExpression: If the rows have different lengths.
    """
    lists = (
        row.expressions if isinstance(row, exp.Tuple) else (row.this if isinstance(row, exp.Paren) else row,)
        for row in values.expressions
    )
    rows = tuple(tuple(exp.Null() if _is_default(value) else value for value in values) for values in lists)
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise InvalidExpression(
                f"Row {number} of VALUES has {counted(len(row), 'values')}, the first has {len(rows[0])}."
            )
    return Rows(rows)


def _is_default(value: exp.Expression) -> bool:
    return isinstance(value, exp.Var) and value.name.upper() == "DEFAULT"
