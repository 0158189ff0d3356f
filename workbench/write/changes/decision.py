"""The actions of a statement on rows, as whole columns."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.arrays import Int16Array, Int64Array

KEEP = -1


@dataclass(frozen=True)
class Decision:
    """The actions for some rows.

    ``action`` (int16[rows]) is the number of each row's action, `KEEP` for none; ``source`` (int64[rows]) is the
    matching row of the source, -1 for none, or None without a source.
    """

    action: Int16Array
    source: Int64Array | None = None

    def of(self, rows: slice | Int64Array) -> Decision:
        """Return the decision for some of the rows."""
        return Decision(self.action[rows], None if self.source is None else self.source[rows])
