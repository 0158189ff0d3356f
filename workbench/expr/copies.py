"""Copies of expressions by pickle and copy, at any depth: as a list of nodes, because Python's depth of calls would not
suffice for a tree that is nested deeply."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from workbench.expr.expressions import Expr
from workbench.expr.tree import children

Nodes = tuple[tuple[type[Expr], tuple[Any, ...]], ...]
"""The classes and values of all nodes of an expression, each after its children, which are positions."""


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
