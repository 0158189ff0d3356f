"""The type of a resolved expression."""

from __future__ import annotations

from workbench.base.errors import InvalidExpression
from workbench.expr.expressions import (
    Arithmetic,
    Case,
    Cast,
    Column,
    Expr,
    Field,
    Function,
    Literal,
    Negate,
)
from workbench.expr.kinds import BOOLEAN
from workbench.format.types import DataType, RowType


def type_of(expr: Expr) -> DataType | None:
    """Return the type of a resolved expression; None for a bare NULL.

    Raises:
        InvalidExpression: If the expression is not resolved.
    """
    match expr:
        case Literal(value=value, type=data_type):
            if data_type is None and value is not None:
                raise _unresolved(expr)
            return data_type
        case Arithmetic(types=data_types):
            if not data_types:
                raise _unresolved(expr)
            return data_types[-1][1]
        case Column(type=data_type) | Function(type=data_type):
            if data_type is None:
                raise _unresolved(expr)
            return data_type
        case Cast(type=data_type):
            if isinstance(data_type, str):
                raise _unresolved(expr)
            return data_type
        case Negate(operand=operand):
            return type_of(operand)
        case Case(branches=branches, otherwise=otherwise):
            return next((branch_type for _, value in branches if (branch_type := type_of(value))), None) or type_of(
                otherwise
            )
        case Field(operand=operand, name=name):
            row = type_of(operand)
            if isinstance(row, RowType):
                return next(each.type for each in row.fields if each.name == name)
            raise _unresolved(expr)
    return BOOLEAN


def _unresolved(expr: Expr) -> InvalidExpression:
    return InvalidExpression(f"{expr} is not bound to a table.", "Call resolve(expr, fields) first.")
