"""Builds values of type VARIANT from Python values and JSON text, in the bytes that Java's ``GenericVariantBuilder``
writes (format §26)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import accumulate
from struct import pack
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa

from workbench.base.errors import SchemaMismatch
from workbench.format.types.arrow_types import to_arrow
from workbench.format.types.data_types import AtomicType
from workbench.format.types.variant import ARRAY, MAX_DECIMAL_DIGITS, OBJECT, PRIMITIVE, SHORT_TEXT, json_text

_ACCEPTED = "Pass None, bool, int, float, Decimal, str, bytes, date, datetime, UUID, lists, or dicts with text as keys."
_INTEGERS = ((3, 1), (4, 2), (5, 4), (6, 8))
_DECIMAL_BYTES = {8: 4, 9: 8, 10: 16}
_MAX_DIGITS = 38
_MAX_SHORT_TEXT = 63
_EPOCH, _EPOCH_DAY = datetime(1970, 1, 1), date(1970, 1, 1).toordinal()
_MICRO = timedelta(microseconds=1)


@dataclass(frozen=True)
class Variant:
    """A value of type VARIANT: its bytes and those of its dictionary of names. As text, it is JSON."""

    value: bytes
    metadata: bytes

    def __str__(self) -> str:
        from workbench.base.session import session_options

        return json_text(self.value, self.metadata, session_options.zone())


def variant(value: Any) -> Any:
    """Return a value for a VARIANT column.

    Text is JSON, as for Spark's ``parse_json``; text inside of lists and dicts is a value.

    Args:
        value: A Python value, JSON text, or an Arrow array of JSON text.

    Returns:
        The value for a row that is written or, for an Arrow array, an array for a VARIANT column.

    Raises:
        SchemaMismatch: The text is not JSON, or a value has no VARIANT type.

    Example:
        >>> events.write([{"id": 1, "payload": wb.variant({"qty": 3})}, {"id": 2, "payload": wb.variant('{"qty": 4}')}])
    """
    if isinstance(value, pa.ChunkedArray):
        return pa.chunked_array([variant(chunk) for chunk in value.chunks], to_arrow(AtomicType("VARIANT")))
    if isinstance(value, pa.Array):
        made = [None if each is None else _encoded(_parsed(each)) for each in value.to_pylist()]
        rows = [None if each is None else {"value": each.value, "metadata": each.metadata} for each in made]
        return pa.array(rows, to_arrow(AtomicType("VARIANT")))
    if isinstance(value, Variant):
        return value
    return _encoded(_parsed(value) if isinstance(value, str) else value)


def _encoded(value: Any) -> Variant:
    names: dict[str, int] = {}
    try:
        data = _bytes_of(value, names)
        return Variant(data, _metadata(names))
    except RecursionError:
        raise SchemaMismatch("A variant is nested too deeply.") from None
    except UnicodeEncodeError as error:
        raise SchemaMismatch("A text in a variant is not valid Unicode.", "Remove its surrogates.") from error


def _parsed(text: Any) -> Any:
    """Return the Python value of JSON text; numbers with a point are decimals, as in Java."""
    if not isinstance(text, str):
        raise SchemaMismatch(f"JSON text is required, not {type(text).__name__}.", "Pass an array of text.")
    try:
        return json.loads(
            text, parse_int=_whole, parse_float=_number, parse_constant=_no_number, object_pairs_hook=_object
        )
    except ValueError as error:
        raise SchemaMismatch(
            f"{text!r:.60} is not JSON: {error}.",
            "Pass a Python value, or JSON text; json.dumps makes a JSON text of a string.",
        ) from error
    except RecursionError:
        raise SchemaMismatch("A variant is nested too deeply.") from None


def _whole(text: str) -> int | float:
    return int(text) if len(text.lstrip("-")) <= _MAX_DIGITS else float(text)


def _number(text: str) -> Decimal | float:
    if "e" in text.lower():
        return float(text)
    number = Decimal(text)
    return number if _fits_decimal(number) else float(text)


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a number")


def _object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise ValueError(f"the key '{name}' occurs twice")
        made[name] = value
    return made


# --- encoding -----------------------------------------------------------------------------------------------------


def _bytes_of(value: Any, names: dict[str, int]) -> bytes:
    """Return the bytes of a value; new names are numbered in ``names``."""
    if isinstance(value, np.generic | np.ndarray) and not value.ndim:
        value = value.item()
    if value is None:
        return _primitive(0)
    if isinstance(value, Mapping):
        return _object_bytes(value, names)
    if isinstance(value, list | tuple | np.ndarray):
        return _array_bytes([_bytes_of(each, names) for each in value])
    for kind, encode in _SCALARS:
        if isinstance(value, kind):
            return encode(value)
    raise SchemaMismatch(f"A variant cannot hold a value of type {type(value).__name__}.", _ACCEPTED)


def _primitive(number: int, data: bytes = b"") -> bytes:
    return bytes([number << 2 | PRIMITIVE]) + data


def _boolean(value: bool) -> bytes:
    return _primitive(1 if value else 2)


def _integer(value: int) -> bytes:
    for number, size in _INTEGERS:
        if -(1 << 8 * size - 1) <= value < 1 << 8 * size - 1:
            return _primitive(number, value.to_bytes(size, "little", signed=True))
    return _decimal(Decimal(value))


def _float(value: float) -> bytes:
    return _primitive(7, pack("<d", value))


def _decimal(value: Decimal) -> bytes:
    if not _fits_decimal(value):
        raise SchemaMismatch(
            f"{value} has more than {_MAX_DIGITS} digits, or is NaN or infinite.", "Round it, or pass it as text."
        )
    digits, scale = _digits(value)
    number = next(each for each, limit in MAX_DECIMAL_DIGITS.items() if max(len(str(abs(digits))), scale) <= limit)
    return _primitive(number, bytes([scale]) + digits.to_bytes(_DECIMAL_BYTES[number], "little", signed=True))


def _fits_decimal(value: Decimal) -> bool:
    if not value.is_finite() or value.adjusted() > _MAX_DIGITS:
        return False
    digits, scale = _digits(value)
    return max(len(str(abs(digits))), scale) <= _MAX_DIGITS


def _digits(value: Decimal) -> tuple[int, int]:
    """Return the unscaled value and the scale of a decimal."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    unscaled = int("".join(map(str, digits)) or "0") * 10 ** max(exponent, 0)
    return -unscaled if sign else unscaled, max(-exponent, 0)


def _text(value: str) -> bytes:
    data = value.encode()
    if len(data) <= _MAX_SHORT_TEXT:
        return bytes([len(data) << 2 | SHORT_TEXT]) + data
    return _primitive(16, pack("<I", len(data)) + data)


def _binary(value: bytes) -> bytes:
    return _primitive(15, pack("<I", len(value)) + value)


def _moment(value: datetime) -> bytes:
    if getattr(value, "nanosecond", 0):
        raise SchemaMismatch(f"{value} has nanoseconds, which a variant cannot hold.", "Round it to microseconds.")
    zoned = value.utcoffset() is not None
    local = value.astimezone(UTC).replace(tzinfo=None) if zoned else value
    return _primitive(12 if zoned else 13, pack("<q", (local - _EPOCH) // _MICRO))


def _date(value: date) -> bytes:
    return _primitive(11, pack("<i", value.toordinal() - _EPOCH_DAY))


_SCALARS: tuple[tuple[Any, Callable[[Any], bytes]], ...] = (
    (bool, _boolean),
    (int, _integer),
    (float, _float),
    (Decimal, _decimal),
    (str, _text),
    ((bytes, bytearray, memoryview), lambda value: _binary(bytes(value))),
    (datetime, _moment),
    (date, _date),
    (UUID, lambda value: _primitive(20, value.bytes)),
)
"""How values of each type are encoded; subclasses come first."""


def _object_bytes(value: Mapping[Any, Any], names: dict[str, int]) -> bytes:
    parts = []
    for name, each in value.items():
        if not isinstance(name, str):
            raise SchemaMismatch(f"{name!r:.60} is not a key of a variant.", _ACCEPTED)
        number = names.setdefault(name, len(names))
        parts.append((name, number, _bytes_of(each, names)))
    places = list(accumulate((len(data) for _, _, data in parts), initial=0))
    # Java compares text by its UTF-16 units.
    ordered = sorted(range(len(parts)), key=lambda at: parts[at][0].encode("utf-16-be"))
    content = b"".join(data for _, _, data in parts)
    width = _width(len(content))
    name_width = _width(max((number for _, number, _ in parts), default=0))
    head, size = _size(len(parts))
    numbers = b"".join(parts[at][1].to_bytes(name_width, "little") for at in ordered)
    offsets = b"".join(places[at].to_bytes(width, "little") for at in ordered) + len(content).to_bytes(width, "little")
    header = (head << 4 | name_width - 1 << 2 | width - 1) << 2 | OBJECT
    return bytes([header]) + size + numbers + offsets + content


def _array_bytes(parts: list[bytes]) -> bytes:
    content = b"".join(parts)
    width = _width(len(content))
    head, size = _size(len(parts))
    offsets = b"".join(at.to_bytes(width, "little") for at in accumulate(map(len, parts), initial=0))
    return bytes([(head << 2 | width - 1) << 2 | ARRAY]) + size + offsets + content


def _metadata(names: Mapping[str, int]) -> bytes:
    texts = [name.encode() for name in names]
    width = _width(max(sum(map(len, texts)), len(texts)))
    offsets = b"".join(at.to_bytes(width, "little") for at in accumulate(map(len, texts), initial=0))
    return bytes([1 | width - 1 << 6]) + len(texts).to_bytes(width, "little") + offsets + b"".join(texts)


def _size(count: int) -> tuple[int, bytes]:
    """Return whether a number of parts needs four bytes, and these bytes or the only one."""
    return (1, pack("<I", count)) if count > 0xFF else (0, bytes([count]))


def _width(number: int) -> int:
    return max(1, (number.bit_length() + 7) // 8)
