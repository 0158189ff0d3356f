"""Index ``bloom-filter``: whether a file may hold a value (Java ``BloomFilterFileIndex``, ``BloomFilter64``)."""

from __future__ import annotations

from collections.abc import Collection

from workbench.format.index.file_index.hashes import hash_of
from workbench.format.index.file_index.keys import Key, KeyKind
from workbench.format.index.file_index.row_index import RowIndex
from workbench.format.index.file_index.rows import RowSet
from workbench.format.rows.cursor import Cursor

_MAX_HASHES = 1 << 10
_LOW = (1 << 32) - 1


class BloomFilter(RowIndex):
    """A filter that rules out values that no row has."""

    def __init__(self, body: bytes, kind: KeyKind, rows: int) -> None:
        cursor = Cursor(body)
        self._kind = kind
        self._rows = rows
        self._hashes = cursor.number(">i4")
        self._bits = cursor.take(cursor.rest)
        if not 0 < self._hashes <= _MAX_HASHES or not self._bits:
            raise ValueError("it has no bits or an invalid number of hashes")

    def equal_to(self, keys: Collection[Key], /) -> RowSet | None:
        """Return the empty set if no row has one of the keys, otherwise None."""
        return None if any(map(self._may_hold, keys)) else RowSet.none(self._rows)

    def _may_hold(self, key: Key) -> bool:
        key_hash = hash_of(self._kind.hashed(key))
        size = len(self._bits) * 8
        for number in range(1, self._hashes + 1):
            position = (key_hash + number * (key_hash >> 32)) & _LOW
            # Java uses the complement of a negative int.
            position = position if position < 1 << 31 else ~position & _LOW
            position %= size
            if not self._bits[position >> 3] >> (position & 7) & 1:
                return False
        return True
