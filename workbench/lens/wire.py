"""Lens values as JSON, encoded by the type hints of their dataclasses."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Annotated, Any, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

INT64 = "int64"
Int64 = Annotated[int, INT64]
"""An integer that may exceed the 53 bits of a JavaScript number: an int here, decimal digits in JSON."""

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"

_Encoder = Callable[[Any], JsonValue]


def to_json(value: Any) -> JsonValue:
    """Return a dataclass as objects, arrays, strings and numbers; `Int64` becomes a string of digits.

    Raises:
        TypeError: ``value`` is not a dataclass, or a field has a type that the contract does not support.
    """
    encode: _Encoder = _dataclass_encoder(value.__class__)
    return encode(value)


@cache
def _dataclass_encoder(kind: type) -> _Encoder:
    if not is_dataclass(kind):
        raise TypeError(f"{kind.__name__} is not a value of the contract")
    hints = get_type_hints(kind, include_extras=True)
    encoders = [(field.name, _encoder(hints[field.name])) for field in fields(kind)]
    return lambda value: {name: encode(getattr(value, name)) for name, encode in encoders}


def _encoder(hint: Any) -> _Encoder:
    origin = get_origin(hint)
    if origin is Annotated:
        return str if INT64 in hint.__metadata__ else _encoder(get_args(hint)[0])
    if origin in (Union, types.UnionType):
        return _optional_encoder(hint)
    if origin is tuple:
        each = _encoder(get_args(hint)[0])
        return lambda value: [each(item) for item in value]
    # Only the value itself reveals the type of a type variable.
    if isinstance(hint, TypeVar) or is_dataclass(hint) or (origin is not None and is_dataclass(origin)):
        return to_json
    if origin is not None and not isinstance(origin, type):
        return _same  # Literal: a fixed set of strings
    if hint in (str, bool, int, float):
        return _same
    raise TypeError(f"{hint} is not a type of the contract")


def _optional_encoder(hint: Any) -> _Encoder:
    inner = [each for each in get_args(hint) if each is not type(None)]
    if len(inner) != 1:
        raise TypeError(f"{hint} is not a type of the contract")
    encode = _encoder(inner[0])
    return lambda value: None if value is None else encode(value)


def _same(value: Any) -> JsonValue:
    return value  # type: ignore[no-any-return]
