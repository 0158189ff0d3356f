"""What Arrow does not tell of an ORC file: the zone of its writer, and how far its timestamps reach (format §14).

Both stand in small protobuf messages at the end of the file and of each stripe.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

ReadRange = Callable[[int, int], bytes]
"""From offset and length to bytes of the file."""

_MAGIC = b"ORC"
_MOST_TAIL = 64 << 20
_NONE, _ZLIB, _SNAPPY, _LZ4, _ZSTD = 0, 1, 2, 4, 5
_CHUNK_HEADER = 3


@dataclass(frozen=True)
class OrcTail:
    """``writer_zone``: the zone of the process that wrote the file, None where the file does not say.
    ``timestamp_seconds``: least and greatest second of the timestamps in each column that has any, as far as known.
    """

    writer_zone: str | None
    timestamp_seconds: Mapping[str, tuple[int, int]]


def read_orc_tail(read: ReadRange, size: int) -> OrcTail:
    """The tail of a file of ``size`` bytes. Raises ValueError where it is garbled or uses an unknown codec."""
    script_size = _only(read(size - 1, 1)) if size else 0
    script = _message(read(size - 1 - script_size, script_size))
    if script.get(8000) != [_MAGIC]:
        raise ValueError("it is not an ORC file")
    codec, block_size = _number(script, 2), _number(script, 3)
    footer_size = _number(script, 1)
    footer_start = size - 1 - script_size - footer_size
    if footer_start < 0 or footer_size > _MOST_TAIL:
        raise ValueError("its footer has an impossible length")
    footer = _message(_plain(read(footer_start, footer_size), codec, block_size))
    zone = None
    for stripe in footer.get(3, [])[:1]:
        zone = _stripe_zone(read, _message(stripe), codec, block_size)
    return OrcTail(zone, _timestamp_seconds(footer))


def _only(data: bytes) -> int:
    if len(data) != 1:
        raise ValueError("it ends early")
    return data[0]


def _stripe_zone(read: ReadRange, stripe: dict[int, list[Any]], codec: int, block_size: int) -> str | None:
    start = sum(_number(stripe, number) for number in (1, 2, 3))
    length = _number(stripe, 4)
    if length > _MOST_TAIL:
        raise ValueError("a stripe has a footer of impossible length")
    zones = _message(_plain(read(start, length), codec, block_size)).get(3)
    return _bytes(zones[-1]).decode() if zones else None


def _timestamp_seconds(footer: dict[int, list[Any]]) -> dict[str, tuple[int, int]]:
    """The types of a file are a tree in pre-order, and its statistics go with them: a column and what is in it lie
    between the number of the column and that of the next."""
    types, statistics = footer.get(4, []), footer.get(7, [])
    root = _message(types[0]) if types else {}
    starts = [number for packed in root.get(2, []) for number in _numbers(packed)]
    found = {}
    for name, start, end in zip(root.get(3, []), starts, [*starts[1:], len(types)], strict=True):
        millis = [bound for column in statistics[start:end] for bound in _bounds(column)]
        if millis:
            found[_bytes(name).decode()] = (min(millis) // 1000, max(millis) // 1000)
    return found


def _bounds(column: bytes) -> Iterator[int]:
    for statistics in _message(column).get(9, []):
        bounds = _message(statistics)
        yield from (_signed(value) for number in (1, 2, 3, 4) for value in bounds.get(number, []))


def _numbers(packed: bytes | int) -> Iterator[int]:
    """A repeated number, which writers may pack."""
    if isinstance(packed, int):
        yield packed
        return
    place = 0
    while place < len(packed):
        value, place = _varint(packed, place)
        yield value


def _signed(value: Any) -> int:
    if not isinstance(value, int):
        raise ValueError("a bound in its tail is no number")
    return (value >> 1) ^ -(value & 1)


def _number(message: dict[int, list[Any]], number: int) -> int:
    """A field that is a number, 0 where it is not there."""
    value = message.get(number, [0])[-1]
    if not isinstance(value, int):
        raise ValueError("a message in its tail is garbled")
    return value


def _bytes(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError("a message in its tail is garbled")
    return value


def _message(data: Any) -> dict[int, list[Any]]:
    """The fields of a protobuf message by number: numbers as they are, everything else as bytes."""
    found: dict[int, list[Any]] = {}
    for number, value in _fields(_bytes(data)):
        found.setdefault(number, []).append(value)
    return found


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    place = 0
    while place < len(data):
        tag, place = _varint(data, place)
        kind = tag & 7
        if kind == 0:
            value: Any
            value, place = _varint(data, place)
        else:
            length, place = _varint(data, place) if kind == 2 else ({1: 8, 5: 4}.get(kind, -1), place)
            if length < 0 or place + length > len(data):
                raise ValueError("a message in its tail is garbled")
            value = data[place : place + length]
            place += length
        yield tag >> 3, value


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while place < len(data) and shift < 70:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place
    raise ValueError("a number in its tail never ends")


def _plain(data: bytes, codec: int, block_size: int) -> bytes:
    """The bytes of a section, whose chunks are compressed one by one."""
    if codec == _NONE:
        return data
    out = []
    place = 0
    while place + _CHUNK_HEADER <= len(data):
        head = int.from_bytes(data[place : place + _CHUNK_HEADER], "little")
        place += _CHUNK_HEADER
        chunk = data[place : place + (head >> 1)]
        place += head >> 1
        try:
            out.append(chunk if head & 1 else _decompressed(chunk, codec, block_size))
        except (zlib.error, OSError) as error:
            raise ValueError(f"a chunk of its tail is garbled: {error}") from error
    return b"".join(out)


def _decompressed(chunk: bytes, codec: int, block_size: int) -> bytes:
    if codec == _ZLIB:
        return zlib.decompress(chunk, wbits=-zlib.MAX_WBITS)
    if codec == _ZSTD:
        plain: bytes = pa.CompressedInputStream(pa.BufferReader(chunk), "zstd").read()
        return plain
    if codec == _SNAPPY:
        size, _ = _varint(chunk[:5], 0)
        if size > block_size:
            raise ValueError("a chunk of its tail is too large")
        return bytes(pa.Codec("snappy").decompress(chunk, size, asbytes=True))
    if codec == _LZ4:
        return _lz4(chunk, block_size)
    raise ValueError("its tail is compressed with an unknown codec")


def _lz4(chunk: bytes, block_size: int) -> bytes:
    """One raw LZ4 block. Arrow wants to know its exact size, which nothing tells; tails are small."""
    out = bytearray()
    place = 0
    while place < len(chunk):
        token = chunk[place]
        place += 1
        literals, place = _lz4_length(chunk, place, token >> 4)
        out += chunk[place : place + literals]
        place += literals
        if place >= len(chunk):
            break
        back = int.from_bytes(chunk[place : place + 2], "little")
        length, place = _lz4_length(chunk, place + 2, token & 15)
        length += 4
        if not 0 < back <= len(out) or len(out) + length > block_size:
            raise ValueError("a chunk of its tail is garbled")
        for _ in range(length):
            out.append(out[-back])
    return bytes(out)


def _lz4_length(chunk: bytes, place: int, length: int) -> tuple[int, int]:
    if length == 15:
        while place < len(chunk):
            more = chunk[place]
            place += 1
            length += more
            if more < 255:
                break
    return length, place
