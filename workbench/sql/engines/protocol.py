"""The protocol of engines: an engine accepts or refuses a query and runs it, or it runs every statement as written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from workbench.base.clock import Clock, SystemClock
from workbench.base.progress import Progress
from workbench.sql.context import Context
from workbench.sql.result import Result
from workbench.sql.statements import Select


class Prepared(Protocol):
    """A query that an engine has accepted."""

    @property
    def width(self) -> int:
        """The number of columns."""
        ...

    @property
    def schema(self) -> pa.Schema:
        """The columns of the result, which are known before the query runs."""
        ...

    def result(self) -> Result:
        """Run the query and return its result."""
        ...

    def rows(self) -> Any:
        """Return all rows for a write: an Arrow table or a Spark DataFrame."""
        ...


@dataclass(frozen=True)
class Written:
    """A statement for an engine that runs it as it is written, with the number of rows to show."""

    text: str
    progress: Progress = field(default_factory=Progress)
    limit: int = 50
    clock: Clock = field(default_factory=SystemClock)


Prepare = Callable[[Context, Select], Prepared]
RunAsWritten = Callable[[Written], Result]


@dataclass(frozen=True)
class Engine:
    """An engine, which runs either queries, with ``prepare``, or all statements, with ``run``.

    Args:
        name: The name by which a user chooses it.
        prepare: Accepts a query if the user chose the engine. Raises Unsupported, which names what it does not support.
        automatic: Like ``prepare``, if the user did not choose an engine; None if only users can choose this one.
        own_dialect: Whether a user who chose the engine writes its dialect instead of Spark's.
        run: Runs a statement as written, without the library's catalog.
    """

    name: str
    prepare: Prepare | None = None
    automatic: Prepare | None = None
    own_dialect: bool = False
    run: RunAsWritten | None = None
