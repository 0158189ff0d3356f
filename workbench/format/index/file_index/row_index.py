"""The queries that an index of one column of a file supports."""

from __future__ import annotations

from collections.abc import Collection

from workbench.format.index.file_index.keys import Key
from workbench.format.index.file_index.rows import RowSet


class RowIndex:
    """An index whose answers are exact; None means that it cannot answer."""

    def equal_to(self, _keys: Collection[Key], /) -> RowSet | None:
        """Return the rows that have one of the keys."""
        return None

    def below(self, _key: Key, _inclusive: bool, /) -> RowSet | None:
        """Return the rows with smaller keys; ``inclusive`` adds the rows with this key."""
        return None

    def above(self, _key: Key, _inclusive: bool, /) -> RowSet | None:
        """Return the rows with greater keys; ``inclusive`` adds the rows with this key."""
        return None

    def nulls(self) -> RowSet | None:
        """Return the rows without a value."""
        return None


class NoValues(RowIndex):
    """The index of a column to which no value was added; it does not know which rows are null."""

    def __init__(self, rows: int) -> None:
        self._none = RowSet.none(rows)

    def equal_to(self, _keys: Collection[Key], /) -> RowSet | None:
        """Return no rows."""
        return self._none

    def below(self, _key: Key, _inclusive: bool, /) -> RowSet | None:
        """Return no rows."""
        return self._none

    def above(self, _key: Key, _inclusive: bool, /) -> RowSet | None:
        """Return no rows."""
        return self._none
