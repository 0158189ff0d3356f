"""Replaces the subqueries of a condition by their values, so that the condition can be evaluated on one table."""

from __future__ import annotations

from typing import Any

from workbench.base.errors import InvalidExpression, Unsupported
from workbench.base.modules import exp, scopes
from workbench.expr.char_values import UNPADDED
from workbench.sql.context import Context
from workbench.sql.frames import arrow_rows
from workbench.sql.literals import literal_text
from workbench.sql.parts import parse_tree, select_of
from workbench.sql.query import query_rows

_MAX_VALUES = 100_000


def without_subqueries(node: exp.Expr, context: Context) -> exp.Expr:
    """Return an expression with the value of each subquery in its place.

    Raises:
        Unsupported: If a subquery refers to the table of the statement, or returns too many rows.
        InvalidExpression: If a scalar subquery returns more than one row or column.
    """
    for found in _outermost_subqueries(node):
        replacement = _value(found, context)
        if found is node:
            return replacement
        _compare_as_it_is(found)
        found.replace(replacement)
    return node


def _compare_as_it_is(scalar: exp.Expr) -> None:
    """Mark what a comparison compares with a scalar subquery: unlike constants, its value is not padded for CHAR."""
    comparisons = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.In)
    part = scalar
    while part.parent is not None and not isinstance(part.parent, exp.Connector | exp.Not):
        compared, part = part, part.parent
        if isinstance(part, comparisons):
            for other in (part.this, part.args.get("expression"), *part.expressions):
                if other is not None and other is not compared:
                    other.replace(_unpadded(other))
            return


def _unpadded(node: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=UNPADDED, expressions=[node.copy()])


def _outermost_subqueries(node: exp.Expr) -> list[exp.Expr]:
    return [each for each in node.walk(prune=_is_subquery) if _is_subquery(each)]


def _is_subquery(node: exp.Expr) -> bool:
    return isinstance(node, exp.Exists | exp.Subquery) or (isinstance(node, exp.In) and bool(node.args.get("query")))


def _value(node: exp.Expr, context: Context) -> exp.Expr:
    query = _query_of(node)
    rows = _rows(query, context)
    if isinstance(node, exp.Exists):
        return _literal(rows.num_rows > 0)
    if rows.num_columns != 1:
        raise InvalidExpression(
            f"The subquery '{query.sql(dialect='spark')}' returns {rows.num_columns} columns.", "Select one column."
        )
    values = rows.column(0).to_pylist()
    if isinstance(node, exp.In):
        if not values:
            return _literal(False)
        return exp.In(this=_unpadded(node.this), expressions=[_literal(value) for value in dict.fromkeys(values)])
    if len(values) > 1:
        raise InvalidExpression(
            f"The subquery '{query.sql(dialect='spark')}' returns {len(values)} rows.", "Let it return one row."
        )
    return _literal(values[0] if values else None)


def _query_of(node: exp.Expr) -> Any:
    query = node.args["query"] if isinstance(node, exp.In) else node.this
    return query.unnest() if isinstance(query, exp.Subquery) else query


def _rows(query: Any, context: Context) -> Any:
    text = query.sql(dialect="spark")
    if _refers_outside(query):
        raise Unsupported(
            f"The subquery '{text}' refers to the table that is changed, which is not supported.",
            "Use MERGE INTO with the subquery as its source.",
        )
    rows, _ = query_rows(context, select_of(parse_tree(text), text))
    rows = arrow_rows(rows)
    if rows.num_rows > _MAX_VALUES:
        raise Unsupported(
            f"The subquery '{text}' returns {rows.num_rows:,} rows; at most {_MAX_VALUES:,} are supported.",
            "Use MERGE INTO with the subquery as its source.",
        )
    return rows


def _refers_outside(query: Any) -> bool:
    """Return whether a column of the query is qualified with a table that the query does not read."""
    known = {name.lower() for scope in scopes.traverse_scope(query) for name in scope.sources}
    return any(column.table and column.table.lower() not in known for column in query.find_all(exp.Column))


def _literal(value: Any) -> exp.Expr:
    return parse_tree(f"SELECT {literal_text(value)}").expressions[0]  # type: ignore[no-any-return]
