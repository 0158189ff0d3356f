"""The difference between two snapshots, found by comparing their states (format §25.9, mode diff)."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray
from workbench.base.modules import pc
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format.spec.data_file import ManifestEntry
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.lsm.interval_partition import partition_into_sections
from workbench.lsm.keys import group_keys
from workbench.lsm.levels import key_of_schema
from workbench.lsm.merge_function import RowKind
from workbench.lsm.value_codes import row_codes, value_codes
from workbench.metadata.index_files import DataFileId, DeletionFile, deletion_files
from workbench.metadata.layouts import laid_out_as
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.scan.incremental.row_kind_reader import ROW_KIND_FIELD, kind_texts
from workbench.scan.planner import splits_of, visible_entries
from workbench.scan.split import Split
from workbench.scan.split_reader import SplitReader

_Name = tuple[str, str | None]


@dataclass(frozen=True)
class _State:
    """Files of one snapshot, and their deletion vectors."""

    entries: Sequence[ManifestEntry]
    deletions: Mapping[DataFileId, DeletionFile]
    store: TableStore

    @property
    def contents(self) -> set[tuple[_Name, DeletionFile | None]]:
        """Return what identifies rows: files and their deletion vectors. Files upgraded to another level hold the same
        rows, so the level does not count."""
        return {self._content(entry) for entry in self.entries}

    def names(self, contents: Container[tuple[_Name, DeletionFile | None]]) -> set[_Name]:
        """Return the names of the files whose content is among ``contents``."""
        return {_name(entry) for entry in self.entries if self._content(entry) in contents}

    def within(self, names: Container[_Name]) -> _State:
        """Return only the files of these names."""
        return replace(self, entries=[entry for entry in self.entries if _name(entry) in names])

    def without(self, contents: Container[tuple[_Name, DeletionFile | None]]) -> _State:
        """Return only the files of other contents."""
        return replace(self, entries=[entry for entry in self.entries if self._content(entry) not in contents])

    def _content(self, entry: ManifestEntry) -> tuple[_Name, DeletionFile | None]:
        return _name(entry), self.deletions.get((entry.partition, entry.bucket, entry.file.file_name))


_Pair = tuple[_State, _State]


@dataclass(frozen=True)
class StateDiff:
    """Comparison of two snapshots of a table. Buckets with the same files in both are not read."""

    store: TableStore
    progress: Progress = field(default_factory=Progress)

    @property
    def arrow_schema(self) -> pa.Schema:
        """The schema of the result: `rowkind`, then the columns of the table."""
        return pa.schema([ROW_KIND_FIELD, *self.store.schema.arrow_schema])

    def between(self, start: Snapshot | None, end: Snapshot | None) -> pa.Table:
        """Return rows as +I, -U, +U and -D, the old row of an update right before the new one. ``start`` None is the
        empty table."""
        pairs = _pairs(self._state(start), self._state(end))
        changed = [(older, newer) for older, newer in pairs if older.contents != newer.contents]
        with self.progress.step(f"Comparing {self.store.name}", len(changed), "buckets"):
            tables = parallel_map(lambda pair: self._bucket(*pair), changed)
        changes = pa.concat_tables([self.arrow_schema.empty_table(), *tables])
        return self._met_again(changes) if self._keys_move(changed) else changes

    def _keys_move(self, pairs: Sequence[_Pair]) -> bool:
        """Return whether a key may be stored in another bucket later: if buckets are assigned as rows arrive, an
        overwrite assigns them again, and a key without the partition columns follows its row to another partition."""
        entries = chain.from_iterable((*older.entries, *newer.entries) for older, newer in pairs)
        return self.store.schema.is_primary_key_table and any(entry.total_buckets < 1 for entry in entries)

    def _met_again(self, changes: pa.Table) -> pa.Table:
        """Combine the changes of keys that disappeared from one bucket and appeared in another: they were changed, or
        only moved."""
        kinds = changes.column(0)
        removed, new = (
            changes.filter(pc.equal(kinds, kind.short)).remove_column(0) for kind in (RowKind.DELETE, RowKind.INSERT)
        )
        updates = [RowKind.UPDATE_BEFORE.short, RowKind.UPDATE_AFTER.short]
        changed = changes.filter(pc.is_in(kinds, pa.array(updates)))
        return pa.concat_tables([changed, self._by_key(removed, new, self.store.schema.primary_keys)])

    def _state(self, snapshot: Snapshot | None) -> _State:
        if snapshot is None:
            return _State((), {}, self.store)
        store = laid_out_as(self.store, snapshot)
        live = ManifestFiles(store).live_files(snapshot)
        return _State(visible_entries(store, live).items, deletion_files(store, snapshot), store)

    def _bucket(self, before: _State, after: _State) -> pa.Table:
        self.progress.check()
        keys = self.store.schema.trimmed_primary_keys
        tables = []
        for older, newer in self._sections(before, after):
            removed, new = self._rows(older), self._rows(newer)
            tables.append(self._by_key(removed, new, keys) if keys else self._by_row(removed, new))
        self.progress.advance()
        return pa.concat_tables([self.arrow_schema.empty_table(), *tables])

    def _sections(self, before: _State, after: _State) -> list[_Pair]:
        """Return the files to compare: in tables without a key those that only one snapshot has in this form; otherwise
        those whose keys overlap the keys of such files, one section at a time."""
        alike = before.contents & after.contents
        if not self.store.schema.is_primary_key_table:
            return [(before.without(alike), after.without(alike))]
        same = before.names(alike)
        files = {_name(entry): entry.file for entry in (*before.entries, *after.entries)}
        found = []
        for section in partition_into_sections(files.values(), key_of_schema(self.store.schema)):
            names = {(file.file_name, file.external_path) for run in section for file in run.files}
            if not names <= same:
                found.append((before.within(names), after.within(names)))
        return found

    def _rows(self, state: _State) -> pa.Table:
        splits: list[Split] = splits_of(state.store, state.entries, state.deletions) if state.entries else []
        return SplitReader(state.store, state.store.schema, self.store.schema.field_names).read_all(splits)

    def _by_key(self, before: pa.Table, after: pa.Table, keys: Sequence[str]) -> pa.Table:
        """Compare two states sorted together by key: a key occurs once if only one of them has it, and twice if both
        do."""
        rows = pa.concat_tables([before, after]).combine_chunks()
        if not rows.num_rows:
            return self._labelled(rows, np.zeros(0, np.int64))
        groups = group_keys([rows.column(name) for name in keys])
        sizes = groups.ends - groups.starts
        first = groups.order[groups.starts]
        last = groups.order[groups.ends - 1]
        pairs = sizes == 2
        changed = np.zeros(len(sizes), bool)
        changed[pairs] = _rows_differ(rows, first[pairs], last[pairs], self.store.schema)
        was_there = first < before.num_rows
        kinds_first = np.where(pairs, RowKind.UPDATE_BEFORE, np.where(was_there, RowKind.DELETE, RowKind.INSERT))
        kept = ~pairs | changed
        # Each kept key gives one row, or two if it was changed; rows are laid out pairwise, then unused slots are
        # dropped.
        positions = np.column_stack([first, last])[kept]
        kinds = np.column_stack([kinds_first, np.full(len(sizes), RowKind.UPDATE_AFTER)])[kept]
        used = np.column_stack([np.ones(len(sizes), bool), pairs])[kept]
        return self._labelled(rows.take(pa.array(positions[used])), kinds[used])

    def _by_row(self, removed: pa.Table, new: pa.Table) -> pa.Table:
        """Compare rows without a key: those of rewritten files cancel equal ones, one by one."""
        if not removed.num_rows:
            return self._labelled(new, np.full(new.num_rows, RowKind.INSERT))
        if not new.num_rows:
            return self._labelled(removed, np.full(removed.num_rows, RowKind.DELETE))
        both = pa.concat_tables([removed, new]).combine_chunks()
        sign = np.concatenate([np.full(removed.num_rows, -1), np.ones(new.num_rows, np.int64)])
        group, firsts = _equal_rows(both)
        balance = np.bincount(group, weights=sign, minlength=len(firsts)).astype(np.int64)
        rows = np.repeat(firsts, np.abs(balance))
        kinds = np.repeat(np.where(balance < 0, RowKind.DELETE, RowKind.INSERT), np.abs(balance))
        return self._labelled(both.take(pa.array(rows)), kinds)

    def _labelled(self, rows: pa.Table, kinds: AnyArray) -> pa.Table:
        return rows.add_column(0, ROW_KIND_FIELD, kind_texts(kinds)).cast(self.arrow_schema)


def _pairs(before: _State, after: _State) -> list[_Pair]:
    """Pair both states bucket by bucket, or as a whole partition if the number of its buckets has changed, as its keys
    were redistributed."""
    totals: dict[bytes, set[int]] = {}
    for entry in chain(before.entries, after.entries):
        totals.setdefault(entry.partition, set()).add(entry.total_buckets)

    def by_place(state: _State) -> dict[tuple[bytes, int | None], _State]:
        positions: dict[tuple[bytes, int | None], list[ManifestEntry]] = {}
        for entry in state.entries:
            bucket = entry.bucket if len(totals[entry.partition]) == 1 else None
            positions.setdefault((entry.partition, bucket), []).append(entry)
        return {position: replace(state, entries=entries) for position, entries in positions.items()}

    older, newer = by_place(before), by_place(after)
    none_before, none_after = replace(before, entries=()), replace(after, entries=())
    return [
        (older.get(position, none_before), newer.get(position, none_after))
        for position in dict.fromkeys(chain(older, newer))
    ]


def _name(entry: ManifestEntry) -> _Name:
    return entry.file.file_name, entry.file.external_path


def _rows_differ(rows: pa.Table, left: AnyArray, right: AnyArray, schema: TableSchema) -> AnyArray:
    """Return bool[pairs]: whether any value column differs; null equals null, NaN equals NaN.

    A column is compared only for the pairs that are equal in the columns before it.
    """
    differ = np.zeros(len(left), bool)
    for name in schema.field_names:
        if name not in schema.primary_keys:
            alike = np.flatnonzero(~differ)
            column = rows.column(name)
            differ[alike] = _values_differ(column.take(left[alike]), column.take(right[alike]))
    return differ


def _values_differ(left: pa.ChunkedArray, right: pa.ChunkedArray) -> AnyArray:
    if pa.types.is_nested(left.type):
        codes = value_codes(pa.chunked_array([*left.chunks, *right.chunks], left.type))
        return np.asarray(codes[: len(left)] != codes[len(left) :])
    differ = pc.fill_null(pc.not_equal(left, right), pc.xor(left.is_null(), right.is_null()))
    if pa.types.is_floating(left.type):
        differ = pc.and_not(differ, pc.fill_null(pc.and_(pc.is_nan(left), pc.is_nan(right)), False))
    return np.asarray(differ.to_numpy())


def _equal_rows(table: pa.Table) -> tuple[AnyArray, AnyArray]:
    """Return a number for each row, equal for equal rows, and the first row of each number."""
    codes = row_codes([value_codes(column) for column in table.columns], table.num_rows)
    _, firsts = np.unique(codes, return_index=True)
    return codes, firsts
