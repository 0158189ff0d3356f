"""Translates one SELECT: its rows, groups, columns, order and limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import InvalidExpression
from workbench.base.modules import exp
from workbench.sql.translate import types
from workbench.sql.translate.char_values import char_length
from workbench.sql.translate.dialect import shown, written
from workbench.sql.translate.expressions import Expressions
from workbench.sql.translate.grouping import Grouped, GroupedExpressions, group_keys
from workbench.sql.translate.literals import literal
from workbench.sql.translate.logic import filters
from workbench.sql.translate.pushing import conditions, push_conditions, push_limit
from workbench.sql.translate.relations import CommonTable, Query, Translating, check_scalars, only, selected
from workbench.sql.translate.scope import Named, Scope
from workbench.sql.translate.sources import Source, TableUse
from workbench.sql.translate.values import NotTranslated, Typed, combined
from workbench.sql.translate.windows import has_aggregate, ordering

_CLAUSES = (
    *("expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct"),
    *("windows", "with_", "hint"),
)


def select(translator: Translating, tree: Any, common: Mapping[str, CommonTable], outer: Scope | None = None) -> Query:
    """Return the translation of a SELECT. WHERE may refer to the columns of ``outer``."""
    only(tree, *_CLAUSES)
    source = translator.source(tree, common)
    relations, visible = (source.relations, source.visible) if source is not None else ((), ())
    windows = {each.this.name.lower(): each for each in tree.args.get("windows") or ()}
    scope = Scope(relations, visible)
    inside = Expressions(scope, translator.now, translator.subqueries(common, in_where=False), windows)
    operands, where, outer_used = _where(translator, tree, common, Scope(relations, visible, outer=outer))
    pushed = source is not None and push_conditions(source, tree.args.get("where"), operands, scope)
    table = _only_table(source) if pushed else None
    if pushed:
        where = None
    if not _is_grouped(tree):
        outputs = _outputs(tree, inside, scope)
        rows = _Rows(source, where, None)
        order = _order(tree, outputs, inside)
        result = _query(translator, tree, rows, outputs, order, outer_used)
        if table is not None and not order and not tree.args.get("distinct") and not _has_window(tree):
            push_limit(table, _number(tree, "limit"), _number(tree, "offset"))
        return result
    return _grouped(translator, tree, _Rows(source, where, table), inside, outer_used)


@dataclass(frozen=True)
class _Rows:
    """The input rows of a SELECT: a source and a condition; ``table`` is set if its scan returns just these rows."""

    source: Source | None
    where: Typed | None
    table: TableUse | None


def _where(
    translator: Translating, tree: Any, common: Mapping[str, CommonTable], scope: Scope
) -> tuple[list[Typed], Typed | None, frozenset[Any]]:
    """Return the conditions of WHERE, their conjunction, and the columns of an enclosing query that they use."""
    clause = tree.args.get("where")
    if clause is None:
        return [], None, frozenset()
    if has_aggregate(clause.this):
        raise NotTranslated(f"`{shown(clause.this)}`", "WHERE has no aggregates")
    expressions = Expressions(scope, translator.now, translator.subqueries(common, in_where=True))
    operands = [expressions.condition(node) for node in conditions(clause.this)]
    if len(scope.relations) > 1:
        # Both engines plan a join from its conditions, so these remain a plain AND.
        value = combined(f"({' AND '.join(each.sql for each in operands)})", types.BOOLEAN, operands)
    else:
        value = filters(operands)
    return operands, value, frozenset(scope.outer_used)


def _only_table(source: Source | None) -> TableUse | None:
    """Return the table that a source consists of, or None if the source is a join or a derived relation."""
    if source is None or len(source.relations) != 1 or len(source.preserved) != 1:
        return None
    return source.preserved[0]


def _is_grouped(tree: Any) -> bool:
    if tree.args.get("group") is not None or tree.args.get("having") is not None:
        return True
    order = tree.args.get("order")
    return any(has_aggregate(node) for node in (*tree.expressions, *(order.expressions if order is not None else ())))


def _has_window(tree: Any) -> bool:
    return any(node.find(exp.Window) is not None for node in tree.expressions)


def _grouped(translator: Translating, tree: Any, rows: _Rows, inside: Expressions, outer_used: frozenset[Any]) -> Query:
    if any(node.find(exp.Star) is not None and not _is_count(node) for node in tree.expressions):
        raise NotTranslated("`*`", "it is not supported on DuckDB with GROUP BY")
    clause = tree.args.get("group")
    keys, grouping = group_keys(clause, tree.expressions, inside)
    grouped = Grouped(translator.alias(), rows.source, rows.where, keys, grouping, rows.table)
    outputs: list[Named] = []
    expressions = GroupedExpressions(inside, grouped, outputs)
    outputs.extend(_output(node, expressions) for node in tree.expressions)
    expressions.prefers_outputs = True
    having = tree.args.get("having")
    condition = None if having is None else expressions.condition(having.this)
    order = _order(tree, outputs, expressions)
    source = Source(grouped.render, (), ())
    is_total = clause is None and having is None
    return _query(translator, tree, _Rows(source, condition, None), outputs, order, outer_used, is_total=is_total)


def _is_count(node: Any) -> bool:
    return all(isinstance(star.parent, exp.Anonymous) for star in node.find_all(exp.Star))


def _outputs(tree: Any, expressions: Expressions, scope: Scope) -> list[Named]:
    outputs: list[Named] = []
    for node in tree.expressions:
        if isinstance(node, exp.Star):
            outputs += _star(node, scope.star(), scope)
        elif isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
            parts = [part.name for part in node.parts[:-1]]
            outputs += _star(node.this, scope.star(parts), scope)
        else:
            named = _output(node, expressions)
            outputs.append(named)
            if isinstance(node, exp.Alias):
                scope.aliases.append(named)
    return outputs


def _star(node: Any, columns: Sequence[Named], scope: Scope) -> list[Named]:
    only(node, "except_")
    if not scope.visible:
        raise InvalidExpression("SELECT * needs a table.")
    left_out = {column.name.lower() for column in node.args.get("except_") or ()}
    if not left_out <= {named.name.lower() for named in columns}:
        raise NotTranslated("`* EXCEPT`", "a column that it names does not exist")
    for named in columns:
        check_type(named.value, named.name)
    return [named for named in columns if named.name.lower() not in left_out]


def _output(node: Any, expressions: Expressions) -> Named:
    if isinstance(node, exp.Alias):
        return Named(node.alias, expressions.of(node.this))
    value = expressions.of(node)
    return Named(node.name if isinstance(node, exp.Column | exp.Dot) else written(node), value)


def _order(tree: Any, outputs: Sequence[Named], expressions: Expressions) -> list[Typed]:
    clause = tree.args.get("order")
    if clause is None:
        return []
    return [ordering(node, _sorted_by(node.this, outputs, expressions)) for node in clause.expressions]


def _sorted_by(node: Any, outputs: Sequence[Named], expressions: Expressions) -> Typed:
    if isinstance(node, exp.Literal) and not node.is_string:
        position = int(node.name) if node.name.isdecimal() else 0
        if not 0 < position <= len(outputs):
            raise InvalidExpression(f"[ORDER_BY_POS_OUT_OF_RANGE] ORDER BY {node.name}: the query has no such column.")
        return outputs[position - 1].value
    if literal(node.unnest()) is not None:
        raise NotTranslated(f"`{shown(node)}`", "ORDER BY of a literal is not supported on DuckDB")
    if isinstance(node, exp.Column) and len(node.parts) == 1:
        found = [named.value for named in outputs if named.name.lower() == node.name.lower()]
        if len({value.sql for value in found}) > 1:
            raise NotTranslated(f"`{shown(node)}`", "it is the alias of more than one column")
        if found:
            return found[0]
    elif not isinstance(expressions, GroupedExpressions) and _refers_to(node, outputs, expressions):
        raise NotTranslated(f"`{shown(node)}`", "ORDER BY of an expression over an alias is not supported on DuckDB")
    return expressions.of(node)


def _refers_to(node: Any, outputs: Sequence[Named], expressions: Expressions) -> bool:
    """Return whether an expression names an output that is not simply the input column of the same name."""
    columns = {named.name.lower(): named.value.sql for named in expressions.scope.visible}
    computed = {named.name.lower() for named in outputs if columns.get(named.name.lower()) != named.value.sql}
    return any(len(column.parts) == 1 and column.name.lower() in computed for column in node.find_all(exp.Column))


def _number(tree: Any, clause: str) -> int | None:
    """Return the number of LIMIT or OFFSET."""
    node = tree.args.get(clause)
    if node is None or (isinstance(node.expression, exp.Var) and node.expression.name.upper() == "ALL"):
        return None
    if not isinstance(node.expression, exp.Literal) or not node.expression.name.isdecimal():
        raise NotTranslated(f"`{clause.upper()}`", "expressions in it are not supported on DuckDB")
    return int(node.expression.name)


def _query(
    translator: Translating,
    tree: Any,
    rows: _Rows,
    outputs: Sequence[Named],
    order: Sequence[Typed],
    outer: frozenset[Any],
    *,
    is_total: bool = False,
) -> Query:
    limits = [(word, _number(tree, word.lower())) for word in ("LIMIT", "OFFSET")]
    tail = "".join(f" {word} {number}" for word, number in limits if number is not None)
    distinct = tree.args.get("distinct")
    for named in outputs:
        check_type(named.value, named.name)
    if distinct is not None:
        only(distinct)
        check_scalars([named.value.type for named in outputs], "DISTINCT")
        order = [_distinct_key(key, outputs) for key in order]

    def render(needed: Sequence[int]) -> str:
        positions = needed if distinct is None else range(len(outputs))
        values = [outputs[position].value for position in positions]
        read = [*values, *([] if distinct is not None else order), *([] if rows.where is None else [rows.where])]
        used = frozenset().union(*(value.columns for value in read)) | outer
        origin = "" if rows.source is None else f" FROM {rows.source.render(used)}"
        where = "" if rows.where is None else f" WHERE {rows.where.sql}"
        items = ", ".join(f"{value.sql} AS c{position}" for position, value in zip(positions, values, strict=True))
        sorting = f" ORDER BY {', '.join(key.sql for key in order)}" if order else ""
        if distinct is None:
            return f"SELECT {items}{origin}{where}{sorting}{tail}"
        inner = f"SELECT DISTINCT {items}{origin}{where}"
        return f"SELECT {selected(needed)} FROM ({inner}) AS {translator.alias()}{sorting}{tail}"

    names = tuple(named.name for named in outputs)
    data_types = tuple(named.value.type for named in outputs)
    is_row = rows == _Rows(None, None, None) and not tail and all(named.value.is_constant for named in outputs)
    row = tuple(named.value for named in outputs) if is_row else None
    chars = tuple(char_length(named.value) for named in outputs)
    return Query(names, data_types, render, outer, is_total and not tail, row, chars)


def _distinct_key(key: Typed, outputs: Sequence[Named]) -> Typed:
    """Return a key of ORDER BY as a reference to a column of SELECT DISTINCT."""
    for position, named in enumerate(outputs):
        if key.sql.startswith(f"{named.value.sql} ") and key.sql[len(named.value.sql) :].startswith((" ASC", " DESC")):
            return Typed(f"c{position}{key.sql[len(named.value.sql) :]}", key.type)
    raise NotTranslated("`ORDER BY`", "with DISTINCT it is supported on DuckDB only for columns of the result")


def check_type(value: Typed, name: str) -> None:
    """Refuse a value of a type that Spark does not have, or that DuckDB returns as another type."""
    if not types.is_readable(value.type):
        raise NotTranslated(f"`{name}`", f"its type {value.type} is not supported on DuckDB")


def ordered(translator: Translating, tree: Any, source: Source) -> Query:
    """Return a set operation with its ORDER BY, LIMIT and OFFSET."""
    scope = Scope(source.relations, source.visible)
    expressions = Expressions(scope, translator.now, translator.subqueries({}, in_where=False))
    bare = exp.Select(**{name: tree.args.get(name) for name in ("order", "limit", "offset")})
    order = _order(bare, scope.visible, expressions)
    return _query(translator, bare, _Rows(source, None, None), scope.visible, order, frozenset())
