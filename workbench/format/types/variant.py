"""Values of type VARIANT in the bytes that Parquet's variant encoding specifies (format §26).

Two bits of a value's first byte encode its kind, the other six depend on the kind. Names of object fields are stored as
numbers that refer to a dictionary, the metadata.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from datetime import tzinfo
from decimal import Context, Decimal
from functools import lru_cache, partial
from itertools import pairwise
from struct import unpack
from typing import Any
from uuid import UUID

import pyarrow as pa

from workbench.base.errors import SchemaMismatch, Unsupported
from workbench.format.types.java_text import date_text, java_number_text, offset_seconds, sql_timestamp

PRIMITIVE, SHORT_TEXT, OBJECT, ARRAY = range(4)
MAX_DECIMAL_DIGITS = {8: 9, 9: 18, 10: 38}
"""The maximum number of digits of decimals by primitive type."""

_VERSION = 1
_EXACT = Context(prec=80)
_ESCAPE = re.compile(r"\\(u....|.)")


@lru_cache(maxsize=1024)
def names_of(metadata: bytes) -> tuple[str, ...]:
    """Return the names of a dictionary.

    Raises:
        ValueError: If the bytes are corrupt, as for all functions here.
    """
    if not metadata or metadata[0] & 15 != _VERSION:
        raise ValueError("the metadata of a variant has an unknown version")
    width = (metadata[0] >> 6) + 1
    size = unsigned(metadata, 1, width)
    start = 1 + (size + 2) * width
    if start > len(metadata):
        raise ValueError("the metadata of a variant is truncated")
    offsets = [start + unsigned(metadata, position, width) for position in range(1 + width, start, width)]
    if offsets != sorted(offsets) or offsets[-1] > len(metadata):
        raise ValueError("the metadata of a variant is corrupt")
    return tuple(metadata[first:end].decode() for first, end in pairwise(offsets))


def unsigned(data: bytes, position: int, width: int) -> int:
    """Return an unsigned number of ``width`` bytes."""
    if position + width > len(data):
        raise ValueError("a variant is truncated")
    return int.from_bytes(data[position : position + width], "little")


def kind_at(value: bytes, position: int) -> int:
    """Return PRIMITIVE, SHORT_TEXT, OBJECT or ARRAY."""
    return unsigned(value, position, 1) & 3


def fields_of(value: bytes, position: int, names: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """Yield name and position of each field of the object at ``position``."""
    head = value[position] >> 2
    name_width, width = (head >> 2 & 3) + 1, (head & 3) + 1
    first = position + 1 + (4 if head >> 4 & 1 else 1)
    size = unsigned(value, position + 1, first - position - 1)
    offsets = first + size * name_width
    start = offsets + (size + 1) * width
    for number in range(size):
        name = unsigned(value, first + number * name_width, name_width)
        if name >= len(names):
            raise ValueError("a variant has a field without a name")
        yield names[name], start + unsigned(value, offsets + number * width, width)


def elements_of(value: bytes, position: int) -> Iterator[int]:
    """Yield the position of each element of the array at ``position``."""
    head = value[position] >> 2
    width = (head & 3) + 1
    offsets = position + 1 + (4 if head >> 2 & 1 else 1)
    size = unsigned(value, position + 1, offsets - position - 1)
    start = offsets + (size + 1) * width
    for number in range(size):
        yield start + unsigned(value, offsets + number * width, width)


def scalar_at(value: bytes, position: int) -> bytes:
    """Return all bytes of a value that is neither object nor array.

    Raises:
        Unsupported: If Paimon's variants do not have the type.
    """
    kind, number = kind_at(value, position), value[position] >> 2
    if kind == SHORT_TEXT:
        size = 1 + number
    elif number in _WITH_LENGTH:
        size = 5 + unsigned(value, position + 1, 4)
    elif number in _FIXED:
        size = 1 + _FIXED[number][0]
    else:
        raise Unsupported(f"Variants with values of primitive type {number} are not supported.")
    if position + size > len(value):
        raise ValueError("a variant is truncated")
    return value[position : position + size]


def json_text(value: bytes, metadata: bytes, zone: tzinfo) -> str:
    """Return a variant as JSON text, as Java prints it; times with a zone are in ``zone``.

    Raises:
        Unsupported: If Paimon's variants do not have the type of a value.
        ValueError: If the bytes are corrupt.
    """
    names = names_of(metadata)

    def text_at(position: int) -> str:
        kind = kind_at(value, position)
        if kind == OBJECT:
            return (
                "{" + ",".join(f"{_quoted(name)}:{text_at(at)}" for name, at in fields_of(value, position, names)) + "}"
            )
        if kind == ARRAY:
            return "[" + ",".join(map(text_at, elements_of(value, position))) + "]"
        data = scalar_at(value, position)
        if kind == SHORT_TEXT:
            return _quoted(data[1:].decode())
        if data[0] >> 2 in _WITH_LENGTH:
            return _WITH_LENGTH[data[0] >> 2](data[5:])
        return _FIXED[data[0] >> 2][1](data[1:], zone)

    try:
        return text_at(0)
    except RecursionError:
        raise ValueError("a variant is nested too deeply") from None


class NotVariantError(SchemaMismatch, ValueError):
    """Raised for a column that is not of type VARIANT; a ValueError as well, like other invalid arguments."""


def variant_to_json(column: Any) -> Any:
    """Return a VARIANT column as JSON text.

    All text is as Java Paimon prints it. Times with a zone are in ``wb.options.timezone``.

    Args:
        column: The values of a VARIANT column: an Arrow array, or chunked array, of
            ``struct<value: binary, metadata: binary>``, encoded as Parquet's and Spark's variants are.

    Returns:
        An array of text, null where the variant is null; a JSON null is the text ``null``.

    Raises:
        Unsupported: If Paimon's variants do not have the type of a value.
        NotVariantError: If ``column`` is not a VARIANT column.
        ValueError: If the bytes are corrupt.

    Example:
        >>> wb.variant_to_json(table.to_arrow()["payload"])
    """
    from workbench.base.session import session_options

    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([variant_to_json(chunk) for chunk in column.chunks], pa.string())
    arrow_type = column.type if isinstance(column, pa.Array) else type(column).__name__
    if not isinstance(arrow_type, pa.StructType) or {field.name for field in arrow_type} != {"value", "metadata"}:
        raise NotVariantError(
            f"A column of type {arrow_type} is not a VARIANT column.", "Pass a column that to_arrow() returned."
        )
    zone = session_options.zone()
    texts = (None if each is None else json_text(each["value"], each["metadata"], zone) for each in column.to_pylist())
    return pa.array(texts, pa.string())


def _quoted(text: str) -> str:
    """Return JSON text with upper-case hexadecimal digits, as in Java."""
    return _ESCAPE.sub(
        lambda match: "\\" + match[1].upper().replace("U", "u") if match[1][1:] else match[0],
        json.dumps(text, ensure_ascii=False),
    )


def _bytes(data: bytes) -> str:
    return f'"{base64.b64encode(data).decode()}"'


def _signed(data: bytes) -> int:
    return int.from_bytes(data, "little", signed=True)


def _number(data: bytes, _zone: tzinfo) -> str:
    single = len(data) == 4
    (number,) = unpack("<f" if single else "<d", data)
    text = java_number_text(number, single)
    return f'"{text}"' if text[-1].isalpha() else text


def _decimal(primitive: int, data: bytes, _zone: tzinfo) -> str:
    scale, digits = data[0], _signed(data[1:])
    if max(len(str(abs(digits))), scale) > MAX_DECIMAL_DIGITS[primitive]:
        raise ValueError("a variant has a decimal of too many digits")
    return f"{Decimal(digits).scaleb(-scale, _EXACT).normalize(_EXACT):f}" if digits else "0"


def _moment(zoned: bool, data: bytes, zone: tzinfo) -> str:
    seconds, micros = divmod(_signed(data), 1_000_000)
    offset = _offset(seconds, zone) if zoned else 0
    text = sql_timestamp(seconds + offset, micros * 1000, 0, signed=True)
    if not zoned:
        return f'"{text}"'
    hours, minutes = divmod(abs(offset) // 60, 60)
    return f'"{text}{"-" if offset < 0 else "+"}{hours:02d}:{minutes:02d}"'


def _offset(seconds: int, zone: tzinfo) -> int:
    try:
        return offset_seconds(seconds, zone)
    except OverflowError:
        raise ValueError("a variant has a time outside the years 1 to 9999") from None


_Text = Callable[[bytes, tzinfo], str]


def _plainly(text: str) -> _Text:
    return lambda _data, _zone: text


def _whole(data: bytes, _zone: tzinfo) -> str:
    return str(_signed(data))


def _date(data: bytes, _zone: tzinfo) -> str:
    return f'"{date_text(_signed(data), signed=True)}"'


def _uuid(data: bytes, _zone: tzinfo) -> str:
    return f'"{UUID(bytes=data)}"'


_WITH_LENGTH: dict[int, Callable[[bytes], str]] = {15: _bytes, 16: lambda data: _quoted(data.decode())}
"""The text of a value with a length prefix, by primitive type."""
_FIXED: dict[int, tuple[int, _Text]] = {
    0: (0, _plainly("null")),
    1: (0, _plainly("true")),
    2: (0, _plainly("false")),
    **{number: (size, _whole) for number, size in ((3, 1), (4, 2), (5, 4), (6, 8))},
    **{number: (1 + size, partial(_decimal, number)) for number, size in ((8, 4), (9, 8), (10, 16))},
    7: (8, _number),
    11: (4, _date),
    12: (8, partial(_moment, True)),
    13: (8, partial(_moment, False)),
    14: (4, _number),
    20: (16, _uuid),
}
"""The size in bytes of a value and its text, by primitive type."""
