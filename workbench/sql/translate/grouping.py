"""Translates GROUP BY, and expressions over its keys and aggregates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from workbench.base.errors import InvalidExpression
from workbench.base.modules import exp
from workbench.sql.translate import types
from workbench.sql.translate.char_values import char_length
from workbench.sql.translate.dialect import shown
from workbench.sql.translate.expressions import Expressions
from workbench.sql.translate.literals import literal
from workbench.sql.translate.scope import Named, Scope, reference
from workbench.sql.translate.sources import Source, TableUse
from workbench.sql.translate.values import Column, NotTranslated, Typed
from workbench.sql.translate.windows import aggregate_call, has_aggregate, is_aggregate


@dataclass
class Grouped:
    """The rows of a GROUP BY as the relation ``alias``: its keys, and the aggregates that expressions use."""

    alias: str
    source: Source | None
    where: Typed | None
    keys: list[Typed]
    grouping: str
    table: TableUse | None
    columns: dict[str, Column] = field(default_factory=dict)
    aggregates: dict[str, tuple[Typed, Any]] = field(default_factory=dict)

    def key(self, value: Typed) -> Typed | None:
        """Return the key that is equal to an expression, or None."""
        for position, key in enumerate(self.keys):
            if key.sql == value.sql:
                return self._column(key, f"k{position}")
        return None

    def aggregate(self, value: Typed, node: Any) -> Typed:
        """Return the column of an aggregate."""
        self.aggregates.setdefault(value.sql, (value, node))
        return self._column(value, f"a{list(self.aggregates).index(value.sql)}")

    def _column(self, value: Typed, name: str) -> Typed:
        if name not in self.columns:
            self.columns[name] = Column(name, value.type, f"{self.alias}.{name}", char_length(value))
        return reference(self.columns[name])

    def render(self, used: AbstractSet[Column]) -> str:
        """Return the query that groups, with the aggregates that are used."""
        wanted = [
            (f"a{position}", value, node)
            for position, (value, node) in enumerate(self.aggregates.values())
            if self.columns[f"a{position}"] in used
        ]
        known = self._known([node for _, _, node in wanted])
        if known is not None:
            values = [f"{sql} AS {name}" for sql, (name, _, _) in zip(known, wanted, strict=True)]
            return f"(SELECT {', '.join(values)}) AS {self.alias}"
        items = [f"{key.sql} AS k{position}" for position, key in enumerate(self.keys)]
        items += [f"{value.sql} AS {name}" for name, value, _ in wanted]
        columns = frozenset().union(
            *(value.columns for value in (*self.keys, *(value for _, value, _ in wanted))),
            *([self.where.columns] if self.where is not None else []),
        )
        origin = "" if self.source is None else f" FROM {self.source.render(columns)}"
        where = "" if self.where is None else f" WHERE {self.where.sql}"
        return f"(SELECT {', '.join(items) or 'count(*)'}{origin}{where}{self.grouping}) AS {self.alias}"

    def _known(self, nodes: Sequence[Any]) -> list[str] | None:
        """Return the aggregates as literals if the table's metadata has them all."""
        if self.table is None or self.keys or not nodes or self.grouping:
            return None
        wanted = [_total(node, self.table) for node in nodes]
        complete = [each for each in wanted if each is not None]
        if len(complete) < len(wanted):
            return None
        found = self.table.table.totals(complete, self.table.conditions)
        return None if found is None else [_literal(value) for value in found]


def _total(node: Any, table: TableUse) -> tuple[str, str] | None:
    """Return the name and the column of ``count(*)``, ``min(column)`` or ``max(column)``; None for others."""
    if not isinstance(node, exp.Anonymous) or len(node.expressions) != 1:
        return None
    name, argument = str(node.this).lower(), node.expressions[0]
    if name == "count" and isinstance(argument, exp.Star | exp.Literal):
        return "count", ""
    if name in ("min", "max") and isinstance(argument, exp.Column):
        names = [column.name for column in table.columns if column.name.lower() == argument.name.lower()]
        return (name, names[0]) if len(names) == 1 else None
    return None


def _literal(value: pa.Scalar) -> str:
    name = types.duckdb_name(value.type)
    return f"CAST({'NULL' if not value.is_valid else repr(str(value.as_py()))} AS {name})"


class GroupedExpressions(Expressions):
    """A translator of expressions over groups; ``inside`` translates expressions over the rows of a group."""

    def __init__(self, inside: Expressions, grouped: Grouped, outputs: list[Named]) -> None:
        super().__init__(Scope(), inside.now, inside.translate_query, inside.named_windows)
        self._inside = inside
        self._grouped = grouped
        self._outputs = outputs
        self.prefers_outputs = False

    def of(self, node: Any) -> Typed:
        """Return the translation: keys and aggregates are columns of the groups."""
        if is_aggregate(node):
            return self._grouped.aggregate(aggregate_call(node, self._inside), node)
        if not has_aggregate(node) and not isinstance(node, exp.Window | exp.Literal) and not _has_query(node):
            found = self._key(node)
            if found is not None:
                return found
        return super().of(node)

    def _key(self, node: Any) -> Typed | None:
        if node.find(exp.Window) is not None:
            return None
        alias = self._output(node)
        try:
            value = self._inside.of(node)
        except InvalidExpression:
            # It may be the name of an output, to which HAVING and ORDER BY may refer.
            if alias is not None:
                return alias
            if isinstance(node, exp.Column) and not self.prefers_outputs and self._is_output(node):
                raise NotTranslated(f"`{shown(node)}`", "an alias of the same SELECT is not supported here") from None
            if not isinstance(node, exp.Column):
                # Its parts may be aliases.
                return None
            raise
        found = self._grouped.key(value)
        if alias is not None and (found is None or alias.sql != found.sql):
            raise NotTranslated(f"`{shown(node)}`", "the name is ambiguous: it is both a column and an alias")
        if found is None and isinstance(node, exp.Column):
            raise NotTranslated(f"`{shown(node)}`", "the column is neither grouped nor aggregated")
        return found

    def _output(self, node: Any) -> Typed | None:
        if not self.prefers_outputs or not isinstance(node, exp.Column) or len(node.parts) > 1:
            return None
        found = [named.value for named in self._outputs if named.name.lower() == node.name.lower()]
        if len({value.sql for value in found}) > 1:
            raise NotTranslated(f"`{shown(node)}`", "it is the alias of more than one column")
        return found[0] if found else None

    def _is_output(self, node: Any) -> bool:
        return any(named.name.lower() == node.name.lower() for named in self._outputs)


def _has_query(node: Any) -> bool:
    return node.find(exp.Query) is not None


def group_keys(clause: Any, items: Sequence[Any], inside: Expressions) -> tuple[list[Typed], str]:
    """Return the keys of GROUP BY and its text; keys may refer to items of SELECT by position or alias."""
    if clause is None:
        return [], ""
    sets = ("rollup", "cube", "grouping_sets")
    for name, value in clause.args.items():
        if value and name not in ("expressions", *sets):
            raise NotTranslated(f"`GROUP BY {name.upper()}`", "the clause is not supported on DuckDB")
    plain = [node for node in clause.expressions if not isinstance(node, exp.Rollup | exp.Cube | exp.GroupingSets)]
    whole = any(clause.args.get(name) for name in sets) or len(plain) < len(clause.expressions)
    if not whole:
        keys = [_key(node, items, inside) for node in plain]
        return keys, " GROUP BY " + ", ".join(str(position) for position in range(1, len(keys) + 1))
    return _grouping_sets(clause, inside)


def _grouping_sets(clause: Any, inside: Expressions) -> tuple[list[Typed], str]:
    keys: dict[str, Typed] = {}

    def key(node: Any) -> str:
        node = node.this if isinstance(node, exp.Paren) else node
        value = inside.of(node)
        if not isinstance(node, exp.Column):
            raise NotTranslated(f"`{shown(node)}`", "on DuckDB, keys of grouping sets must be columns")
        keys.setdefault(value.sql, value)
        return value.sql

    def listed(nodes: Sequence[Any], separator: Callable[[str], str] = str) -> str:
        return ", ".join(separator(key(node)) for node in nodes)

    written: list[str] = []
    for node in clause.expressions:
        if isinstance(node, exp.Rollup | exp.Cube):
            written.append(f"{type(node).__name__.upper()} ({listed(node.expressions)})")
        elif isinstance(node, exp.GroupingSets):
            groups = [
                f"({listed(each.expressions if isinstance(each, exp.Tuple) else [each])})" for each in node.expressions
            ]
            written.append(f"GROUPING SETS ({', '.join(groups)})")
        else:
            written.append(key(node))
    for word in ("rollup", "cube"):
        if clause.args.get(word):
            if len(written) != len(clause.expressions) or any("(" in each for each in written):
                raise NotTranslated(f"`WITH {word.upper()}`", "this form is not supported on DuckDB")
            written = [f"{word.upper()} ({', '.join(written)})"]
    if clause.args.get("grouping_sets"):
        raise NotTranslated("`GROUPING SETS`", "this form is not supported on DuckDB")
    return list(keys.values()), f" GROUP BY {', '.join(written)}"


def _key(node: Any, items: Sequence[Any], inside: Expressions) -> Typed:
    if isinstance(node, exp.Literal) and not node.is_string:
        position = int(node.name) if node.name.isdecimal() else 0
        if not 0 < position <= len(items):
            raise InvalidExpression(f"[GROUP_BY_POS_OUT_OF_RANGE] GROUP BY {node.name}: the query has no such column.")
        node = items[position - 1].unalias()
    elif literal(node.unnest()) is not None:
        raise NotTranslated(f"`{shown(node)}`", "GROUP BY of a literal is not supported on DuckDB")
    elif isinstance(node, exp.Column) and len(node.parts) == 1:
        node = _aliased(node, items, inside)
    if has_aggregate(node) or isinstance(node, exp.Star):
        raise NotTranslated(f"`{shown(node)}`", "it is not a key of GROUP BY")
    value = inside.of(node)
    if not types.is_scalar(value.type):
        raise NotTranslated(f"`{shown(node)}`", "grouping is supported on DuckDB only for scalars")
    return value


def _aliased(node: Any, items: Sequence[Any], inside: Expressions) -> Any:
    """Return the SELECT item that a name is an alias of, or the name itself if it is a column of the rows."""
    try:
        inside.of(node)
    except InvalidExpression:
        found = [item for item in items if isinstance(item, exp.Alias) and item.alias.lower() == node.name.lower()]
        if len(found) != 1:
            raise
        return found[0].this
    return node
