"""Thrift's compact protocol as used by Parquet's footers, for changing a few numbers of a message or picking a few
fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.format.rows.varints import encoded_varint, varint

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_SHORT_LIST, _SHORT_STEP = 15, 15


@dataclass
class Field:
    """One field of a struct. Lists are `Items`, structs are lists of fields; numbers are in the protocol's zigzag
    form.
    """

    number: int
    kind: int
    value: Any


@dataclass
class Items:
    """A list or a set."""

    kind: int
    values: list[Any]


def read_struct(data: bytes, position: int = 0) -> tuple[list[Field], int]:
    """Return the fields of the struct at ``position``, and the position after it.

    Raises:
        ValueError: If bytes are corrupt.
    """
    fields: list[Field] = []
    number = 0
    while head := _byte(data, position):
        position += 1
        if head >> 4:
            number += head >> 4
        else:
            zigzag, position = varint(data, position)
            number = (zigzag >> 1) ^ -(zigzag & 1)
        value, position = _read(data, position, head & 15)
        fields.append(Field(number, head & 15, value))
    return fields, position + 1


def picked(data: bytes, position: int, wanted: Mapping[int, Any]) -> tuple[dict[int, Any], int]:
    """Return some fields of the struct at ``position`` by their numbers, and the position after it.

    ``wanted`` maps the number of each field to the wanted fields of its structs; this mapping is empty for plain
    values. This is fast for footers with thousands of fields, since all other fields are skipped.

    Raises:
        IndexError, ValueError: If bytes are corrupt.
    """
    fields: dict[int, Any] = {}
    number = 0
    while head := data[position]:
        position += 1
        kind = head & 15
        if head >> 4:
            number += head >> 4
        else:
            zigzag, position = varint(data, position)
            number = (zigzag >> 1) ^ -(zigzag & 1)
        inner = wanted.get(number)
        if inner is None:
            position = _skip(data, position, kind)
        elif kind == STRUCT:
            fields[number], position = picked(data, position, inner)
        elif kind == LIST and data[position] & 15 == STRUCT:
            size, position = _size_of_list(data, position)
            items = fields[number] = []
            for _ in range(size):
                item, position = picked(data, position, inner)
                items.append(item)
        else:
            fields[number], position = _read(data, position, kind)
    return fields, position + 1


def _skip(data: bytes, position: int, kind: int) -> int:
    """Return the position after a value. Numbers are checked first, since most fields are numbers."""
    if I16 <= kind <= I64:
        while data[position] & 0x80:
            position += 1
        return position + 1
    if kind == BINARY:
        size, position = varint(data, position)
        return position + size
    if kind == STRUCT:
        while head := data[position]:
            # A field number that is too large for the header byte follows as a varint.
            position = _skip(data, position + 1 if head >> 4 else _skip(data, position + 1, I16), head & 15)
        return position + 1
    if kind in (LIST, SET):
        each = data[position] & 15
        size, position = _size_of_list(data, position)
        for _ in range(size):
            position = _skip(data, position, BYTE if each in (TRUE, FALSE) else each)
        return position
    if kind in (TRUE, FALSE, BYTE, DOUBLE):
        return position + {BYTE: 1, DOUBLE: 8}.get(kind, 0)
    raise ValueError("a message has a value of an unknown kind")


def _size_of_list(data: bytes, position: int) -> tuple[int, int]:
    size = data[position] >> 4
    size, position = (size, position + 1) if size < _SHORT_LIST else varint(data, position + 1)
    if size > len(data) - position:
        raise ValueError("a message is truncated")
    return size, position


def encode_struct(fields: list[Field]) -> bytes:
    """Return the bytes of a struct."""
    out, before = [], 0
    for field in fields:
        step = field.number - before
        if 0 < step <= _SHORT_STEP:
            out.append(bytes([step << 4 | field.kind]))
        else:
            out.append(bytes([field.kind]) + encoded_varint(field.number << 1))
        out.append(_written(field.kind, field.value))
        before = field.number
    return b"".join(out) + b"\0"


def find(fields: list[Field], number: int) -> Any:
    """Return the value of a field, None if it is missing."""
    return next((field.value for field in fields if field.number == number), None)


def structs_in(fields: list[Field], number: int) -> list[list[Field]]:
    """Return the structs of a list field.

    Raises:
        ValueError: If it is missing.
    """
    items = find(fields, number)
    if not isinstance(items, Items) or items.kind != STRUCT:
        raise ValueError("a message lacks a list")
    return items.values


def _byte(data: bytes, position: int) -> int:
    return _taken(data, position, 1)[0]


def _taken(data: bytes, position: int, size: int) -> bytes:
    if position + size > len(data):
        raise ValueError("a message is truncated")
    return data[position : position + size]


def _read(data: bytes, position: int, kind: int) -> tuple[Any, int]:
    if kind in (TRUE, FALSE):
        return None, position
    if kind in (I16, I32, I64):
        return varint(data, position)
    if kind in (BYTE, DOUBLE):
        size = 1 if kind == BYTE else 8
        return _taken(data, position, size), position + size
    if kind == BINARY:
        size, position = varint(data, position)
        return _taken(data, position, size), position + size
    if kind in (LIST, SET):
        return _read_items(data, position)
    if kind == STRUCT:
        return read_struct(data, position)
    raise ValueError("a message has a value of an unknown kind")


def _read_items(data: bytes, position: int) -> tuple[Items, int]:
    items = Items(_byte(data, position) & 15, [])
    size, position = _size_of_list(data, position)
    for _ in range(size):
        # In a struct, the field's header encodes a boolean; in a list, a boolean is a byte.
        value, position = _read(data, position, BYTE if items.kind in (TRUE, FALSE) else items.kind)
        items.values.append(value)
    return items, position


def _written(kind: int, value: Any) -> bytes:
    if kind in (TRUE, FALSE):
        return b""
    if kind in (I16, I32, I64):
        return encoded_varint(value)
    if kind == BINARY:
        return encoded_varint(len(value)) + bytes(value)
    if kind in (LIST, SET):
        size = len(value.values)
        head = bytes([min(size, _SHORT_LIST) << 4 | value.kind])
        more = encoded_varint(size) if size >= _SHORT_LIST else b""
        each = BYTE if value.kind in (TRUE, FALSE) else value.kind
        return head + more + b"".join(_written(each, item) for item in value.values)
    return encode_struct(value) if kind == STRUCT else bytes(value)
