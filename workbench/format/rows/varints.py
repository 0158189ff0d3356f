"""Base-128 varints, as protobuf and Thrift write them."""

from __future__ import annotations


def varint(data: bytes, position: int) -> tuple[int, int]:
    """Return a number of any length, and the position after it."""
    value = shift = 0
    while position < len(data) and shift < 70:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position
    raise ValueError("a varint exceeds 64 bits")


def encoded_varint(value: int) -> bytes:
    """Return the bytes that `varint` reads."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
