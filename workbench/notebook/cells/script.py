"""Runs the statements of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.base.errors import WorkbenchError
from workbench.base.progress import Progress
from workbench.notebook.cells.places import excerpt
from workbench.notebook.cells.use import database_of_use
from workbench.notebook.command import Request, Session
from workbench.notebook.commands import run_command
from workbench.notebook.links import linked
from workbench.sql.engines.protocol import Written
from workbench.sql.engines.registry import runs_as_written
from workbench.sql.execute import execute
from workbench.sql.grid import Shown
from workbench.sql.statements import TimeTravel


@dataclass(frozen=True)
class Script:
    """The statements of a cell, and how to run them. ``cell`` is recorded as the cell's name in their snapshots."""

    statements: Sequence[str]
    session: Session
    engine: str
    limit: int
    version: TimeTravel | None = None
    cell: str = ""

    def detached(self) -> Script:
        """Return the same script with a copy of the session, so that later cells do not change it."""
        return replace(self, session=replace(self.session))

    def run(self, text: str, progress: Progress) -> Shown:
        """Run one of the statements.

        Raises:
            WorkbenchError: The statement failed; ``excerpt`` shows the place in it, if that is known.
        """
        try:
            return self._run(text, progress)
        except WorkbenchError as error:
            error.excerpt = error.excerpt or excerpt(error, text, self.session)
            raise

    def run_all(self, progress: Progress) -> Shown:
        """Run all statements in their order, and return the result of the last one."""
        *others, last = self.statements
        for text in others:
            self.run(text, progress)
        return self.run(last, progress)

    def _run(self, text: str, progress: Progress) -> Shown:
        session = self.session
        run = runs_as_written(self.engine, self.version)
        if run is not None:
            return run(Written(text, progress, self.limit))
        database = database_of_use(text)
        if database is not None:
            return run_command("use", Request((database,), session, Progress(), self.limit))
        catalog = session.require_catalog()
        result = execute(
            text, catalog, session.database, self.engine, progress, self.limit, self.version, session.frames, self.cell
        )
        return linked(result, catalog, session.name)
