"""The clauses of MERGE: what it does with rows that match, and with rows that do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.base.arguments import checked
from workbench.base.errors import InvalidExpression

if TYPE_CHECKING:
    from workbench.expr.expressions import Expr

ALL = "*"
"""Every column of the table gets the value of the source column with the same name."""


@checked
@dataclass(frozen=True)
class WhenMatched:
    """Update or delete rows of the table that match a row of the source.

    Args:
        update: New values by column, as SQL over both rows, or ``"*"`` to copy all columns from the source.
        delete: Whether the row is deleted instead.
        condition: A condition over ``t`` and ``s`` that the pair must also satisfy.

    Example:
        >>> wb.WhenMatched({"qty": "t.qty + s.qty"}, condition="s.qty > 0")
    """

    update: Mapping[str, Any] | str | None = None
    delete: bool = False
    condition: str | Expr | None = None

    def __post_init__(self) -> None:
        _check_one("WhenMatched", self.update, delete=self.delete)
        _check_assignments("WhenMatched", self.update, star=True)


@checked
@dataclass(frozen=True)
class WhenNotMatched:
    """Insert rows of the source that match no row of the table.

    Args:
        insert: Values by column, as SQL over the source's columns, or ``"*"`` to copy all columns; omitted columns
            become NULL or their default.
        condition: A condition that the source row must also satisfy.

    Example:
        >>> wb.WhenNotMatched({"id": "s.id", "qty": "1"})
    """

    insert: Mapping[str, Any] | str = ALL
    condition: str | Expr | None = None

    def __post_init__(self) -> None:
        _check_assignments("WhenNotMatched", self.insert, star=True)


@checked(update="Mapping[str, Any] | str | None")
@dataclass(frozen=True)
class WhenNotMatchedBySource:
    """Update or delete rows of the table that match no row of the source.

    Args:
        update: New values by column, as SQL over the table's columns.
        delete: Whether the row is deleted instead.
        condition: A condition that the row must also satisfy.

    Example:
        >>> wb.WhenNotMatchedBySource(delete=True)
    """

    update: Mapping[str, Any] | None = None
    delete: bool = False
    condition: str | Expr | None = None

    def __post_init__(self) -> None:
        _check_one("WhenNotMatchedBySource", self.update, delete=self.delete)
        _check_assignments("WhenNotMatchedBySource", self.update, star=False)


Clause = WhenMatched | WhenNotMatched | WhenNotMatchedBySource


def _check_one(name: str, update: object, *, delete: bool) -> None:
    if (update is not None) == delete:
        raise InvalidExpression(f"{name} must either update or delete.", "Pass update={…} or delete=True.")


def _check_assignments(name: str, given: object, *, star: bool) -> None:
    if given is None or (isinstance(given, Mapping) and given) or (star and given == ALL):
        return
    choices = "a dict of column and SQL text" + (', or "*"' if star else "")
    raise InvalidExpression(f"{name} cannot assign {given!r}.", f"Pass {choices}.")
