"""The magics `%paimon` and `%%paimon`, thin layers over `commands` and `sql.execute`."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.display import display
from traitlets import Bool, Enum, Int

from workbench.base.confirmation import is_confirmed_by_setting
from workbench.base.errors import InvalidExpression, WorkbenchError
from workbench.base.progress import Progress
from workbench.notebook.arguments import HELP, expand, parse_line, text_after, version_of
from workbench.notebook.cells.losses import require_confirmation
from workbench.notebook.cells.names import cell_name
from workbench.notebook.cells.script import Script
from workbench.notebook.cells.substitution import refuse_placeholders, substitute
from workbench.notebook.charts.chart import draw
from workbench.notebook.command import Request, Session
from workbench.notebook.commands import refuse_words, run_command, takes_text
from workbench.notebook.errors import shorten, with_traceback
from workbench.notebook.jobs.card import card_for
from workbench.notebook.jobs.value import title_of
from workbench.notebook.jobs.watched import run_watched
from workbench.notebook.saving import save
from workbench.sql.engines.registry import engine_names, runs_as_written
from workbench.sql.grid import Shown
from workbench.sql.parse import split_script


@magics_class
class PaimonMagic(Magics):
    """SQL and views of Apache Paimon tables. Settings: ``%config PaimonMagic.limit = 50`` and so on."""

    limit = Int(50, min=0, help="Number of rows to display; the result itself contains all rows.").tag(config=True)
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
            result = self._command(given, line) if cell is None else self._script(given, line, cell)
        except WorkbenchError as error:
            if self.short_errors:
                # The traceback of an expected error adds nothing to its message.
                raise shorten(error) from None
            raise with_traceback(error) from error.__cause__
        if given.out is not None and not given.background:
            self._variables[given.out] = result
        return result

    def _command(self, given: Namespace, line: str) -> Shown:
        for flag in ("chart", "background"):
            if getattr(given, flag):
                raise InvalidExpression(f"%paimon takes no --{flag}.", f"Pass it to statements: %%paimon --{flag}.")
        name, *words = given.words or ["help"]
        if takes_text(name):
            words = [text_after(line, name)]
        values = tuple(expand(word, self._variables) for word in words)
        version, limit, confirm = version_of(given), self._limit(given), self._confirms(given)
        return run_watched(
            lambda progress: run_command(name, Request(values, self.session, progress, limit, version, confirm)),
            card_for(self.shell),
            f"%paimon {' '.join(given.words)}",
        )

    def _script(self, given: Namespace, line: str, cell: str) -> Shown | None:
        """Run statements in order and show their results; the last one is the value of the cell."""
        refuse_words(given.words)
        if given.vars or self.substitute:
            cell = substitute(cell, self._variables)
        else:
            refuse_placeholders(cell)
        statements = split_script(cell)
        if not statements:
            raise InvalidExpression("The cell is empty.", "Write SQL below %%paimon.")
        engine, version = given.engine or self.engine, version_of(given)
        if self._confirms(given):
            as_written = runs_as_written(engine, version) is not None
            require_confirmation(statements, self.session, line.strip(), as_written=as_written)
        script = Script(statements, self.session, engine, self._limit(given), version, cell_name(self.shell))
        if given.background:
            self._start(given, script.detached())
            return None
        *others, last = statements
        for statement in others:
            display(self._watched(script, statement))  # type: ignore[no-untyped-call]
        result = self._watched(script, last)
        if given.save is not None:
            save(result, given.save)
        if given.chart is not None:
            self._show_chart(result, given.chart)
        return result

    def _start(self, given: Namespace, script: Script) -> None:
        """Run the statements in the background; the card of the cell shows the last result."""

        def run(progress: Progress) -> Shown:
            result = script.run_all(progress)
            if given.save is not None:
                save(result, given.save)
            return result

        def keep(result: Shown) -> None:
            if given.out is not None:
                self._variables[given.out] = result

        self.session.jobs.start(run, title_of(script.statements), card_for(self.shell, background=True), keep)

    def _watched(self, script: Script, text: str) -> Shown:
        return run_watched(lambda progress: script.run(text, progress), card_for(self.shell), title_of([text]))

    def _show_chart(self, result: Any, kind: str) -> None:
        chart = run_watched(lambda progress: draw(result, kind, progress), card_for(self.shell), "Drawing the chart")
        display(chart)  # type: ignore[no-untyped-call]

    @staticmethod
    def _confirms(given: Namespace) -> bool:
        """Return whether the user has to confirm what a cell deletes."""
        return not given.yes and not is_confirmed_by_setting()

    def _limit(self, given: Namespace) -> int:
        return int(self.limit if given.limit is None else given.limit)


PaimonMagic.paimon.__doc__ = f"{PaimonMagic.paimon.__doc__}\n\n{HELP}"
