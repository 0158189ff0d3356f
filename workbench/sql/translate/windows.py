"""Translates calls of aggregates and of window functions, with their DISTINCT, FILTER and OVER."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from workbench.base.modules import exp
from workbench.sql.translate import types
from workbench.sql.translate.aggregates import (
    AGGREGATE_NAMES,
    AGGREGATES,
    RANKING,
    SPARK_AGGREGATES,
    WINDOW_FUNCTIONS,
    aggregate,
)
from workbench.sql.translate.dialect import shown
from workbench.sql.translate.values import NotTranslated, Typed, combined

_WINDOW_NAMES = frozenset(function.name for function in WINDOW_FUNCTIONS)


class Inside(Protocol):
    """Translates the arguments of a call."""

    def of(self, node: Any) -> Typed:
        """Return the translation of an expression."""
        ...

    def condition(self, node: Any) -> Typed:
        """Return the translation of a condition."""
        ...


@dataclass
class Parts:
    """The parts of a call: the function's name and arguments, DISTINCT, FILTER and IGNORE NULLS."""

    name: str
    arguments: Sequence[Any]
    distinct: bool = False
    where: Any = None
    ignores_nulls: bool = False
    used: list[Typed] = field(default_factory=list)


def is_aggregate(node: Any) -> bool:
    """Return whether a node is a call of an aggregate that is not over a window."""
    if isinstance(node, exp.Filter):
        return is_aggregate(node.this)
    return isinstance(node, exp.Anonymous) and str(node.this).lower() in AGGREGATE_NAMES | SPARK_AGGREGATES


def has_aggregate(node: Any) -> bool:
    """Return whether an expression has an aggregate, apart from aggregates in subqueries and over windows."""
    pending = [node]
    while pending:
        current = pending.pop()
        if is_aggregate(current):
            return True
        pending += _aggregating(current)
    return False


def _aggregating(node: Any) -> list[Any]:
    """Return the nodes directly below a node whose aggregates are its own."""
    if isinstance(node, exp.Query):
        return []
    if isinstance(node, exp.Window):
        inner = node.this
        while isinstance(inner, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
            inner = inner.this
        below = [*inner.expressions, *(value for name, value in node.args.items() if name != "this")]
        return [each for value in below for each in _nodes(value)]
    return [each for value in node.args.values() for each in _nodes(value)]


def _nodes(value: Any) -> Sequence[Any]:
    given = value if isinstance(value, list) else [value]
    return [each for each in given if isinstance(each, exp.Expression)]


def _parts(node: Any) -> Parts:
    if isinstance(node, exp.Filter):
        parts = _parts(node.this)
        parts.where = node.expression.this
        return parts
    if isinstance(node, exp.IgnoreNulls):
        parts = _parts(node.this)
        parts.ignores_nulls = True
        return parts
    if not isinstance(node, exp.Anonymous):
        raise NotTranslated(f"`{shown(node)}`", "the aggregate is not supported on DuckDB")
    arguments = node.expressions
    if len(arguments) == 1 and isinstance(arguments[0], exp.Distinct):
        return Parts(str(node.this).lower(), arguments[0].expressions, distinct=True)
    return Parts(str(node.this).lower(), arguments)


def aggregate_call(node: Any, inside: Inside, over: str = "", ranks: bool = False) -> Typed:
    """Return the call of an aggregate; ``inside`` translates its arguments, ``over`` is its window."""
    construct, parts = shown(node), _parts(node)
    allowed = (*WINDOW_FUNCTIONS, *AGGREGATES) if over else AGGREGATES
    if over and (parts.distinct or (ranks and parts.where is not None)):
        raise NotTranslated(f"`{construct}`", "DISTINCT and FILTER of this window function are not supported on DuckDB")
    if parts.ignores_nulls and parts.name not in ("lag", "lead", "first_value", "last_value", "nth_value"):
        raise NotTranslated(f"`{construct}`", "IGNORE NULLS is not supported on DuckDB for this function")
    where = None if parts.where is None else inside.condition(parts.where)

    def call(function: str, *arguments: str) -> str:
        distinct = "DISTINCT " if parts.distinct else ""
        nulls = " IGNORE NULLS" if parts.ignores_nulls else ""
        filtered = "" if where is None else f" FILTER (WHERE {where.sql})"
        return f"{function}({distinct}{', '.join(arguments)}{nulls}){filtered}{over}"

    if parts.name == "count" and len(parts.arguments) == 1 and isinstance(parts.arguments[0], exp.Star):
        sql, data_type, values = call("count", "*"), types.BIGINT, ()
    else:
        given = [inside.of(argument) for argument in parts.arguments]
        sql, data_type, values = aggregate(allowed, parts.name, given, call, construct)  # type: ignore[assignment]
    return combined(sql, data_type, [*values, *(() if where is None else (where,))])


def window_call(node: Any, inside: Inside, named: Mapping[str, Any]) -> Typed:
    """Return a window function; ``named`` are the windows of the WINDOW clause."""
    construct, definition = shown(node), node
    name = node.args.get("alias")
    if name is not None:
        if any(node.args.get(part) for part in ("partition_by", "order", "spec")):
            raise NotTranslated(f"`{construct}`", "an extended named window is not supported on DuckDB")
        if name.name.lower() not in named:
            raise NotTranslated(f"`{construct}`", "the window is not defined")
        definition = named[name.name.lower()]
    partition = [_scalar(inside.of(each), construct) for each in definition.args.get("partition_by") or ()]
    order = definition.args.get("order")
    keys = [ordering(each, inside.of(each.this)) for each in (order.expressions if order is not None else ())]
    parts = _parts(node.this)
    ranks = parts.name in RANKING
    frame = _frame(definition.args.get("spec"), construct)
    if (ranks and (not keys or frame)) or (frame and not keys and "RANGE" in frame):
        raise NotTranslated(f"`{construct}`", "the window has no order, or has a frame")
    if parts.name in _WINDOW_NAMES and not keys:
        raise NotTranslated(f"`{construct}`", "the window has no order")
    clauses = [
        f"PARTITION BY {', '.join(each.sql for each in partition)}" if partition else "",
        f"ORDER BY {', '.join(each.sql for each in keys)}" if keys else "",
        frame,
    ]
    over = f" OVER ({' '.join(filter(None, clauses))})"
    value = aggregate_call(node.this, inside, over, ranks)
    return combined(f"({value.sql})", value.type, (value, *partition, *keys))


def _scalar(value: Typed, construct: str) -> Typed:
    if not types.is_scalar(value.type):
        raise NotTranslated(f"`{construct}`", "ordering and grouping are supported on DuckDB only for scalars")
    return value


def ordering(node: Any, value: Typed) -> Typed:
    """Return a key of ORDER BY with its direction, and with NULLs first or last as in Spark."""
    _scalar(value, shown(node))
    descending = bool(node.args.get("desc"))
    given = node.args.get("nulls_first")
    nulls_first = not descending if given is None else bool(given)
    direction = "DESC" if descending else "ASC"
    return combined(f"{value.sql} {direction} NULLS {'FIRST' if nulls_first else 'LAST'}", value.type, (value,))


def _frame(spec: Any, construct: str) -> str:
    if spec is None:
        return ""
    kind = str(spec.args.get("kind")).upper()
    known = {"kind", "start", "start_side", "end", "end_side"}
    if kind not in ("ROWS", "RANGE") or any(value for name, value in spec.args.items() if name not in known):
        raise NotTranslated(f"`{construct}`", "the frame is not supported on DuckDB")
    bounds = [_bound(spec, side, kind, construct) for side in ("start", "end") if spec.args.get(side) is not None]
    return f"{kind} BETWEEN {bounds[0]} AND {bounds[1]}" if len(bounds) == 2 else f"{kind} {bounds[0]}"


def _bound(spec: Any, side: str, kind: str, construct: str) -> str:
    value, direction = spec.args[side], str(spec.args.get(f"{side}_side") or "")
    if isinstance(value, str):
        return f"{value} {direction}".strip()
    if kind == "ROWS" and isinstance(value, exp.Literal) and value.name.isdecimal():
        return f"{value.name} {direction}"
    raise NotTranslated(f"`{construct}`", "the frame is not supported on DuckDB")
