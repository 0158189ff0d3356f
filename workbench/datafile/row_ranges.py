"""Iteration over the row numbers that a reader returns."""

from __future__ import annotations

from collections.abc import Iterable


class RowRangeCursor:
    """Iterator over the row numbers of ``ranges`` in their order."""

    def __init__(self, ranges: Iterable[range]) -> None:
        self._waiting = [rows for rows in ranges if rows]

    def take(self, count: int) -> list[range]:
        """Return the next ``count`` row numbers as ranges."""
        taken = []
        while count:
            rows = self._waiting[0][:count]
            taken.append(rows)
            count -= len(rows)
            self._waiting[0] = self._waiting[0][len(rows) :]
            if not self._waiting[0]:
                self._waiting.pop(0)
        return taken
