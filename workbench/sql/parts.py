"""Parses the parts that several statements share: tables with their versions, and queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.base.errors import InvalidExpression
from workbench.base.modules import exp, sqlglot
from workbench.expr.dialect import statement_dialect
from workbench.sql.statements import Select, TableRef, TimeTravel


def table_ref(table: exp.Table, offset: int = 0) -> TableRef:
    """Return the reference of one ``exp.Table``, its span shifted by ``offset``."""
    parts = table.parts
    span = (parts[0].meta.get("start", 0) + offset, parts[-1].meta.get("end", -1) + 1 + offset)
    return TableRef(tuple(part.name for part in parts), _version(table), span)


def _version(table: exp.Table) -> TimeTravel | None:
    clause = table.args.get("version")
    if clause is None:
        return None
    value = clause.expression
    if clause.name == "TIMESTAMP":
        return TimeTravel("timestamp", value.name)
    return TimeTravel("tag", value.name) if value.is_string else TimeTravel("snapshot", int(value.name))


def select_of(tree: exp.Expression, body: str) -> Select:
    """Return a query tree as a `Select`. ``body`` is the whole text that the tree's positions refer to."""
    tables = tuple(_tables_of(tree))
    return Select(body, tables, _columns_of(tree) if len(tables) == 1 else None, tree)


def _tables_of(tree: exp.Expression) -> Iterator[TableRef]:
    """Yield the catalog's tables that the query reads, in text order, without CTEs and table functions."""
    from sqlglot.optimizer.scope import traverse_scope

    tables: dict[int, exp.Table] = {}
    for scope in traverse_scope(tree):
        for source in scope.sources.values():
            if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier):
                tables[id(source)] = source
    yield from sorted((table_ref(table) for table in tables.values()), key=lambda ref: ref.span)


def _columns_of(tree: exp.Expression) -> tuple[str, ...] | None:
    if any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star)):
        return None
    return tuple(dict.fromkeys(column.parts[-1].name for column in tree.find_all(exp.Column)))


def inner_select(query: Any, body: str) -> Select:
    """Return the query inside an INSERT or a CREATE TABLE AS, with its own text cut out of ``body``."""
    begin = _query_start(body, "SELECT", has_with=query.args.get("with_") is not None)
    text = query.sql(dialect="spark") if begin is None else body[begin:]
    return select_of(parse_tree(text), text)


def select_of_rows(body: str) -> Select:
    """Return the rows of an INSERT with VALUES as a query, with the expressions as they are written in ``body``."""
    begin = _query_start(body, "VALUES", has_with=False)
    assert begin is not None
    rows, words = "", _tokens(body[begin:])
    for word, following in zip(words, (*words[1:], None), strict=True):
        end = None if following is None else begin + following.start
        text = body[begin + word.start : end]
        # A write replaces NULL by the default of the column.
        rows += f"NULL{text[len(word.text) :]}" if word.token_type.name == "DEFAULT" else text
    text = f"SELECT * FROM {rows}"
    return select_of(parse_tree(text), text)


def _query_start(body: str, first_word: str, has_with: bool) -> int | None:
    """Return the start of the query: its first word outside parentheses, or the WITH before it; None if there is
    neither.
    """
    depth = 0
    start_of_with: int | None = None
    for token in _tokens(body):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        word = token.text.upper() if depth == 0 else ""
        if word == "WITH":
            start_of_with = token.start
        if word == first_word:
            return start_of_with if has_with else int(token.start)
    return None


def _tokens(body: str) -> list[Any]:
    return list(sqlglot.Dialect.get_or_raise(statement_dialect()).tokenize(body))


def parse_tree(body: str) -> exp.Expression:
    """Parse one statement of Spark's dialect.

    Raises:
        InvalidExpression: If the text is not SQL.
    """
    try:
        tree: Any = sqlglot.parse_one(body, dialect=statement_dialect())
    except sqlglot.errors.ParseError as error:
        position = error.errors[0] if error.errors else {}
        near = str(position.get("highlight") or "").strip()
        where = f" near '{near}' (line {position.get('line')}, column {position.get('col')})" if near else ""
        refusal = InvalidExpression(f"The statement cannot be parsed{where}.")
        raise (refusal.at(*_span(body, position, near)) if near else refusal) from error
    return tree  # type: ignore[no-any-return]


def _span(body: str, position: Mapping[str, Any], near: str) -> tuple[int, int]:
    """Return the span of the token at which sqlglot failed; sqlglot reports the column at which the token ends."""
    lines = body.splitlines(keepends=True)
    line_start = sum(map(len, lines[: int(position["line"]) - 1]))
    end = line_start + int(position["col"])
    start = body.rfind(near, 0, end + 1)
    return (end - 1, end) if start < 0 else (start, start + len(near))
