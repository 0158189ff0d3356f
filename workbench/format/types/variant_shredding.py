"""Rebuilds VARIANT columns from parts that are stored in separate columns (format §13).

A shredded variant is a struct of ``metadata``, ``value`` and ``typed_value``: values of the declared shape are in
``typed_value``, everything else is in ``value``. Fields of objects and elements of arrays are such structs too.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from struct import pack
from typing import Any

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.format.types.variant import (
    ARRAY,
    MAX_DECIMAL_DIGITS,
    OBJECT,
    elements_of,
    fields_of,
    kind_at,
    names_of,
    scalar_at,
)

_TYPED = "typed_value"
_VALUE = "value"
_METADATA = "metadata"
_EPOCH = date(1970, 1, 1)
_LONGEST_SHORT_TEXT = 63
_LARGEST_BYTE = 255

_Rebuild = Callable[["_Builder", dict[str, Any], tuple[str, ...]], bytes]
"""Returns the bytes of a value, given a shredded struct as Python values and the names of its dictionary."""


def is_shredded(arrow_type: pa.DataType) -> bool:
    """Return whether a VARIANT column of this type has parts in separate columns."""
    return bool(pa.types.is_struct(arrow_type) and arrow_type.get_field_index(_TYPED) >= 0)


def reassemble_variants(array: Any, arrow_type: pa.StructType) -> pa.Array:
    """Return an array of shredded variants as an array of ``arrow_type``, which has ``value`` and ``metadata``.

    The bytes equal Java's, including new dictionaries.

    Raises:
        Unsupported: If Paimon's variants do not have the type of a part.
        ValueError: If the parts are not a valid variant.
    """
    rebuild = _rebuild(array.type)
    variants = [None if row is None else _whole(rebuild, row) for row in array.to_pylist()]
    return pa.array(variants, arrow_type)


def _whole(rebuild: _Rebuild, row: dict[str, Any]) -> dict[str, bytes]:
    if row[_METADATA] is None:
        raise ValueError("a variant has no metadata")
    builder = _Builder()
    value = rebuild(builder, row, names_of(row[_METADATA]))
    return {_VALUE: value, _METADATA: builder.metadata()}


def _rebuild(arrow_type: pa.StructType) -> _Rebuild:
    of_typed = _typed(arrow_type.field(_TYPED).type) if is_shredded(arrow_type) else None

    def rebuild(builder: _Builder, row: dict[str, Any], names: tuple[str, ...]) -> bytes:
        if row is not None and of_typed is not None and row[_TYPED] is not None:
            return of_typed(builder, row, names)
        if row is None or row.get(_VALUE) is None:
            raise ValueError("a part of a variant is missing")
        return builder.copied(row[_VALUE], 0, names)

    return rebuild


def _typed(arrow_type: pa.DataType) -> _Rebuild:
    if pa.types.is_struct(arrow_type):
        return _object(arrow_type)
    if pa.types.is_list(arrow_type):
        return _array(arrow_type.value_type)
    encode = _scalar(arrow_type)
    return lambda _builder, row, _names: encode(row[_TYPED])


def _object(arrow_type: pa.StructType) -> _Rebuild:
    parts = {field.name: _rebuild(field.type) for field in arrow_type}

    def rebuild(builder: _Builder, row: dict[str, Any], names: tuple[str, ...]) -> bytes:
        fields = []
        for name, part in parts.items():
            inner = row[_TYPED][name]
            if inner is None:
                raise ValueError(f"field '{name}' of a variant is missing")
            if inner.get(_TYPED) is not None or inner.get(_VALUE) is not None:
                number = builder.number(name)
                fields.append((name, number, part(builder, inner, names)))
        rest = row.get(_VALUE)
        if rest is not None:
            if kind_at(rest, 0) != OBJECT:
                raise ValueError("the rest of an object is not an object")
            for name, position in fields_of(rest, 0, names):
                number = builder.number(name)
                fields.append((name, number, builder.copied(rest, position, names)))
        return builder.object(fields)

    return rebuild


def _array(arrow_type: pa.StructType) -> _Rebuild:
    part = _rebuild(arrow_type)

    def rebuild(builder: _Builder, row: dict[str, Any], names: tuple[str, ...]) -> bytes:
        return builder.array([part(builder, inner, names) for inner in row[_TYPED]])

    return rebuild


class _Builder:
    """The bytes of one variant in Java's layout; names are numbered in order of appearance."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}

    def number(self, name: str) -> int:
        """Return the number of a name in the dictionary."""
        return self._names.setdefault(name, len(self._names))

    def metadata(self) -> bytes:
        """Return the bytes of the dictionary."""
        texts = [name.encode() for name in self._names]
        width = _width(max(sum(map(len, texts)), len(texts)))
        head = bytes([1 | (width - 1) << 6]) + len(texts).to_bytes(width, "little")
        return head + _offsets(texts, width) + b"".join(texts)

    def object(self, fields: list[tuple[str, int, bytes]]) -> bytes:
        """Return an object of fields, each with name, number of the name and value. Values are in order of
        appearance, only their offsets are sorted by name.
        """
        positions, end = {}, 0
        for name, _, value in fields:
            positions[name] = end
            end += len(value)
        if len(positions) < len(fields):
            raise ValueError("a variant has a field twice")
        numbers = {name: number for name, number, _ in fields}
        names = sorted(numbers, key=lambda name: name.encode("utf-16-be"))
        name_width, width = _width(max(numbers.values(), default=0)), _width(end)
        large = len(fields) > _LARGEST_BYTE
        head = bytes([(large << 4 | (name_width - 1) << 2 | width - 1) << 2 | OBJECT])
        out = [head, len(fields).to_bytes(4 if large else 1, "little")]
        out += [numbers[name].to_bytes(name_width, "little") for name in names]
        out += [positions[name].to_bytes(width, "little") for name in names]
        return b"".join([*out, end.to_bytes(width, "little"), *(value for _, _, value in fields)])

    def array(self, elements: list[bytes]) -> bytes:
        """Return an array."""
        width = _width(sum(map(len, elements)))
        large = len(elements) > _LARGEST_BYTE
        head = bytes([(large << 2 | width - 1) << 2 | ARRAY]) + len(elements).to_bytes(4 if large else 1, "little")
        return head + _offsets(elements, width) + b"".join(elements)

    def copied(self, value: bytes, position: int, names: tuple[str, ...]) -> bytes:
        """Return the value at ``position`` with its names renumbered."""
        kind = kind_at(value, position)
        if kind == OBJECT:
            fields = []
            for name, at in fields_of(value, position, names):
                number = self.number(name)
                fields.append((name, number, self.copied(value, at, names)))
            return self.object(fields)
        if kind == ARRAY:
            return self.array([self.copied(value, at, names) for at in elements_of(value, position)])
        return scalar_at(value, position)


def _width(maximum: int) -> int:
    return max(1, (maximum.bit_length() + 7) // 8)


def _offsets(parts: list[bytes], width: int) -> bytes:
    out, end = [bytes(width)], 0
    for part in parts:
        end += len(part)
        out.append(end.to_bytes(width, "little"))
    return b"".join(out)


def _primitive(number: int, data: bytes = b"") -> bytes:
    return bytes([number << 2]) + data


def _text(value: str) -> bytes:
    data = value.encode()
    if len(data) > _LONGEST_SHORT_TEXT:
        return _primitive(16, len(data).to_bytes(4, "little") + data)
    return bytes([len(data) << 2 | 1]) + data


def _whole_number(value: int) -> bytes:
    """Return an integer in as few bytes as possible."""
    size = next(size for size in (1, 2, 4, 8) if -(1 << 8 * size - 1) <= value < 1 << 8 * size - 1)
    return _primitive({1: 3, 2: 4, 4: 5, 8: 6}[size], value.to_bytes(size, "little", signed=True))


def _decimal(value: Decimal) -> bytes:
    sign, digits, exponent = value.as_tuple()
    scale = -int(exponent)
    unscaled = int("".join(map(str, digits)) or "0") * (-1 if sign else 1)
    number, size = next(
        (number, size)
        for number, size in ((8, 4), (9, 8), (10, 16))
        if max(len(str(abs(unscaled))), scale) <= MAX_DECIMAL_DIGITS[number]
    )
    return _primitive(number, bytes([scale]) + unscaled.to_bytes(size, "little", signed=True))


def _scalar(arrow_type: pa.DataType) -> Callable[[Any], bytes]:
    """Return a converter of values of a typed column to values of a variant."""
    types = pa.types
    if types.is_string(arrow_type):
        return _text
    if types.is_boolean(arrow_type):
        return lambda value: _primitive(1 if value else 2)
    if types.is_signed_integer(arrow_type):
        return _whole_number
    if types.is_float32(arrow_type):
        return lambda value: _primitive(14, pack("<f", value))
    if types.is_float64(arrow_type):
        return lambda value: _primitive(7, pack("<d", value))
    if types.is_decimal(arrow_type):
        return _decimal
    if types.is_date32(arrow_type):
        return lambda value: _primitive(11, (value - _EPOCH).days.to_bytes(4, "little", signed=True))
    if types.is_binary(arrow_type):
        return lambda value: _primitive(15, len(value).to_bytes(4, "little") + value)
    raise Unsupported(f"Shredded VARIANT columns with parts of type {arrow_type} are not supported.")
