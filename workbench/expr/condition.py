"""Resolves conditions in the forms in which callers pass them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidExpression
from workbench.expr.expressions import Expr
from workbench.expr.parse import as_expr
from workbench.expr.resolve import resolve_predicate

if TYPE_CHECKING:
    from workbench.format.types.data_types import DataField


def resolved_condition(where: str | Expr, fields: Sequence[DataField]) -> Expr:
    """Return a condition, given as SQL text or built with ``col``, resolved against columns.

    Raises:
        InvalidExpression: If the condition is neither text nor an expression, cannot be parsed, or does not fit the
            columns.
    """
    if not isinstance(where, str | Expr):
        raise InvalidExpression(f"A condition cannot be a {type(where).__name__}.", "Pass SQL text or wb.col(…).")
    return resolve_predicate(as_expr(where), fields)
