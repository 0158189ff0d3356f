"""Default values of arrays, maps and rows, parsed from text (Java ``StringToArrayCastRule`` and similar rules)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.base.counting import counted
from workbench.base.errors import SchemaMismatch
from workbench.format.types import ArrayType, DataType, MapType, RowType

_OPENING, _CLOSING = "([{", ")]}"
_QUOTES = "'\""


def nested_value(text: str, data_type: DataType, cast: Callable[[str, DataType], Any]) -> Any:
    """Return the Python value of a text such as ``[a, b]`` or ``array('a', 'b')`` in an array, map or row type.

    Args:
        text: The text: ``[…]`` or ``array(…)``, ``{k -> v}`` or ``map(k, v)``, ``{…}`` or ``struct(…)``.
        data_type: The type.
        cast: Returns the value of a text in a type that is not nested.

    Raises:
        SchemaMismatch: If the text has another form.
    """
    text = text.strip()
    if text.lower() == "null":
        return None
    if isinstance(data_type, ArrayType):
        return [nested_value(each, data_type.element, cast) for each in _parts(_inside(text, "array", "[]"))]
    if isinstance(data_type, MapType):
        return [
            (nested_value(key, data_type.key, cast), nested_value(value, data_type.value, cast))
            for key, value in _entries(text)
        ]
    if isinstance(data_type, RowType):
        parts = _parts(_inside(text, "struct", "{}"))
        if len(parts) != len(data_type.fields):
            raise SchemaMismatch(
                f"'{text}' has {counted(len(parts), 'values')} for {counted(len(data_type.fields), 'fields')}."
            )
        fields = zip(data_type.fields, parts, strict=True)
        return {field.name: nested_value(part, field.type, cast) for field, part in fields}
    return cast(_unquoted(text), data_type)


def _entries(text: str) -> list[tuple[str, str]]:
    if text.lower().startswith("map"):
        parts = _parts(_inside(text, "map", "{}"))
        if len(parts) % 2:
            raise SchemaMismatch(f"'{text}' has a key without a value.")
        return list(zip(parts[::2], parts[1::2], strict=True))
    entries = [part.partition("->") for part in _parts(_inside(text, "map", "{}"))]
    if any(not arrow for _, arrow, _ in entries):
        raise SchemaMismatch(f"'{text}' has a key without a value.", "Write {key -> value}.")
    return [(key.strip(), value.strip()) for key, _, value in entries]


def _inside(text: str, function: str, brackets: str) -> str:
    """Return the part of a text between its brackets, or between the parentheses of a function."""
    head = text[: len(function)].lower()
    rest = text[len(function) :].strip() if head == function else ""
    if rest.startswith("(") and rest.endswith(")"):
        return rest[1:-1]
    if text.startswith(brackets[0]) and text.endswith(brackets[1]):
        return text[1:-1]
    raise SchemaMismatch(f"'{text}' is not the text of a value.", f"Write {brackets} or {function}(…).")


def _parts(text: str) -> list[str]:
    """Return the parts between the commas that are outside of brackets and quotes."""
    parts: list[str] = []
    begin = depth = 0
    quote = ""
    for at, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in _QUOTES:
            quote = letter
        elif letter in _OPENING or letter in _CLOSING:
            depth += 1 if letter in _OPENING else -1
        elif letter == "," and depth == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
    last = text[begin:].strip()
    return [*parts, last] if last or parts else []


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] in _QUOTES and text[-1] == text[0]:
        return text[1:-1]
    return text
