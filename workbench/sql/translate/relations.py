"""What the parts of the translation share: translated queries, and the protocol of the translator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from workbench.sql.translate import types
from workbench.sql.translate.dialect import shown
from workbench.sql.translate.moments import Now
from workbench.sql.translate.scope import Scope
from workbench.sql.translate.sources import Source
from workbench.sql.translate.values import Column, NotTranslated, Typed


@dataclass(frozen=True)
class Query:
    """A translated query: the names and types of its columns, and ``render``, which returns the text that selects some
    of them, by position, as ``c0``, ``c1`` and so on.

    ``outer`` are the columns of enclosing queries that it uses. ``is_total`` says that it returns one row regardless of
    the rows that it reads.
    """

    names: tuple[str, ...]
    types: tuple[pa.DataType, ...]
    render: Callable[[Sequence[int]], str]
    outer: AbstractSet[Column] = frozenset()
    is_total: bool = False


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
