"""Files of large objects (format §26, Java ``BlobFormatWriter``): entries one after the other, then their lengths.

An entry is a magic number, the bytes, the length of the entry and a checksum. The index at the end of the file has the
length of every entry; a row without bytes has a negative length and no entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray, Int64Array, UInt8Array

VERSION = 1
MAGIC = 1_481_511_375
PLACEHOLDER_LENGTH = -2
TAIL_BYTES = 5
HEAD_BYTES = 4
FRAME_BYTES = 16

_VARINT_BYTES = 10


@dataclass(frozen=True)
class BlobIndex:
    """Positions of the objects in a file.

    ``lengths`` int64[rows]: bytes of each object, -1 for NULL, -2 for a placeholder; ``offsets`` int64[rows]: the start
    of its bytes.
    """

    offsets: Int64Array
    lengths: Int64Array

    @property
    def weight(self) -> int:
        """Size in memory in bytes."""
        return 200 + 16 * len(self.lengths)


def index_bytes(tail: bytes) -> int:
    """Return the size of the index from the last bytes of the file.

    Raises:
        ValueError: If the bytes are not the end of a blob file.
    """
    if len(tail) != TAIL_BYTES or tail[4] != VERSION:
        raise ValueError("it does not end as a blob file of version 1")
    size = int.from_bytes(tail[:4], "little", signed=True)
    if size < 0:
        raise ValueError("its index has a negative length")
    return size


def read_index(data: bytes, data_bytes: int) -> BlobIndex:
    """Return the index of a file whose entries have ``data_bytes`` bytes.

    Raises:
        ValueError: If the index contradicts ``data_bytes``.
    """
    entries = np.cumsum(decode_varints(data), dtype=np.int64)
    stored = entries >= 0
    if (entries < PLACEHOLDER_LENGTH).any() or (entries[stored] < FRAME_BYTES).any():
        raise ValueError("its index has an invalid length")
    sizes = np.where(stored, entries, 0)
    if sum(sizes.tolist()) != data_bytes:
        raise ValueError("its index does not add up to its entries")
    starts = np.cumsum(sizes) - sizes
    return BlobIndex(np.where(stored, starts + HEAD_BYTES, -1), np.where(stored, entries - FRAME_BYTES, entries))


def decode_varints(data: bytes) -> Int64Array:
    """Decode zigzag numbers of seven bits per byte, the lowest first (Java ``DeltaVarintCompressor``).

    Raises:
        ValueError: If the last number is truncated or a number is too long.
    """
    raw = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(raw < 0x80)
    if not len(raw):
        return np.zeros(0, np.int64)
    if not len(ends) or ends[-1] != len(raw) - 1:
        raise ValueError("its index is truncated")
    starts = np.concatenate([[0], ends[:-1] + 1])
    positions = np.arange(len(raw)) - np.repeat(starts, ends - starts + 1)
    if positions.max() >= _VARINT_BYTES:
        raise ValueError("its index has an invalid length")
    bits = (raw & np.uint8(0x7F)).astype(np.uint64) << (7 * positions).astype(np.uint64)
    numbers: AnyArray = np.bitwise_or.reduceat(bits, starts)
    return ((numbers >> np.uint64(1)) ^ (np.uint64(0) - (numbers & np.uint64(1)))).view(np.int64)


def objects_of(data: bytes, sizes: Int64Array) -> pa.Array:
    """Return the bytes of consecutive entries as a binary column. ``sizes``, int64, are the sizes of the entries.

    Raises:
        ValueError: If magic number, length or checksum of an entry is wrong.
    """
    raw = np.frombuffer(data, np.uint8)
    ends = np.cumsum(sizes)
    starts = ends - sizes
    if (_numbers(raw, starts, "<u4") != MAGIC).any():
        raise ValueError("an entry does not start with the magic number")
    if (_numbers(raw, ends - 12, "<i8") != sizes).any():
        raise ValueError("the length of an entry differs from the index")
    view = memoryview(data)
    checksums = [crc32(view[start : end - 4]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    if (_numbers(raw, ends - 4, "<u4") != np.array(checksums, np.uint32)).any():
        raise ValueError("the checksum of an entry is wrong")
    is_object = np.ones(len(raw), bool)
    for position in range(HEAD_BYTES):
        is_object[starts + position] = False
    for position in range(FRAME_BYTES - HEAD_BYTES):
        is_object[ends - 1 - position] = False
    return binary_column(raw[is_object], sizes - FRAME_BYTES)


def binary_column(data: UInt8Array, sizes: Int64Array) -> pa.Array:
    """Return values that are stored consecutively in ``data`` as a binary column."""
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    return pa.Array.from_buffers(pa.binary(), len(sizes), [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _numbers(raw: UInt8Array, positions: Int64Array, dtype: str) -> AnyArray:
    """Return the numbers that start at the given positions."""
    width = np.dtype(dtype).itemsize
    numbers: AnyArray = raw[positions[:, None] + np.arange(width)].view(dtype)[:, 0]
    return numbers
