"""What a command is: a parsed statement that runs itself in a context."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from workbench.sql.context import Context
from workbench.sql.result import Result


@runtime_checkable
class Command(Protocol):
    """A statement as a value."""

    @property
    def text(self) -> str:
        """The statement as written."""
        ...

    def run(self, context: Context) -> Result:
        """Run the statement and return its result."""
        ...
