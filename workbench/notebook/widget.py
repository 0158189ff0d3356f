"""The widget behind a live view: an ES module that draws, and the traits that it draws."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from workbench.notebook.shell import running_shell

BUILD_HINT = "The live picture is not built. Run make lab in the project directory, then run this cell again."
INSTALL_HINT = "For a live picture: pip install 'paimon-workbench[lab]'."
MODULE = Path(__file__).parent / "static" / "views.js"
_shown_hints: set[str] = set()


def has_kernel() -> bool:
    """Return whether this process is the kernel of a notebook."""
    return _kernel() is not None


def has_front_end() -> bool:
    """Return whether a browser may draw: a kernel is running, and the front end accepts input.

    Tools that run notebooks (nbconvert, nbval) never accept input; a widget in their output would stay empty.
    """
    kernel = _kernel()
    if kernel is None:
        return False
    return bool(kernel.get_parent().get("content", {}).get("allow_stdin", True))


def _kernel() -> Any:
    return getattr(running_shell(), "kernel", None)


def missing_part() -> str | None:
    """Return what must be installed or built before a widget can be shown, or None."""
    if find_spec("anywidget") is None:
        return INSTALL_HINT
    return None if MODULE.is_file() else BUILD_HINT


def hint_once(hint: str) -> str:
    """Return the hint the first time, '' afterwards."""
    if hint in _shown_hints:
        return ""
    _shown_hints.add(hint)
    return hint


@cache
def _widget_class() -> type[Any]:
    """Define the class on first use: importing ipywidgets costs more than the rest of this library."""
    import anywidget
    from traitlets import Dict, Unicode

    class View(anywidget.AnyWidget):
        _esm = MODULE
        kind = Unicode().tag(sync=True)
        value = Dict(allow_none=True, default_value=None).tag(sync=True)
        zone = Unicode().tag(sync=True)
        selected = Unicode(allow_none=True, default_value=None).tag(sync=True)
        error = Dict(allow_none=True, default_value=None).tag(sync=True)
        opened = Dict(allow_none=True, default_value=None).tag(sync=True)

    return View


def new_widget(state: dict[str, Any], on_message: Callable[[dict[str, Any]], None]) -> Any:
    """Return a widget with that state, which passes its messages to ``on_message``."""
    widget = _widget_class()(**state)
    widget.on_msg(lambda _widget, message, _buffers: on_message(message))
    return widget
