"""Deletion vectors: which rows of a data file are gone (format §20.1). Bytes to positions and back, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from workbench.base.errors import CorruptFile, Unsupported
from workbench.format.cursor import Cursor
from workbench.format.roaring32 import BLOCK_BYTES, BLOCK_ROWS, Bits, bits_of, read_blocks, row_count, write_blocks

VERSION = 1
BITMAP32_MAGIC = 1_581_511_376
BITMAP64_MAGIC = 1_681_511_377

# Java keeps the number of 32-bit bitmaps in an int, and no file has 2^63 rows.
_MOST_BITMAPS = 1 << 31
_MOST_BLOCKS_OF_32_BITS = (1 << 31) // BLOCK_ROWS

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class DeletionVector:
    """The deleted rows of one file: a bit for each row of the blocks of 65,536 rows that have any."""

    blocks: Mapping[int, Bits]
    cardinality: int

    @classmethod
    def of(cls, positions: npt.ArrayLike) -> DeletionVector:
        """The vector of row numbers, counted from 0 in the file as it is stored; any order, and they may repeat."""
        blocks = bits_of(np.asarray(positions, np.int64))
        if min(blocks, default=0) < 0:
            raise ValueError("row numbers start at 0")
        return cls(blocks, sum(map(row_count, blocks.values())))

    def merged(self, other: DeletionVector) -> DeletionVector:
        """The rows that either marks."""
        blocks = dict(self.blocks)
        for block, bits in other.blocks.items():
            blocks[block] = blocks[block] | bits if block in blocks else bits
        return DeletionVector(blocks, sum(map(row_count, blocks.values())))

    def positions(self) -> npt.NDArray[np.int64]:
        """The marked row numbers, ascending."""
        found = [
            np.flatnonzero(np.unpackbits(self.blocks[block], bitorder="little")) + block * BLOCK_ROWS
            for block in sorted(self.blocks)
        ]
        return np.concatenate([np.zeros(0, np.int64), *found])

    @property
    def weight(self) -> int:
        """Bytes that it takes in memory."""
        return 200 + len(self.blocks) * (BLOCK_BYTES + 200)

    def kept(self, first: int, count: int) -> Flags:
        """bool[count]: which of the rows ``first``, ``first`` + 1, … are still there."""
        kept = np.ones(count, bool)
        for block in range(first // BLOCK_ROWS, -(-(first + count) // BLOCK_ROWS)):
            bits = self.blocks.get(block)
            if bits is not None:
                start = block * BLOCK_ROWS
                low, high = max(first, start), min(first + count, start + BLOCK_ROWS)
                gone = np.unpackbits(bits, bitorder="little")[low - start : high - start]
                kept[low - first : high - first] = gone == 0
        return kept


def encode_deletion_vector(vector: DeletionVector, *, bitmap64: bool) -> tuple[bytes, int]:
    """The stored vector, length field and checksum included, and the length that the index manifest notes of it:
    Java leaves the frame out of that of 32-bit vectors.

    Raises Unsupported for a row number that 32-bit vectors of Java cannot hold.
    """
    if bitmap64:
        body = BITMAP64_MAGIC.to_bytes(4, "little") + _bitmap64_bytes(vector.blocks)
    elif max(vector.blocks, default=0) >= _MOST_BLOCKS_OF_32_BITS:
        raise Unsupported(
            "A data file has more rows than deletion vectors of 32 bits can number.",
            "Set option 'deletion-vectors.bitmap64' to 'true'.",
        )
    else:
        body = BITMAP32_MAGIC.to_bytes(4, "big") + write_blocks(vector.blocks)
    data = len(body).to_bytes(4, "big") + body + crc32(body).to_bytes(4, "big")
    return data, len(data) if bitmap64 else len(body)


def stored_deletion_vector(data: bytes, path: str, length: int) -> bytes:
    """The whole vector at the start of ``data``, to be carried over as it is.

    Raises CorruptFile, naming ``path``, where checksum or length do not hold.
    """
    _, body = _checked_body(data, path, length)
    return data[: len(body) + 8]


def read_deletion_vector(
    data: bytes, path: str, rows: int, length: int, cardinality: int | None = None
) -> DeletionVector:
    """The vector of a file of ``rows`` rows. ``data`` starts with its length field; ``length`` and ``cardinality`` are
    what the index manifest says of it.

    Raises:
        CorruptFile: naming ``path``, where checksum, lengths or the bitmap do not hold.
        Unsupported: the vector is of a kind that is not known.
    """
    kind, body = _checked_body(data, path, length)
    try:
        read = _bitmap32 if kind == BITMAP32_MAGIC else _bitmap64
        blocks = read(body[4:], -(-rows // BLOCK_ROWS))
        _check_within(blocks, rows)
    except ValueError as error:
        raise CorruptFile(path, f"a deletion vector in it is garbled ({error})") from error
    found = sum(map(row_count, blocks.values()))
    if cardinality is not None and cardinality != found:
        raise CorruptFile(path, f"a deletion vector in it has {found} rows and the index manifest says {cardinality}")
    return DeletionVector(blocks, found)


def _checked_body(data: bytes, path: str, length: int) -> tuple[int, bytes]:
    """Which kind of vector it is, and its bytes between length field and checksum, which hold."""
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
    return kind, body


def _kind(magic: bytes) -> int | None:
    """Java writes the one magic number big-endian, the other little-endian."""
    if int.from_bytes(magic, "big") == BITMAP32_MAGIC:
        return BITMAP32_MAGIC
    return BITMAP64_MAGIC if int.from_bytes(magic, "little") == BITMAP64_MAGIC else None


def _check_within(blocks: Mapping[int, Bits], rows: int) -> None:
    last = max(blocks, default=-1)
    end = rows - last * BLOCK_ROWS
    if last >= 0 and (end <= 0 or np.unpackbits(blocks[last], bitorder="little")[end:].any()):
        raise ValueError(f"it deletes rows beyond the {rows} of its data file")


def _bitmap32(data: bytes, end: int) -> dict[int, Bits]:
    cursor = Cursor(data)
    blocks = dict(read_blocks(cursor, end))
    if cursor.rest:
        raise ValueError("bytes are left over")
    return blocks


def _bitmap64(data: bytes, end: int) -> dict[int, Bits]:
    cursor = Cursor(data)
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
        found = read_blocks(cursor, end - (key << 16))
        blocks.update((key << 16 | block, bits) for block, bits in found)
    if cursor.rest:
        raise ValueError("bytes are left over")
    return blocks


def _bitmap64_bytes(blocks: Mapping[int, Bits]) -> bytes:
    """All 32-bit bitmaps up to the last, the empty ones too: Java writes its array of them."""
    count = (max(blocks, default=-1) >> 16) + 1
    bitmaps: list[dict[int, Bits]] = [{} for _ in range(count)]
    for block in sorted(blocks):
        bitmaps[block >> 16][block & 0xFFFF] = blocks[block]
    parts = [key.to_bytes(4, "little") + write_blocks(bitmap) for key, bitmap in enumerate(bitmaps)]
    return count.to_bytes(8, "little") + b"".join(parts)
