"""The magics `%paimon` and `%%paimon`, thin layers over `commands` and `sql.execute`."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.display import display
from traitlets import Bool, Enum, Int

from workbench.base.errors import InvalidExpression, WorkbenchError
from workbench.base.progress import Progress
from workbench.notebook.arguments import HELP, expand, parse_line, version_of
from workbench.notebook.cells.losses import is_interactive, need_confirmation
from workbench.notebook.cells.substitution import refuse_placeholders, substitute
from workbench.notebook.charts.chart import draw
from workbench.notebook.command import Request, Session
from workbench.notebook.commands import need_no_words, run_command
from workbench.notebook.errors import shorten, with_traceback
from workbench.notebook.links import linked
from workbench.notebook.running import line_for, run_watched
from workbench.notebook.saving import save
from workbench.sql.engines.protocol import Written
from workbench.sql.engines.registry import engine_names, runs_as_written
from workbench.sql.execute import execute
from workbench.sql.grid import Shown
from workbench.sql.parse import split_script


@magics_class
class PaimonMagic(Magics):
    """SQL and views of Apache Paimon tables. Settings: ``%config PaimonMagic.limit = 50`` and so on."""

    limit = Int(50, min=0, help="Number of rows that a result shows; it holds all of them.").tag(config=True)
    engine = Enum(engine_names(), "auto", help=f"The engine of queries: {', '.join(engine_names())}.").tag(config=True)
    substitute = Bool(False, help="Replace {name} in SQL cells with the variable, as --vars does.").tag(config=True)
    short_errors = Bool(True, help="Show errors of this library as one line, without a traceback.").tag(config=True)

    def __init__(self, shell: Any) -> None:
        super().__init__(shell=shell)
        self.session = Session()
        self._variables: dict[str, Any] = shell.user_ns

    # IPython's own expansion would also replace `$` in names.
    @no_var_expand
    @line_cell_magic
    def paimon(self, line: str, cell: str | None = None) -> Shown | None:
        """Browse Apache Paimon tables (%paimon) and run SQL on them (%%paimon)."""
        try:
            given = parse_line(line)
            result = self._command(given) if cell is None else self._script(given, line, cell)
        except WorkbenchError as error:
            if self.short_errors:
                # The traceback of an expected error adds nothing to its message.
                raise shorten(error) from None
            raise with_traceback(error) from error.__cause__
        if given.out is not None:
            self._variables[given.out] = result
        return result

    def _command(self, given: Namespace) -> Shown:
        if given.chart is not None:
            raise InvalidExpression("%paimon takes no --chart.", "Pass it to a query: %%paimon --chart.")
        name, *words = given.words or ["help"]
        values = tuple(expand(word, self._variables) for word in words)
        version, limit, confirm = version_of(given), self._limit(given), self._confirms(given)
        return run_watched(
            lambda progress: run_command(name, Request(values, self.session, progress, limit, version, confirm)),
            line_for(self.shell),
        )

    def _script(self, given: Namespace, line: str, cell: str) -> Shown:
        """Run statements in order and show their results; the last one is the value of the cell."""
        need_no_words(given.words)
        if given.vars or self.substitute:
            cell = substitute(cell, self._variables)
        else:
            refuse_placeholders(cell)
        statements = split_script(cell)
        if not statements:
            raise InvalidExpression("The cell is empty.", "Write SQL below %%paimon.")
        if self._confirms(given):
            as_written = runs_as_written(given.engine or self.engine, None) is not None
            need_confirmation(statements, self.session, line.strip(), as_written=as_written)
        *others, last = statements
        for statement in others:
            display(self._statement(given, statement))  # type: ignore[no-untyped-call]
        result = self._statement(given, last)
        if given.save is not None:
            save(result, given.save)
        if given.chart is not None:
            self._show_chart(result, given.chart)
        return result

    def _statement(self, given: Namespace, text: str) -> Shown:
        session, engine = self.session, given.engine or self.engine
        version, limit = version_of(given), self._limit(given)
        run = runs_as_written(engine, version)
        if run is not None:
            return run_watched(lambda progress: run(Written(text, progress, limit)), line_for(self.shell))
        words = text.split()
        if words[0].upper() == "USE" and len(words) == 2:
            return run_command("use", Request((words[1],), session, Progress(), limit))
        catalog = session.require_catalog()
        result = run_watched(
            lambda progress: execute(text, catalog, session.database, engine, progress, limit, version, session.frames),
            line_for(self.shell),
        )
        return linked(result, catalog, session.name)

    def _show_chart(self, result: Any, kind: str) -> None:
        chart = run_watched(lambda progress: draw(result, kind, progress), line_for(self.shell))
        display(chart)  # type: ignore[no-untyped-call]

    def _confirms(self, given: Namespace) -> bool:
        """Return whether the user has to confirm what a cell deletes."""
        return not given.yes and is_interactive(self.shell)

    def _limit(self, given: Namespace) -> int:
        return int(self.limit if given.limit is None else given.limit)


PaimonMagic.paimon.__doc__ = f"{PaimonMagic.paimon.__doc__}\n\n{HELP}"
