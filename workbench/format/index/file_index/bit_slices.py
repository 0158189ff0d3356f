"""Numbers of rows as bit slices, and the index ``bsi`` built from them (Java ``BitSliceIndexRoaringBitmap``)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from workbench.format.index.file_index.keys import Key, KeyKind
from workbench.format.index.file_index.row_index import RowIndex
from workbench.format.index.file_index.rows import RowSet
from workbench.format.rows.cursor import Cursor

VERSION = 1
_MAX_SLICES = 64


@dataclass(frozen=True)
class BitSlices:
    """A non-negative number for each row of ``existing``.

    ``slices`` has, for each bit from the lowest up, the rows whose numbers have this bit.
    """

    existing: RowSet
    slices: Sequence[RowSet]

    def compare(self, number: int) -> tuple[RowSet, RowSet]:
        """Return the rows with a smaller number, and those with the same number (O'Neil and Quass)."""
        less = RowSet.none(self.existing.rows)
        if number < 0:
            return less, less
        if number >> len(self.slices):
            return self.existing, less
        equal = self.existing
        for bit in range(len(self.slices) - 1, -1, -1):
            if number >> bit & 1:
                less |= equal - self.slices[bit]
                equal &= self.slices[bit]
            else:
                equal -= self.slices[bit]
        return less, equal

    def below(self, number: int, inclusive: bool) -> RowSet:
        """Return the rows with smaller numbers; if ``inclusive``, also the rows with this number."""
        less, equal = self.compare(number)
        return less | equal if inclusive else less

    def above(self, number: int, inclusive: bool) -> RowSet:
        """Return the rows with greater numbers; if ``inclusive``, also the rows with this number."""
        return self.existing - self.below(number, not inclusive)


class BitSliceIndex(RowIndex):
    """An index of integers: slices of the non-negative integers, and slices of the absolute values of the negative
    ones.
    """

    def __init__(self, body: bytes, _kind: KeyKind, rows: int) -> None:
        cursor = Cursor(body, 1)
        if cursor.number(">i4") != rows:
            raise ValueError(f"its row count differs from the {rows} rows of its data file")
        self._rows = rows
        self._positive, self._least_positive = _slices(cursor, rows)
        self._negative, self._least_negative = _slices(cursor, rows)

    def equal_to(self, keys: Collection[Key], /) -> RowSet | None:
        """Return the rows that have one of the keys."""
        rows = RowSet.none(self._rows)
        for key in keys:
            rows |= self._at_most(key, True) - self._at_most(key, False)
        return rows

    def below(self, key: Key, inclusive: bool, /) -> RowSet | None:
        """Return the rows with smaller keys."""
        return self._at_most(key, inclusive)

    def above(self, key: Key, inclusive: bool, /) -> RowSet | None:
        """Return the rows with greater keys."""
        return (self._positive.existing | self._negative.existing) - self._at_most(key, not inclusive)

    def nulls(self) -> RowSet | None:
        """Return the rows without a value."""
        return ~(self._positive.existing | self._negative.existing)

    def _at_most(self, key: Key, inclusive: bool) -> RowSet:
        assert isinstance(key, int)
        if key < 0:
            return self._negative.above(-key - self._least_negative, inclusive)
        return self._negative.existing | self._positive.below(key - self._least_positive, inclusive)


def _slices(cursor: Cursor, rows: int) -> tuple[BitSlices, int]:
    """Return bit slices, and the number that was subtracted from each key."""
    if not cursor.number("u1"):
        return BitSlices(RowSet.none(rows), ()), 0
    if cursor.number("u1") != VERSION:
        raise ValueError("its bit slices have an unknown version")
    minimum, _ = cursor.numbers(">i8", 2).tolist()
    existing = RowSet.read(cursor, rows)
    count = cursor.number(">i4")
    if not 0 <= count <= _MAX_SLICES:
        raise ValueError("it has an invalid number of bit slices")
    return BitSlices(existing, [RowSet.read(cursor, rows) for _ in range(count)]), minimum
