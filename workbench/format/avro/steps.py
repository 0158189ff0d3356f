"""Decodes many Avro records at once as columns: each step reads one record of every block, with NumPy.

The start of a record is known only after reading the previous one, but the container gives the starts of the blocks. So
the n-th records of all blocks are read together, field by field, which is efficient for many blocks.

If some bits at the start of every record are expected to be equal, the records of a block are found by searching for
these bits. If as many are found as the block has records, all of them are read in the first step. The result is proved
correct by each record ending where the next one starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from workbench.base.arrays import AnyArray, Int64Array, UInt8Array
from workbench.format.avro.blocks import Record

_LONGEST_SHIFT = 63
_CELLS = {"float": "<f4", "double": "<f8", "boolean": "u1"}
# Few enough records that intermediate results stay in the processor's cache.
_AT_ONCE = 4096


def _signed(values: Int64Array) -> Int64Array:
    """Return the signed numbers that are encoded as zigzag bits."""
    return (values >> 1) & np.int64(0x7FFFFFFFFFFFFFFF) ^ -(values & 1)


# Bytes of 128 or more are not complete numbers.
_OF_ONE_BYTE = _signed(np.arange(256))


class UnsupportedSchemaError(Exception):
    """Raised for a schema with a type that this reader does not support."""


class _Bytes:
    """The concatenated blocks. ``limits`` has, for each record, the end of its block."""

    def __init__(self, data: bytes, limits: Int64Array) -> None:
        self._data = np.frombuffer(data, np.uint8)
        self._limits = limits

    def longs(self, positions: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return the number at each position, and the positions after them."""
        byte = self._data[positions]
        values = _OF_ONE_BYTE[byte]
        positions = positions + 1
        longer = np.flatnonzero(byte >= 0x80)
        if longer.size:
            values[longer], positions[longer] = self._longer(byte[longer], positions[longer])
        return values, positions

    def _longer(self, byte: UInt8Array, positions: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return numbers of two or more bytes, whose first byte has already been read."""
        values = (byte & 0x7F).astype(np.int64)
        longer = np.arange(len(positions))
        shift = 7
        while longer.size:
            if shift > _LONGEST_SHIFT:
                raise ValueError("a varint exceeds 64 bits")
            byte = self._data[positions[longer]]
            values[longer] |= (byte & 0x7F).astype(np.int64) << shift
            positions[longer] += 1
            longer = longer[byte >= 0x80]
            shift += 7
        return _signed(values), positions

    def cells(self, positions: Int64Array, dtype: np.dtype[Any]) -> AnyArray:
        """Return the value of a fixed size at each position."""
        raw = self._data[positions[:, None] + np.arange(dtype.itemsize)]
        values: AnyArray = raw.view(dtype)[:, 0]
        return values

    def check(self, positions: Int64Array, rows: Int64Array) -> None:
        """Check that the positions are inside the blocks of their records.

        Raises:
            ValueError: If a position is outside its block.
        """
        if (positions > self._limits[rows]).any():
            raise ValueError("a record exceeds its block")


class Column(Protocol):
    """The decoded values of one field of all records."""

    def read(self, data: _Bytes, positions: Int64Array, rows: Int64Array) -> Int64Array:
        """Read the field of the records ``rows`` at ``positions`` and return the positions after it."""
        ...


class Integers:
    """Integers: ``values`` int64[records]."""

    def __init__(self, records: int) -> None:
        self.values = np.zeros(records, np.int64)

    def read(self, data: _Bytes, positions: Int64Array, rows: Int64Array) -> Int64Array:
        """See `Column`."""
        self.values[rows], positions = data.longs(positions)
        return positions


class FixedWidth:
    """Floating-point numbers and booleans: ``values`` of type ``kind``, [records]."""

    def __init__(self, records: int, kind: str) -> None:
        self.values: AnyArray = np.zeros(records, kind)

    def read(self, data: _Bytes, positions: Int64Array, rows: Int64Array) -> Int64Array:
        """See `Column`."""
        behind = positions + self.values.itemsize
        data.check(behind, rows)
        self.values[rows] = data.cells(positions, self.values.dtype)
        return behind


class Spans:
    """Texts and bytes: byte ranges from ``starts`` to ``ends``, int64[records] each."""

    def __init__(self, records: int) -> None:
        self.starts = np.zeros(records, np.int64)
        self.ends = np.zeros(records, np.int64)

    def read(self, data: _Bytes, positions: Int64Array, rows: Int64Array) -> Int64Array:
        """See `Column`."""
        lengths, positions = data.longs(positions)
        if (lengths < 0).any():
            raise ValueError("a length is negative")
        self.starts[rows] = positions
        positions = positions + lengths
        data.check(positions, rows)
        self.ends[rows] = positions
        return positions


class Arrays(Spans):
    """Arrays, kept as encoded bytes: few distinct arrays occur, so each of them is decoded later, and only once.

    ``items`` is used to skip the items, whose values are not kept.
    """

    def __init__(self, records: int, items: Column) -> None:
        super().__init__(records)
        self.items = items

    def read(self, data: _Bytes, positions: Int64Array, rows: Int64Array) -> Int64Array:
        """See `Column`."""
        self.starts[rows] = positions
        positions = positions.copy()
        open_ones = np.arange(len(positions))
        while open_ones.size:
            counts, behind = data.longs(positions[open_ones])
            # A negative count is followed by the size of the items in bytes; an item has at least one byte.
            if (counts < 0).any():
                raise ValueError("an array with a block size is not supported")
            data.check(behind + counts, rows[open_ones])
            positions[open_ones] = behind
            open_ones, counts = open_ones[counts > 0], counts[counts > 0]
            left = open_ones
            while left.size:
                positions[left] = self.items.read(data, positions[left], rows[left])
                more = counts > 1
                left, counts = left[more], counts[more] - 1
            data.check(positions, rows)
        self.ends[rows] = positions
        return positions


class Optional:
    """A union of null and one type. ``valid``, bool[records], marks the records for which ``inner`` has a value."""

    def __init__(self, records: int, inner: Column) -> None:
        self.valid = np.zeros(records, bool)
        self.inner = inner

    def read(self, data: _Bytes, positions: Int64Array, rows: Int64Array) -> Int64Array:
        """See `Column`."""
        chosen, positions = data.longs(positions)
        if ((chosen != 0) & (chosen != 1)).any():
            raise ValueError("a value has a branch that its union lacks")
        valid = chosen == 1
        if valid.all():
            self.valid[rows] = True
            return self.inner.read(data, positions, rows)
        some = np.flatnonzero(valid)
        if some.size:
            self.valid[rows[some]] = True
            positions[some] = self.inner.read(data, positions[some], rows[some])
        return positions


class Fields:
    """A record: the columns of its fields by name."""

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self.columns = columns

    def read(self, data: _Bytes, positions: Int64Array, rows: Int64Array) -> Int64Array:
        """See `Column`."""
        for column in self.columns.values():
            positions = column.read(data, positions, rows)
        return positions


@dataclass(frozen=True)
class Block:
    """One block of a container: its declared number of records and its decompressed bytes."""

    records: int
    plain: bytes


def read_in_steps(blocks: Sequence[Block], schema: Record, same_bits: bytes = b"") -> tuple[bytes, Fields]:
    """Read the records of blocks with the same schema; return the bytes that spans point into, and the columns.

    ``same_bits`` marks the bits of a record's first bytes that are usually the same in every record.

    Raises:
        UnsupportedSchemaError: If the schema has types that require a full Avro reader.
        ValueError, IndexError: If the bytes are not such records.
    """
    data = b"".join(block.plain for block in blocks)
    positions, counts = _pieces(blocks, same_bits)
    ends = np.append(positions[1:], len(data))
    firsts = np.cumsum(counts) - counts
    source = _Bytes(data, np.repeat(ends, counts))
    root = _fields(schema, int(counts.sum()))
    for step in range(int(counts.max(initial=0))):
        pieces = np.flatnonzero(counts > step)
        for first in range(0, len(pieces), _AT_ONCE):
            at = pieces[first : first + _AT_ONCE]
            positions[at] = root.read(source, positions[at], firsts[at] + step)
    if not np.array_equal(positions, ends):
        raise ValueError("a block does not have its declared number of records")
    return data, root


def _pieces(blocks: Sequence[Block], same_bits: bytes) -> tuple[Int64Array, Int64Array]:
    """Return the start and the number of records of each piece that is read in parallel: a single record if all records
    of its block were found, otherwise a whole block.
    """
    positions, counts, start = [], [], 0
    for block in blocks:
        matches = _matching_positions(block.plain, same_bits)
        if len(matches) == block.records and matches[0] == 0:
            positions.append(matches + start)
            counts.append(np.ones(len(matches), np.int64))
        else:
            positions.append(np.array([start]))
            counts.append(np.array([block.records]))
        start += len(block.plain)
    return np.concatenate(positions), np.concatenate(counts)


def _matching_positions(plain: bytes, same_bits: bytes) -> Int64Array:
    """Return the ascending positions at which the bytes equal the first bytes of the block in these bits."""
    values = np.frombuffer(plain, np.uint8)
    if not len(values) >= len(same_bits) > 0:
        return np.arange(0)
    candidates = np.flatnonzero(values[: len(values) - len(same_bits) + 1] & same_bits[0] == values[0] & same_bits[0])
    for position, bits in enumerate(same_bits[1:], 1):
        candidates = candidates[values[candidates + position] & bits == values[position] & bits]
    return candidates


def _fields(schema: Record, records: int) -> Fields:
    return Fields({field["name"]: _column(field["type"], records) for field in schema["fields"]})


def _column(kind: Any, records: int) -> Column:
    if isinstance(kind, list):
        if len(kind) != 2 or kind[0] != "null":
            raise UnsupportedSchemaError(kind)
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
        return FixedWidth(records, _CELLS[kind])
    raise UnsupportedSchemaError(kind)
