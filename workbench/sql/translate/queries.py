"""Translates queries: SELECT, set operations, VALUES, common table expressions and subqueries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from workbench.base.modules import exp
from workbench.sql.translate import types
from workbench.sql.translate.dialect import shown
from workbench.sql.translate.expressions import Expressions
from workbench.sql.translate.moments import Now
from workbench.sql.translate.operators import to_common_type
from workbench.sql.translate.relations import CommonTable, Query, no_subquery, only, operands, selected, united
from workbench.sql.translate.scope import Relation, Scope
from workbench.sql.translate.selects import ordered, select
from workbench.sql.translate.sources import (
    JOINS,
    OpenTable,
    Source,
    TableUse,
    joined,
    natural_names,
    source_of,
)
from workbench.sql.translate.values import Column, NotTranslated, Typed

Open = Callable[[Any], OpenTable]


@dataclass
class Translator:
    """Translates one statement. ``tables`` are its mentions of tables, in order."""

    open: Open
    now: Now
    tables: list[TableUse] = field(default_factory=list)
    _numbers: Any = field(default_factory=count)

    def alias(self) -> str:
        """Return a new name for a relation."""
        return f"r{next(self._numbers)}"

    # --- queries --------------------------------------------------------------------------------------------------

    def query(self, tree: Any, common: Mapping[str, CommonTable], outer: Scope | None = None) -> Query:
        """Return the translation of a query.

        Raises:
            NotTranslated: If a part of it is not in the allow-list.
            InvalidExpression: If a name cannot be resolved.
        """
        common = self._with(tree, common)
        if isinstance(tree, exp.Subquery):
            only(tree, "this", "with_")
            return self.query(tree.this, common, outer)
        if isinstance(tree, exp.Values):
            return self.values(tree)
        if isinstance(tree, exp.SetOperation):
            return self._set_operation(tree, common)
        if isinstance(tree, exp.Select):
            return select(self, tree, common, outer)
        raise NotTranslated(f"`{shown(tree)}`", "this form of query is not supported on DuckDB")

    def _with(self, tree: Any, common: Mapping[str, CommonTable]) -> Mapping[str, CommonTable]:
        clause = tree.args.get("with_")
        if clause is None:
            return common
        if clause.args.get("recursive"):
            raise NotTranslated("`WITH RECURSIVE`", "it is not supported on DuckDB")
        for each in clause.expressions:
            names = tuple(name.name for name in each.args["alias"].args.get("columns") or ())
            common = {**common, each.alias.lower(): CommonTable(each.this, names, common)}
        return common

    def _set_operation(self, tree: Any, common: Mapping[str, CommonTable]) -> Query:
        only(tree, "this", "expression", "distinct", "order", "limit", "offset", "with_")
        sides = [self.query(each, common) for each in operands(tree)]
        result = united(self, tree, sides)
        if any(tree.args.get(clause) is not None for clause in ("order", "limit", "offset")):
            return ordered(self, tree, self.derived(result, ()))
        return result

    def values(self, tree: Any) -> Query:
        """Return an inline table."""
        expressions = Expressions(Scope(), self.now, no_subquery)
        rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in tree.expressions]
        if len({len(row) for row in rows}) != 1:
            raise NotTranslated("`VALUES`", "its rows have different lengths")
        columns = [
            to_common_type([expressions.of(node) for node in column], "VALUES") for column in zip(*rows, strict=True)
        ]
        listed = ", ".join(f"({', '.join(values[number].sql for values, _ in columns)})" for number in range(len(rows)))
        names = ", ".join(f"c{number}" for number in range(len(columns)))
        alias = self.alias()
        return Query(
            tuple(f"col{number}" for number in range(1, len(columns) + 1)),
            tuple(data_type for _, data_type in columns),
            lambda needed: f"SELECT {selected(needed)} FROM (VALUES {listed}) AS {alias}({names})",
        )

    # --- FROM -----------------------------------------------------------------------------------------------------

    def source(self, tree: Any, common: Mapping[str, CommonTable]) -> Source | None:
        """Return the FROM clause of a SELECT with its joins; None if it has none."""
        clause = tree.args.get("from_")
        if clause is None:
            return None
        result = self._primary(clause.this, common)
        for join in (*(clause.this.args.get("joins") or ()), *(tree.args.get("joins") or ())):
            result = self._join(result, join, common)
        return result

    def _join(self, left: Source, join: Any, common: Mapping[str, CommonTable]) -> Source:
        only(join, "this", "side", "kind", "method", "on", "using")
        right = self._primary(join.this, common)
        for inner in join.this.args.get("joins") or ():
            right = self._join(right, inner, common)
        kind = JOINS.get((str(join.args.get("side") or "").upper(), str(join.args.get("kind") or "").upper()))
        method = str(join.args.get("method") or "").upper()
        if kind is None or method not in ("", "NATURAL"):
            raise NotTranslated(f"`{shown(join)}`", "this kind of join is not supported on DuckDB")
        names = natural_names(left, right) if method else [each.name for each in join.args.get("using") or ()]
        condition = None
        if join.args.get("on") is not None:
            scope = Scope((*left.relations, *right.relations), (*left.visible, *right.visible))
            condition = Expressions(scope, self.now, no_subquery).condition(join.args["on"])
        return joined(left, right, kind, condition, names)

    def _primary(self, node: Any, common: Mapping[str, CommonTable]) -> Source:
        alias = node.args.get("alias")
        names = tuple(each.name for each in (alias.args.get("columns") or ())) if alias is not None else ()
        label = (node.alias,) if node.alias else ()
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            only(node, "this", "db", "catalog", "alias", "version", "joins")
            found = common.get(node.name.lower()) if len(node.parts) == 1 and "version" not in node.args else None
            if found is None:
                return self._table(node, label, names)
            query = self.query(found.tree, found.others)
            return self.derived(query, label or (node.name,), names or found.names)
        if isinstance(node, exp.Values):
            only(node, "expressions", "alias", "joins")
            return self.derived(self.values(node), label, names)
        if isinstance(node, exp.Subquery):
            only(node, "this", "alias", "joins", "with_")
            if isinstance(node.this, exp.Table):
                return self._nested(node.this, common)
            return self.derived(self.query(node.this, self._with(node, common)), label, names)
        raise NotTranslated(f"`{shown(node)}`", "this relation is not supported on DuckDB")

    def _nested(self, node: Any, common: Mapping[str, CommonTable]) -> Source:
        inner = self._primary(node, common)
        for join in node.args.get("joins") or ():
            inner = self._join(inner, join, common)
        return Source(lambda used: f"({inner.render(used)})", inner.relations, inner.visible, inner.preserved)

    def _table(self, node: Any, label: tuple[str, ...], names: Sequence[str]) -> Source:
        table, alias = self.open(node), self.alias()
        columns = tuple(
            Column(name, data_type, f"{alias}.c{position}", table.char_lengths.get(name))
            for position, (name, data_type) in enumerate(table.columns)
        )
        use = TableUse(alias, table, columns)
        self.tables.append(use)
        shown_as = columns
        if names:
            raise NotTranslated(f"`{shown(node)}`", "new names of a table's columns are not supported on DuckDB")
        return source_of(Relation(label or table.qualifier, shown_as), use.render, use)

    def derived(self, query: Query, label: tuple[str, ...], names: Sequence[str] = ()) -> Source:
        """Return the source of a query in parentheses."""
        if names and len(names) != len(query.names):
            raise NotTranslated(f"`{'.'.join(label)}`", "the number of names differs from the number of its columns")
        alias = self.alias()
        columns = tuple(
            Column(name, data_type, f"{alias}.c{position}", char)
            for position, (name, data_type, char) in enumerate(
                zip(names or query.names, query.types, query.chars or [None] * len(query.types), strict=True)
            )
        )

        def render(used: AbstractSet[Column]) -> str:
            needed = [position for position, column in enumerate(columns) if column in used] or [0]
            return f"({query.render(needed)}) AS {alias}"

        return source_of(Relation(label, columns), render)

    # --- subqueries -----------------------------------------------------------------------------------------------

    def subqueries(self, common: Mapping[str, CommonTable], *, in_where: bool) -> Callable[[Any, Scope, str], Typed]:
        """Return the translator of subqueries in a clause; only those in WHERE may use columns of the outer query."""

        def subquery(tree: Any, scope: Scope, use: str) -> Typed:
            if use != "scalar" and not in_where:
                raise NotTranslated(f"`{use}`", "a subquery of IN or EXISTS is supported on DuckDB only in WHERE")
            query = self.query(tree, common, scope if in_where else None)
            if use == "scalar" and query.outer and not query.is_total:
                raise NotTranslated("`A correlated scalar subquery`", "on DuckDB it must aggregate without GROUP BY")
            if use != "EXISTS" and len(query.names) != 1:
                raise NotTranslated(f"`{shown(tree)}`", "the subquery has more than one column")
            sql = f"({query.render([0])})"
            sql, data_type = (f"EXISTS {sql}", types.BOOLEAN) if use == "EXISTS" else (sql, query.types[0])
            return Typed(sql, data_type, frozenset(query.outer))

        return subquery
