"""Checkers of values, compiled from annotations."""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from reprlib import Repr
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

Check = Callable[[Any], Any]
"""Returns the value to use, or `REFUSED` for a value of another type."""

REFUSED = object()
SHORT = Repr()
SHORT.maxstring = SHORT.maxother = SHORT.maxlong = 60
PRINTED_TYPES = (bool, int, float, str, bytes, NoneType)
"""Types whose values are quoted in messages."""

_MAX_NAMED = 6
_PACKAGE = __name__.partition(".")[0]
_MIN_LONG, _MAX_LONG = -(2**63), 2**63 - 1


class InvalidValueError(ValueError):
    """A value has the right type but is invalid. Has the end of the message after "Argument 'x' of f()", and a hint."""


# --- checkers: each returns the value to use, or REFUSED for a value of another type ---------------------------------


def _integer(value: Any) -> Any:
    if type(value) is not int:
        if isinstance(value, int) and not isinstance(value, bool):
            value = int(value)
        elif _numpy_kind(value) in ("i", "u"):
            value = value.item()
        else:
            return REFUSED
    if not _MIN_LONG <= value <= _MAX_LONG:
        raise InvalidValueError(
            f"does not fit into 64 bits: {SHORT.repr(value)}", "Pass a number from -(2 ** 63) to 2 ** 63 - 1."
        )
    return value


def _flag(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    return bool(value) if _numpy_kind(value) == "b" else REFUSED


def _number(value: Any) -> Any:
    return value if isinstance(value, float) else _integer(value)


def is_utf8(text: str) -> bool:
    """Return whether a string can be encoded as UTF-8, which is impossible if it contains unpaired surrogates."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
    return True


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        return REFUSED
    if not is_utf8(value):
        raise InvalidValueError(f"cannot be written as UTF-8: {SHORT.repr(value)}", "Remove its unpaired surrogates.")
    return value


def _anything(value: Any) -> Any:
    return _text(value) if isinstance(value, str) else value


def _path(value: Any) -> Any:
    if not isinstance(value, os.PathLike):
        return REFUSED
    return value if _text(os.fspath(value)) is not REFUSED else REFUSED


def _numpy_kind(value: Any) -> str | None:
    """Return the kind of a NumPy scalar (``i``, ``u``, ``b``, …); None for everything else."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return kind if isinstance(kind, str) and getattr(value, "shape", None) == () else None


def _instance(kind: type) -> Check:
    if issubclass(kind, _Unloaded):
        name = kind.__name__
        return lambda value: value if any(each.__name__ == name for each in type(value).__mro__) else REFUSED
    if getattr(kind, "_is_protocol", False) and not getattr(kind, "_is_runtime_protocol", False):
        # Whether a value satisfies a protocol turns out only when it is used.
        return lambda value: REFUSED if isinstance(value, PRINTED_TYPES) else value
    if issubclass(kind, date | timedelta):
        # pandas' NaT is also an instance of datetime, but is not equal to itself.
        return lambda value: value if isinstance(value, kind) and value == value else REFUSED
    return lambda value: value if isinstance(value, kind) else REFUSED


def _items(kind: type, item: Check) -> Check:
    """Return the check of a list or tuple type. It accepts any iterable, or for a tuple any sequence, whose items all
    pass ``item``, and returns it as a list or tuple. A string is one value, not a sequence of characters."""
    is_tuple = issubclass(kind, tuple)

    def check(value: Any) -> Any:
        if is_tuple and not isinstance(value, Sequence):
            return REFUSED
        if isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Iterable):
            return REFUSED
        try:
            given = list(value)
        except TypeError:  # a zero-dimensional array has no items, although its class has an iterator
            return REFUSED
        found = [item(each) for each in given]
        if any(each is REFUSED for each in found):
            return REFUSED
        return tuple(found) if is_tuple else found

    return check


def _fixed(items: Sequence[Check]) -> Check:
    """Return the check of a tuple type with this many items, each with a separate check."""

    def check(value: Any) -> Any:
        if not isinstance(value, tuple | list) or len(value) != len(items):
            return REFUSED
        found = tuple(item(each) for item, each in zip(items, value, strict=True))
        return REFUSED if any(each is REFUSED for each in found) else found

    return check


def _mapping(key: Check, item: Check) -> Check:
    def check(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return REFUSED
        found = {key(name): item(each) for name, each in value.items()}
        return REFUSED if REFUSED in found or any(each is REFUSED for each in found.values()) else found

    return check


def _one_of(checks: Sequence[Check]) -> Check:
    if len(checks) == 1:
        return checks[0]

    def check(value: Any) -> Any:
        for each in checks:
            found = each(value)
            if found is not REFUSED:
                return found
        return REFUSED

    return check


# --- from annotations to checkers ---------------------------------------------------------------------------------


class _UnloadedType(type):
    """Placeholder for types that are imported only for type checking, and for the modules of such types."""

    def __getattr__(cls, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return _unloaded(name)

    def __getitem__(cls, _: object) -> type:
        return cls


class _Unloaded(metaclass=_UnloadedType):
    """A class that is recognized by its name."""


def _unloaded(name: str) -> type:
    return _UnloadedType(name, (_Unloaded,), {})


class Scope(dict[str, Any]):
    """The names that an annotation may use."""

    def __missing__(self, name: str) -> Any:
        if name == _PACKAGE:
            return sys.modules[name]
        return getattr(builtins, name) if hasattr(builtins, name) else _unloaded(name)


_PLAIN: Mapping[Any, tuple[Check, str]] = {
    Any: (_anything, "a value"),
    object: (_anything, "a value"),
    NoneType: (lambda value: value if value is None else REFUSED, "None"),
    int: (_integer, "a whole number"),
    bool: (_flag, "True or False"),
    float: (_number, "a number"),
    str: (_text, "text"),
    bytes: (lambda value: value if isinstance(value, bytes) else REFUSED, "bytes"),
}


def compiled(kind: Any) -> tuple[Check, str]:
    """Return the checker of a type, and the description of valid values for messages."""
    if kind is None:
        kind = NoneType
    if kind in _PLAIN:
        return _PLAIN[kind]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (UnionType, Union):
        parts = [compiled(each) for each in arguments]
        return _one_of([check for check, _ in parts]), _listed([name for _, name in parts])
    if origin is Literal:
        return (lambda value: value if value in arguments else REFUSED), _listed([repr(each) for each in arguments])
    if origin is os.PathLike:
        return _path, "a path"
    if origin is tuple and Ellipsis not in arguments:
        parts = [compiled(each) for each in arguments]
        return _fixed([check for check, _ in parts]), "a tuple"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        (key, key_name), (item, item_name) = map(compiled, arguments)
        return _mapping(key, item), _dict_of(key_name, item_name, arguments[1])
    if origin is Callable:
        return (lambda value: value if callable(value) else REFUSED), "a function"
    if isinstance(origin, type) and issubclass(origin, Iterable):
        item, item_name = compiled(arguments[0])
        if arguments[0] in (Any, object):
            item_name = "values"
        return _items(origin, item), f"a list ({item_name})" if " or " in item_name else f"a list of {item_name}"
    return _instance(origin or kind), with_article(kind.__name__)


def _dict_of(key: str, item: str, kind: Any) -> str:
    return f"a dict with {key} as keys" if kind in (Any, object) else f"a dict from {key} to {item}"


def with_article(name: str) -> str:
    """Return a noun with its indefinite article."""
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def _listed(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    if len(names) > _MAX_NAMED:
        names = [*names[:3], "another type that help() shows"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
