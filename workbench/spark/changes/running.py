"""Statements that this process has started in Spark: what their commits record, and how they end.

Spark calls back for the rows of a statement. The statement is then identified by a local property of the calling
thread, which Spark's own threads inherit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from workbench.base.errors import WorkbenchError
from workbench.base.progress import Progress

if TYPE_CHECKING:
    from workbench.table.dml.result import RowChanges

PROPERTY = "workbench.statement"
_running: dict[str, RunningStatement] = {}


@dataclass
class RunningStatement:
    """A statement: where its progress is reported, the properties of its snapshot and, in the end, its result or the
    error of this library that Spark reports as a JVM error."""

    progress: Progress = field(default_factory=Progress)
    properties: Mapping[str, str] = field(default_factory=dict)
    result: RowChanges | None = None
    failure: WorkbenchError | None = None

    @contextmanager
    def recording_failure(self) -> Iterator[None]:
        """Keep the error that a part of the statement raises."""
        try:
            yield
        except WorkbenchError as error:
            self.failure = error
            raise

    def finish(self, result: RowChanges) -> None:
        """Keep the result."""
        self.result = result

    def changes(self) -> RowChanges:
        """Return the result.

        Raises:
            WorkbenchError: If Spark has ended the statement without handing over its rows.
        """
        if self.result is None:
            raise WorkbenchError(
                "Spark has ended the statement without handing over the changed rows.",
                "Use Table.update, Table.delete or Table.merge.",
            )
        return self.result


@contextmanager
def statement_running(context: Any, statement: RunningStatement) -> Iterator[None]:
    """Mark everything that this thread starts in Spark as part of a statement.

    Args:
        context: The Spark context.
        statement: The statement.
    """
    name = str(uuid4())
    before = context.getLocalProperty(PROPERTY)
    _running[name] = statement
    context.setLocalProperty(PROPERTY, name)
    try:
        yield
    finally:
        context.setLocalProperty(PROPERTY, before)
        del _running[name]


def running_statement(name: str | None) -> RunningStatement:
    """Return the statement of that name, or a new one for a statement that a user has started in Spark directly."""
    found = None if name is None else _running.get(name)
    return found or RunningStatement()
