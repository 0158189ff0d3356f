"""Shared parts of partial-update and aggregation: columns as accumulators over the rows of a slice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int64Array
from workbench.lsm.aggregates.accumulator import Result
from workbench.lsm.keys import KeyGroups
from workbench.lsm.merge_function import Kinds, Merged, RowKind, RowSource, is_retract
from workbench.lsm.steps import Steps


@dataclass(frozen=True)
class Folded:
    """The folded rows of some keys: ``columns`` are the states of their columns, ``deleted`` (bool[folded keys]) the
    keys that were removed, ``newest`` (int64[folded keys]) the rows whose sequence numbers the results get."""

    steps: Steps
    columns: Sequence[Result]
    deleted: BoolArray
    newest: Int64Array

    def merged(self, groups: KeyGroups, kinds: Kinds | None) -> Merged:
        """Return the result of a merge, including the keys that were not folded."""
        return merged_rows(groups, kinds, self.steps, self.columns, self.deleted, self.newest)


def array_of(source: RowSource, name: str) -> pa.Array:
    """Return a column as one array."""
    column = source.column(name).combine_chunks()
    return column if isinstance(column, pa.Array) else pa.concat_arrays(column.chunks)


def has_retracts(kinds: Kinds | None) -> bool:
    """Return whether some row is a retract."""
    return kinds is not None and bool(is_retract(kinds).any())


def kinds_at(kinds: Kinds | None, rows: Int64Array) -> Kinds | None:
    """Return the kinds of rows, None if none of them is a retract."""
    if kinds is None:
        return None
    row_kinds = kinds[rows]
    return row_kinds if has_retracts(row_kinds) else None


def merged_rows(
    groups: KeyGroups,
    kinds: Kinds | None,
    steps: Steps,
    columns: Iterable[Result],
    deleted: BoolArray,
    newest: Int64Array,
) -> Merged:
    """Return the rows of keys that have only one row, then the rows of the folded keys. ``deleted`` (bool[folded
    keys]): the removed keys; ``newest`` (int64[folded keys]): the row whose sequence number the result gets."""
    single = np.ones(len(groups.starts), bool)
    single[steps.keys] = False
    keys = np.concatenate([np.flatnonzero(single), steps.keys])
    alone = groups.newest()[keys[: len(keys) - len(steps.keys)]]
    rows = np.concatenate([alone, newest])
    kinds_after = None
    if kinds is not None:
        kinds_after = kinds[rows]
        kinds_after[len(alone) :] = np.where(deleted, RowKind.DELETE, RowKind.INSERT)
    states = list(columns)
    overflows = tuple(found for each in states if (found := each.overflow()) is not None)
    return Merged(rows, kinds_after, {each.name: each.after(alone) for each in states}, keys, overflows)
