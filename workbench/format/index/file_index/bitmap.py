"""Index ``bitmap``: the rows of each value (Java ``BitmapFileIndexMeta`` and ``BitmapFileIndexMetaV2``)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection

from workbench.format.index.file_index.keys import Key, KeyKind
from workbench.format.index.file_index.row_index import RowIndex
from workbench.format.index.file_index.rows import RowSet
from workbench.format.rows.cursor import Cursor

VERSIONS = (1, 2)


class Bitmap(RowIndex):
    """The rows of each value and of NULL. Version 1 lists all values, version 2 has sorted blocks of them.

    As in Java, ranges are not supported: they would require the bitmaps of all values in them.
    """

    def __init__(self, body: bytes, kind: KeyKind, rows: int) -> None:
        cursor = Cursor(body)
        self._body = body
        self._kind = kind
        self._rows = rows
        self._version = cursor.number("u1")
        if cursor.number(">i4") != rows:
            raise ValueError(f"its row count differs from the {rows} rows of its data file")
        values = cursor.number(">i4")
        self._null_place: int | None = None
        if cursor.number("u1"):
            self._null_place = cursor.number(">i4")
            if self._version > 1:
                cursor.number(">i4")
        if self._version == 1:
            self._keys, positions = kind.entries(cursor, values, 1)
            self._places = positions[:, 0].tolist()
            self._bitmaps_start = cursor.position
            return
        self._keys, positions = kind.entries(cursor, cursor.number(">i4"), 1)
        blocks_length = cursor.number(">i4")
        self._places = (positions[:, 0] + cursor.position).tolist()
        self._bitmaps_start = cursor.position + blocks_length

    def equal_to(self, keys: Collection[Key], /) -> RowSet | None:
        """Return the rows that have one of the keys."""
        rows = RowSet.none(self._rows)
        for key in keys:
            position = self._listed(key) if self._version == 1 else self._in_blocks(key)
            rows = rows if position is None else rows | self._at(position)
        return rows

    def nulls(self) -> RowSet | None:
        """Return the rows without a value."""
        return RowSet.none(self._rows) if self._null_place is None else self._at(self._null_place)

    def _listed(self, key: Key) -> int | None:
        return self._places[self._keys.index(key)] if key in self._keys else None

    def _in_blocks(self, key: Key) -> int | None:
        block = bisect_right(self._keys, key) - 1
        if block < 0:
            return None
        cursor = Cursor(self._body, self._places[block])
        keys, positions = self._kind.entries(cursor, cursor.number(">i4"), 2)
        return int(positions[keys.index(key), 0]) if key in keys else None

    def _at(self, position: int) -> RowSet:
        """Return the rows at an offset; a negative offset encodes the only row."""
        if position < 0:
            return RowSet.one(self._rows, -1 - position)
        return RowSet.read(Cursor(self._body, self._bitmaps_start + position), self._rows)
