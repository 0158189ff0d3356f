"""Index ``range-bitmap``: the rank of each row's value among the distinct ones (Java ``RangeBitmap``)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection
from dataclasses import dataclass

from workbench.format.index.file_index.bit_slices import BitSlices
from workbench.format.index.file_index.keys import Key, KeyKind
from workbench.format.index.file_index.row_index import RowIndex
from workbench.format.index.file_index.rows import RowSet
from workbench.format.rows.cursor import Cursor

VERSION = 1
_INT_BYTES = 4


@dataclass(frozen=True)
class _Chunk:
    """Sorted values: ``first``, which has rank ``code``, and ``size`` more, which are stored at ``position``."""

    first: Key
    code: int
    position: int
    size: int


class RangeBitmap(RowIndex):
    """A sorted dictionary of the values, and each row's rank in it as bit slices."""

    def __init__(self, body: bytes, kind: KeyKind, rows: int) -> None:
        cursor = _head(body, 0)
        if cursor.number(">i4") != rows:
            raise ValueError(f"its row count differs from the {rows} rows of its data file")
        self._body = body
        self._kind = kind
        self._rows = rows
        self._chunks: list[_Chunk] = []
        self._ranks = BitSlices(RowSet.none(rows), ())
        if cursor.number(">i4") > 0:
            kind.entries(cursor, 2)
            dictionary_length = cursor.number(">i4")
            start = _head_end(body, 0)
            self._chunks = self._read_chunks(start)
            self._ranks = self._read_ranks(start + dictionary_length)

    def equal_to(self, keys: Collection[Key], /) -> RowSet | None:
        """Return the rows that have one of the keys."""
        rows = RowSet.none(self._rows)
        for key in keys:
            rank, is_there = self._rank(key)
            rows = rows | self._ranks.compare(rank)[1] if is_there else rows
        return rows

    def below(self, key: Key, inclusive: bool, /) -> RowSet | None:
        """Return the rows with smaller keys."""
        rank, is_there = self._rank(key)
        return self._ranks.below(rank, inclusive and is_there)

    def above(self, key: Key, inclusive: bool, /) -> RowSet | None:
        """Return the rows with greater keys."""
        rank, is_there = self._rank(key)
        return self._ranks.above(rank, inclusive or not is_there)

    def nulls(self) -> RowSet | None:
        """Return the rows without a value."""
        return ~self._ranks.existing

    def _rank(self, key: Key) -> tuple[int, bool]:
        """Return how many distinct values are smaller than the key, and whether the key itself exists."""
        position = bisect_right(self._chunks, key, key=lambda chunk: chunk.first) - 1
        if position < 0:
            return 0, False
        chunk = self._chunks[position]
        if chunk.first == key:
            return chunk.code, True
        keys, _ = self._kind.entries(Cursor(self._body, chunk.position), chunk.size)
        rank = bisect_left(keys, key)
        return chunk.code + 1 + rank, rank < len(keys) and keys[rank] == key

    def _read_chunks(self, start: int) -> list[_Chunk]:
        head = _head(self._body, start)
        count, offsets_length, chunks_length = head.numbers(">i4", 3).tolist()
        cursor = Cursor(self._body, _head_end(self._body, start))
        offsets = cursor.numbers(">i4", count).tolist()
        keys_start = cursor.position + chunks_length
        if offsets_length != _INT_BYTES * count:
            raise ValueError("its dictionary is inconsistent")
        return [self._chunk(cursor.position + offset, keys_start) for offset in offsets]

    def _chunk(self, start: int, keys_start: int) -> _Chunk:
        cursor = Cursor(self._body, start)
        if cursor.number("u1") != VERSION:
            raise ValueError("its dictionary has an unknown version")
        first = self._kind.key(cursor)
        code, position, size, offsets_length = cursor.numbers(">i4", 4).tolist()
        # Strings are preceded by their offsets. Numbers need no offsets, so this field has their length instead.
        skipped = offsets_length if self._kind.stored is None else 0
        return _Chunk(first, code, keys_start + position + skipped, size)

    def _read_ranks(self, start: int) -> BitSlices:
        head = _head(self._body, start)
        count = head.number("u1")
        existing_length, _ = head.numbers(">i4", 2).tolist()
        positions = head.numbers(">i4", 2 * count).reshape(count, 2)[:, 0].tolist()
        body = _head_end(self._body, start)
        existing = RowSet.read(Cursor(self._body, body), self._rows)
        slices = [
            RowSet.read(Cursor(self._body, body + existing_length + position), self._rows) for position in positions
        ]
        return BitSlices(existing, slices)


def _head(body: bytes, start: int) -> Cursor:
    """Return a cursor after the length and version of a head."""
    cursor = Cursor(body, start + _INT_BYTES)
    if cursor.number("u1") != VERSION:
        raise ValueError("a part of it has an unknown version")
    return cursor


def _head_end(body: bytes, start: int) -> int:
    return start + _INT_BYTES + Cursor(body, start).number(">i4")
