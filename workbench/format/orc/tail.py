"""Reads the parts of an ORC file that Arrow does not expose: the zone of its writer, the range of its timestamps, and
the positions of streams (format §14).

They are stored in small messages at the end of the file and of each stripe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from workbench.format.orc.messages import (
    Message,
    bytes_of,
    message,
    number_of,
    numbers_of,
    plain,
    signed,
)

ReadRange = Callable[[int, int], bytes]
"""Returns bytes of the file by offset and length."""

_MAGIC = b"ORC"
_MAX_TAIL = 64 << 20


@dataclass(frozen=True)
class OrcTail:
    """The tail of a file.

    ``writer_zone`` is the zone of the process that wrote the file, None if the file does not store it.
    ``timestamp_seconds`` has the minimum and maximum second of the timestamps in each column that has any, if known.
    ``postscript`` and ``footer`` are the messages themselves, uncompressed; ``footer_start`` is the
    offset of the footer.
    """

    writer_zone: str | None
    timestamp_seconds: Mapping[str, tuple[int, int]]
    postscript: bytes
    footer: bytes
    footer_start: int

    @property
    def compression(self) -> tuple[int, int]:
        """Codec and maximum size of a chunk."""
        return _compression(message(self.postscript))


@dataclass(frozen=True)
class OrcStripe:
    """The footer of a stripe.

    ``streams`` maps the kind and the column number of each stream to the offset and the length of its bytes.
    ``encodings`` has the encoding of each column, by column number.
    """

    writer_zone: str | None
    streams: Mapping[tuple[int, int], tuple[int, int]]
    encodings: tuple[int, ...]


def read_orc_tail(read: ReadRange, size: int) -> OrcTail:
    """Return the tail of a file of ``size`` bytes.

    Raises:
        ValueError: If it is corrupt or uses an unknown codec.
    """
    script_size = _only(read(size - 1, 1)) if size else 0
    postscript = read(size - 1 - script_size, script_size)
    parts = message(postscript)
    if parts.get(8000) != [_MAGIC]:
        raise ValueError("it is not an ORC file")
    footer_size = number_of(parts, 1)
    footer_start = size - 1 - script_size - footer_size
    if footer_start < 0 or footer_size > _MAX_TAIL:
        raise ValueError("its footer has an invalid length")
    footer = plain(read(footer_start, footer_size), *_compression(parts))
    tail = OrcTail(None, _timestamp_seconds(message(footer)), postscript, footer, footer_start)
    if not message(footer).get(3):
        return tail
    return replace(tail, writer_zone=read_orc_stripe(read, tail, 0).writer_zone)


def stripe_range(tail: OrcTail, number: int) -> tuple[int, int]:
    """Return the offset and the length of a stripe in bytes."""
    stripe = message(message(tail.footer)[3][number])
    start, *lengths = (number_of(stripe, field) for field in (1, 2, 3, 4))
    return start, sum(lengths)


def read_orc_stripe(read: ReadRange, tail: OrcTail, number: int) -> OrcStripe:
    """Return the footer of a stripe.

    Raises:
        ValueError: If it is corrupt.
    """
    stripe = message(message(tail.footer)[3][number])
    start, index, data, length = (number_of(stripe, field) for field in (1, 2, 3, 4))
    if length > _MAX_TAIL:
        raise ValueError("a stripe has a footer of invalid length")
    footer = message(plain(read(start + index + data, length), *tail.compression))
    streams = {}
    for each in map(message, footer.get(1, [])):
        streams[number_of(each, 1), number_of(each, 2)] = (start, number_of(each, 3))
        start += number_of(each, 3)
    encodings = tuple(number_of(message(each), 1) for each in footer.get(2, []))
    zones = footer.get(3)
    return OrcStripe(bytes_of(zones[-1]).decode() if zones else None, streams, encodings)


def _compression(postscript: Message) -> tuple[int, int]:
    return number_of(postscript, 2), number_of(postscript, 3)


def _only(data: bytes) -> int:
    if len(data) != 1:
        raise ValueError("it is truncated")
    return data[0]


def _timestamp_seconds(footer: Message) -> dict[str, tuple[int, int]]:
    """Return the range of seconds of each timestamp column.

    The types of a file are a tree in pre-order, as are its statistics: a column and everything nested in it are
    numbered consecutively, up to the number of the next column.
    """
    types, statistics = footer.get(4, []), footer.get(7, [])
    root = message(types[0]) if types else {}
    starts = numbers_of(root, 2)
    seconds = {}
    for name, start, end in zip(root.get(3, []), starts, [*starts[1:], len(types)], strict=True):
        millis = [bound for column in statistics[start:end] for bound in _bounds(column)]
        if millis:
            seconds[bytes_of(name).decode()] = (min(millis) // 1000, max(millis) // 1000)
    return seconds


def _bounds(column: bytes) -> Iterator[int]:
    for statistics in message(column).get(9, []):
        bounds = message(statistics)
        yield from (signed(value) for number in (1, 2, 3, 4) for value in bounds.get(number, []))
