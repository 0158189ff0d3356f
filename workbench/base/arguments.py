"""Check the arguments of public calls against their annotations.

`checked` marks a public function, method or dataclass. On the first call, its annotations are compiled to checkers, one
for each parameter; from then on, every argument has to pass its checker before the body runs. Only values that match
the annotation reach the body, so no call writes an integer outside of 64 bits or a string that is not valid UTF-8,
which Java could not read.

Callers may pass NumPy integers, and any iterable of suitable items as a list; the body receives plain ints, bools,
lists and dicts. Classes that are imported only for type checking are recognized by name, so that checks import nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import datetime, timedelta
from functools import wraps
from inspect import Parameter, signature, unwrap
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, overload

from workbench.base.checkers import PRINTED_TYPES, REFUSED, SHORT, InvalidValueError, Scope, compiled, with_article
from workbench.base.errors import (
    CatalogError,
    InvalidExpression,
    InvalidRequest,
    InvalidSchema,
    SchemaMismatch,
    WorkbenchError,
)

Target = TypeVar("Target", bound=Callable[..., Any])
_PRINTED_BY_ITEMS = (*PRINTED_TYPES, list, tuple, dict)

# Arguments whose errors are not InvalidRequest. Keys are the names of arguments, or ``call.argument``.
_ERRORS: Mapping[str, type[WorkbenchError]] = {
    **dict.fromkeys(("where", "condition", "on", "clauses", "assignments", "update", "insert"), InvalidExpression),
    **dict.fromkeys(("values", "pattern", "escape", "data_type", "col.name", "field.name"), InvalidExpression),
    **dict.fromkeys(("columns", "order_by", "partition", "partitions", "row_kind"), SchemaMismatch),
    **dict.fromkeys(("schema", "type", "primary_key", "partition_by"), InvalidSchema),
    **dict.fromkeys(("target", "database", "create_database.name", "drop_database.name"), CatalogError),
    **dict.fromkeys(("create_table.name", "get_table.name", "alter_table.name"), CatalogError),
    **dict.fromkeys(("drop_table.name", "rename_table.name", "rename_table.new_name"), CatalogError),
}
# Hints by type: an annotation gets the hint of the first of these types that it contains.
_HINTS: Mapping[Any, str] = {
    datetime: "Pass text such as '2026-11-01 12:30:00', a datetime or milliseconds since the epoch.",
    timedelta: "Pass text such as '7 d', or a timedelta.",
    Sequence[str]: "Pass a list such as ['a', 'b'].",
    Mapping: "Pass a dict such as {'a': 'b'}.",
    bool: "Pass True or False.",
    int: "Pass a number such as 1.",
    str: "Pass text such as 'a'.",
}


class _Argument:
    """One parameter of one call: checks a value, and describes what is wrong with it."""

    def __init__(self, call: str, name: str, annotation: str, scope: Scope) -> None:
        kind = eval(annotation, {}, scope) if isinstance(annotation, str) else annotation
        self._check, self._expected = compiled(kind)
        self._call, self._name = call, name
        kinds = set(get_args(kind) if get_origin(kind) in (UnionType, Union) else (kind,))
        kinds |= {get_origin(each) for each in kinds}
        self._hint = next((hint for each, hint in _HINTS.items() if each in kinds), f"See help({call}).")

    def __call__(self, value: Any, name: str | None = None) -> Any:
        try:
            found = self._check(value)
        except InvalidValueError as error:
            raise self._error(name, *error.args) from error
        if found is REFUSED:
            shown = "None" if value is None else with_article(type(value).__name__)
            if value is not None and isinstance(value, _PRINTED_BY_ITEMS):
                shown = f"{SHORT.repr(value)} ({type(value).__name__})"
            is_one = isinstance(value, str) and "a list" in self._expected
            hint = f"Pass [{SHORT.repr(value)}]." if is_one else self._hint
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
        scope = Scope(getattr(sys.modules.get(plain.__module__), "__dict__", {}))
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
        """Return the checked positional arguments. Surplus arguments are passed on unchecked; the call refuses them."""
        if len(given) == 1 and self._by_position and self._by_position[0] is None:
            return given  # a method call without further arguments: the most frequent call
        known = len(self._by_position)
        result = []
        for position, value in enumerate(given):
            argument = self._by_position[position] if position < known else self._more
            result.append(value if argument is None else argument(value))
        return result

    def named(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the checked keyword arguments. Unknown arguments are passed on unchecked; the call refuses them."""
        found = {}
        for name, value in given.items():
            argument = self._by_name.get(name)
            if argument is not None:
                found[name] = argument(value)
            else:
                found[name] = value if self._named is None else self._named(value, SHORT.repr(name)[1:-1])
        return found


@overload
def checked(target: Target) -> Target: ...


@overload
def checked(**annotations: str) -> Callable[[Target], Target]: ...


def checked(target: Any = None, **annotations: str) -> Any:
    """Check the arguments of a public function, method or dataclass against their annotations.

    Args:
        target: The function, or the class whose constructor has the arguments.
        annotations: Annotations to check instead of those in the signature, by parameter name, for the few parameters
            whose values the body itself refuses with a better message.

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
            # Compiled only now: a process never calls most of the checked functions.
            arguments = _Arguments(target, annotations)
        return target(*arguments.positional(args), **(arguments.named(kwargs) if kwargs else kwargs))

    return cast("Target", call)
