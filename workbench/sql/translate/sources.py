"""The FROM clause: tables, derived relations and joins, each rendered with only the columns that are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from workbench.sql.translate import types
from workbench.sql.translate.operators import comparison
from workbench.sql.translate.scope import Named, Relation, reference
from workbench.sql.translate.values import Column, NotTranslated, Typed, combined

Render = Callable[[AbstractSet[Column]], str]


class OpenTable(Protocol):
    """A table that a query reads, at one version."""

    @property
    def qualifier(self) -> tuple[str, ...]:
        """The full name, which may stand before the names of columns."""
        ...

    @property
    def columns(self) -> Sequence[tuple[str, pa.DataType]]:
        """The names and types of the columns."""

    @property
    def char_lengths(self) -> Mapping[str, int]:
        """The lengths of the columns of type CHAR."""
        ...

    def accepts(self, condition: Any) -> bool:
        """Return whether the table's scan evaluates the condition, with the table's column names, as Spark does."""
        ...

    def totals(self, wanted: Sequence[tuple[str, str]], conditions: Sequence[Any]) -> list[pa.Scalar] | None:
        """Return the wanted ``count`` (of rows: column ''), ``min`` and ``max`` if metadata has them all."""
        ...


@dataclass(eq=False)
class TableUse:
    """A mention of a table in a query. The stream ``alias`` has the columns ``used`` of at most ``limit`` rows that
    meet the ``conditions``."""

    alias: str
    table: OpenTable
    columns: tuple[Column, ...]
    used: set[Column] = field(default_factory=set)
    conditions: list[Any] = field(default_factory=list)
    limit: int | None = None
    is_read: bool = False

    def render(self, used: AbstractSet[Column]) -> str:
        """Return the name of the stream; it has the used columns, or the first column if no column is used."""
        self.is_read = True
        self.used |= {column for column in self.columns if column in used}
        if not self.used:
            self.used.add(self.columns[0])
        return self.alias


@dataclass(frozen=True)
class Source:
    """A FROM clause. ``preserved`` are the tables that no outer join of the clause extends with NULLs."""

    render: Render
    relations: tuple[Relation, ...]
    visible: tuple[Named, ...]
    preserved: tuple[TableUse, ...] = ()


def source_of(relation: Relation, render: Render, table: TableUse | None = None) -> Source:
    """Return the source of one relation."""
    visible = tuple(Named(column.name, reference(column)) for column in relation.columns)
    return Source(render, (relation,), visible, () if table is None else (table,))


@dataclass(frozen=True)
class JoinKind:
    """A kind of join: DuckDB's words, the sides that it extends with NULLs, and whether it shows the right side."""

    word: str
    extends_left: bool = False
    extends_right: bool = False
    shows_right: bool = True


JOINS = {
    **dict.fromkeys((("", ""), ("", "INNER"), ("", "CROSS")), JoinKind("JOIN")),
    **dict.fromkeys((("LEFT", ""), ("LEFT", "OUTER")), JoinKind("LEFT JOIN", extends_right=True)),
    **dict.fromkeys((("RIGHT", ""), ("RIGHT", "OUTER")), JoinKind("RIGHT JOIN", extends_left=True)),
    **dict.fromkeys((("FULL", ""), ("FULL", "OUTER")), JoinKind("FULL JOIN", extends_left=True, extends_right=True)),
    **dict.fromkeys((("LEFT", "SEMI"), ("", "SEMI")), JoinKind("SEMI JOIN", shows_right=False)),
    **dict.fromkeys((("LEFT", "ANTI"), ("", "ANTI")), JoinKind("ANTI JOIN", shows_right=False)),
}


def joined(left: Source, right: Source, kind: JoinKind, condition: Typed | None, names: Sequence[str]) -> Source:
    """Return the join of two sources; ``names`` are the columns of USING."""
    keys = [_key(left, right, name, kind) for name in names]
    conditions = [each for _, each in keys] + ([] if condition is None else [condition])
    on = combined(" AND ".join(each.sql for each in conditions) or "true", types.BOOLEAN, conditions)

    def render(used: AbstractSet[Column]) -> str:
        needed = used | on.columns
        return f"{left.render(needed)} {kind.word} {right.render(needed)} ON {on.sql}"

    lowered = {name.lower() for name in names}
    merged = tuple(named for named, _ in keys)
    own = tuple(named for named in left.visible if named.name.lower() not in lowered)
    others = tuple(named for named in right.visible if named.name.lower() not in lowered)
    return Source(
        render,
        (*left.relations, *(right.relations if kind.shows_right else ())),
        (*merged, *own, *(others if kind.shows_right else ())),
        (*(() if kind.extends_left else left.preserved), *(() if kind.extends_right else right.preserved)),
    )


def _key(left: Source, right: Source, name: str, kind: JoinKind) -> tuple[Named, Typed]:
    """Return the merged column of USING and its condition."""
    one, other = _named(left.visible, name), _named(right.visible, name)
    if one.value.type != other.value.type or not types.is_scalar(one.value.type):
        raise NotTranslated(f"`USING ({name})`", "keys of different types are not supported on DuckDB")
    condition = comparison("=", (one.value, other.value), name)
    value = one.value
    if kind.extends_left:
        both = (one.value, other.value)
        value = combined(f"coalesce({one.value.sql}, {other.value.sql})", value.type, both)
        value = value if kind.extends_right else other.value
    return Named(one.name, value), condition


def _named(visible: Iterable[Named], name: str) -> Named:
    found = [named for named in visible if named.name.lower() == name.lower()]
    if len(found) != 1:
        raise NotTranslated(f"`USING ({name})`", "it does not name one column of each side")
    return found[0]


def natural_names(left: Source, right: Source) -> list[str]:
    """Return the names of the columns that a NATURAL join compares."""
    others = {named.name.lower() for named in right.visible}
    return [named.name for named in left.visible if named.name.lower() in others]
