"""Arrays and maps of large objects, each stored as one entry of a blob file: a head, the bytes of keys and objects,
and their lengths (Java ``ArrayBlobElementSerializer``, ``MapBlobElementSerializer``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.format.blob.file import decode_varints
from workbench.format.rows.cursor import Cursor
from workbench.format.types import ArrayType, DataType, MapType, to_arrow

_ARRAY_MAGIC = 1_094_861_634
_MAP_MAGIC = 0x4D424342
_VERSION = 1
_HEAD_BYTES = 9
_SIZE_BYTES = 4
_INTEGERS = {"TINYINT": 1, "SMALLINT": 2, "INT": 4, "BIGINT": 8}


def blob_collections(entries: pa.Array, data_type: DataType) -> pa.Array:
    """Return the values of a column of ARRAY<BLOB> or MAP<X, BLOB> from their stored bytes.

    Raises:
        ValueError: If the bytes are not such a value.
        Unsupported: If keys have a type that Java does not store.
    """
    read = _reader(data_type)
    return pa.array([None if each is None else read(each) for each in entries.to_pylist()], to_arrow(data_type))


def _reader(data_type: DataType) -> Callable[[bytes], list[Any]]:
    if isinstance(data_type, ArrayType):
        return _array
    if isinstance(data_type, MapType):
        key = data_type.key.root
        if key in ("CHAR", "VARCHAR"):
            return lambda data: _map(data, bytes.decode)
        if key in _INTEGERS:
            return lambda data: _map(data, lambda value: _integer(value, _INTEGERS[key]))
    raise Unsupported(f"Large objects in a column of type {data_type} are not supported.")


def _array(data: bytes) -> list[bytes | None]:
    count = _count(data, _ARRAY_MAGIC)
    (objects,) = _parts(data, count, 1)
    return objects


def _map(data: bytes, key_of: Callable[[bytes], Any]) -> list[tuple[Any, bytes | None]]:
    count = _count(data, _MAP_MAGIC)
    keys, objects = _parts(data, count, 2)
    if None in keys:
        raise Unsupported("Maps of large objects with a NULL key are not supported.")
    # A repeated key keeps its first position and its last value.
    return list(dict(zip((key_of(key) for key in keys if key is not None), objects, strict=True)).items())


def _count(data: bytes, magic: int) -> int:
    head = Cursor(data)
    found_magic, version, count = head.number("<u4"), head.number("u1"), head.number("<i4")
    if found_magic != magic or version != _VERSION or count < 0:
        raise ValueError("a collection of large objects does not start with the magic number")
    return count


def _parts(data: bytes, count: int, kinds: int) -> list[list[bytes | None]]:
    """Return ``kinds`` lists of values. The values of all lists are stored first, then the encoded lengths of each
    list, then the sizes of these encodings.
    """
    tail = len(data) - kinds * _SIZE_BYTES
    sizes = Cursor(data, tail).numbers("<i4", kinds).tolist()
    start = tail - sum(sizes)
    if min(sizes) < 0 or start < _HEAD_BYTES:
        raise ValueError("a collection of large objects is truncated")
    index, values = Cursor(data, start), Cursor(data, _HEAD_BYTES)
    parts: list[list[bytes | None]] = []
    for size in sizes:
        lengths = np.cumsum(decode_varints(index.take(size))).tolist()
        if len(lengths) != count or min(lengths, default=0) < -1:
            raise ValueError("a collection of large objects is corrupt")
        parts.append([None if length < 0 else values.take(length) for length in lengths])
    if values.position != start:
        raise ValueError("a collection of large objects is corrupt")
    return parts


def _integer(value: bytes, width: int) -> int:
    if len(value) != width:
        raise ValueError("a key of large objects is corrupt")
    return int.from_bytes(value, "little", signed=True)
