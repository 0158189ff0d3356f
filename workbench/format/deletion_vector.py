"""Deletion vectors: which rows of a data file are gone (format §20.1). Bytes to positions, nothing else.

The bitmaps are decoded here and not by a library, for tasks on other machines have only NumPy, and a bitmap that
contradicts itself must not reach native code that believes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from workbench.base.errors import CorruptFile, Unsupported

VERSION = 1
BITMAP32_MAGIC = 1_581_511_376
BITMAP64_MAGIC = 1_681_511_377

_BLOCK_ROWS = 1 << 16
_BLOCK_BYTES = _BLOCK_ROWS // 8
_LARGEST_ARRAY = 4096
_COOKIE = 12_346
_COOKIE_WITH_RUNS = 12_347
_LEAST_FOR_OFFSETS = 4
# Java keeps the number of 32-bit bitmaps in an int, and no file has 2^63 rows.
_MOST_BITMAPS = 1 << 31

Bits = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class DeletionVector:
    """The deleted rows of one file: a bit for each row of the blocks of 65,536 rows that have any."""

    blocks: Mapping[int, Bits]
    cardinality: int

    @property
    def weight(self) -> int:
        """Bytes that it takes in memory."""
        return 200 + len(self.blocks) * (_BLOCK_BYTES + 200)

    def kept(self, first: int, count: int) -> Flags:
        """bool[count]: which of the rows ``first``, ``first`` + 1, … are still there."""
        kept = np.ones(count, bool)
        for block in range(first // _BLOCK_ROWS, -(-(first + count) // _BLOCK_ROWS)):
            bits = self.blocks.get(block)
            if bits is not None:
                start = block * _BLOCK_ROWS
                low, high = max(first, start), min(first + count, start + _BLOCK_ROWS)
                gone = np.unpackbits(bits, bitorder="little")[low - start : high - start]
                kept[low - first : high - first] = gone == 0
        return kept


def read_deletion_vector(
    data: bytes, path: str, rows: int, length: int, cardinality: int | None = None
) -> DeletionVector:
    """The vector of a file of ``rows`` rows. ``data`` starts with its length field; ``length`` and ``cardinality`` are
    what the index manifest says of it.

    Raises:
        CorruptFile: naming ``path``, where checksum, lengths or the bitmap do not hold.
        Unsupported: the vector is of a kind that is not known.
    """
    size = int.from_bytes(data[:4], "big", signed=True)
    body = data[4 : 4 + size]
    if size < 4 or len(body) < size or len(data) < size + 8:
        raise CorruptFile(path, "a deletion vector in it ends early")
    kind = _kind(body[:4])
    if kind is None:
        raise Unsupported(f"A deletion vector in {path} is of an unknown kind.", f"Its first bytes are {body[:4]!r}.")
    if length != (size if kind == BITMAP32_MAGIC else size + 8):
        raise CorruptFile(path, "a deletion vector in it is not as long as the index manifest says")
    if crc32(body) != int.from_bytes(data[4 + size : 8 + size], "big"):
        raise CorruptFile(path, "the checksum of a deletion vector in it is wrong")
    try:
        blocks = _bitmap32(body[4:]) if kind == BITMAP32_MAGIC else _bitmap64(body[4:])
        _check_within(blocks, rows)
    except ValueError as error:
        raise CorruptFile(path, f"a deletion vector in it is garbled ({error})") from error
    found = sum(map(_rows, blocks.values()))
    if cardinality is not None and cardinality != found:
        raise CorruptFile(path, f"a deletion vector in it has {found} rows and the index manifest says {cardinality}")
    return DeletionVector(blocks, found)


def _kind(magic: bytes) -> int | None:
    """Java writes the one magic number big-endian, the other little-endian."""
    if int.from_bytes(magic, "big") == BITMAP32_MAGIC:
        return BITMAP32_MAGIC
    return BITMAP64_MAGIC if int.from_bytes(magic, "little") == BITMAP64_MAGIC else None


def _rows(bits: Bits) -> int:
    return int(np.unpackbits(bits).sum(dtype=np.int64))


def _check_within(blocks: Mapping[int, Bits], rows: int) -> None:
    last = max(blocks, default=-1)
    end = rows - last * _BLOCK_ROWS
    if last >= 0 and (end <= 0 or np.unpackbits(blocks[last], bitorder="little")[end:].any()):
        raise ValueError(f"it deletes rows beyond the {rows} of its data file")


class _Cursor:
    """Little-endian numbers from bytes, each once."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    @property
    def rest(self) -> int:
        return len(self._data) - self._place

    def numbers(self, kind: str, count: int) -> npt.NDArray[Any]:
        found = np.dtype(kind)
        if count * found.itemsize > self.rest:
            raise ValueError("it ends early")
        values = np.frombuffer(self._data, found, count, self._place)
        self._place += count * found.itemsize
        return values

    def number(self, kind: str) -> int:
        return int(self.numbers(kind, 1)[0])


def _bitmap32(data: bytes) -> dict[int, Bits]:
    cursor = _Cursor(data)
    blocks = dict(_containers(cursor))
    if cursor.rest:
        raise ValueError("bytes are left over")
    return blocks


def _bitmap64(data: bytes) -> dict[int, Bits]:
    cursor = _Cursor(data)
    count = cursor.number("<i8")
    if not 0 <= count < _MOST_BITMAPS:
        raise ValueError("an impossible number of bitmaps")
    blocks: dict[int, Bits] = {}
    last = -1
    for _ in range(count):
        key = cursor.number("<i4")
        if key <= last:
            raise ValueError("its bitmaps are out of order")
        last = key
        blocks.update((key << 16 | block, bits) for block, bits in _containers(cursor))
    if cursor.rest:
        raise ValueError("bytes are left over")
    return blocks


def _containers(cursor: _Cursor) -> list[tuple[int, Bits]]:
    """The containers of one bitmap in the portable form of Roaring: block number and bits of each."""
    cookie = cursor.number("<u4")
    with_runs = cookie & 0xFFFF == _COOKIE_WITH_RUNS
    if not with_runs and cookie != _COOKIE:
        raise ValueError("it is no bitmap")
    count = (cookie >> 16) + 1 if with_runs else cursor.number("<u4")
    if count > _BLOCK_ROWS:
        raise ValueError("too many containers")
    is_run = np.zeros(count, bool)
    if with_runs:
        is_run = np.unpackbits(cursor.numbers("u1", (count + 7) // 8), bitorder="little")[:count].astype(bool)
    heads = cursor.numbers("<u2", 2 * count).astype(np.int64).reshape(count, 2)
    if count > 1 and (np.diff(heads[:, 0]) <= 0).any():
        raise ValueError("its containers are out of order")
    if not with_runs or count >= _LEAST_FOR_OFFSETS:
        cursor.numbers("<u4", count)
    found = []
    for (block, less_one), run in zip(heads.tolist(), is_run.tolist(), strict=True):
        bits = _run_bits(cursor) if run else _plain_bits(cursor, less_one + 1)
        if _rows(bits) != less_one + 1:
            raise ValueError("a container has another number of rows than it says")
        found.append((block, bits))
    return found


def _plain_bits(cursor: _Cursor, rows: int) -> Bits:
    if rows > _LARGEST_ARRAY:
        return cursor.numbers("u1", _BLOCK_BYTES)
    positions = cursor.numbers("<u2", rows)
    flags = np.zeros(_BLOCK_ROWS, bool)
    flags[positions] = True
    return np.packbits(flags, bitorder="little")


def _run_bits(cursor: _Cursor) -> Bits:
    runs = cursor.numbers("<u2", 2 * cursor.number("<u2")).astype(np.int64).reshape(-1, 2)
    starts, ends = runs[:, 0], runs[:, 0] + runs[:, 1] + 1
    if (ends > _BLOCK_ROWS).any() or (starts[1:] < ends[:-1]).any():
        raise ValueError("its runs are out of order")
    steps = np.zeros(_BLOCK_ROWS + 1, np.int8)
    steps[starts] += 1
    # A run may begin where another ends, so the two marks add up.
    np.subtract.at(steps, ends, 1)
    return np.packbits(np.cumsum(steps[:-1], dtype=np.int8).astype(bool), bitorder="little")
