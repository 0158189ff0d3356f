"""The names that the expressions of a merge may use: columns of the table as ``t.x``, of the source as ``s.x``, and
without the alias where only one of them has the column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from workbench.base.errors import InvalidExpression, did_you_mean
from workbench.expr.expressions import Column, Expr, Field, Literal
from workbench.expr.resolve import resolve, resolve_predicate
from workbench.expr.tree import map_children
from workbench.format.types import DataField, DataType

TARGET = "t"
SOURCE = "s"


def qualified_name(alias: str, name: str) -> str:
    """What a column of one side is called among those of both."""
    return f"{alias}.{name}"


def renamed(rows: pa.Table, alias: str) -> pa.Table:
    """Rows of one side, as expressions over both see them."""
    return rows.rename_columns([qualified_name(alias, name) for name in rows.column_names])


def beside(left: pa.Table, right: pa.Table) -> pa.Table:
    """The columns of two tables of equal length."""
    for name in right.column_names:
        left = left.append_column(name, right.column(name))
    return left


@dataclass(frozen=True)
class Scope:
    """The sides that an expression may look at, by alias: a column's name and its type, None for one of bare NULLs."""

    sides: dict[str, Sequence[tuple[str, DataType | None]]]

    def value(self, given: Expr) -> Expr:
        """An expression bound to the columns of the sides.

        Raises:
            InvalidExpression: a name that is unknown or could be of both sides, or types that do not meet.
        """
        return resolve(self._qualified(given), self._fields)

    def condition(self, given: Expr) -> Expr:
        """The same for a condition."""
        return resolve_predicate(self._qualified(given), self._fields)

    @cached_property
    def _fields(self) -> list[DataField]:
        names = [(qualified_name(alias, name), kind) for alias, side in self.sides.items() for name, kind in side]
        return [DataField(number, name, kind) for number, (name, kind) in enumerate(names) if kind is not None]

    @cached_property
    def _nulls(self) -> frozenset[str]:
        named = ((qualified_name(alias, name), kind) for alias, side in self.sides.items() for name, kind in side)
        return frozenset(name.lower() for name, kind in named if kind is None)

    def _qualified(self, expr: Expr) -> Expr:
        if isinstance(expr, Field) and isinstance(expr.operand, Column) and expr.operand.name in (TARGET, SOURCE):
            alias = expr.operand.name
            if alias not in self.sides:
                whose = "the table" if alias == TARGET else "the source"
                raise InvalidExpression(f"{expr} is of {whose}, of which there is no row here.")
            return self._column(alias, expr.name)
        if isinstance(expr, Column):
            return self._column(self._side_of(expr.name), expr.name)
        return map_children(expr, self._qualified)

    def _column(self, alias: str, name: str) -> Expr:
        qualified = qualified_name(alias, name)
        return Literal(None) if qualified.lower() in self._nulls else Column(qualified)

    def _side_of(self, name: str) -> str:
        for fold in (str, str.lower):
            found = [alias for alias, side in self.sides.items() if fold(name) in (fold(each) for each, _ in side)]
            if len(found) == 1:
                return found[0]
            if found:
                choices = " or ".join(f"'{qualified_name(alias, name)}'" for alias in found)
                raise InvalidExpression(f"Column '{name}' is of both sides.", f"Write {choices}.")
        known = [each for side in self.sides.values() for each, _ in side]
        raise InvalidExpression(f"There is no column '{name}'.", did_you_mean(name, known))
