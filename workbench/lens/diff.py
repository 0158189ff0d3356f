"""What changed between two versions: how many rows of each kind, and some of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.base.progress import Progress

if TYPE_CHECKING:
    from workbench.table.table import Table

ROW_KINDS = ("+I", "-U", "+U", "-D")


@dataclass(frozen=True, eq=False)
class DiffValue:
    """``rows`` are all changes, first column ``rowkind``; ``start`` is exclusive. ``counts`` has every row kind."""

    table: str
    start: int
    end: int
    counts: Mapping[str, int]
    rows: pa.Table

    @property
    def summary(self) -> str:
        """``3 inserted, 2 updated, 1 deleted``."""
        told = (
            (self.counts["+I"], "inserted"),
            (self.counts["+U"], "updated"),
            (self.counts["-D"], "deleted"),
        )
        return ", ".join(f"{count:,} {word}" for count, word in told if count) or "no changes"


def gather_diff(table: Table, start: int, end: int, progress: Progress | None = None) -> DiffValue:
    """The rows that differ between two snapshots, by comparing the table's state at each."""
    return tell_diff(table.name, start, end, table.changes(start, end, mode="diff", progress=progress))


def tell_diff(name: str, start: int, end: int, rows: pa.Table) -> DiffValue:
    """The value of changes whose first column is ``rowkind``."""
    import pyarrow.compute as pc

    counted = {each["values"]: each["counts"] for each in pc.value_counts(rows.column("rowkind")).to_pylist()}
    return DiffValue(name, start, end, {kind: counted.get(kind, 0) for kind in ROW_KINDS}, rows)
