"""SQL text -> statements as typed values. The dialect is Spark's; what is not understood is refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from workbench.base.errors import InvalidExpression, Unsupported, WorkbenchError, did_you_mean
from workbench.expr.dialect import statement_dialect
from workbench.sql.statements import (
    CreateDatabase,
    Describe,
    DropDatabase,
    DropTable,
    InsertInto,
    Rows,
    Select,
    ShowDatabases,
    ShowTables,
    Statement,
    TableRef,
    Version,
)

if TYPE_CHECKING:
    from sqlglot import exp

SUPPORTED = "SELECT, INSERT, CREATE TABLE, CREATE DATABASE, DROP, SHOW TABLES, SHOW DATABASES, DESCRIBE"
_QUERY_WORDS = ("SELECT", "WITH", "VALUES", "TABLE", "FROM", "(")
_STATEMENT_WORDS = (*_QUERY_WORDS[:4], "INSERT", "CREATE", "DROP", "SHOW", "DESCRIBE", "DESC")
_KNOWN_ELSEWHERE = (
    *("ALTER", "ANALYZE", "CACHE", "CALL", "CLEAR", "COMMENT", "DELETE", "EXPLAIN", "GRANT", "LOAD", "MERGE", "MSCK"),
    *("REFRESH", "REPLACE", "RESET", "REVOKE", "SET", "TRUNCATE", "UNCACHE", "UPDATE", "USE"),
)


def split_script(text: str) -> list[str]:
    """The statements of a script, as they were written, without the semicolons between them.

    Raises:
        InvalidExpression: an open quote.
    """
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.errors import TokenError

    try:
        tokens = Dialect.get_or_raise(statement_dialect()).tokenize(text)
    except TokenError as error:
        raise InvalidExpression("The statement ends inside a quoted text.", "Close the quote.") from error
    statements: list[str] = []
    begin: int | None = None
    end = 0
    for token in tokens:
        if token.token_type.name == "SEMICOLON":
            if begin is not None:
                statements.append(text[begin:end])
            begin = None
            continue
        begin = token.start if begin is None else begin
        end = token.end + 1
    if begin is not None:
        statements.append(text[begin:end])
    return statements


def parse(text: str) -> Statement:
    """The one statement that ``text`` holds.

    Raises:
        InvalidExpression: no statement, more than one, or one that cannot be understood; the message quotes the place.
        Unsupported: a statement that Spark or Paimon has and this library does not run.
    """
    statements = split_script(text)
    if len(statements) != 1:
        found = "no statement" if not statements else f"{len(statements)} statements"
        raise InvalidExpression(f"Expected one statement, found {found}.")
    body = statements[0]
    words = [word.upper() for word in body.replace("(", " ( ", 1).split(None, 2)[:2]]
    if words[0] == "SHOW":
        return _show(body)
    if words[0] not in (*_STATEMENT_WORDS, *_QUERY_WORDS):
        raise _refusal(words[0], body)
    return _statement(_tree(body), body, " ".join(words))


def _refusal(word: str, body: str) -> WorkbenchError:
    if word in _KNOWN_ELSEWHERE:
        return Unsupported(f"{word} statements are not supported.", f"These are: {SUPPORTED}.")
    return InvalidExpression(
        f"'{body.split()[0]}' does not begin a statement.",
        did_you_mean(word, (*_STATEMENT_WORDS, *_KNOWN_ELSEWHERE)) or f"Statements begin with {SUPPORTED}.",
    )


def _tree(body: str) -> exp.Expression:
    import sqlglot
    from sqlglot.errors import ParseError

    try:
        tree: Any = sqlglot.parse_one(body, dialect=statement_dialect())
    except ParseError as error:
        place = error.errors[0] if error.errors else {}
        near = str(place.get("highlight") or "").strip()
        where = f" near '{near}' (line {place.get('line')}, column {place.get('col')})" if near else ""
        raise InvalidExpression(f"The statement cannot be understood{where}.") from error
    return tree  # type: ignore[no-any-return]


def _statement(tree: exp.Expression, body: str, words: str) -> Statement:
    from sqlglot import exp

    from workbench.sql.ddl import create_table

    if isinstance(tree, exp.Query | exp.Values):
        return select_of(tree, body)
    if isinstance(tree, exp.Insert):
        return _insert(tree, body)
    if isinstance(tree, exp.Create) and tree.kind == "TABLE":
        return create_table(tree, body)
    if isinstance(tree, exp.Create) and tree.kind in ("DATABASE", "SCHEMA"):
        return CreateDatabase(body, _database_name(tree.this), bool(tree.args.get("exists")))
    if isinstance(tree, exp.Drop) and tree.kind in ("TABLE", "DATABASE", "SCHEMA"):
        return _drop(tree, body)
    if isinstance(tree, exp.Describe) and isinstance(tree.this, exp.Table):
        return Describe(body, table_ref(tree.this))
    raise Unsupported(f"{words} statements are not supported.", f"These are: {SUPPORTED}.")


def _show(body: str) -> Statement:
    words = body.split()
    kind = words[1].upper() if len(words) > 1 else ""
    if kind in ("DATABASES", "SCHEMAS") and len(words) == 2:
        return ShowDatabases(body)
    if kind == "TABLES" and len(words) == 2:
        return ShowTables(body)
    if kind == "TABLES" and len(words) == 4 and words[2].upper() in ("IN", "FROM"):
        return ShowTables(body, words[3].strip("`"))
    raise Unsupported(
        f"'{body}' is not supported.", "These are: SHOW DATABASES, SHOW TABLES, SHOW TABLES IN <database>."
    )


def _drop(tree: exp.Drop, body: str) -> Statement:
    from sqlglot import exp

    target = tree.find(exp.Table)
    assert target is not None
    exists = bool(tree.args.get("exists"))
    if tree.kind == "TABLE":
        return DropTable(body, table_ref(target), exists)
    return DropDatabase(body, _database_name(target), exists, bool(tree.args.get("cascade")))


def _database_name(target: exp.Expression) -> str:
    return str(target.name or target.text("db"))


def table_ref(table: exp.Table, offset: int = 0) -> TableRef:
    """The reference of one ``exp.Table``, its span shifted by ``offset``."""
    parts = table.parts
    span = (parts[0].meta.get("start", 0) + offset, parts[-1].meta.get("end", -1) + 1 + offset)
    return TableRef(tuple(part.name for part in parts), _version(table), span)


def _version(table: exp.Table) -> Version | None:
    clause = table.args.get("version")
    if clause is None:
        return None
    value = clause.expression
    if clause.name == "TIMESTAMP":
        return Version("timestamp", value.name)
    return Version("tag", value.name) if value.is_string else Version("snapshot", int(value.name))


def select_of(tree: exp.Expression, body: str) -> Select:
    """A query tree as a `Select`. ``body`` is the whole text that the tree's positions speak of."""
    tables = tuple(_tables_of(tree))
    return Select(body, tables, _columns_of(tree) if len(tables) == 1 else None, tree)


def _tables_of(tree: exp.Expression) -> Iterator[TableRef]:
    """The catalog's tables that the query reads, in the order of the text: no CTEs, no table functions."""
    from sqlglot import exp
    from sqlglot.optimizer.scope import traverse_scope

    found: dict[int, exp.Table] = {}
    for scope in traverse_scope(tree):
        for source in scope.sources.values():
            if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier):
                found[id(source)] = source
    yield from sorted((table_ref(table) for table in found.values()), key=lambda ref: ref.span)


def _columns_of(tree: exp.Expression) -> tuple[str, ...] | None:
    from sqlglot import exp

    if any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star)):
        return None
    return tuple(dict.fromkeys(column.parts[-1].name for column in tree.find_all(exp.Column)))


def _insert(tree: exp.Insert, body: str) -> InsertInto:
    from sqlglot import exp

    from workbench.sql.literals import literal_value

    target = tree.this
    columns: tuple[str, ...] = ()
    if isinstance(target, exp.Schema):
        columns = tuple(column.name for column in target.expressions)
        target = target.this
    for clause in ("by_name", "where", "alternative", "conflict", "returning"):
        if tree.args.get(clause):
            raise Unsupported(f"INSERT with {clause.replace('_', ' ').upper()} is not supported.")
    partition: dict[str, Any] = {}
    given = target.args.get("partition")
    for part in given.expressions if given else ():
        if not isinstance(part, exp.EQ):
            raise Unsupported(
                f"PARTITION ({part.sql(dialect='spark')}) without a value is not supported.",
                "Give every partition column of the clause a value, or leave the clause out.",
            )
        partition[part.this.name] = literal_value(part.expression)
    return InsertInto(
        body, table_ref(target), columns, _source(tree, body), bool(tree.args.get("overwrite")), partition
    )


def _source(tree: exp.Insert, body: str) -> Rows | Select:
    from sqlglot import exp

    source = tree.expression
    if isinstance(source, exp.Values):
        return rows_of(source)
    if isinstance(source, exp.Query):
        return inner_select(source, body)
    raise Unsupported("This form of INSERT is not supported.", "Use INSERT INTO t VALUES … or INSERT INTO t SELECT ….")


def inner_select(query: Any, body: str) -> Select:
    """The query inside an INSERT or a CREATE TABLE AS, with its own text cut out of ``body``."""
    begin = _query_start(body, has_with=query.args.get("with_") is not None)
    text = query.sql(dialect="spark") if begin is None else body[begin:]
    return select_of(_tree(text), text)


def _query_start(body: str, has_with: bool) -> int | None:
    """Where the query begins: the first SELECT outside all parentheses, or the WITH before it; None in parentheses."""
    from sqlglot.dialects.dialect import Dialect

    depth = 0
    start_of_with: int | None = None
    for token in Dialect.get_or_raise(statement_dialect()).tokenize(body):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        word = token.text.upper() if depth == 0 else ""
        if word == "WITH":
            start_of_with = token.start
        if word == "SELECT":
            return start_of_with if has_with else int(token.start)
    return None


def rows_of(values: exp.Values) -> Rows:
    """The rows of a VALUES list.

    Raises:
        InvalidExpression: rows of different lengths.
    """
    from sqlglot import exp

    rows = tuple(
        tuple(row.expressions) if isinstance(row, exp.Tuple) else (row.this if isinstance(row, exp.Paren) else row,)
        for row in values.expressions
    )
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise InvalidExpression(f"Row {number} of VALUES has {len(row)} values, the first has {len(rows[0])}.")
    return Rows(rows)
