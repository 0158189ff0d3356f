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
    """The sub-command ``%paimon <word> <table>`` of a view. ``show`` takes the table and the maximum number of rows.
    If the sub-command may be written without a table, ``of_catalog`` takes the open catalog instead."""

    word: str
    help: str
    show: Callable[[Any, int], Shown]
    of_catalog: Callable[[Any, int], Shown] | None = None

    @property
    def command(self) -> Command:
        """This sub-command as a `Command`."""
        usage = f"{self.word} <table>" if self.of_catalog is None else f"{self.word} [table]"

        def run(request: Request) -> Shown:
            if self.of_catalog is not None and not request.words:
                return self.of_catalog(request.session.require_catalog(), request.limit)
            return self.show(table_of(request, usage), request.limit)

        return Command(usage, self.help, run, "table")


@dataclass(frozen=True)
class ViewCommandWithArguments:
    """A sub-command of a view with other arguments than a table; ``takes_text`` as in `Command`."""

    word: str
    help: str
    usage: str
    run: Callable[[Request], Shown]
    takes_text: bool = False

    @property
    def command(self) -> Command:
        """This sub-command as a `Command`."""
        return Command(self.usage, self.help, self.run, "table", takes_text=self.takes_text)


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
        command: The sub-command of ``%paimon``, if there is one.
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
        table = table_at(self.table, newest) if self._definition.per_version else self.table
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
