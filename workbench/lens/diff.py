"""The rows that changed between two snapshots, and their counts by row kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.base.modules import pc
from workbench.base.progress import Progress
from workbench.table.readable_table import ReadableTable

if TYPE_CHECKING:
    pass

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
        words = (
            (self.counts["+I"], "inserted"),
            (self.counts["+U"], "updated"),
            (self.counts["-D"], "deleted"),
        )
        return ", ".join(f"{count:,} {word}" for count, word in words if count) or "no changes"


def collect_diff(table: ReadableTable, start: int, end: int, progress: Progress | None = None) -> DiffValue:
    """Return the rows that differ between the states of a table at two snapshots."""
    return describe_diff(table.name, start, end, table.changes(start, end, mode="diff", progress=progress))


def describe_diff(name: str, start: int, end: int, rows: pa.Table) -> DiffValue:
    """Return the value of changes whose first column is ``rowkind``."""
    counted = {each["values"]: each["counts"] for each in pc.value_counts(rows.column("rowkind")).to_pylist()}
    return DiffValue(name, start, end, {kind: counted.get(kind, 0) for kind in ROW_KINDS}, rows)
