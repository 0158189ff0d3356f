"""Animated PNG files from screenshots of one size."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

SIGNATURE = b"\x89PNG\r\n\x1a\n"


@dataclass
class Frame:
    """A PNG, and how long it is shown."""

    png: bytes
    millis: int


def animated(frames: Sequence[Frame]) -> bytes:
    """Return the frames as one file that repeats forever. Viewers without animation show the first one."""
    header = next(data for kind, data in chunks(frames[0].png) if kind == b"IHDR")
    width, height = struct.unpack(">II", header[:8])
    numbers = count()
    parts = [SIGNATURE, chunk(b"IHDR", header), chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    for index, frame in enumerate(frames):
        control = struct.pack(">IIIIIHHBB", next(numbers), width, height, 0, 0, frame.millis, 1000, 0, 0)
        parts.append(chunk(b"fcTL", control))
        for kind, data in chunks(frame.png):
            if kind == b"IHDR" and data != header:
                raise ValueError("The frames differ in size or colors.")
            if kind == b"IDAT":
                parts.append(chunk(b"fdAT", struct.pack(">I", next(numbers)) + data) if index else chunk(b"IDAT", data))
    return b"".join([*parts, chunk(b"IEND", b"")])


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the types and contents of the chunks of a PNG."""
    position = len(SIGNATURE)
    while position < len(png):
        (length,) = struct.unpack_from(">I", png, position)
        yield png[position + 4 : position + 8], png[position + 8 : position + 8 + length]
        position += length + 12


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
