"""The container of the indexes of one data file (Java ``FileIndexFormat``)."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.format.rows.cursor import Cursor

MAGIC = 1_493_475_289_347_502
VERSION = 1
_EMPTY = -1
_REDUNDANT = 0
_HEAD_BYTES = 24

Bodies = Mapping[str, Mapping[str, bytes | None]]
"""The bytes of each index by column, as named in the file, and index type; None for
an index to which no value was added. Keys of maps are named ``column[key]``."""


def read_file_index(data: bytes) -> Bodies | None:
    """Return the indexes of a file; None for an unknown version.

    Raises:
        ValueError: If the bytes are not a file index.
    """
    cursor = Cursor(data)
    if cursor.number(">i8") != MAGIC:
        raise ValueError("it does not start with the magic number")
    if cursor.number(">i4") != VERSION:
        return None
    head_length = cursor.number(">i4")
    by_column: dict[str, dict[str, bytes | None]] = {}
    for _ in range(cursor.number(">i4")):
        bodies = by_column.setdefault(_text(cursor), {})
        for _ in range(cursor.number(">i4")):
            kind = _text(cursor)
            start, length = cursor.numbers(">i4", 2).tolist()
            bodies[kind] = None if start == _EMPTY else Cursor(data, start).take(length)
    if cursor.position > head_length:
        raise ValueError("its head exceeds its declared length")
    return by_column


def write_file_index(bodies: Bodies) -> bytes:
    """Return the container of indexes."""
    columns = [(_utf(column), [(_utf(kind), body) for kind, body in each.items()]) for column, each in bodies.items()]
    position = _HEAD_BYTES + sum(len(name) + 4 + sum(len(kind) + 8 for kind, _ in each) for name, each in columns)
    head = [MAGIC.to_bytes(8, "big"), _int(VERSION), _int(position), _int(len(columns))]
    for name, each in columns:
        head += [name, _int(len(each))]
        for kind, body in each:
            head += [kind, _int(_EMPTY if body is None else position), _int(len(body or b""))]
            position += len(body or b"")
    stored = (body for _, each in columns for _, body in each if body is not None)
    return b"".join([*head, _int(_REDUNDANT), *stored])


def _int(number: int) -> bytes:
    return number.to_bytes(4, "big", signed=True)


def _utf(text: str) -> bytes:
    """Return the bytes that `_text` reads."""
    pairs = text.encode("utf-16-be", "surrogatepass")
    units = (
        pairs[position : position + 2].decode("utf-16-be", "surrogatepass") for position in range(0, len(pairs), 2)
    )
    stored = "".join(units).encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")
    return len(stored).to_bytes(2, "big") + stored


def _text(cursor: Cursor) -> str:
    """Read Java's modified UTF-8: the zero character takes two bytes, and characters of four bytes in UTF-8 are
    surrogate pairs.
    """
    stored = cursor.take(cursor.number(">u2")).replace(b"\xc0\x80", b"\0")
    return stored.decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16")
