"""A sub-command of ``%paimon``, and what it works with."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.base.errors import CatalogError, InvalidExpression
from workbench.base.progress import Progress
from workbench.notebook.jobs.background import Jobs
from workbench.sql.context import Context
from workbench.sql.grid import Shown
from workbench.sql.statements import TableRef, TimeTravel

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog


@dataclass
class Session:
    """The state of `%paimon` between cells.

    ``label`` is what the user called the catalog, ``name`` its name in a catalog file if it was opened by that name.
    ``frames`` are data frames that queries can read by name, ``jobs`` are the jobs in the background.
    """

    catalog: Catalog | None = None
    label: str = ""
    name: str | None = None
    database: str | None = None
    frames: dict[str, Any] = field(default_factory=dict)
    jobs: Jobs = field(default_factory=Jobs)

    def require_catalog(self) -> Catalog:
        """Return the open catalog.

        Raises:
            CatalogError: none has been opened yet.
        """
        if self.catalog is None:
            raise CatalogError("No catalog is open.", "Open one with %paimon connect /path/to/warehouse.")
        return self.catalog

    def table(self, name: str, version: TimeTravel | None = None) -> Any:
        """Return a table by a name of one to three parts; parts with dots are quoted with backticks."""
        found = re.findall(r"`((?:[^`]|``)+)`|([^`.]+)", name)
        parts = tuple(quoted.replace("``", "`") or plain for quoted, plain in found)
        return Context(self.require_catalog(), self.database).readable(TableRef(parts), version)


@dataclass(frozen=True)
class Request:
    """The words (strings, or values of variables) and flags of a sub-command. ``confirm`` is true if the user has
    to confirm what the sub-command deletes."""

    words: tuple[Any, ...]
    session: Session
    progress: Progress
    limit: int
    version: TimeTravel | None = None
    confirm: bool = False


@dataclass(frozen=True)
class Command:
    """A sub-command: its usage, help and function. ``argument`` is the kind of name that completions of its argument
    offer. ``loss`` returns what the sub-command would permanently delete, or None. With ``takes_text``, the rest of the
    line is one word, exactly as written."""

    usage: str
    help: str
    run: Callable[[Request], Shown]
    argument: str = ""
    loss: Callable[[Request], str | None] | None = None
    takes_text: bool = False


def only_word(request: Request, usage: str, what: str) -> str:
    """Return the one word that a sub-command takes.

    Raises:
        InvalidExpression: there is not exactly one word.
    """
    if len(request.words) != 1:
        raise InvalidExpression(f"%paimon {usage.split()[0]} takes {what}.", f"Write %paimon {usage}.")
    return str(request.words[0])


def table_of(request: Request, usage: str) -> Any:
    """Return the table that the one word of a sub-command names, at the requested version."""
    return request.session.table(only_word(request, usage, "a table"), request.version)
