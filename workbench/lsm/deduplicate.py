"""Merge engine `deduplicate`: the newest row of a key replaces all others (format §17)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.format.spec.schema import TableSchema
from workbench.lsm.keys import KeyGroups
from workbench.lsm.merge_function import Kinds, Merged, RowSource, lone_or_added, picked_rows
from workbench.lsm.steps import without_merged_before


@dataclass(frozen=True)
class DeduplicateMergeFunction:
    """The newest row of a key wins, regardless of its kind; with ``ignores_deletes`` the newest row that is not a
    retract (`DeduplicateMergeFunction` in Java). ``merged_below``: of the rows above level 0 only the row on the newest
    level counts, regardless of sequence fields (`LookupMergeFunction`)."""

    ignores_deletes: bool = False
    merged_below: bool = False
    reads: tuple[str, ...] = ()

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:
        """Keep the last row of every group; no value column is read."""
        if self.merged_below and len(groups.order):
            groups = without_merged_before(groups, source.levels())
        if kinds is not None and self.ignores_deletes:
            positions = lone_or_added(groups, kinds)
            newest = np.maximum.reduceat(np.where(positions, np.arange(len(positions)), -1), groups.starts)
            return picked_rows(groups, kinds, newest, newest >= 0)
        rows = groups.newest()
        return Merged(rows, None if kinds is None else kinds[rows])


def deduplicate_of(schema: TableSchema, columns: Sequence[str]) -> DeduplicateMergeFunction:  # noqa: ARG001
    """Return the merge function of a table with this engine; it reads no value column."""
    core = schema.core
    # Without sequence fields the row of a newer level is the newer one anyway.
    return DeduplicateMergeFunction(core.ignore_delete, bool(core.sequence_field) and core.merges_with_lookup)
