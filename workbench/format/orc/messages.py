"""The protobuf messages of an ORC file, and the compressed sections that contain them (format §14)."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from workbench.format.rows.varints import encoded_varint, varint

Message = dict[int, list[Any]]
"""The fields of a message by number: numbers as integers, everything else as bytes."""

_NONE, _ZLIB, _SNAPPY, _LZ4, _ZSTD = 0, 1, 2, 4, 5
_MIN_LZ4_MATCH = 4
_CHUNK_HEADER = 3
_MAX_CHUNK_BYTES = (1 << 23) - 1


def message(data: Any) -> Message:
    """Return the fields of a message.

    Raises:
        ValueError: If it is corrupt, as for all functions here.
    """
    result: Message = {}
    for number, value, _ in fields(bytes_of(data)):
        result.setdefault(number, []).append(value)
    return result


def fields(data: bytes) -> Iterator[tuple[int, Any, bytes]]:
    """Yield number, value and encoded bytes of each field."""
    position = 0
    while position < len(data):
        start = position
        tag, position = varint(data, position)
        kind = tag & 7
        if kind == 0:
            value: Any
            value, position = varint(data, position)
        else:
            length, position = varint(data, position) if kind == 2 else ({1: 8, 5: 4}.get(kind, -1), position)
            if length < 0 or position + length > len(data):
                raise ValueError("a message is corrupt")
            value = data[position : position + length]
            position += length
        yield tag >> 3, value, data[start:position]


def with_number(data: bytes, number: int, value: int) -> bytes:
    """Return the message with the value of a numeric field replaced."""
    return b"".join(
        encoded_varint(number << 3) + encoded_varint(value) if each == number else raw for each, _, raw in fields(data)
    )


def numbers_of(message: Message, number: int) -> list[int]:
    """Return the numbers of a repeated field, which writers may pack."""
    numbers = []
    for packed in message.get(number, []):
        if isinstance(packed, int):
            numbers.append(packed)
            continue
        position = 0
        while position < len(packed):
            value, position = varint(packed, position)
            numbers.append(value)
    return numbers


def number_of(message: Message, number: int) -> int:
    """Return a numeric field, 0 if it is missing."""
    value = message.get(number, [0])[-1]
    if not isinstance(value, int):
        raise ValueError("a message is corrupt")
    return value


def bytes_of(value: Any) -> bytes:
    """Return a value that must be bytes rather than a number."""
    if not isinstance(value, bytes):
        raise ValueError("a message is corrupt")
    return value


def signed(value: Any) -> int:
    """Return the signed number that is encoded in zigzag form."""
    if not isinstance(value, int):
        raise ValueError("a message is corrupt")
    return (value >> 1) ^ -(value & 1)


def plain(data: bytes, codec: int, block_size: int) -> bytes:
    """Return the decompressed bytes of a section, whose chunks are compressed individually.

    Raises:
        ValueError: If it is corrupt or the codec is unknown.
    """
    if codec == _NONE:
        return data
    out = []
    position = 0
    while position + _CHUNK_HEADER <= len(data):
        head = int.from_bytes(data[position : position + _CHUNK_HEADER], "little")
        position += _CHUNK_HEADER
        chunk = data[position : position + (head >> 1)]
        position += head >> 1
        try:
            out.append(chunk if head & 1 else _decompressed(chunk, codec, block_size))
        except (zlib.error, OSError) as error:
            raise ValueError(f"a chunk is corrupt: {error}") from error
    return b"".join(out)


def encode_section(data: bytes, codec: int, block_size: int) -> bytes:
    """Return an uncompressed section of these bytes for a file that has compressed sections."""
    if codec == _NONE:
        return data
    max_size = min(block_size, _MAX_CHUNK_BYTES)
    chunks = (data[position : position + max_size] for position in range(0, len(data), max_size))
    return b"".join((len(chunk) << 1 | 1).to_bytes(_CHUNK_HEADER, "little") + chunk for chunk in chunks)


def _decompressed(chunk: bytes, codec: int, block_size: int) -> bytes:
    if codec == _ZLIB:
        return zlib.decompress(chunk, wbits=-zlib.MAX_WBITS)
    if codec == _ZSTD:
        whole: bytes = pa.CompressedInputStream(pa.BufferReader(chunk), "zstd").read()
        return whole
    if codec not in (_SNAPPY, _LZ4):
        raise ValueError("its chunks are compressed with an unknown codec")
    size = varint(chunk[:5], 0)[0] if codec == _SNAPPY else _lz4_size(chunk)
    if size > block_size:
        raise ValueError("a chunk is too large")
    return bytes(pa.Codec("snappy" if codec == _SNAPPY else "lz4_raw").decompress(chunk, size, asbytes=True))


def _lz4_size(chunk: bytes) -> int:
    """Return the decompressed size of a raw LZ4 block, which Arrow requires but the file does not store."""
    size = position = 0
    while position < len(chunk):
        token = chunk[position]
        literals, position = _lz4_length(chunk, position + 1, token >> 4)
        position += literals
        size += literals
        if position < len(chunk):
            length, position = _lz4_length(chunk, position + 2, token & 15)
            size += length + _MIN_LZ4_MATCH
    return size


def _lz4_length(chunk: bytes, position: int, length: int) -> tuple[int, int]:
    if length == 15:
        while position < len(chunk):
            more = chunk[position]
            position += 1
            length += more
            if more < 255:
                break
    return length, position
