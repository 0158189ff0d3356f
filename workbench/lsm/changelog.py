"""The changes that a compaction makes: the row of each key before and after it, computed on whole columns (format §19).

The previous rows come from the same merge as the result: rows above the output level that may share a key with newer
rows are merged together with the picked runs, and serve only as previous rows. There is one rule to find them for each
of two changelog producers; first-row has a separate rule, since it never changes a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int8Array, Int64Array
from workbench.format.spec.data_file_fields import VALUE_KIND
from workbench.lsm.key_slices import MergedSlice
from workbench.lsm.keys import KeyGroups
from workbench.lsm.merge_function import (
    Kinds,
    Merged,
    MergeFunction,
    RowKind,
    RowSource,
    is_retract,
)
from workbench.lsm.value_codes import value_codes

_NO_ROW = -1
_NO_LEVEL = np.int8(127)


@dataclass(frozen=True)
class Compared(Merged):
    """The result of a merge, and the previous row of each of its keys. ``before`` (int64[keys]): the input row, -1 for
    none; ``before_added`` (bool[keys]): there is one, and it is not a retract; ``counts`` (bool[keys]): the key has new
    rows; ``looked_up`` (bool[keys]): the row before is above the output level. ``keeps_kinds``: new rows are reported
    with the kind that they were written with, otherwise as +I.
    """

    before: Int64Array = field(default_factory=lambda: np.zeros(0, np.int64))
    before_added: BoolArray = field(default_factory=lambda: np.zeros(0, bool))
    counts: BoolArray = field(default_factory=lambda: np.zeros(0, bool))
    looked_up: BoolArray = field(default_factory=lambda: np.zeros(0, bool))
    keeps_kinds: bool = False


@dataclass(frozen=True)
class LookupMerge:
    """Java's `LookupChangelogMergeFunctionWrapper`: rows of level 0 are merged with the newest row above, which
    contains the merged state of all levels below it. Keys that have neither new rows nor rows on levels up to
    ``output_level`` are left out."""

    function: MergeFunction
    output_level: int

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that the merge function of the table reads."""
        return self.function.reads

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:
        """Merge every group that the compaction writes."""
        level, key = _levels_and_keys(groups, source)
        newest_level = np.minimum.reduceat(np.where(level > 0, level, _NO_LEVEL), groups.starts)
        has_new = np.logical_or.reduceat(level == 0, groups.starts)
        takes = (level == 0) | (level == newest_level[key])
        groups, kept = _only(groups, takes, has_new | (newest_level <= self.output_level))
        before = _rows_at(groups, source.levels()[groups.order] > 0)
        return _compared(
            as_lookup(self.function).merge(groups, kinds, source),
            kinds,
            before,
            has_new[kept],
            (before != _NO_ROW) & (newest_level[kept] > self.output_level),
        )


@dataclass(frozen=True)
class FirstRowLookupMerge:
    """Java's `FirstRowMergeFunctionWrapper`: a key that already exists on any level ignores new rows."""

    function: MergeFunction
    output_level: int

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that the merge function of the table reads."""
        return self.function.reads

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:
        """Merge every group that the compaction writes."""
        level, _ = _levels_and_keys(groups, source)
        picked = level <= self.output_level
        is_known = np.logical_or.reduceat(picked & (level > 0), groups.starts)
        is_above = np.logical_or.reduceat(~picked, groups.starts)
        groups, kept = _only(groups, picked, np.logical_or.reduceat(picked, groups.starts) & (is_known | ~is_above))
        nothing = np.full(len(kept), _NO_ROW, np.int64)
        merged = as_lookup(self.function).merge(groups, kinds, source)
        compared = _compared(merged, kinds, nothing, ~is_known[kept], np.zeros(len(kept), bool))
        return replace(compared, keeps_kinds=True)


@dataclass(frozen=True)
class TopLevelMerge:
    """Java's `FullChangelogMergeFunctionWrapper`: the previous row of a key is its row on the last level,
    ``top_level``."""

    function: MergeFunction
    top_level: int

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that the merge function of the table reads."""
        return self.function.reads

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:
        """Merge every group."""
        level, _ = _levels_and_keys(groups, source)
        counts = np.logical_or.reduceat(level != self.top_level, groups.starts)
        before = _rows_at(groups, level == self.top_level)
        merged = self.function.merge(groups, kinds, source)
        return _compared(merged, kinds, before, counts, np.zeros(len(before), bool))


def as_lookup(function: MergeFunction) -> MergeFunction:
    """Return the same function for input of which only the newest level above 0 is left. It also merges keys with a
    single row."""
    flags = {"merged_below": False, "folds_lone": True}
    own = {name: value for name, value in flags.items() if hasattr(function, name)}
    return cast(MergeFunction, replace(cast(Any, function), **own)) if own else function


def changelog_of(merged: MergedSlice, columns: Sequence[str], deduplicated_by: Sequence[str] | None) -> pa.Table:
    """Return the changes of a slice, in key order, each -U right before its +U. ``columns`` include the row kind;
    ``deduplicated_by``: an update that leaves all of these columns unchanged is dropped; None keeps every update.
    """
    compared = merged.merged
    if not isinstance(compared, Compared):
        raise TypeError("Only a merge that looks up the previous rows can report changes.")
    after_added = np.ones(len(compared.rows), bool) if compared.kinds is None else ~is_retract(compared.kinds)
    updated = compared.counts & compared.before_added & after_added
    if deduplicated_by is not None and updated.any():
        updated[updated] = _differs(merged, compared, np.flatnonzero(updated), deduplicated_by)
    inserted = compared.counts & ~compared.before_added & after_added
    deleted = compared.counts & compared.before_added & ~after_added
    removed, added = np.flatnonzero(deleted | updated), np.flatnonzero(inserted | updated)
    before = merged.input_rows(columns, compared.before[removed])
    after = merged.result(columns, added)
    positions = np.arange(len(compared.rows)) if compared.positions is None else compared.positions
    order = np.argsort(np.concatenate([positions[removed] * 2, positions[added] * 2 + 1]))
    kinds = np.concatenate(
        [
            np.where(updated[removed], RowKind.UPDATE_BEFORE, RowKind.DELETE),
            np.where(updated[added], RowKind.UPDATE_AFTER, _kinds_of_new(compared)[added]),
        ]
    ).astype(np.int8)
    # The result no longer records which columns are NOT NULL.
    table = pa.concat_tables([before, pa.table(after.columns, schema=before.schema)])
    position = table.schema.get_field_index(VALUE_KIND)
    return table.set_column(position, table.schema.field(position), pa.array(kinds)).take(pa.array(order))


def _kinds_of_new(compared: Compared) -> Kinds:
    """Return int8[keys]: the kinds of the rows of keys that did not exist before."""
    if compared.keeps_kinds and compared.kinds is not None:
        return compared.kinds
    return np.full(len(compared.rows), RowKind.INSERT, np.int8)


def _differs(merged: MergedSlice, compared: Compared, keys: Int64Array, columns: Sequence[str]) -> BoolArray:
    """Return bool[keys]: which of these keys have a different value than before in any of the columns."""
    before, after = merged.input_rows(columns, compared.before[keys]), merged.result(columns, keys)
    differs: BoolArray = np.zeros(len(keys), bool)
    for name in columns:
        both: Any = pa.chunked_array(
            [*before.column(name).chunks, *after.column(name).chunks], before.column(name).type
        )
        codes = value_codes(both)
        differs |= codes[: len(keys)] != codes[len(keys) :]
    return differs


def _levels_and_keys(groups: KeyGroups, source: RowSource) -> tuple[Int8Array, Int64Array]:
    """Return for each position of ``order`` the level of its row, and the number of its key."""
    sizes = groups.ends - groups.starts
    return source.levels()[groups.order], np.repeat(np.arange(len(sizes)), sizes)


def _only(groups: KeyGroups, takes: BoolArray, keys: BoolArray) -> tuple[KeyGroups, Int64Array]:
    """Return groups of only the ``keys`` (bool[keys]) to keep, with only the positions of ``order`` that ``takes``
    (bool[positions]) selects, and the numbers of these keys."""
    takes = takes & np.repeat(keys, groups.ends - groups.starts)
    kept = np.flatnonzero(keys)
    left = np.add.reduceat(takes, groups.starts, dtype=np.int64)[kept] if len(groups.starts) else kept
    return KeyGroups(groups.order[takes], np.cumsum(left) - left), kept


def _rows_at(groups: KeyGroups, where: BoolArray) -> Int64Array:
    """Return int64[keys]: the row at the only position of each key that ``where`` selects, -1 for none."""
    if not len(groups.starts):
        return np.zeros(0, np.int64)
    rows: Int64Array = np.maximum.reduceat(np.where(where, groups.order, _NO_ROW), groups.starts)
    return rows


def _compared(
    merged: Merged, kinds: Kinds | None, before: Int64Array, counts: BoolArray, looked_up: BoolArray
) -> Compared:
    """Return ``merged`` with the previous rows of its keys; ``before``, ``counts`` and ``looked_up`` are in key
    order."""
    if merged.positions is not None:
        before, counts, looked_up = before[merged.positions], counts[merged.positions], looked_up[merged.positions]
    added = before != _NO_ROW
    if kinds is not None and added.any():
        added &= ~is_retract(kinds[before])
    return Compared(
        merged.rows, merged.kinds, merged.columns, merged.positions, merged.overflows, before, added, counts, looked_up
    )
