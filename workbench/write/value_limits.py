"""Limits of values that Arrow does not know or check: the length of CHAR, VARCHAR, BINARY and VARBINARY, the precision
of DECIMAL, text in UTF-8, and maps that have each key once.

As in Spark, text counts its characters (code points), and blanks at the end of text that is too long are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.checkers import is_utf8
from workbench.base.errors import SchemaMismatch
from workbench.base.modules import pc
from workbench.format.types import (
    MAX_LENGTH,
    ArrayType,
    AtomicType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    holds,
)
from workbench.format.types.wide_decimals import exceeding

_TEXTS = ("CHAR", "VARCHAR")
_BYTES = ("BINARY", "VARBINARY")
_SHORT_MAP = 16

RowOf = Callable[[int], int]
"""The row of the input that contains a value, by the position of the value."""


def length_limit(data_type: DataType) -> int | None:
    """Return the number of characters or bytes that a value of the type may have; None if there is no limit."""
    if not isinstance(data_type, AtomicType) or data_type.root not in (*_TEXTS, *_BYTES):
        return None
    return None if data_type.length == MAX_LENGTH else data_type.length


def has_limits(data_type: DataType) -> bool:
    """Return whether the type, or a type in it, has a maximum length."""
    return length_limit(data_type) is not None or any(map(has_limits, data_type.children()))


def within_limits(column: pa.ChunkedArray, field: DataField, first_row: int = 0) -> pa.ChunkedArray:
    """Return the values as they are stored: only without blanks that text has beyond its length.

    Args:
        column: The values, in the Arrow type of the field.
        field: The column of the table.
        first_row: How many rows precede the values, for messages.

    Raises:
        SchemaMismatch: A value is too long or too large, is not UTF-8, or is a map with a key twice; the message names
            its column, path and row.
    """
    if not _is_limited(field.type):
        return column
    chunks, row = [], first_row + 1
    for chunk in column.chunks:
        chunks.append(_fitting(chunk, _Place(field.type, field.name, row.__add__)))
        row += len(chunk)
    return pa.chunked_array(chunks, column.type)


def padded(values: Any, data_type: DataType) -> Any:
    """Return the values of a column with CHAR filled up with blanks at every depth, as SQL stores them; the same
    values if its type has no CHAR."""
    if not holds(data_type, "CHAR"):
        return values
    if isinstance(values, pa.ChunkedArray):
        return pa.chunked_array([padded(chunk, data_type) for chunk in values.chunks], values.type)
    if pa.types.is_string(values.type):
        return pc.utf8_rpad(values, length_limit(data_type), " ")
    if isinstance(data_type, RowType) and pa.types.is_struct(values.type):
        types = {each.name: each.type for each in data_type.fields}
        fields = list(values.type)
        parts = [
            padded(part, types[field.name]) if field.name in types else part
            for part, field in zip(values.flatten(), fields, strict=True)
        ]
        return pa.StructArray.from_arrays(parts, fields=fields, mask=values.is_null())
    if _is_map(values) and isinstance(data_type, MapType | MultisetType):
        types_of_parts = (*data_type.children(), AtomicType("INT"))[:2]
        parts = [padded(*each) for each in zip(_entries(values), types_of_parts, strict=True)]
        offsets = pa.array(_offsets(values), pa.int32())
        return pa.MapArray.from_arrays(offsets, *parts, type=values.type, mask=values.is_null())
    if isinstance(data_type, ArrayType) and pa.types.is_list(values.type):
        elements = padded(values.flatten(), data_type.element)
        offsets = pa.array(_offsets(values), pa.int32())
        return pa.ListArray.from_arrays(offsets, elements, type=values.type, mask=values.is_null())
    return values


def _entries(maps: Any) -> list[Any]:
    """Return the keys and the values of maps, without those of NULLs."""
    pairs = maps.cast(pa.list_(pa.struct([maps.type.key_field, maps.type.item_field]))).flatten()
    return list(pairs.flatten())


def refuse_undecodable(values: Sequence[Any], path: str) -> None:
    """Check Python values for text that cannot be encoded in UTF-8, such as a lone surrogate, after Arrow has failed.

    Raises:
        SchemaMismatch: There is one; the message names its column, path and row.
    """
    for row, value in enumerate(values, 1):
        wrong = _undecodable(value, path)
        if wrong is not None:
            raise not_utf8(wrong, f"row {row}")


def _undecodable(value: Any, path: str) -> str | None:
    """Return the path of the first text that is not UTF-8."""
    if isinstance(value, str):
        return None if is_utf8(value) else path
    if isinstance(value, Mapping):
        parts = [(key, f"{path}.key") for key in value] + [
            (part, f"{path}.{key}" if isinstance(key, str) and is_utf8(key) else f"{path}.value")
            for key, part in value.items()
        ]
    elif isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        parts = [(part, f"{path}.element") for part in value]
    else:
        return None
    return next((wrong for part, name in parts if (wrong := _undecodable(part, name)) is not None), None)


@dataclass(frozen=True)
class _Place:
    """Where values come from: their type, the path of their column, and their rows."""

    type: DataType
    path: str
    row_of: RowOf

    def part(self, data_type: DataType, name: str) -> _Place:
        """Return the place of a field of the values."""
        return _Place(data_type, f"{self.path}.{name}", self.row_of)

    def elements(self, data_type: DataType, name: str, offsets: np.ndarray) -> _Place:
        """Return the place of the elements of the values."""

        def row_of(position: int) -> int:
            return self.row_of(int(np.searchsorted(offsets, position, side="right")) - 1)

        return _Place(data_type, f"{self.path}.{name}", row_of)


def _is_limited(data_type: DataType) -> bool:
    if isinstance(data_type, AtomicType):
        return data_type.root in (*_TEXTS, "DECIMAL") or length_limit(data_type) is not None
    return isinstance(data_type, MapType | MultisetType) or any(map(_is_limited, data_type.children()))


def _fitting(array: Any, place: _Place) -> Any:
    """Return the same array, unless values have lost blanks."""
    data_type = place.type
    if not _is_limited(data_type) or not len(array):
        return array
    if isinstance(data_type, AtomicType):
        return _FITTING[data_type.root](array, place)
    if isinstance(data_type, RowType):
        return _fitting_row(array, data_type, place)
    offsets = _offsets(array)
    if isinstance(data_type, MapType | MultisetType):
        return _fitting_map(array, data_type, place, offsets)
    (element,) = data_type.children()
    given = array.flatten()
    values = _fitting(given, place.elements(element, "element", offsets))
    if values is given:
        return array
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, type=array.type, mask=array.is_null())


def _fitting_row(array: Any, data_type: RowType, place: _Place) -> Any:
    given = array.flatten()
    parts = [
        _fitting(part, place.part(each.type, each.name)) for part, each in zip(given, data_type.fields, strict=True)
    ]
    if all(one is other for one, other in zip(parts, given, strict=True)):
        return array
    return pa.StructArray.from_arrays(parts, fields=list(array.type), mask=array.is_null())


def _fitting_map(array: Any, data_type: MapType | MultisetType, place: _Place, offsets: np.ndarray) -> Any:
    given = _entries(array)
    _check_unique(given[0], offsets, place)
    types = (*data_type.children(), AtomicType("INT"))[:2]
    parts = [
        _fitting(part, place.elements(each, name, offsets))
        for part, each, name in zip(given, types, ("key", "value"), strict=True)
    ]
    if all(one is other for one, other in zip(parts, given, strict=True)):
        return array
    return pa.MapArray.from_arrays(pa.array(offsets, pa.int32()), *parts, type=array.type, mask=array.is_null())


def _check_unique(keys: Any, offsets: np.ndarray, place: _Place) -> None:
    lengths = np.diff(offsets)
    longest = int(lengths.max(initial=0))
    if longest < 2:
        return
    if pa.types.is_nested(keys.type):  # Arrow does not number them.
        keys = pa.array(map(repr, keys.to_pylist()), pa.string())
    numbers = keys.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    maps = np.repeat(np.arange(len(lengths)), lengths)
    if _repeats(numbers, maps, longest):
        entries = list(zip(maps.tolist(), numbers.tolist(), strict=True))
        position = next(at for at, entry in enumerate(entries) if entry in entries[offsets[entry[0]] : at])
        key, row = keys[position].as_py(), place.row_of(entries[position][0])
        raise SchemaMismatch(
            f"The map '{place.path}' in row {row} has the key {key!r:.100} twice.", "Keep one of its entries."
        )


def _repeats(numbers: np.ndarray, maps: np.ndarray, longest: int) -> bool:
    """Return whether a map has a key twice: ``numbers`` are the keys of all maps, in the order of the maps."""
    if longest > _SHORT_MAP:
        ordered = np.sort(maps * (int(numbers.max()) + 1) + numbers)
        return bool((ordered[1:] == ordered[:-1]).any())
    # Comparing neighbors takes much less time than sorting.
    return any(
        bool(((numbers[gap:] == numbers[:-gap]) & (maps[gap:] == maps[:-gap])).any()) for gap in range(1, longest)
    )


def _offsets(array: Any) -> np.ndarray:
    """Return where the elements of each list or map begin if those of NULLs are left out."""
    lists = array.cast(pa.list_(pa.struct([array.type.key_field, array.type.item_field]))) if _is_map(array) else array
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def _is_map(array: Any) -> bool:
    return bool(pa.types.is_map(array.type))


def _fitting_text(array: Any, place: _Place) -> Any:
    _check_utf8(array, place)
    limit = length_limit(place.type)
    # A text has at least as many bytes as characters, and its bytes need not be looked at to be counted.
    if limit is None or not _is_longer(pc.binary_length(array), limit) or not _is_longer(pc.utf8_length(array), limit):
        return array
    too_long = pc.greater(pc.utf8_length(array), limit)
    trimmed = pc.utf8_rtrim(array, " ")
    _check_length(pc.utf8_length(trimmed), limit, "characters", place)
    return pc.if_else(too_long, pc.utf8_rpad(trimmed, limit, " "), array)


def _fitting_bytes(array: Any, place: _Place) -> Any:
    limit = length_limit(place.type)
    assert limit is not None
    _check_length(pc.binary_length(array), limit, "bytes", place)
    return array


def _fitting_decimals(array: Any, place: _Place) -> Any:
    # Reads of sums return what Java returns, which may have more digits than its type.
    mask = exceeding(array)
    if mask is not None:
        position = pc.index(mask, True).as_py()
        raise SchemaMismatch(
            f"'{place.path}' is {place.type.as_nullable()}, but the value in row {place.row_of(position)} is "
            f"{array[position]}.",
            "Give the column a type of more digits.",
        )
    return array


_FITTING: Mapping[str, Callable[[Any, _Place], Any]] = MappingProxyType(
    {
        **dict.fromkeys(_TEXTS, _fitting_text),
        **dict.fromkeys(_BYTES, _fitting_bytes),
        "DECIMAL": _fitting_decimals,
    }
)


def _is_longer(lengths: Any, limit: int) -> bool:
    longest: int = pc.max(lengths).as_py() or 0
    return longest > limit


def _check_length(lengths: Any, limit: int, unit: str, place: _Place) -> None:
    if _is_longer(lengths, limit):
        position = pc.index(pc.greater(lengths, limit), True).as_py()
        raise too_long(place.path, place.type, f"row {place.row_of(position)}", lengths[position].as_py(), unit)


def too_long(path: str, data_type: DataType, where: str, length: object, unit: str) -> SchemaMismatch:
    """Return the error about a value that is too long for its type."""
    return SchemaMismatch(
        f"'{path}' is {data_type.as_nullable()}, but the value in {where} has {length} {unit}.",
        "Shorten the value, or give the column a longer type.",
    )


def _check_utf8(array: Any, place: _Place) -> None:
    if not _is_valid(array):
        low, high = 0, len(array)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _is_valid(array.slice(low, middle - low)) else (low, middle)
        raise not_utf8(place.path, f"row {place.row_of(low)}")


def _is_valid(array: Any) -> bool:
    if _is_ascii(array):
        return True
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _is_ascii(array: Any) -> bool:
    """Return whether all bytes are ASCII, which takes much less time than decoding them."""
    _, ends, data = array.buffers()
    if data is None:
        return True
    start, end = np.frombuffer(ends, np.int32)[[array.offset, array.offset + len(array)]]
    return bool(np.frombuffer(data, np.uint8, end - start, start).max(initial=0) < 128)


def not_utf8(path: str, where: str) -> SchemaMismatch:
    """Return the error about text that is not UTF-8."""
    return SchemaMismatch(
        f"'{path}' is text, but the value in {where} is not valid UTF-8.",
        "Decode it with its own encoding first, or store its bytes in a column of type BYTES.",
    )
