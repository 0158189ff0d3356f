"""The form of a view that is saved in a notebook: JSON that the JupyterLab extension draws without a kernel."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from workbench.lens.wire import JsonValue, to_json

SAVED_MIME = "application/vnd.paimon.view+json"
# Increased when the extension cannot draw older values any longer.
SAVED_VERSION = 1
MAX_BYTES = 256 * 1024
# Jupyter writes each member on a separate line. The files of a bucket are indented the most, by this many spaces.
_INDENT = 15

Value = TypeVar("Value")


def no_others(_table: Any, _value: Any) -> Iterator[Any]:
    """Return an empty iterator."""
    return iter(())


def unchanged(value: Any) -> Any:
    """Return the value unchanged."""
    return value


@dataclass(frozen=True)
class SavedForm(Generic[Value]):
    """How the value of a view is saved.

    Args:
        smaller: Returns forms of the value with less and less detail, for values that are too large.
        others: Returns other values that the reader may choose, at the same version of the table; as many of them as
            fit are saved.
        still: Returns the form of the value that readers without a kernel see.
    """

    smaller: Callable[[Value], Iterable[Value]]
    others: Callable[[Any, Value], Iterator[Any]] = no_others
    still: Callable[[Value], Value] = unchanged


@dataclass(frozen=True)
class SavedState:
    """The state of a view besides its value. ``model`` is the id of its widget, None if there is no live one."""

    kind: str
    zone: str
    selected: str | None
    model: str | None


def saved_view(state: SavedState, value: Value, form: SavedForm[Value], table: Any) -> dict[str, JsonValue] | None:
    """Return the JSON of a view, at most `MAX_BYTES` in the notebook file; None if no form is small enough.

    In the JSON, ``reduced`` is whether the saved value has less detail than ``value``.
    """
    saved: dict[str, JsonValue] = {"version": SAVED_VERSION, **vars(state), "reduced": False, "others": []}
    value = form.still(value)
    room = MAX_BYTES - _size(saved) - _size({"value": None})
    content = to_json(value)
    left = room - _size(content)
    if left >= 0:
        return {**saved, "value": content, "others": _fitting(form.others(table, value), left)}
    for smaller in form.smaller(value):
        content = to_json(smaller)
        if _size(content) <= room:
            return {**saved, "reduced": True, "value": content}
    return None


def _fitting(values: Iterator[Any], room: int) -> list[JsonValue]:
    """Return the JSON of the first values, as many as fit into ``room`` bytes."""
    contents: list[JsonValue] = []
    for value in values:
        content = to_json(value)
        room -= _size([content])
        if room < 0:
            break
        contents.append(content)
    return contents


def _size(content: Any) -> int:
    """Return an upper bound for the bytes in a notebook file: indenting the text for an exact number would take ten
    times longer."""
    text = json.dumps(content, ensure_ascii=False)
    lines = text.count(",") + 2 * (text.count("{") + text.count("["))
    return len(text.encode()) + (lines + 1) * (_INDENT + 1)
