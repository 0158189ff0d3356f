"""Lens values as JSON: by the type hints of their dataclasses, so that what is sent is what the types say."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Annotated, Any, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

INT64 = "int64"
Int64 = Annotated[int, INT64]
"""A whole number that may leave the 53 bits a browser counts exactly with: an int here, decimal digits in JSON."""

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"

_Encoder = Callable[[Any], JsonValue]


def to_json(value: Any) -> JsonValue:
    """A dataclass of this room as objects, arrays, strings and numbers; `Int64` become strings of digits.

    Raises:
        TypeError: ``value`` is no dataclass, or a field has a type that the contract does not know.
    """
    encode: _Encoder = _dataclass_encoder(value.__class__)
    return encode(value)


@cache
def _dataclass_encoder(kind: type) -> _Encoder:
    if not is_dataclass(kind):
        raise TypeError(f"{kind.__name__} is no value of the contract")
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
    # What a type variable stands for is only known by the value itself.
    if isinstance(hint, TypeVar) or is_dataclass(hint) or (origin is not None and is_dataclass(origin)):
        return to_json
    if origin is not None and not isinstance(origin, type):
        return _same  # Literal: one of a few strings
    if hint in (str, bool, int, float):
        return _same
    raise TypeError(f"{hint} is no type of the contract")


def _optional_encoder(hint: Any) -> _Encoder:
    inner = [each for each in get_args(hint) if each is not type(None)]
    if len(inner) != 1:
        raise TypeError(f"{hint} is no type of the contract")
    encode = _encoder(inner[0])
    return lambda value: None if value is None else encode(value)


def _same(value: Any) -> JsonValue:
    return value  # type: ignore[no-any-return]
