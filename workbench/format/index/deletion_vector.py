"""Encoding and decoding of deletion vectors: the deleted rows of a data file (format §20.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from workbench.base.arrays import BoolArray, Int64Array, UInt8Array
from workbench.base.counting import counted
from workbench.base.errors import CorruptFile, Unsupported
from workbench.format.index.roaring32 import BLOCK_BYTES, BLOCK_ROWS, bits_of, read_blocks, row_count, write_blocks
from workbench.format.rows.cursor import Cursor

VERSION = 1
BITMAP32_MAGIC = 1_581_511_376
BITMAP64_MAGIC = 1_681_511_377

# Java stores the number of 32-bit bitmaps in an int, and no file has 2^63 rows.
_MAX_BITMAPS = 1 << 31
_MAX_BLOCKS_OF_32_BITS = (1 << 31) // BLOCK_ROWS


@dataclass(frozen=True)
class DeletionVector:
    """The deleted rows of one file: one bit per row, for each block of 65,536 rows that has deleted rows."""

    blocks: Mapping[int, UInt8Array]
    cardinality: int

    @classmethod
    def of(cls, positions: npt.ArrayLike) -> DeletionVector:
        """Return the vector of the given row numbers, which count from 0 in the stored file, may be unsorted and may
        contain duplicates.
        """
        blocks = bits_of(np.asarray(positions, np.int64))
        if min(blocks, default=0) < 0:
            raise ValueError("row numbers start at 0")
        return cls(blocks, sum(map(row_count, blocks.values())))

    def merged(self, other: DeletionVector) -> DeletionVector:
        """Return the rows marked in either vector."""
        blocks = dict(self.blocks)
        for block, bits in other.blocks.items():
            blocks[block] = blocks[block] | bits if block in blocks else bits
        return DeletionVector(blocks, sum(map(row_count, blocks.values())))

    def positions(self) -> Int64Array:
        """Return the marked row numbers in ascending order."""
        positions = [
            np.flatnonzero(np.unpackbits(self.blocks[block], bitorder="little")) + block * BLOCK_ROWS
            for block in sorted(self.blocks)
        ]
        return np.concatenate([np.zeros(0, np.int64), *positions])

    @property
    def weight(self) -> int:
        """Size in memory in bytes."""
        return 200 + len(self.blocks) * (BLOCK_BYTES + 200)

    def kept(self, first: int, count: int) -> BoolArray:
        """Return bool[count]: whether each of the rows ``first``, ``first`` + 1, … is not deleted."""
        kept = np.ones(count, bool)
        for block in range(first // BLOCK_ROWS, -(-(first + count) // BLOCK_ROWS)):
            bits = self.blocks.get(block)
            if bits is not None:
                start = block * BLOCK_ROWS
                low, high = max(first, start), min(first + count, start + BLOCK_ROWS)
                deleted = np.unpackbits(bits, bitorder="little")[low - start : high - start]
                kept[low - first : high - first] = deleted == 0
        return kept


def encode_deletion_vector(vector: DeletionVector, *, bitmap64: bool) -> tuple[bytes, int]:
    """Return the stored vector, including length and checksum, and the length recorded in the index manifest.

    Java excludes the frame from the recorded length of 32-bit vectors.

    Raises:
        Unsupported: If Java's 32-bit vectors cannot hold a row number.
    """
    if bitmap64:
        body = BITMAP64_MAGIC.to_bytes(4, "little") + _bitmap64_bytes(vector.blocks)
    elif max(vector.blocks, default=0) >= _MAX_BLOCKS_OF_32_BITS:
        raise Unsupported(
            "A data file has more rows than 32-bit deletion vectors can number.",
            "Set option 'deletion-vectors.bitmap64' to 'true'.",
        )
    else:
        body = BITMAP32_MAGIC.to_bytes(4, "big") + write_blocks(vector.blocks)
    data = len(body).to_bytes(4, "big") + body + crc32(body).to_bytes(4, "big")
    return data, len(data) if bitmap64 else len(body)


def stored_deletion_vector(data: bytes, path: str, length: int) -> bytes:
    """Return the whole vector at the start of ``data``, to be copied unchanged.

    Raises:
        CorruptFile: If the checksum or the length is wrong; the message names ``path``.
    """
    _, body = _checked_body(data, path, length)
    return data[: len(body) + 8]


def read_deletion_vector(
    data: bytes, path: str, rows: int, length: int, cardinality: int | None = None
) -> DeletionVector:
    """Return the vector of a file of ``rows`` rows.

    ``data`` starts with the vector's length field; ``length`` and ``cardinality`` are the values in the index manifest.

    Raises:
        CorruptFile: If the checksum, a length or the bitmap is wrong; the message names ``path``.
        Unsupported: If the kind of the vector is unknown.
    """
    kind, body = _checked_body(data, path, length)
    try:
        read = _bitmap32 if kind == BITMAP32_MAGIC else _bitmap64
        blocks = read(body[4:], -(-rows // BLOCK_ROWS))
        _check_within(blocks, rows)
    except ValueError as error:
        raise CorruptFile(path, f"a deletion vector in it is corrupt ({error})") from error
    stored_rows = sum(map(row_count, blocks.values()))
    if cardinality is not None and cardinality != stored_rows:
        raise CorruptFile(
            path,
            f"a deletion vector in it has {counted(stored_rows, 'rows')}, but the index manifest says {cardinality}",
        )
    return DeletionVector(blocks, stored_rows)


def _checked_body(data: bytes, path: str, length: int) -> tuple[int, bytes]:
    """Return the kind of the vector, and its verified bytes between length field and checksum."""
    size = int.from_bytes(data[:4], "big", signed=True)
    body = data[4 : 4 + size]
    if size < 4 or len(body) < size or len(data) < size + 8:
        raise CorruptFile(path, "a deletion vector in it is truncated")
    kind = _kind(body[:4])
    if kind is None:
        raise Unsupported(f"A deletion vector in {path} has an unknown kind.", f"Its first bytes are {body[:4]!r}.")
    if length != (size if kind == BITMAP32_MAGIC else size + 8):
        raise CorruptFile(path, "the length of a deletion vector in it differs from the index manifest")
    if crc32(body) != int.from_bytes(data[4 + size : 8 + size], "big"):
        raise CorruptFile(path, "the checksum of a deletion vector in it is wrong")
    return kind, body


def _kind(magic: bytes) -> int | None:
    """Return the kind, which is the magic number of 32-bit or 64-bit vectors; Java writes the former big-endian, the
    latter little-endian.
    """
    if int.from_bytes(magic, "big") == BITMAP32_MAGIC:
        return BITMAP32_MAGIC
    return BITMAP64_MAGIC if int.from_bytes(magic, "little") == BITMAP64_MAGIC else None


def _check_within(blocks: Mapping[int, UInt8Array], rows: int) -> None:
    last = max(blocks, default=-1)
    end = rows - last * BLOCK_ROWS
    if last >= 0 and (end <= 0 or np.unpackbits(blocks[last], bitorder="little")[end:].any()):
        raise ValueError(f"it deletes rows beyond the {rows} of its data file")


def _bitmap32(data: bytes, end: int) -> dict[int, UInt8Array]:
    cursor = Cursor(data)
    blocks = dict(read_blocks(cursor, end))
    if cursor.rest:
        raise ValueError("bytes are left over")
    return blocks


def _bitmap64(data: bytes, end: int) -> dict[int, UInt8Array]:
    cursor = Cursor(data)
    count = cursor.number("<i8")
    if not 0 <= count < _MAX_BITMAPS:
        raise ValueError("an invalid number of bitmaps")
    blocks: dict[int, UInt8Array] = {}
    last = -1
    for _ in range(count):
        key = cursor.number("<i4")
        if key <= last:
            raise ValueError("its bitmaps are out of order")
        last = key
        parts = read_blocks(cursor, end - (key << 16))
        blocks.update((key << 16 | block, bits) for block, bits in parts)
    if cursor.rest:
        raise ValueError("bytes are left over")
    return blocks


def _bitmap64_bytes(blocks: Mapping[int, UInt8Array]) -> bytes:
    """Return all 32-bit bitmaps up to the last, including empty ones, as Java writes its array of them."""
    count = (max(blocks, default=-1) >> 16) + 1
    bitmaps: list[dict[int, UInt8Array]] = [{} for _ in range(count)]
    for block in sorted(blocks):
        bitmaps[block >> 16][block & 0xFFFF] = blocks[block]
    parts = [key.to_bytes(4, "little") + write_blocks(bitmap) for key, bitmap in enumerate(bitmaps)]
    return count.to_bytes(8, "little") + b"".join(parts)
