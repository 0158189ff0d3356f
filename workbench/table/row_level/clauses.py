"""What a merge does with rows that match, and with those that do not: the clauses of MERGE as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.base.errors import InvalidExpression

if TYPE_CHECKING:
    from workbench.expr.expressions import Expr

ALL = "*"
"""Every column of the table gets that of the source of the same name."""


@dataclass(frozen=True)
class WhenMatched:
    """What happens to a row of the table that a row of the source matches: ``update`` gives new values by column, as
    SQL over both rows (``{"qty": "t.qty + s.qty"}``), or is ``"*"``; or ``delete`` is true. Only for pairs that satisfy
    ``condition``.
    """

    update: Mapping[str, Any] | str | None = None
    delete: bool = False
    condition: str | Expr | None = None

    def __post_init__(self) -> None:
        _check_one("WhenMatched", self.update, delete=self.delete)
        _check_assignments("WhenMatched", self.update, star=True)


@dataclass(frozen=True)
class WhenNotMatched:
    """What is made of a row of the source that matches no row of the table: ``insert`` gives values by column, as SQL
    over the source's columns, or is ``"*"``; columns left out become NULL or their default. Only for rows that
    satisfy ``condition``.
    """

    insert: Mapping[str, Any] | str = ALL
    condition: str | Expr | None = None

    def __post_init__(self) -> None:
        _check_assignments("WhenNotMatched", self.insert, star=True)


@dataclass(frozen=True)
class WhenNotMatchedBySource:
    """What happens to a row of the table that no row of the source matches: ``update`` gives new values by column, as
    SQL over the table's columns; or ``delete`` is true. Only for rows that satisfy ``condition``.
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
        raise InvalidExpression(f"{name} either updates or deletes.", "Pass update={…} or delete=True.")


def _check_assignments(name: str, given: object, *, star: bool) -> None:
    if given is None or (isinstance(given, Mapping) and given) or (star and given == ALL):
        return
    choices = "a dict of column and SQL text" + (', or "*"' if star else "")
    raise InvalidExpression(f"{name} cannot assign {given!r}.", f"Pass {choices}.")
