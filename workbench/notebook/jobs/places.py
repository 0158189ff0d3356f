"""Shows the result of work in the output of its card, instead of leaving an empty output above it."""

from __future__ import annotations

import weakref
from typing import Any

from workbench.notebook.shell import running_shell
from workbench.sql.grid import Shown


class _Places:
    """The emptied outputs of the cell that runs, by the result that fills them. Later cells show it themselves."""

    def __init__(self) -> None:
        self._cell: object = None
        self._by_result: dict[int, tuple[weakref.ref[Shown], Any]] = {}

    def keep(self, cell: object, result: Shown, handle: Any) -> None:
        if cell != self._cell:
            self._cell, self._by_result = cell, {}
        self._by_result[id(result)] = (weakref.ref(result), handle)

    def take(self, cell: object, result: Shown) -> Any | None:
        reference, handle = self._by_result.pop(id(result), (None, None))
        return handle if cell == self._cell and reference is not None and reference() is result else None


_PLACES = _Places()


def show_in_place(outcome: object, handle: Any) -> None:
    """Let an outcome fill an output as soon as IPython displays it, unless a later cell displays it first.

    Args:
        outcome: What the work returned; it is displayed later, or never if the cell assigns it.
        handle: IPython's handle of the output.
    """
    shell = running_shell()
    if shell is None or not isinstance(outcome, Shown):
        return
    shell.display_formatter.ipython_display_formatter.for_type(Shown, _display)
    _PLACES.keep(_cell_of(shell), outcome, handle)


def _display(shown: Shown) -> None:
    """Fill the output that is kept for a result.

    Raises:
        NotImplementedError: There is none: IPython then displays the result as usual.
    """
    shell = running_shell()
    handle = _PLACES.take(_cell_of(shell), shown)
    if handle is None:
        raise NotImplementedError
    data, metadata = shell.display_formatter.format(shown)
    handle.update(data, metadata=metadata, raw=True)


def _cell_of(shell: Any) -> object:
    """Return what distinguishes the cell that runs: the id of the message that runs it."""
    return shell.get_parent().get("header", {}).get("msg_id")
