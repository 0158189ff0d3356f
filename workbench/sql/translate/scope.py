"""Name resolution: the relations that the expressions of a query can refer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from workbench.base.errors import InvalidExpression, did_you_mean
from workbench.sql.translate.values import Column, NotTranslated, Typed


def reference(column: Column) -> Typed:
    """Return the expression that refers to a column."""
    return Typed(column.sql, column.type, frozenset((column,)))


@dataclass(frozen=True)
class Named:
    """An expression with the name by which other expressions refer to it."""

    name: str
    value: Typed


@dataclass(frozen=True)
class Relation:
    """A relation with its qualified name and its columns."""

    qualifier: tuple[str, ...]
    columns: tuple[Column, ...]

    def is_named(self, parts: Sequence[str]) -> bool:
        """Return whether the name before a column, which has one or more parts, refers to this relation."""
        given = tuple(part.lower() for part in parts)
        return bool(given) and tuple(part.lower() for part in self.qualifier[-len(given) :]) == given


@dataclass
class Scope:
    """The scope in which the names of an expression are resolved. ``visible`` are the columns of ``SELECT *``;
    ``aliases`` are the aliases in the select list, to which later items and clauses may refer; ``outer`` is the
    scope of an enclosing query."""

    relations: tuple[Relation, ...] = ()
    visible: tuple[Named, ...] = ()
    aliases: list[Named] = field(default_factory=list)
    outer: Scope | None = None
    outer_used: set[Column] = field(default_factory=set)

    def resolve(self, parts: Sequence[str], *, aliases: bool = True) -> tuple[Typed, Sequence[str]]:
        """Return the column that a dotted name begins with, and the remaining parts: fields of a struct.

        Raises:
            InvalidExpression: If there is no such column, or more than one.
        """
        found = self._own(parts, aliases=aliases)
        if found is not None:
            return found
        if self.outer is not None:
            found = self.outer._own(parts, aliases=False)
            if found is not None:
                self.outer_used.update(found[0].columns)
                return found
        names = [named.name for named in self.visible]
        name = ".".join(parts)
        raise InvalidExpression(
            f"There is no column '{name}'.",
            did_you_mean(parts[-1], names) or (f"Columns: {', '.join(dict.fromkeys(names))}." if names else None),
        )

    def _own(self, parts: Sequence[str], *, aliases: bool) -> tuple[Typed, Sequence[str]] | None:
        for size in range(len(parts) - 1, 0, -1):
            columns = [
                reference(column)
                for relation in self.relations
                if relation.is_named(parts[:size])
                for column in relation.columns
                if column.name.lower() == parts[size].lower()
            ]
            if columns:
                return _single(columns, parts), parts[size + 1 :]
        matches = [named.value for named in self.visible if named.name.lower() == parts[0].lower()]
        if not matches and aliases:
            matches = [named.value for named in self.aliases if named.name.lower() == parts[0].lower()]
        return (_single(matches, parts), parts[1:]) if matches else None

    def star(self, parts: Sequence[str] = ()) -> list[Named]:
        """Return the columns of ``*``, or of ``relation.*``."""
        if not parts:
            return list(self.visible)
        found = [relation for relation in self.relations if relation.is_named(parts)]
        if len(found) != 1:
            raise NotTranslated(f"`{'.'.join(parts)}.*`", "it is not the name of one relation")
        return [Named(column.name, reference(column)) for column in found[0].columns]


def _single(values: Sequence[Typed], parts: Sequence[str]) -> Typed:
    if len({value.sql for value in values}) > 1:
        raise InvalidExpression(
            f"Column '{'.'.join(parts)}' is ambiguous.", "Write the name of its table before it: t.column."
        )
    return values[0]


def field_of(value: Typed, name: str, construct: str) -> Typed:
    """Return a field of a struct."""
    if not pa.types.is_struct(value.type):
        raise NotTranslated(f"`{construct}`", "it is not a field of a STRUCT")
    for index in range(value.type.num_fields):
        each = value.type.field(index)
        if each.name.lower() == name.lower():
            quoted = each.name.replace("'", "''")
            return Typed(f"struct_extract({value.sql}, '{quoted}')", each.type, value.columns)
    raise InvalidExpression(f"'{construct}' has no field '{name}'.")
