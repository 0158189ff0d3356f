"""What an engine is: it accepts a query or says why not, and runs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.sql.context import Context
from workbench.sql.result import Result
from workbench.sql.statements import Select


class Prepared(Protocol):
    """A query that an engine has accepted."""

    @property
    def width(self) -> int:
        """The number of columns."""
        ...

    def result(self) -> Result:
        """Run the query and return its result."""
        ...

    def rows(self) -> Any:
        """Return all rows for a write: an Arrow table or a Spark DataFrame."""
        ...


Prepare = Callable[[Context, Select], Prepared]


@dataclass(frozen=True)
class Engine:
    """An engine.

    Args:
        name: The name by which a user chooses it.
        prepare: Accepts a query of a user who chose the engine. Raises Unsupported, which names what it does not run.
        automatic: The same for a user who did not choose, if the engine then takes part.
        own_dialect: Whether a user who chose the engine writes its dialect instead of Spark's.
        missing: Why the engine is not available, if it never is.
    """

    name: str
    prepare: Prepare
    automatic: Prepare | None = None
    own_dialect: bool = False
    missing: str | None = None
