"""The widget behind a live view: an ES module that draws, and the traits that it draws from."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

BUILD_HINT = "The live picture is not built here. Run make lab in the project's directory, then show this again."
INSTALL_HINT = "For a live picture: pip install 'paimon-workbench[lab]'."
MODULE = Path(__file__).parent / "static" / "views.js"
_told: set[str] = set()


def has_front_end() -> bool:
    """Whether a browser may be there to draw: a kernel runs, and who runs this cell could also answer a question.

    Tools that run notebooks (nbconvert, nbval) never take input. Their page would wait for a widget that nobody draws.
    """
    ipython = sys.modules.get("IPython")
    kernel = getattr(ipython.get_ipython(), "kernel", None) if ipython is not None else None
    if kernel is None:
        return False
    return bool(kernel.get_parent().get("content", {}).get("allow_stdin", True))


def missing_part() -> str | None:
    """What is to be installed or built before a widget can be shown, or None."""
    if find_spec("anywidget") is None:
        return INSTALL_HINT
    return None if MODULE.is_file() else BUILD_HINT


def tell_once(hint: str) -> str:
    """The hint the first time, '' afterwards: nobody needs to read it below every picture."""
    if hint in _told:
        return ""
    _told.add(hint)
    return hint


@cache
def _widget_class() -> type[Any]:
    """Defined on first use: importing ipywidgets costs more than the rest of this library."""
    import anywidget
    from traitlets import Dict, Unicode

    class View(anywidget.AnyWidget):
        _esm = MODULE
        kind = Unicode().tag(sync=True)
        value = Dict(allow_none=True, default_value=None).tag(sync=True)
        zone = Unicode().tag(sync=True)
        selected = Unicode(allow_none=True, default_value=None).tag(sync=True)
        error = Dict(allow_none=True, default_value=None).tag(sync=True)

    return View


def new_widget(state: dict[str, Any], hear: Callable[[dict[str, Any]], None]) -> Any:
    """A widget of that state, which tells ``hear`` its events."""
    widget = _widget_class()(**state)
    widget.on_msg(lambda _widget, event, _buffers: hear(event))
    return widget
