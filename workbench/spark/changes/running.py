"""Statements that this process has started in Spark: what their commits note, and what becomes of them.

Spark calls back for the rows of a statement. A local property of the calling thread, which Spark's own threads
inherit, names the statement then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from workbench.base.progress import Progress

if TYPE_CHECKING:
    from workbench.table.dml.result import RowChanges

PROPERTY = "workbench.statement"
_running: dict[str, RunningStatement] = {}


@dataclass
class RunningStatement:
    """A statement: where its progress is reported, the properties of its snapshot, and its result at the end."""

    progress: Progress = field(default_factory=Progress)
    properties: Mapping[str, str] = field(default_factory=dict)
    result: RowChanges | None = None

    def finish(self, result: RowChanges) -> None:
        """Keep the result."""
        self.result = result


@contextmanager
def statement_running(context: Any, statement: RunningStatement) -> Iterator[None]:
    """Mark what this thread starts in Spark as parts of a statement.

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
    """Return the statement of that name, or an unknown one, which a user has started in Spark."""
    found = None if name is None else _running.get(name)
    return found or RunningStatement()
