"""What an index of one column of a file can be asked."""

from __future__ import annotations

from collections.abc import Collection

from workbench.format.file_index.keys import Key
from workbench.format.file_index.rows import RowSet


class RowIndex:
    """Answers are exact; None: the index cannot tell."""

    def equal_to(self, _keys: Collection[Key], /) -> RowSet | None:
        """The rows that have one of the keys."""
        return None

    def below(self, _key: Key, _inclusive: bool, /) -> RowSet | None:
        """The rows of lesser keys; ``inclusive``: or of this one."""
        return None

    def above(self, _key: Key, _inclusive: bool, /) -> RowSet | None:
        """The rows of greater keys; ``inclusive``: or of this one."""
        return None

    def nulls(self) -> RowSet | None:
        """The rows without a value."""
        return None


class NoValues(RowIndex):
    """The index of a column to which no value was added. It does not tell of which rows."""

    def __init__(self, rows: int) -> None:
        self._none = RowSet.none(rows)

    def equal_to(self, _keys: Collection[Key], /) -> RowSet | None:
        """No row."""
        return self._none

    def below(self, _key: Key, _inclusive: bool, /) -> RowSet | None:
        """No row."""
        return self._none

    def above(self, _key: Key, _inclusive: bool, /) -> RowSet | None:
        """No row."""
        return self._none
