"""Many Avro records at once as columns: in each step one record of every block, with NumPy.

Where a record begins is known only when the one before it has been read, but blocks begin where the container says. So
the n-th records of all blocks are read together, field by field. It pays where there are many blocks.

Where bytes are known with which records begin, the records of a block are looked for: if as many are found as the block
has, all of them are read in the first step. That each ends where the next begins proves that they were the records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from workbench.format.avro_blocks import Record

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_LONGEST_SHIFT = 63
_CELLS = {"float": "<f4", "double": "<f8", "boolean": "u1"}
# Few enough records that what is made on the way stays near the processor.
_AT_ONCE = 4096


def _signed(values: Numbers) -> Numbers:
    """What the bits of encoded numbers stand for."""
    return (values >> 1) & np.int64(0x7FFFFFFFFFFFFFFF) ^ -(values & 1)


# Bytes from 128 on are none of a number by themselves.
_OF_ONE_BYTE = _signed(np.arange(256))


class NotInStepsError(Exception):
    """The schema has a type that this reader does not know."""


class _Bytes:
    """The blocks behind each other. ``limits``: for each record, where its block ends."""

    def __init__(self, data: bytes, limits: Numbers) -> None:
        self._data = np.frombuffer(data, np.uint8)
        self._limits = limits

    def longs(self, places: Numbers) -> tuple[Numbers, Numbers]:
        """The number at each place, and the places behind them."""
        byte = self._data[places]
        values = _OF_ONE_BYTE[byte]
        places = places + 1
        longer = np.flatnonzero(byte >= 0x80)
        if longer.size:
            values[longer], places[longer] = self._longer(byte[longer], places[longer])
        return values, places

    def _longer(self, byte: npt.NDArray[np.uint8], places: Numbers) -> tuple[Numbers, Numbers]:
        """Numbers of two bytes or more, of which the first one has been read."""
        values = (byte & 0x7F).astype(np.int64)
        longer = np.arange(len(places))
        shift = 7
        while longer.size:
            if shift > _LONGEST_SHIFT:
                raise ValueError("a number never ends")
            byte = self._data[places[longer]]
            values[longer] |= (byte & 0x7F).astype(np.int64) << shift
            places[longer] += 1
            longer = longer[byte >= 0x80]
            shift += 7
        return _signed(values), places

    def cells(self, places: Numbers, kind: np.dtype[Any]) -> npt.NDArray[Any]:
        """The values of a fixed size at each place."""
        raw = self._data[places[:, None] + np.arange(kind.itemsize)]
        values: npt.NDArray[Any] = raw.view(kind)[:, 0]
        return values

    def check(self, places: Numbers, rows: Numbers) -> None:
        """Raise ValueError where a place is beyond the block of its record."""
        if (places > self._limits[rows]).any():
            raise ValueError("a record goes on beyond its block")


class Column(Protocol):
    """What is kept of one field of all records."""

    def read(self, data: _Bytes, places: Numbers, rows: Numbers) -> Numbers:
        """Read the field of the records ``rows`` at ``places``; gives the places behind it."""
        ...


class Integers:
    """Whole numbers: ``values`` int64[records]."""

    def __init__(self, records: int) -> None:
        self.values = np.zeros(records, np.int64)

    def read(self, data: _Bytes, places: Numbers, rows: Numbers) -> Numbers:
        """See `Column`."""
        self.values[rows], places = data.longs(places)
        return places


class Cells:
    """Floating numbers and booleans: ``values`` of type ``kind``, [records]."""

    def __init__(self, records: int, kind: str) -> None:
        self.values: npt.NDArray[Any] = np.zeros(records, kind)

    def read(self, data: _Bytes, places: Numbers, rows: Numbers) -> Numbers:
        """See `Column`."""
        behind = places + self.values.itemsize
        data.check(behind, rows)
        self.values[rows] = data.cells(places, self.values.dtype)
        return behind


class Spans:
    """Texts and bytes: they lie from ``starts`` to ``ends``, int64[records] each."""

    def __init__(self, records: int) -> None:
        self.starts = np.zeros(records, np.int64)
        self.ends = np.zeros(records, np.int64)

    def read(self, data: _Bytes, places: Numbers, rows: Numbers) -> Numbers:
        """See `Column`."""
        lengths, places = data.longs(places)
        if (lengths < 0).any():
            raise ValueError("a length is below zero")
        self.starts[rows] = places
        places = places + lengths
        data.check(places, rows)
        self.ends[rows] = places
        return places


class Arrays(Spans):
    """Arrays, as the bytes that encode them: few different ones occur, so each is better decoded once.
    ``items``: how they are read, not what they are."""

    def __init__(self, records: int, items: Column) -> None:
        super().__init__(records)
        self.items = items

    def read(self, data: _Bytes, places: Numbers, rows: Numbers) -> Numbers:
        """See `Column`."""
        self.starts[rows] = places
        places = places.copy()
        open_ones = np.arange(len(places))
        while open_ones.size:
            counts, behind = data.longs(places[open_ones])
            # A count below zero is followed by the size of the items, an item takes a byte or more.
            if (counts < 0).any():
                raise ValueError("an array tells its size")
            data.check(behind + counts, rows[open_ones])
            places[open_ones] = behind
            open_ones, counts = open_ones[counts > 0], counts[counts > 0]
            left = open_ones
            while left.size:
                places[left] = self.items.read(data, places[left], rows[left])
                more = counts > 1
                left, counts = left[more], counts[more] - 1
            data.check(places, rows)
        self.ends[rows] = places
        return places


class Optional:
    """A union of null and one type. ``valid``: bool[records], where ``inner`` has a value."""

    def __init__(self, records: int, inner: Column) -> None:
        self.valid = np.zeros(records, bool)
        self.inner = inner

    def read(self, data: _Bytes, places: Numbers, rows: Numbers) -> Numbers:
        """See `Column`."""
        chosen, places = data.longs(places)
        if ((chosen != 0) & (chosen != 1)).any():
            raise ValueError("a value is of no type of its union")
        valid = chosen == 1
        if valid.all():
            self.valid[rows] = True
            return self.inner.read(data, places, rows)
        some = np.flatnonzero(valid)
        if some.size:
            self.valid[rows[some]] = True
            places[some] = self.inner.read(data, places[some], rows[some])
        return places


class Fields:
    """A record: the columns of its fields by name."""

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self.columns = columns

    def read(self, data: _Bytes, places: Numbers, rows: Numbers) -> Numbers:
        """See `Column`."""
        for column in self.columns.values():
            places = column.read(data, places, rows)
        return places


@dataclass(frozen=True)
class Block:
    """One block of a container: how many records it says it has, and its plain bytes."""

    records: int
    plain: bytes


def read_in_steps(blocks: Sequence[Block], schema: Record, same_bits: bytes = b"") -> tuple[bytes, Fields]:
    """The records of blocks that have one record schema: the bytes that spans point into, and the columns.

    ``same_bits`` tells of the first bytes of a record which bits are those of every other record, mostly.

    Raises:
        NotInStepsError: the schema has types that only a full Avro reader knows.
        ValueError, IndexError: the bytes are not such records.
    """
    data = b"".join(block.plain for block in blocks)
    places, counts = _pieces(blocks, same_bits)
    ends = np.append(places[1:], len(data))
    firsts = np.cumsum(counts) - counts
    source = _Bytes(data, np.repeat(ends, counts))
    root = _fields(schema, int(counts.sum()))
    for step in range(int(counts.max(initial=0))):
        pieces = np.flatnonzero(counts > step)
        for first in range(0, len(pieces), _AT_ONCE):
            at = pieces[first : first + _AT_ONCE]
            places[at] = root.read(source, places[at], firsts[at] + step)
    if not np.array_equal(places, ends):
        raise ValueError("a block does not hold as many records as it says")
    return data, root


def _pieces(blocks: Sequence[Block], same_bits: bytes) -> tuple[Numbers, Numbers]:
    """Where the pieces begin that are read beside each other, and how many records each has: the records of blocks in
    which as many are found as there are, and other blocks as a whole."""
    places, counts, start = [], [], 0
    for block in blocks:
        found = _alike(block.plain, same_bits)
        if len(found) == block.records and found[0] == 0:
            places.append(found + start)
            counts.append(np.ones(len(found), np.int64))
        else:
            places.append(np.array([start]))
            counts.append(np.array([block.records]))
        start += len(block.plain)
    return np.concatenate(places), np.concatenate(counts)


def _alike(plain: bytes, same_bits: bytes) -> Numbers:
    """The places, ascending, of all bytes that are like the first ones in these bits."""
    values = np.frombuffer(plain, np.uint8)
    if not len(values) >= len(same_bits) > 0:
        return np.arange(0)
    found = np.flatnonzero(values[: len(values) - len(same_bits) + 1] & same_bits[0] == values[0] & same_bits[0])
    for place, bits in enumerate(same_bits[1:], 1):
        found = found[values[found + place] & bits == values[place] & bits]
    return found


def _fields(schema: Record, records: int) -> Fields:
    return Fields({field["name"]: _column(field["type"], records) for field in schema["fields"]})


def _column(kind: Any, records: int) -> Column:
    if isinstance(kind, list):
        if len(kind) != 2 or kind[0] != "null":
            raise NotInStepsError(kind)
        return Optional(records, _column(kind[1], records))
    if isinstance(kind, dict):
        if kind["type"] == "record":
            return _fields(kind, records)
        if kind["type"] == "array":
            return Arrays(records, _column(kind["items"], records))
        return _column(kind["type"], records)
    if kind in ("int", "long"):
        return Integers(records)
    if kind in ("string", "bytes"):
        return Spans(records)
    if kind in _CELLS:
        return Cells(records, _CELLS[kind])
    raise NotInStepsError(kind)
