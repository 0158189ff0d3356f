"""Translated queries and their set operations, and the protocol of the translator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Protocol

import pyarrow as pa

from workbench.base.modules import exp
from workbench.sql.translate import types
from workbench.sql.translate.casts import widened
from workbench.sql.translate.dialect import shown
from workbench.sql.translate.moments import Now
from workbench.sql.translate.operators import to_common_type
from workbench.sql.translate.scope import Scope
from workbench.sql.translate.sources import Source
from workbench.sql.translate.values import Column, NotTranslated, Typed


@dataclass(frozen=True)
class Query:
    """A translated query: the names and types of its columns, and ``render``, which returns the text that selects some
    of them, by position, as ``c0``, ``c1`` and so on. ``chars`` are the lengths of those that are columns CHAR(n).

    ``outer`` are the columns of enclosing queries that it uses. ``is_total`` says that it returns one row regardless of
    the rows that it reads. ``row`` are its values if it consists of one row of literals.
    """

    names: tuple[str, ...]
    types: tuple[pa.DataType, ...]
    render: Callable[[Sequence[int]], str]
    outer: AbstractSet[Column] = frozenset()
    is_total: bool = False
    row: tuple[Typed, ...] | None = None
    chars: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class CommonTable:
    """A common table expression, and the other ones that it may refer to."""

    tree: Any
    names: tuple[str, ...]
    others: Mapping[str, CommonTable]


class Translating(Protocol):
    """The interface that the translation of a SELECT needs from the translator."""

    now: Now

    def alias(self) -> str:
        """Return a new name for a relation."""
        ...

    def source(self, tree: Any, common: Mapping[str, CommonTable]) -> Source | None:
        """Return the FROM clause of a SELECT; None if it has none."""
        ...

    def subqueries(self, common: Mapping[str, CommonTable], *, in_where: bool) -> Callable[[Any, Scope, str], Typed]:
        """Return the translator of the subqueries in a clause."""
        ...


def no_subquery(tree: Any, _scope: Scope, _use: str) -> Typed:
    """Refuse a subquery."""
    raise NotTranslated(f"`{shown(tree)}`", "a subquery is not supported on DuckDB for this clause")


def only(node: Any, *known: str) -> None:
    """Refuse a node with a clause that is not handled."""
    for name, value in node.args.items():
        if value and name not in known:
            clause = name.strip("_").upper().replace("_", " ")
            raise NotTranslated(f"`{clause}`", "the clause is not supported on DuckDB")


def selected(positions: Sequence[int]) -> str:
    """Return the list of columns at these positions."""
    return ", ".join(f"c{position}" for position in positions)


def check_scalars(data_types: Sequence[pa.DataType], construct: str) -> None:
    """Refuse types whose values DuckDB does not compare as Spark does."""
    if not all(types.is_scalar(each) or each == types.NULL for each in data_types):
        raise NotTranslated(f"`{construct}`", "it is supported on DuckDB only for scalars")


def operands(tree: Any) -> list[Any]:
    """Return the queries that a set operation combines; those of a chain of UNION are all on one level."""
    sides = [tree.expression]
    first = tree.this
    while _continues(tree, first):
        sides.append(first.expression)
        first = first.this
    return [first, *reversed(sides)]


def _continues(tree: Any, inner: Any) -> bool:
    clauses = {name for name, value in inner.args.items() if value}
    return (
        type(tree) is type(inner) is exp.Union
        and bool(tree.args.get("distinct")) == bool(inner.args.get("distinct"))
        and clauses <= {"this", "expression", "distinct"}
    )


def united(translator: Translating, tree: Any, sides: Sequence[Query]) -> Query:
    """Return a set operation of two queries, or a chain of UNION.

    Raises:
        NotTranslated: If the queries do not fit together.
    """
    construct, part = type(tree).__name__.upper(), [sides[0]]
    keeps_all = not tree.args.get("distinct")
    wanted = sides[0].types
    for side in sides[1:]:
        if len(side.types) != len(wanted):
            raise NotTranslated(f"`{construct}`", "the queries have different numbers of columns")
        before = wanted
        wanted = tuple(
            to_common_type([Typed("", one), Typed("", other)], construct)[1]
            for one, other in zip(before, side.types, strict=True)
        )
        if wanted != before and len(part) > 1:
            # As in Spark, values are converted step by step.
            part = [_combined(translator, construct, part, before, keeps_all=keeps_all)]
        part.append(side)
    return _combined(translator, construct, part, wanted, keeps_all=keeps_all)


def _combined(
    translator: Translating, construct: str, sides: Sequence[Query], wanted: tuple[pa.DataType, ...], *, keeps_all: bool
) -> Query:
    is_union = construct == "UNION"
    if not keeps_all or not is_union:
        check_scalars(wanted, construct)

    def render(needed: Sequence[int]) -> str:
        if not is_union:
            texts = [_converted(translator, side, wanted, range(len(wanted))) for side in sides]
            word = f" {construct}{' ALL' if keeps_all else ''} "
            whole = word.join(f"({text})" for text in texts)
            return f"SELECT {selected(needed)} FROM ({whole}) AS {translator.alias()}"
        positions = needed if keeps_all else range(len(wanted))
        whole = " UNION ALL ".join(f"({text})" for text in _texts(translator, sides, wanted, positions))
        if keeps_all:
            return whole
        distinct = f"SELECT DISTINCT {selected(positions)} FROM ({whole}) AS {translator.alias()}"
        return f"SELECT {selected(needed)} FROM ({distinct}) AS {translator.alias()}"

    return Query(sides[0].names, wanted, render)


def _texts(
    translator: Translating, sides: Sequence[Query], wanted: Sequence[pa.DataType], positions: Sequence[int]
) -> list[str]:
    """Return the texts of the sides; neighbors that are one row each become one list of rows."""
    texts = []
    for is_row, group in groupby(sides, lambda side: side.row is not None):
        if not is_row:
            texts += [_converted(translator, side, wanted, positions) for side in group]
            continue
        rows = [", ".join(_row(side, wanted, positions)) for side in group]
        listed = ", ".join(f"({row})" for row in rows)
        texts.append(
            f"SELECT {selected(positions)} FROM (VALUES {listed}) AS {translator.alias()}({selected(positions)})"
        )
    return texts


def _row(side: Query, wanted: Sequence[pa.DataType], positions: Sequence[int]) -> list[str]:
    assert side.row is not None
    return [
        side.row[position].sql
        if side.types[position] == wanted[position]
        else widened(side.row[position], wanted[position], "UNION").sql
        for position in positions
    ]


def _converted(translator: Translating, side: Query, wanted: Sequence[pa.DataType], positions: Sequence[int]) -> str:
    if all(side.types[position] == wanted[position] for position in positions):
        return side.render(positions)
    items = [
        f"{widened(Typed(f'c{position}', side.types[position]), wanted[position], 'UNION').sql} AS c{position}"
        for position in positions
    ]
    return f"SELECT {', '.join(items)} FROM ({side.render(positions)}) AS {translator.alias()}"
