"""Rows that differ between two states, with the columns in which they differ, computed on whole columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray, BoolArray, Int8Array, Int64Array
from workbench.base.lazy import cached_property
from workbench.base.modules import pc
from workbench.lsm.keys import match_keys
from workbench.lsm.merge_function import RowKind
from workbench.lsm.value_codes import row_codes, value_codes
from workbench.scan.incremental.row_kind_reader import ROW_KIND_FIELD, kind_texts

NONE = -1


@dataclass(frozen=True)
class ChangedRows:
    """Changes, in order. ``kinds`` (int8[changes]) holds the kind of the new row, or of the old row if there is no new
    one; ``left`` and ``right`` (int64[changes]) are the positions of the old row in ``before`` and of the new row in
    ``after``, `NONE` if there is no such row. ``differs`` has a bool[changes] for each column: whether its values
    differ, false unless both rows exist. ``equal`` is the number of rows that are equal in both states.
    """

    before: pa.Table
    after: pa.Table
    kinds: Int8Array
    left: Int64Array
    right: Int64Array
    differs: Mapping[str, BoolArray] = field(default_factory=dict)
    equal: int = 0

    def __len__(self) -> int:
        return len(self.kinds)

    def filter(self, mask: BoolArray) -> ChangedRows:
        """Return the changes where ``mask`` is true."""
        if mask.all():
            return self
        differs = {name: each[mask] for name, each in self.differs.items()}
        return replace(self, kinds=self.kinds[mask], left=self.left[mask], right=self.right[mask], differs=differs)

    def slice(self, start: int, length: int) -> ChangedRows:
        """Return ``length`` changes, beginning at position ``start``."""
        part = slice(start, start + length)
        differs = {name: each[part] for name, each in self.differs.items()}
        return replace(self, kinds=self.kinds[part], left=self.left[part], right=self.right[part], differs=differs)

    @property
    def is_pair(self) -> BoolArray:
        """Whether each change has an old and a new row."""
        pairs: BoolArray = (self.left >= 0) & (self.right >= 0)
        return pairs

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of rows of each kind."""
        counts = np.bincount(self.kinds, minlength=len(RowKind)).tolist()
        counts[RowKind.UPDATE_BEFORE] += int(np.count_nonzero(self.is_pair))
        return {kind.short: counts[kind] for kind in RowKind}

    def old_rows(self, columns: Sequence[str]) -> pa.Table:
        """Return the old row of each change, nulls where there is none."""
        return _rows_at(self.before, self.left, columns)

    def new_rows(self, columns: Sequence[str]) -> pa.Table:
        """Return the new row of each change, nulls where there is none."""
        return _rows_at(self.after, self.right, columns)

    def newest_rows(self, columns: Sequence[str]) -> pa.Table:
        """Return the new row of each change, the old one where there is no new one."""
        return self._rows(np.where(self.right >= 0, self.right + self.before.num_rows, self.left), columns)

    def to_table(self, schema: pa.Schema) -> pa.Table:
        """Return all rows with their kinds, the old row of a change right before the new one; ``schema`` begins with
        the kind."""
        used = np.column_stack([self.left >= 0, self.right >= 0])
        positions = np.column_stack([self.left, self.right + self.before.num_rows])[used]
        old_kinds = np.where(self.is_pair, RowKind.UPDATE_BEFORE, self.kinds)
        kinds = np.column_stack([old_kinds, self.kinds])[used]
        rows = self._rows(positions, schema.names[1:])
        return rows.add_column(0, ROW_KIND_FIELD, kind_texts(kinds.astype(np.int8))).cast(schema)

    def _rows(self, positions: Int64Array, columns: Sequence[str]) -> pa.Table:
        both = pa.concat_tables([self.before.select(list(columns)), self.after.select(list(columns))])
        return both.take(pa.array(positions)) if len(positions) else both.slice(0, 0)


def _rows_at(table: pa.Table, positions: Int64Array, columns: Sequence[str]) -> pa.Table:
    return table.select(list(columns)).take(pa.array(positions, mask=positions < 0))


class KnownChanges(NamedTuple):
    """Changes of which metadata determines the kind, the partition and the number."""

    kind: RowKind
    partition: bytes
    rows: int


def compared_by_key(before: pa.Table, after: pa.Table, keys: Sequence[str], values: Sequence[str]) -> ChangedRows:
    """Compare rows with unique keys. Both tables may be in any order; the changes are in key order, or in the order of
    the tables if both have the same keys in the same order."""
    if before.num_rows == after.num_rows and _equal_keys(before, after, keys):
        return _row_by_row(before, after, values)
    left, right = match_keys(*([side.column(name) for name in keys] for side in (before, after)))
    return _of_pairs(before, after, left, right, values)


def _equal_keys(before: pa.Table, after: pa.Table, keys: Sequence[str]) -> bool:
    return all(before.column(name).equals(after.column(name)) for name in keys)


def _row_by_row(before: pa.Table, after: pa.Table, values: Sequence[str]) -> ChangedRows:
    """Compare each row with the one at the same position."""
    different = {name: values_differ(before.column(name), after.column(name)) for name in values}
    changed = np.zeros(before.num_rows, bool)
    for each in different.values():
        changed |= each
    rows = np.flatnonzero(changed)
    differs = {name: each[rows] for name, each in different.items()}
    kinds = np.full(len(rows), RowKind.UPDATE_AFTER, np.int8)
    return ChangedRows(before, after, kinds, rows, rows, differs, equal=before.num_rows - len(rows))


def _of_pairs(
    before: pa.Table, after: pa.Table, left: Int64Array, right: Int64Array, values: Sequence[str]
) -> ChangedRows:
    """Return the changes of matched rows, without the pairs of equal rows."""
    pairs = (left >= 0) & (right >= 0)
    changed = np.zeros(int(np.count_nonzero(pairs)), bool)
    different: dict[str, BoolArray] = {}
    if values:
        old, new = _picked(before.select(values), left[pairs]), _picked(after.select(values), right[pairs])
        different = {name: values_differ(old.column(name), new.column(name)) for name in values}
    for each in different.values():
        changed |= each
    kept = ~pairs
    kept[pairs] = changed
    kinds = np.where(right >= 0, RowKind.INSERT, RowKind.DELETE).astype(np.int8)
    kinds[pairs] = RowKind.UPDATE_AFTER
    chosen = pairs[kept]
    differs = {}
    for name, each in different.items():
        mask = np.zeros(len(chosen), bool)
        mask[chosen] = each[changed]
        differs[name] = mask
    equal = len(changed) - int(np.count_nonzero(changed))
    return ChangedRows(before, after, kinds[kept], left[kept], right[kept], differs, equal)


def _picked(rows: pa.Table, positions: Int64Array) -> pa.Table:
    """Return the rows at the given positions. If these ascend, a mask filter is several times cheaper than a take."""
    if not _ascend(positions):
        return rows.take(pa.array(positions))
    if len(positions) == rows.num_rows:
        return rows
    mask = np.zeros(rows.num_rows, bool)
    mask[positions] = True
    return rows.filter(pa.array(mask))


def _ascend(positions: Int64Array) -> bool:
    return bool((positions[1:] > positions[:-1]).all())


def values_differ(left: pa.ChunkedArray, right: pa.ChunkedArray) -> BoolArray:
    """Return bool[rows]: whether the values differ; null equals null, and NaN equals NaN."""
    if left.equals(right):
        return np.zeros(len(left), bool)
    if pa.types.is_nested(left.type):
        codes = value_codes(pa.chunked_array([*left.chunks, *right.chunks], left.type))
        return np.asarray(codes[: len(left)] != codes[len(left) :])
    differ = pc.not_equal(left, right)
    if left.null_count or right.null_count:
        differ = pc.fill_null(differ, pc.xor(left.is_null(), right.is_null()))
    if pa.types.is_floating(left.type) and pc.any(pc.is_nan(left)).as_py():
        differ = pc.and_not(differ, pc.fill_null(pc.and_(pc.is_nan(left), pc.is_nan(right)), False))
    return np.asarray(differ.to_numpy())


def compared_by_row(removed: pa.Table, new: pa.Table) -> ChangedRows:
    """Compare rows without a key: each removed row cancels one new row that is equal to it."""
    old_rows, new_rows = np.arange(removed.num_rows), np.arange(new.num_rows)
    if removed.num_rows and new.num_rows:
        both = pa.concat_tables([removed, new])
        codes = row_codes([value_codes(column) for column in both.columns], both.num_rows)
        old_rows = _without_equals(codes[: removed.num_rows], codes[removed.num_rows :])
        new_rows = _without_equals(codes[removed.num_rows :], codes[: removed.num_rows])
    equal = removed.num_rows - len(old_rows)
    return ChangedRows(
        removed,
        new,
        np.repeat([RowKind.DELETE, RowKind.INSERT], [len(old_rows), len(new_rows)]).astype(np.int8),
        np.concatenate([old_rows, np.full(len(new_rows), NONE)]).astype(np.int64),
        np.concatenate([np.full(len(old_rows), NONE), new_rows]).astype(np.int64),
        equal=equal,
    )


def _without_equals(codes: Int64Array, others: Int64Array) -> Int64Array:
    """Return the positions of ``codes`` that are left after each of the ``others`` has canceled one equal code."""
    most = int(max(codes.max(initial=-1), others.max(initial=-1))) + 1
    spare = np.bincount(others, minlength=most)
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.searchsorted(ordered, ordered)
    rank = np.arange(len(ordered)) - starts
    return np.sort(order[rank >= spare[ordered]]).astype(np.int64)


def parts_of(table: pa.Table, parts: int) -> AnyArray:
    """Return uint64[rows]: a number below ``parts`` for each row, equal for equal rows."""
    mixed = np.zeros(table.num_rows, np.uint64)
    for column in table.columns:
        kind = column.type
        if pa.types.is_string(kind) or pa.types.is_binary(kind):
            word = _begin_of(column)
        elif pa.types.is_integer(kind):
            word = pc.fill_null(column, 0).to_numpy().astype(np.int64).view(np.uint64)
        elif pa.types.is_temporal(kind):
            whole = pa.int32() if kind.bit_width == 32 else pa.int64()
            word = pc.fill_null(column.cast(whole), 0).to_numpy().astype(np.int64).view(np.uint64)
        else:
            continue
        mixed = (mixed ^ word) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed % np.uint64(parts)


def _begin_of(column: pa.ChunkedArray) -> AnyArray:
    """Return for each string a number that combines its length and its first bytes."""
    texts = pc.fill_null(column.cast(pa.large_binary()), b"").combine_chunks()
    texts = pa.concat_arrays(texts.chunks) if isinstance(texts, pa.ChunkedArray) else texts
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    padded = np.concatenate([np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8), np.zeros(8, np.uint8)])
    heads = np.lib.stride_tricks.sliding_window_view(padded, 8)[ends[:-1]].copy().view(np.uint64).ravel()
    lengths = np.diff(ends).astype(np.uint64)
    unused = (np.uint64(8) - np.minimum(lengths, np.uint64(8))) * np.uint64(8)
    # Shifting a word by its full width is undefined, so empty strings are zeroed separately.
    heads = np.where(lengths == 0, np.uint64(0), heads << np.minimum(unused, np.uint64(63)))
    return heads ^ (lengths << np.uint64(56))
