"""Layout of the rows of many keys that allows processing the oldest rows of all keys in one operation, then the second
oldest rows, and so on.

A merge function is a fold over the rows of a key, starting with the oldest. Keys with the most rows come first, so the
keys that have a row at some step are always the first ones, and a step is one operation on the first part of a column
of states. A file contains each key once, so a read has no more steps than there are sorted runs. Rows that a user
writes may repeat a key many times: if few keys have many rows, steps would be a loop over rows, so the rest of each key
is processed separately.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.arrays import Int8Array, Int64Array
from workbench.lsm.keys import KeyGroups


@dataclass(frozen=True)
class Steps:
    """The steps of a merge. ``keys`` (int64[merged keys]): the groups that are merged, the ones with the most rows
    first. ``rows[j]`` (int64[n]): the input row of each of the first ``n`` keys at step ``j``. ``rests[i]``
    (int64[rows]): the rows of the ``i``-th key after all steps, oldest first.

    ``newest`` (int64[merged keys]): the last row of each key. A key with a single row is not merged: its row is kept
    unchanged (format §16, `ReducerMergeFunctionWrapper`).
    """

    keys: Int64Array
    rows: tuple[Int64Array, ...]
    rests: tuple[Int64Array, ...]
    newest: Int64Array

    @staticmethod
    def of(
        groups: KeyGroups, levels: Int8Array | None = None, *, folds_lone: bool = False, with_rests: bool = False
    ) -> Steps:
        """Return the steps of ``groups``. With ``levels`` (int8[input rows]) only the newest level above 0 counts,
        because it holds the merged state of all levels below it (`LookupMergeFunction`). ``folds_lone``: keys with a
        single row are merged too, as in Java when older rows are looked up (`LookupChangelogMergeFunctionWrapper`).
        ``with_rests``: steps need not contain all rows."""
        sizes = np.diff(groups.starts, append=len(groups.order))
        several = np.flatnonzero(sizes > 0 if folds_lone else sizes > 1)
        if levels is not None and len(several):
            groups = without_merged_before(groups, levels)
        sizes = np.diff(groups.starts, append=len(groups.order))[several]
        deepest = int(sizes.max(initial=0))
        # Sorting small integer types takes linear time.
        sequence = np.argsort((deepest - sizes).astype(np.min_scalar_type(deepest)), kind="stable")
        keys, sizes = several[sequence], sizes[sequence]
        counts = len(sizes) - np.searchsorted(sizes[::-1], np.arange(deepest), side="right")
        # A step costs as much as the rest of a key, so steps end when fewer keys than steps are left.
        taken = deepest
        if with_rests and deepest > 1:
            cheaper = counts[1:] < deepest - np.arange(1, deepest)
            taken = int(np.argmax(cheaper)) + 1 if cheaper.any() else deepest
        firsts, ends = groups.starts[keys], groups.starts[keys] + sizes
        rows = tuple(groups.order[firsts[:count] + step] for step, count in enumerate(counts[:taken]))
        left = int(counts[taken]) if taken < deepest else 0
        rests = tuple(groups.order[firsts[key] + taken : ends[key]] for key in range(left))
        return Steps(keys, rows, rests, groups.order[ends - 1])


def without_merged_before(groups: KeyGroups, levels: Int8Array) -> KeyGroups:
    """Drop the rows of each key above level 0, except those on the newest of these levels; ``levels`` (int8[input
    rows])."""
    level = levels[groups.order]
    above = level > 0
    sizes = np.diff(groups.starts, append=len(level))
    newest = np.minimum.reduceat(np.where(above, level, np.int8(127)), groups.starts)
    kept = ~above | (level == np.repeat(newest, sizes))
    left = np.add.reduceat(kept, groups.starts, dtype=np.int64)
    return KeyGroups(groups.order[kept], np.cumsum(left) - left)
