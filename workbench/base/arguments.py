"""Check the arguments of public calls against their annotations.

`checked` marks a public function, method or dataclass. Its annotations are the declaration: on the first call they
become checkers, one for each parameter, and from then on every value passes its checker before the body runs. Only
values that match the annotation reach the body, so no call writes a number outside of 64 bits or a text that is not
valid UTF-8, which Java could not read.

Integers may be NumPy ones, lists may be any iterable of suitable items; the body receives plain ints, bools, lists and
dicts. Classes that are imported for type checking only are recognized by their names, so that checks import nothing.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import date, datetime, timedelta
from functools import wraps
from inspect import Parameter, signature, unwrap
from reprlib import Repr
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, overload

from workbench.base.errors import (
    CatalogError,
    InvalidExpression,
    InvalidRequest,
    InvalidSchema,
    SchemaMismatch,
    WorkbenchError,
)

Target = TypeVar("Target", bound=Callable[..., Any])
Check = Callable[[Any], Any]

_REFUSED = object()
_MAX_NAMED = 6
_PACKAGE = __name__.partition(".")[0]
_MIN_LONG, _LARGEST_LONG = -(2**63), 2**63 - 1
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_SHOWN_AS_THEY_ARE = (bool, int, float, str, bytes, NoneType)
_SHOWN_BY_ITEMS = (*_SHOWN_AS_THEY_ARE, list, tuple, dict)

# Arguments whose errors are not InvalidRequest: by name, or by call and name.
_ERRORS: Mapping[str, type[WorkbenchError]] = {
    **dict.fromkeys(("where", "condition", "on", "clauses", "assignments", "update", "insert"), InvalidExpression),
    **dict.fromkeys(("values", "pattern", "escape", "data_type", "col.name", "field.name"), InvalidExpression),
    **dict.fromkeys(("columns", "order_by", "partition", "partitions", "row_kind"), SchemaMismatch),
    **dict.fromkeys(("schema", "type", "primary_key", "partition_by"), InvalidSchema),
    **dict.fromkeys(("target", "database", "create_database.name", "drop_database.name"), CatalogError),
    **dict.fromkeys(("create_table.name", "get_table.name", "alter_table.name"), CatalogError),
    **dict.fromkeys(("drop_table.name", "rename_table.name", "rename_table.new_name"), CatalogError),
}
# Hints by the first of these types that an annotation has.
_HINTS: Mapping[Any, str] = {
    datetime: "Pass text such as '2026-11-01 12:30:00', a datetime or milliseconds since the epoch.",
    timedelta: "Pass text such as '7 d', or a timedelta.",
    Sequence[str]: "Pass a list such as ['a', 'b'].",
    Mapping: "Pass a dict such as {'a': 'b'}.",
    bool: "Pass True or False.",
    int: "Pass a number such as 1.",
    str: "Pass text such as 'a'.",
}


class _InvalidError(ValueError):
    """A value of the right type that is not valid: a message that completes "Argument 'x' of f() …", and a hint."""


# --- checkers: each returns the value to use, or _REFUSED for a value of another type ---------------------------------


def _integer(value: Any) -> Any:
    if type(value) is not int:
        if isinstance(value, int) and not isinstance(value, bool):
            value = int(value)
        elif _numpy_kind(value) in ("i", "u"):
            value = value.item()
        else:
            return _REFUSED
    if not _MIN_LONG <= value <= _LARGEST_LONG:
        raise _InvalidError(
            f"does not fit into 64 bits: {_SHORT.repr(value)}", "Pass a number from -(2 ** 63) to 2 ** 63 - 1."
        )
    return value


def _flag(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    return bool(value) if _numpy_kind(value) == "b" else _REFUSED


def _number(value: Any) -> Any:
    return value if isinstance(value, float) else _integer(value)


def is_utf8(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8: unpaired surrogates cannot."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
    return True


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        return _REFUSED
    if not is_utf8(value):
        raise _InvalidError(f"cannot be written as UTF-8: {_SHORT.repr(value)}", "Remove its unpaired surrogates.")
    return value


def _anything(value: Any) -> Any:
    return _text(value) if isinstance(value, str) else value


def _path(value: Any) -> Any:
    if not isinstance(value, os.PathLike):
        return _REFUSED
    return value if _text(os.fspath(value)) is not _REFUSED else _REFUSED


def _numpy_kind(value: Any) -> str | None:
    """Return the kind of a NumPy scalar (``i``, ``u``, ``b``, …); None for everything else."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return kind if isinstance(kind, str) and getattr(value, "shape", None) == () else None


def _instance(kind: type) -> Check:
    if issubclass(kind, _Unloaded):
        name = kind.__name__
        return lambda value: value if any(each.__name__ == name for each in type(value).__mro__) else _REFUSED
    if getattr(kind, "_is_protocol", False) and not getattr(kind, "_is_runtime_protocol", False):
        # Whether a value satisfies a protocol shows only when it is used.
        return lambda value: _REFUSED if isinstance(value, _SHOWN_AS_THEY_ARE) else value
    if issubclass(kind, date | timedelta):
        # NaT of pandas is also a datetime, and equal to nothing.
        return lambda value: value if isinstance(value, kind) and value == value else _REFUSED
    return lambda value: value if isinstance(value, kind) else _REFUSED


def _items(kind: type, item: Check) -> Check:
    """Check a list, or for a tuple type a tuple, of any iterable whose items pass; text is one value, not many."""
    is_tuple = issubclass(kind, tuple)

    def check(value: Any) -> Any:
        if is_tuple and not isinstance(value, Sequence):
            return _REFUSED
        if isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Iterable):
            return _REFUSED
        try:
            given = list(value)
        except TypeError:  # a zero-dimensional array has no items, although its class has an iterator
            return _REFUSED
        found = [item(each) for each in given]
        if any(each is _REFUSED for each in found):
            return _REFUSED
        return tuple(found) if is_tuple else found

    return check


def _fixed(items: Sequence[Check]) -> Check:
    """Check a tuple of this many items, each with its own checker."""

    def check(value: Any) -> Any:
        if not isinstance(value, tuple | list) or len(value) != len(items):
            return _REFUSED
        found = tuple(item(each) for item, each in zip(items, value, strict=True))
        return _REFUSED if any(each is _REFUSED for each in found) else found

    return check


def _mapping(key: Check, item: Check) -> Check:
    def check(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return _REFUSED
        found = {key(name): item(each) for name, each in value.items()}
        return _REFUSED if _REFUSED in found or any(each is _REFUSED for each in found.values()) else found

    return check


def _one_of(checks: Sequence[Check]) -> Check:
    if len(checks) == 1:
        return checks[0]

    def check(value: Any) -> Any:
        for each in checks:
            found = each(value)
            if found is not _REFUSED:
                return found
        return _REFUSED

    return check


# --- from annotations to checkers ---------------------------------------------------------------------------------


class _UnloadedType(type):
    """Placeholder of types that are imported for type checking only, and of modules of such types."""

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


class _Scope(dict[str, Any]):
    """The names that an annotation may use."""

    def __missing__(self, name: str) -> Any:
        if name == _PACKAGE:
            return sys.modules[name]
        return getattr(builtins, name) if hasattr(builtins, name) else _unloaded(name)


_PLAIN: Mapping[Any, tuple[Check, str]] = {
    Any: (_anything, "a value"),
    object: (_anything, "a value"),
    NoneType: (lambda value: value if value is None else _REFUSED, "None"),
    int: (_integer, "a whole number"),
    bool: (_flag, "True or False"),
    float: (_number, "a number"),
    str: (_text, "text"),
    bytes: (lambda value: value if isinstance(value, bytes) else _REFUSED, "bytes"),
}


def _compiled(kind: Any) -> tuple[Check, str]:
    """Return the checker of a type, and the description of valid values for messages."""
    if kind is None:
        kind = NoneType
    if kind in _PLAIN:
        return _PLAIN[kind]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (UnionType, Union):
        parts = [_compiled(each) for each in arguments]
        return _one_of([check for check, _ in parts]), _listed([name for _, name in parts])
    if origin is Literal:
        return (lambda value: value if value in arguments else _REFUSED), _listed([repr(each) for each in arguments])
    if origin is os.PathLike:
        return _path, "a path"
    if origin is tuple and Ellipsis not in arguments:
        parts = [_compiled(each) for each in arguments]
        return _fixed([check for check, _ in parts]), "a tuple"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        (key, key_name), (item, item_name) = map(_compiled, arguments)
        return _mapping(key, item), _dict_of(key_name, item_name, arguments[1])
    if origin is Callable:
        return (lambda value: value if callable(value) else _REFUSED), "a function"
    if isinstance(origin, type) and issubclass(origin, Iterable):
        item, item_name = _compiled(arguments[0])
        if arguments[0] in (Any, object):
            item_name = "values"
        return _items(origin, item), f"a list ({item_name})" if " or " in item_name else f"a list of {item_name}"
    return _instance(origin or kind), _a(kind.__name__)


def _dict_of(key: str, item: str, kind: Any) -> str:
    return f"a dict with {key} as keys" if kind in (Any, object) else f"a dict from {key} to {item}"


def _a(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def _listed(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    if len(names) > _MAX_NAMED:
        names = [*names[:3], "another type that help() shows"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


class _Argument:
    """One parameter of one call: checks a value, and describes what is wrong with it."""

    def __init__(self, call: str, name: str, annotation: str, scope: _Scope) -> None:
        kind = eval(annotation, {}, scope) if isinstance(annotation, str) else annotation
        self._check, self._expected = _compiled(kind)
        self._call, self._name = call, name
        kinds = set(get_args(kind) if get_origin(kind) in (UnionType, Union) else (kind,))
        kinds |= {get_origin(each) for each in kinds}
        self._hint = next((hint for each, hint in _HINTS.items() if each in kinds), f"See help({call}).")

    def __call__(self, value: Any, name: str | None = None) -> Any:
        try:
            found = self._check(value)
        except _InvalidError as error:
            raise self._error(name, *error.args) from error
        if found is _REFUSED:
            shown = "None" if value is None else _a(type(value).__name__)
            if value is not None and isinstance(value, _SHOWN_BY_ITEMS):
                shown = f"{_SHORT.repr(value)} ({type(value).__name__})"
            is_one = isinstance(value, str) and "a list" in self._expected
            hint = f"Pass [{_SHORT.repr(value)}]." if is_one else self._hint
            raise self._error(name, f"must be {self._expected}, not {shown}", hint)
        return found

    def _error(self, name: str | None, problem: str, hint: str) -> WorkbenchError:
        name = name or self._name
        kind = _ERRORS.get(f"{self._call}.{name}") or _ERRORS.get(name, InvalidRequest)
        return kind(f"Argument '{name}' of {self._call}() {problem}.", hint)


class _Arguments:
    """All parameters of one call."""

    def __init__(self, function: Callable[..., Any], overrides: Mapping[str, str]) -> None:
        plain = unwrap(function)
        scope = _Scope(getattr(sys.modules.get(plain.__module__), "__dict__", {}))
        call = plain.__qualname__.removesuffix(".__init__").rpartition(".")[2]
        self._by_position: list[_Argument | None] = []
        self._by_name: dict[str, _Argument] = {}
        self._more: _Argument | None = None
        self._named: _Argument | None = None
        for each in signature(plain).parameters.values():
            annotation = overrides.get(each.name, each.annotation)
            argument = None if annotation is Parameter.empty else _Argument(call, each.name, annotation, scope)
            if each.kind is Parameter.VAR_POSITIONAL:
                self._more = argument
            elif each.kind is Parameter.VAR_KEYWORD:
                self._named = argument
            else:
                if each.kind is not Parameter.KEYWORD_ONLY:
                    self._by_position.append(argument)
                if argument is not None:
                    self._by_name[each.name] = argument

    def positional(self, given: tuple[Any, ...]) -> Sequence[Any]:
        """Return the checked positional arguments. Surplus ones are left to the call."""
        if len(given) == 1 and self._by_position and self._by_position[0] is None:
            return given  # a method with nothing but its object: the most frequent call
        known = len(self._by_position)
        result = []
        for position, value in enumerate(given):
            argument = self._by_position[position] if position < known else self._more
            result.append(value if argument is None else argument(value))
        return result

    def named(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the checked keyword arguments. Unknown ones are left to the call."""
        found = {}
        for name, value in given.items():
            argument = self._by_name.get(name)
            if argument is not None:
                found[name] = argument(value)
            else:
                found[name] = value if self._named is None else self._named(value, _SHORT.repr(name)[1:-1])
        return found


@overload
def checked(target: Target) -> Target: ...


@overload
def checked(**annotations: str) -> Callable[[Target], Target]: ...


def checked(target: Any = None, **annotations: str) -> Any:
    """Check the arguments of a public function, method or dataclass against their annotations.

    Args:
        target: The function, or the class whose constructor has the arguments.
        annotations: Types to check instead of those in the signature, by parameter, for the few that the body itself
            refuses with a better message.

    Raises:
        WorkbenchError: On a call, for a value that does not have the annotated type.

    Example:
        >>> @checked
        ... def limited(limit: int | None = None) -> None: ...
        >>> limited("1")
        Traceback (most recent call last):
        InvalidRequest: Argument 'limit' of limited() must be a whole number or None, not '1'. Pass a whole number.
    """
    if target is None:
        return lambda given: _checked(given, annotations)
    return _checked(target, annotations)


def _checked(target: Target, annotations: Mapping[str, str]) -> Target:
    if isinstance(target, type):
        assert is_dataclass(target)
        setattr(target, "__init__", _checked(target.__init__, annotations))  # noqa: B010 - mypy forbids assignment
        return target
    arguments: _Arguments | None = None

    @wraps(target)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal arguments
        if arguments is None:
            # Not earlier: most calls of a process are never made.
            arguments = _Arguments(target, annotations)
        return target(*arguments.positional(args), **(arguments.named(kwargs) if kwargs else kwargs))

    return cast("Target", call)
