"""Recognizes queries that need no Spark: one table, simple expressions, filter, order, limit, totals over all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import InvalidExpression, Unsupported
from workbench.base.modules import exp
from workbench.sql.statements import Select, TableRef

_TOTALS = ("Count", "Min", "Max", "Sum")
_CLAUSES = {
    "joins": "joins",
    "laterals": "LATERAL VIEW",
    "group": "GROUP BY",
    "having": "HAVING",
    "qualify": "QUALIFY",
    "windows": "WINDOW",
    "distinct": "DISTINCT",
    "with_": "WITH",
    "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY",
    "sort": "SORT BY",
    "pivots": "PIVOT",
    "sample": "TABLESAMPLE",
    "hint": "hints",
}


@dataclass(frozen=True)
class Item:
    """One column of the result: the tree of an expression or of a total's argument (None for ``count(*)``)."""

    name: str
    tree: exp.Expression | None
    total: str | None = None


@dataclass(frozen=True)
class Key:
    """One key of ORDER BY: a column of the table or of the result."""

    name: str
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class LocalQuery:
    """A query in the form that `bind` and `run` carry out. None among ``items`` means ``*``."""

    table: TableRef | None
    items: tuple[Item | None, ...]
    where: exp.Expression | None
    order: tuple[Key, ...]
    limit: int | None
    offset: int

    @property
    def totals(self) -> bool:
        """Whether the query returns one row of totals."""
        return any(item is not None and item.total is not None for item in self.items)


def local_query(select: Select) -> LocalQuery:
    """Return the query as a local one.

    Raises:
        Unsupported: If it needs Spark; the message names the part that does.
    """
    tree = select.tree
    if not isinstance(tree, exp.Select):
        raise _needs_spark(f"{tree.key.upper()} queries")
    for clause, name in _CLAUSES.items():
        if tree.args.get(clause):
            raise _needs_spark(name)
    if len(select.tables) > 1 or next(_inner(tree), None) is not None:
        raise _needs_spark("subqueries and more than one table")
    source = tree.args.get("from_")
    if source is not None and not select.tables:
        raise _needs_spark("table functions")
    tree = _unqualified(tree, source)
    where = tree.args.get("where")
    items = tuple(_item(node) for node in tree.expressions)
    plain = any(item is None or item.total is None for item in items)
    query = LocalQuery(
        select.tables[0] if select.tables else None,
        items,
        where.this if where is not None else None,
        tuple(_key(node, items) for node in _order(tree)),
        _count(tree, "limit"),
        _count(tree, "offset") or 0,
    )
    if query.totals and (plain or query.order):
        raise _needs_spark("totals beside plain columns")
    return query


def _needs_spark(what: str) -> Unsupported:
    return Unsupported(f"The local engine does not support {what}.", "Use --engine spark.")


def _inner(tree: exp.Expression) -> Any:
    return (node for node in tree.find_all(exp.Query, exp.Window, exp.Explode) if node is not tree)


def _unqualified(tree: exp.Select, source: exp.Expression | None) -> exp.Select:
    """Return the tree with ``t.a`` written as ``a``: with one table the qualifier is redundant."""
    copy = tree.copy()
    if source is None:
        return copy
    names = {source.this.alias_or_name.lower(), source.this.name.lower()}
    for column in copy.find_all(exp.Column):
        if isinstance(column.this, exp.Star) and column.table.lower() in names:
            column.replace(exp.Star())
        elif column.table.lower() in names and not column.args.get("db"):
            column.set("table", None)
    return copy


def _item(node: exp.Expression) -> Item | None:
    if isinstance(node, exp.Star):
        if node.args.get("except_") or node.args.get("replace"):
            raise _needs_spark("* EXCEPT")
        return None
    name = node.alias_or_name if isinstance(node, exp.Alias | exp.Column) else node.sql(dialect="spark").lower()
    inner = node.this if isinstance(node, exp.Alias) else node
    node_type = type(inner).__name__
    if node_type in _TOTALS:
        return _total(name, node_type, inner)
    if next(inner.find_all(exp.AggFunc), None) is not None:
        raise _needs_spark(f"'{inner.sql(dialect='spark')}'")
    return Item(name, inner)


def _total(name: str, kind: str, node: Any) -> Item:
    if isinstance(node.this, exp.Star):
        return Item(name, None, "Count")
    if isinstance(node.this, exp.Distinct) or node.expressions or next(node.this.find_all(exp.AggFunc), None):
        raise _needs_spark(f"'{node.sql(dialect='spark')}'")
    return Item(name, node.this, kind)


def _order(tree: exp.Select) -> Sequence[Any]:
    order = tree.args.get("order")
    return order.expressions if order is not None else ()


def _key(node: Any, items: Sequence[Item | None]) -> Key:
    descending = bool(node.args.get("desc"))
    nulls_first = bool(node.args.get("nulls_first")) if node.args.get("nulls_first") is not None else not descending
    target = node.this
    if isinstance(target, exp.Literal) and not target.is_string:
        position = int(target.name)
        chosen = items[position - 1] if 0 < position <= len(items) else None
        if chosen is None:
            raise InvalidExpression(f"ORDER BY {position}: the query has no such column.")
        return Key(chosen.name, descending, nulls_first)
    if not isinstance(target, exp.Column):
        raise _needs_spark("ORDER BY of an expression")
    return Key(target.name, descending, nulls_first)


def _count(tree: exp.Select, clause: str) -> int | None:
    node = tree.args.get(clause)
    if node is None:
        return None
    if not node.expression.is_int:
        raise _needs_spark(f"{clause.upper()} of an expression")
    return int(node.expression.name)
