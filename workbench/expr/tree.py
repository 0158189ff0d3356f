"""Traverses and rebuilds expression trees."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from workbench.expr.depth import refused_depth
from workbench.expr.expressions import And, Column, Expr, conjunction

Nodes = tuple[tuple[type[Expr], tuple[Any, ...]], ...]
"""The classes and values of all nodes of an expression, each after its children, which are positions. pickle and copy
use it, because Python's depth of calls would not suffice for a tree that is nested deeply."""


def children(expr: Expr) -> Iterator[Expr]:
    """Yield the direct children of an expression."""
    for each in dataclasses.fields(expr):  # type: ignore[arg-type]
        yield from _expressions_in(getattr(expr, each.name))


def walk(expr: Expr) -> Iterator[Expr]:
    """Yield an expression and everything in it, at any depth."""
    pending = [expr]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(children(current))


def _expressions_in(value: Any) -> Iterator[Expr]:
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _expressions_in(item)


def map_children(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """Return the same node with every direct child changed."""

    def changed(value: Any) -> Any:
        if isinstance(value, Expr):
            return change(value)
        return tuple(changed(item) for item in value) if isinstance(value, tuple) else value

    values = {each.name: getattr(expr, each.name) for each in dataclasses.fields(expr)}  # type: ignore[arg-type]
    fresh = {name: changed(value) for name, value in values.items() if isinstance(value, (Expr, tuple))}
    return dataclasses.replace(expr, **fresh) if fresh else expr  # type: ignore[type-var]


def same(left: Expr, right: Expr) -> bool:
    """Return whether two trees are equal node by node (``==`` builds a comparison instead)."""
    if type(left) is not type(right):
        return False
    names = [each.name for each in dataclasses.fields(left)]  # type: ignore[arg-type]
    return all(_same_value(getattr(left, name), getattr(right, name)) for name in names)


def _same_value(left: Any, right: Any) -> bool:
    if isinstance(left, Expr) and isinstance(right, Expr):
        return same(left, right)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_same_value, left, right))
    return type(left) is type(right) and bool(left == right or (left != left and right != right))


def referenced_columns(expr: Expr) -> frozenset[str]:
    """Return the names of all columns that an expression reads."""
    return frozenset(each.name for each in walk(expr) if isinstance(each, Column))


def split_conjunction(expr: Expr) -> tuple[Expr, ...]:
    """Return the conjuncts of an expression."""
    if isinstance(expr, And):
        return tuple(part for each in expr.operands for part in split_conjunction(each))
    return (expr,)


def restrict_to(expr: Expr, columns: Iterable[str]) -> Expr | None:
    """Return the parts of a conjunction that read only the given columns; None if there are none.

    Every row that satisfies ``expr`` satisfies the result.
    """
    allowed = frozenset(columns)
    kept = [part for part in split_conjunction(expr) if referenced_columns(part) <= allowed]
    return conjunction(kept) if kept else None


def substitute(expr: Expr, replacements: Mapping[str, Expr]) -> Expr:
    """Return the expression with columns replaced by expressions; columns not named are unchanged.

    Raises:
        InvalidExpression: If it is nested too deeply.
    """
    return _with_columns(expr, lambda column: replacements.get(column.name, column))


def rename(expr: Expr, names: Mapping[str, str]) -> Expr:
    """Return the expression with columns renamed; columns not named are unchanged.

    Raises:
        InvalidExpression: If it is nested too deeply.
    """
    return _with_columns(expr, lambda column: Column(names.get(column.name, column.name), column.type))


def _with_columns(expr: Expr, change: Callable[[Column], Expr]) -> Expr:
    def changed(each: Expr) -> Expr:
        return change(each) if isinstance(each, Column) else map_children(each, changed)

    with refused_depth():
        return changed(expr)


class _Place(int):
    """The position of an expression in the result of `flat`."""


def flat(expr: Expr) -> Nodes:
    """Return the nodes of an expression; `unflat` reverses it.

    Args:
        expr: The expression, which may be nested at any depth.
    """
    places, nodes, pending = dict[int, _Place](), list[tuple[type[Expr], tuple[Any, ...]]](), [(expr, False)]
    while pending:
        current, follows_children = pending.pop()
        if id(current) in places:
            continue
        if follows_children:
            places[id(current)] = _Place(len(nodes))
            values = (getattr(current, each.name) for each in dataclasses.fields(current))  # type: ignore[arg-type]
            nodes.append((type(current), _replaced(values, Expr, lambda child: places[id(child)])))
        else:
            pending.append((current, True))
            pending.extend((child, False) for child in children(current))
    return tuple(nodes)


def unflat(nodes: Nodes) -> Expr:
    """Return the expression whose nodes are given by `flat`."""
    built = list[Expr]()
    for kind, values in nodes:
        built.append(kind(*_replaced(values, _Place, built.__getitem__)))
    return built[-1]


def _replaced(values: Iterable[Any], kind: type[Any], replace: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Return values with all instances of a class in them replaced, at any depth."""
    return tuple(
        replace(value)
        if isinstance(value, kind)
        else _replaced(value, kind, replace)
        if type(value) is tuple
        else value
        for value in values
    )


def _reduced(expr: Expr) -> tuple[Callable[[Nodes], Expr], tuple[Nodes]]:
    return unflat, (flat(expr),)


Expr._reduced = _reduced
