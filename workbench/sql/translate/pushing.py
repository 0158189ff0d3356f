"""Moves conditions and limits of a query into the scans of its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.base.errors import InvalidExpression
from workbench.base.modules import exp
from workbench.sql.translate.logic import may_raise
from workbench.sql.translate.scope import Scope
from workbench.sql.translate.sources import Source, TableUse
from workbench.sql.translate.values import Column, Typed


def conditions(where: Any) -> list[Any]:
    """Return the parts of a condition that all have to be met."""
    return list(where.flatten()) if isinstance(where, exp.And) else [where]


def push_conditions(source: Source, where: Any, operands: Sequence[Typed], scope: Scope) -> bool:
    """Give each table the conditions on its columns that its scan evaluates as Spark does.

    After a condition that stays in the query and may raise an error, all later ones stay. ``operands`` are the
    translated conditions.

    Returns:
        Whether every condition was moved.
    """
    if where is None:
        return True
    everything = True
    for condition, operand in zip(conditions(where.this), operands, strict=True):
        found = _table_of(condition, source, scope)
        renamed = None if found is None else _renamed(condition, *found)
        if found is not None and found[0].table.accepts(renamed):
            found[0].conditions.append(renamed)
            continue
        everything = False
        if may_raise(operand):
            break
    return everything


def push_limit(table: TableUse, limit: int | None, offset: int | None) -> None:
    """Make the scan of a table end after the rows that the query skips and returns."""
    if limit is not None:
        table.limit = limit + (offset or 0)


def _table_of(condition: Any, source: Source, scope: Scope) -> tuple[TableUse, dict[int, Column]] | None:
    """Return the one table that a condition is about, and its columns by the nodes that name them."""
    if condition.find(exp.Query) is not None:
        return None
    named: dict[int, Column] = {}
    for node in condition.find_all(exp.Column):
        try:
            value, rest = scope.resolve([part.name for part in node.parts], aliases=False)
        except InvalidExpression:
            return None
        if rest or len(value.columns) != 1:
            return None
        named[id(node)] = next(iter(value.columns))
    for table in source.preserved:
        if named and set(named.values()) <= set(table.columns):
            return table, named
    return None


def _renamed(condition: Any, _table: TableUse, named: dict[int, Column]) -> Any:
    """Return the condition with the table's own column names."""
    pairs = [(node, named[id(node)].name) for node in condition.find_all(exp.Column)]
    copy = condition.copy()
    for node, (_, name) in zip(list(copy.find_all(exp.Column)), pairs, strict=True):
        new = exp.column(name, quoted=True)
        if node is copy:
            return new
        node.replace(new)
    return copy
