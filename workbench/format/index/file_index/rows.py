"""Sets of rows of one data file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.arrays import UInt8Array
from workbench.format.index.roaring32 import BLOCK_BYTES, BLOCK_ROWS, read_blocks, row_count
from workbench.format.rows.cursor import Cursor

_MAX_ROWS = (1 << 31) - 1


@dataclass(frozen=True)
class RowSet:
    """A subset of the ``rows`` rows of a file. ``bits`` has the minimum number of bytes; no bit beyond the rows is
    set.
    """

    bits: UInt8Array
    rows: int

    @classmethod
    def none(cls, rows: int) -> RowSet:
        """Return the empty set.

        Raises:
            ValueError: If there are more rows than an index can number.
        """
        if not 0 <= rows <= _MAX_ROWS:
            raise ValueError(f"an index cannot have {rows} rows")
        return cls(np.zeros(_bytes(rows), np.uint8), rows)

    @classmethod
    def all(cls, rows: int) -> RowSet:
        """Return the set of all rows."""
        return ~cls.none(rows)

    @classmethod
    def one(cls, rows: int, position: int) -> RowSet:
        """Return the set of a single row, the one at ``position``.

        Raises:
            ValueError: If the file has no such row.
        """
        if not 0 <= position < rows:
            raise ValueError(f"it refers to row {position} of {rows}")
        result = cls.none(rows)
        result.bits[position >> 3] = 1 << (position & 7)
        return result

    @classmethod
    def read(cls, cursor: Cursor, rows: int) -> RowSet:
        """Return the rows of a Roaring bitmap.

        Raises:
            ValueError: If it is corrupt or marks rows that the file does not have.
        """
        blocks = read_blocks(cursor)
        bits = np.zeros(-(-rows // BLOCK_ROWS) * BLOCK_BYTES, np.uint8)
        for block, part in blocks:
            if block * BLOCK_BYTES >= len(bits):
                raise ValueError(f"it marks rows beyond the {rows} of its data file")
            bits[block * BLOCK_BYTES : (block + 1) * BLOCK_BYTES] = part
        result = cls(bits[: _bytes(rows)], rows)
        if bits[_bytes(rows) :].any() or (~~result).bits.tobytes() != result.bits.tobytes():
            raise ValueError(f"it marks rows beyond the {rows} of its data file")
        return result

    def __and__(self, other: RowSet) -> RowSet:
        return RowSet(self.bits & other.bits, self.rows)

    def __or__(self, other: RowSet) -> RowSet:
        return RowSet(self.bits | other.bits, self.rows)

    def __sub__(self, other: RowSet) -> RowSet:
        return RowSet(self.bits & ~other.bits, self.rows)

    def __invert__(self) -> RowSet:
        bits = ~self.bits
        if self.rows & 7:
            bits[-1] &= (1 << (self.rows & 7)) - 1
        return RowSet(bits, self.rows)

    def __bool__(self) -> bool:
        return bool(self.bits.any())

    def __len__(self) -> int:
        return row_count(self.bits)

    def positions(self) -> list[int]:
        """Return the positions of the rows in the file, ascending."""
        positions: list[int] = np.flatnonzero(np.unpackbits(self.bits, bitorder="little")).tolist()
        return positions


def _bytes(rows: int) -> int:
    return (rows + 7) >> 3
