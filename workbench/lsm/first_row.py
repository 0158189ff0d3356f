"""Merge engine `first-row`: the oldest row of a key is kept unchanged (format §17)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.base.errors import MergeError
from workbench.format.spec.schema import TableSchema
from workbench.lsm.keys import KeyGroups
from workbench.lsm.merge_function import Kinds, Merged, RowSource, is_retract, lone_or_added, picked_rows


@dataclass(frozen=True)
class FirstRowMergeFunction:
    """The oldest row of a key wins; retracts are refused, or with ``ignores_deletes`` skipped (`FirstRowMergeFunction`
    in Java). ``folds_lone``: this also applies to keys with a single row."""

    ignores_deletes: bool = False
    folds_lone: bool = False
    reads: tuple[str, ...] = ()

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:  # noqa: ARG002
        """Keep the first row of every group; no value column is read."""
        if kinds is None:
            return Merged(groups.order[groups.starts], None)
        positions = ~is_retract(kinds[groups.order]) if self.folds_lone else lone_or_added(groups, kinds)
        if not self.ignores_deletes and not positions.all():
            raise MergeError(
                "A table with merge engine 'first-row' holds deleted rows, which it does not accept.",
                "Set 'ignore-delete' = 'true' to ignore them.",
            )
        oldest = np.minimum.reduceat(np.where(positions, np.arange(len(positions)), len(positions)), groups.starts)
        return picked_rows(groups, kinds, oldest, oldest < len(positions))


def first_row_of(schema: TableSchema, columns: Sequence[str]) -> FirstRowMergeFunction:  # noqa: ARG001
    """Return the merge function of a table with this engine; it reads no value column."""
    return FirstRowMergeFunction(schema.core.ignore_delete)
