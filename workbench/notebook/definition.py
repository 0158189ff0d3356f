"""The definition of a view of a table: how its value is read, shown as tables, and changed by events of its picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from workbench.notebook.command import Command, Request, table_of
from workbench.notebook.following import NewestSnapshot
from workbench.notebook.live import LiveView, table_at
from workbench.notebook.saved import SavedForm
from workbench.notebook.views import View
from workbench.sql.grid import Shown

Value = TypeVar("Value")


@dataclass(frozen=True)
class ViewArguments:
    """The choices of the user: ``selected`` is an item of the picture, the other fields determine the value that is
    read."""

    selected: str | None = None


Arguments = TypeVar("Arguments", bound=ViewArguments)


@dataclass(frozen=True)
class ViewCommand:
    """The sub-command ``%paimon <word> <table>`` of a view, which shows what `wb.<word>` shows. ``show`` takes the
    table and the maximum number of rows, and returns the view; without it, the view is made from its definition. If the
    sub-command may be written without a table, ``of_catalog`` takes the open catalog instead. ``aliases`` are other
    words for it."""

    word: str
    help: str
    show: Callable[[Any, int], Shown] | None = None
    of_catalog: Callable[[Any, int], Shown] | None = None
    aliases: tuple[str, ...] = ()

    def commands(self, definition: ViewDefinition[Any, Any]) -> dict[str, Command]:
        """Return the sub-commands of a view by their words."""
        return {word: self._command(word, definition) for word in (self.word, *self.aliases)}

    def _command(self, word: str, definition: ViewDefinition[Any, Any]) -> Command:
        usage = f"{word} <table>" if self.of_catalog is None else f"{word} [table]"

        def run(request: Request) -> Shown:
            if self.of_catalog is not None and not request.words:
                return self.of_catalog(request.session.require_catalog(), request.limit)
            table = table_of(request, usage)
            return _read(TableView(definition, table) if self.show is None else self.show(table, request.limit))

        return Command(usage, self.help, run, "table")


@dataclass(frozen=True)
class ViewCommandWithArguments:
    """A sub-command of a view with other arguments than a table; ``takes_text`` as in `Command`."""

    word: str
    help: str
    usage: str
    run: Callable[[Request], Shown]
    takes_text: bool = False
    aliases: tuple[str, ...] = ()

    def commands(self, _definition: ViewDefinition[Any, Any]) -> dict[str, Command]:
        """Return the sub-commands of a view by their words."""
        command = Command(
            self.usage, self.help, lambda request: _read(self.run(request)), "table", takes_text=self.takes_text
        )
        return dict.fromkeys((self.word, *self.aliases), command)


def _read(view: Shown) -> Shown:
    """Return the view with its value read, so that an error fails the cell, and is not only part of its output."""
    if isinstance(view, LiveView):
        view.value  # noqa: B018 - reads the table
    return view


def open_nothing(_table: Any, _arguments: Any, _event: Mapping[str, Any]) -> LiveView[Any] | None:
    """Return None: the picture opens no other view."""
    return None


def ignore_events(arguments: Arguments, _event: Mapping[str, Any]) -> Arguments:
    """Return the arguments unchanged."""
    return arguments


@dataclass(frozen=True)
class ViewDefinition(Generic[Value, Arguments]):
    """A view of a table.

    Args:
        name: The name of the view, which is also the name of the browser's definition of its picture.
        collect: Reads the value of a table with the arguments.
        fallback: Returns the value as tables and a static picture.
        arguments: The arguments that a view starts with.
        on_event: Returns the arguments after an event of the picture; the same ones if it does not know the event.
        command: The sub-command of ``%paimon``; by default ``%paimon <name> <table>``.
        per_version: Whether the value belongs to one version, so that the table is read at a fixed snapshot.
        has_picture: Whether the browser draws the view.
        opens: Takes the table, the arguments and an event of the picture. Returns the view that the event requests,
            which is shown below the picture, or None if it requests no view.
        saved: How the value is saved in a notebook, for a picture of the JupyterLab extension.
    """

    name: str
    collect: Callable[[Any, Arguments], Value]
    fallback: Callable[[Value], View]
    arguments: Arguments
    on_event: Callable[[Arguments, Mapping[str, Any]], Arguments] = ignore_events
    command: ViewCommand | ViewCommandWithArguments | None = None
    per_version: bool = True
    has_picture: bool = True
    saved: SavedForm[Value] | None = None
    opens: Callable[[Any, Arguments, Mapping[str, Any]], LiveView[Any] | None] = open_nothing

    @property
    def commands(self) -> dict[str, Command]:
        """The sub-commands of ``%paimon`` that show the view, by their words."""
        command = self.command or ViewCommand(self.name, f"the view '{self.name}' of a table")
        return command.commands(self)


class TableView(LiveView[Value], Generic[Value, Arguments]):
    """A view of a table, made from its definition."""

    def __init__(
        self, definition: ViewDefinition[Value, Arguments], table: Any, arguments: Arguments | None = None
    ) -> None:
        super().__init__(table)
        self.kind = definition.name
        self.arguments = definition.arguments if arguments is None else arguments
        self._definition = definition
        self._selected = self.arguments.selected

    def _has_picture(self) -> bool:
        return self._definition.has_picture

    def _saved_form(self) -> SavedForm[Value] | None:
        return self._definition.saved

    def _collect(self, newest: NewestSnapshot | None) -> Value:
        table = self.table
        if self._definition.per_version and table is not None:
            table = table_at(table.reading_once(), newest)
        return self._definition.collect(table, self.arguments)

    def _fallback(self, value: Value) -> View:
        return self._definition.fallback(value)

    def _open(self, event: Mapping[str, Any]) -> LiveView[Any] | None:
        return self._definition.opens(self.table, self.arguments, event)

    def _on_event(self, event: Mapping[str, Any]) -> bool:
        before, self.arguments = self.arguments, self._definition.on_event(self.arguments, event)
        self._selected = self.arguments.selected
        # Another selection alone does not change what is read.
        return replace(self.arguments, selected=before.selected) != before
