"""Name resolution in the expressions of a merge.

Columns of the table are ``t.x``, those of the source ``s.x``; the alias may be omitted where only one side has the
column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from workbench.base.errors import InvalidExpression, did_you_mean
from workbench.base.lazy import cached_property
from workbench.expr.expressions import Column, Expr, Field, Literal
from workbench.expr.resolve import resolve, resolve_predicate
from workbench.expr.tree import map_children
from workbench.format.types import DataField, DataType

TARGET = "t"
SOURCE = "s"


def qualified_name(alias: str, name: str) -> str:
    """Return the name of a column of one side, qualified by the alias of the side."""
    return f"{alias}.{name}"


def renamed(rows: pa.Table, alias: str) -> pa.Table:
    """Return the rows of one side with qualified column names, as expressions over both sides refer to them."""
    return rows.rename_columns([qualified_name(alias, name) for name in rows.column_names])


def beside(left: pa.Table, right: pa.Table) -> pa.Table:
    """Return the columns of two tables of equal length in one table."""
    for name in right.column_names:
        left = left.append_column(name, right.column(name))
    return left


@dataclass(frozen=True)
class Scope:
    """The columns that an expression may use: names and types by alias; a type is None for a column that is all
    NULL."""

    sides: dict[str, Sequence[tuple[str, DataType | None]]]

    def value(self, given: Expr) -> Expr:
        """Bind an expression to the columns of the sides.

        Raises:
            InvalidExpression: A name is unknown or ambiguous, or types are not compatible.
        """
        return resolve(self._qualified(given), self._fields)

    def condition(self, given: Expr) -> Expr:
        """Bind a condition to the columns of the sides; see `value`."""
        return resolve_predicate(self._qualified(given), self._fields)

    @cached_property
    def _fields(self) -> list[DataField]:
        names = [
            (qualified_name(alias, name), data_type) for alias, side in self.sides.items() for name, data_type in side
        ]
        return [
            DataField(number, name, data_type)
            for number, (name, data_type) in enumerate(names)
            if data_type is not None
        ]

    @cached_property
    def _nulls(self) -> frozenset[str]:
        named = (
            (qualified_name(alias, name), data_type) for alias, side in self.sides.items() for name, data_type in side
        )
        return frozenset(name.lower() for name, data_type in named if data_type is None)

    def _qualified(self, expr: Expr) -> Expr:
        if isinstance(expr, Field) and isinstance(expr.operand, Column) and expr.operand.name in (TARGET, SOURCE):
            alias = expr.operand.name
            if alias not in self.sides:
                whose = "the table" if alias == TARGET else "the source"
                raise InvalidExpression(f"{expr} cannot be used here: this clause has no row of {whose}.")
            return self._column(alias, expr.name)
        if isinstance(expr, Column):
            return self._column(self._side_of(expr.name), expr.name)
        return map_children(expr, self._qualified)

    def _column(self, alias: str, name: str) -> Expr:
        qualified = qualified_name(alias, name)
        return Literal(None) if qualified.lower() in self._nulls else Column(qualified)

    def _side_of(self, name: str) -> str:
        for fold in (str, str.lower):
            sides = [alias for alias, side in self.sides.items() if fold(name) in (fold(each) for each, _ in side)]
            if len(sides) == 1:
                return sides[0]
            if sides:
                choices = " or ".join(f"'{qualified_name(alias, name)}'" for alias in sides)
                raise InvalidExpression(
                    f"Column '{name}' is ambiguous: it exists in the table and the source.", f"Write {choices}."
                )
        known = [each for side in self.sides.values() for each, _ in side]
        raise InvalidExpression(f"There is no column '{name}'.", did_you_mean(name, known))
