"""The difference between two states of a table, its branches, or two tables (format §25.9, mode diff)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

import numpy as np
import pyarrow as pa

from workbench.base.lazy import cached_property
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format.spec.data_file import DataFileMeta, ManifestEntry
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.table_kind import AppendOnlyKind, KeyValueKind, TableKind
from workbench.lsm.interval_partition import partition_into_sections
from workbench.lsm.levels import key_of_schema
from workbench.lsm.merge_function import RowKind
from workbench.metadata.store import TableStore
from workbench.scan.incremental.changed_rows import (
    NONE,
    ChangedRows,
    compared_by_key,
    compared_by_row,
    parts_of,
)
from workbench.scan.incremental.key_order import KeySet, aligned_slices
from workbench.scan.incremental.row_kind_reader import ROW_KIND_FIELD
from workbench.scan.incremental.shared_files import SharedFiles
from workbench.scan.incremental.states import Content, Side, State, StatePair, name_of

_Place = tuple[list[ManifestEntry], list[ManifestEntry]]
# If the files that differ have at most this share of the rows, only rows with keys of these files are compared.
_SHARE_OF_KEYS = 0.3
# Rows without a key are compared in memory; more rows than this are compared part by part.
_ROWS_IN_MEMORY = 1 << 21
# Partitions and buckets are counted together up to this number, and up to this number of rows; a wide row counts as
# many.
_PLACES_TOGETHER = 16
_ROWS_TOGETHER = 1 << 16
_SMALL_ROW_BYTES = 256


@dataclass(frozen=True)
class StateDiff(ABC):
    """Comparison of two states. If both are of the same table, buckets and key ranges with the same files are not read.

    ``schema`` describes the compared columns and the key; ``share_files`` is whether both states are of one table, so
    that files with the same name are the same file; ``by_bucket`` and ``by_partition`` are whether equal keys are in
    the same bucket and partition of both states; ``in_key_order`` is whether the files of both states are sorted by the
    same columns.
    """

    before: Side
    after: Side
    schema: TableSchema
    progress: Progress = field(default_factory=Progress)
    share_files: bool = True
    by_bucket: bool = True
    by_partition: bool = True
    in_key_order: bool = True

    @staticmethod
    def of(
        store: TableStore, start: Snapshot | None, end: Snapshot | None, progress: Progress | None = None
    ) -> StateDiff:
        """Return the comparison of two snapshots of a table, read with its current columns."""
        return diff_of(store.schema)(Side.of(store, start), Side.of(store, end), store.schema, progress or Progress())

    @property
    def arrow_schema(self) -> pa.Schema:
        """The schema of rows with their kinds: `rowkind`, then the columns."""
        return pa.schema([ROW_KIND_FIELD, *self.schema.arrow_schema])

    def between(self) -> pa.Table:
        """Return rows as +I, -U, +U and -D, the old row of an update right before the new one."""
        pairs = list(self.pairs())
        with self.progress.step(f"Comparing {self.after.store.name}", len(pairs), "buckets"):
            tables = parallel_map(self._table_of, pairs)
        return pa.concat_tables([_no_rows(self.arrow_schema), *tables])

    def stream(self) -> Iterator[ChangedRows]:
        """Yield the changes piece by piece, in bounded memory."""
        for pair in self.pairs():
            yield from self.changes_of(pair)

    def _table_of(self, pair: StatePair) -> pa.Table:
        tables = [each.to_table(self.arrow_schema) for each in self.changes_of(pair)]
        self.progress.advance()
        return pa.concat_tables([_no_rows(self.arrow_schema), *tables])

    def pairs(self) -> Iterator[StatePair]:
        """Yield the files to compare, apart from those whose rows are the same in both states."""
        return self._pairs_of(self._places)

    def parts(self) -> list[Callable[[], Iterable[StatePair]]]:
        """Return the work in parts: each returns one pair, or pairs that have few rows together. These pairs are found
        only when the part is called, as finding all pairs of many partitions takes long."""
        found: list[Callable[[], Iterable[StatePair]]] = []
        group: list[_Place] = []
        rows = 0
        for place in self._places:
            count = sum(_small_rows(entry.file) for entries in place for entry in entries)
            # Rows of different partitions are different rows, unless a key may move.
            if count > _ROWS_TOGETHER or self.schema.kind.crosses_partitions:
                found += [partial(tuple, [pair]) for pair in self._pairs_of([place])]
                continue
            if group and (rows + count > _ROWS_TOGETHER or len(group) == _PLACES_TOGETHER):
                found.append(partial(self._pairs_of, group))
                group, rows = [], 0
            group.append(place)
            rows += count
        return [*found, partial(self._pairs_of, group)] if group else found

    def changes_together(self, pairs: Sequence[StatePair]) -> Iterator[ChangedRows]:
        """Yield the changes of pairs of one part, in any order. Pairs with few rows are compared as one, since each
        comparison costs far more than these rows."""
        if len(pairs) < 2:
            return chain.from_iterable(map(self.changes_of, pairs))
        self.progress.check()
        before, after = (
            replace(sides[0], entries=[entry for side in sides for entry in side.entries])
            for sides in ([pair.before for pair in pairs], [pair.after for pair in pairs])
        )
        return self._changes_of_many(StatePair(before, after))

    def changes_of(self, pair: StatePair) -> Iterator[ChangedRows]:
        """Yield the changes of one pair, in key order."""
        self.progress.check()
        return self._changes(pair)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The columns of the key, in the order by which files are sorted."""
        trimmed = self.schema.trimmed_primary_keys
        return (*trimmed, *(name for name in self.schema.primary_keys if name not in trimmed))

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The columns that are not part of the key."""
        return tuple(name for name in self.schema.field_names if name not in self.schema.primary_keys)

    # --- which files ------------------------------------------------------------------------------------------------

    @cached_property
    def _places(self) -> list[_Place]:
        """The files of both states, divided into places that hold the same keys, without the places where both states
        have the same files.

        A place is a bucket; a partition, if its number of buckets has changed or buckets are assigned as rows arrive;
        or the whole table, if a key may move to another partition.
        """
        before, after = self.before.state, self.after.state
        totals: dict[bytes, set[int]] = {}
        for entry in chain(before.entries, after.entries):
            totals.setdefault(entry.partition, set()).add(entry.total_buckets)
        assigned = bool(self.keys) and any(min(each) < 1 for each in totals.values())
        moves = assigned and self.schema.kind.crosses_partitions

        def place(entry: ManifestEntry) -> tuple[bytes | None, int | None]:
            if moves or not self.by_partition:
                return None, None
            fixed = len(totals[entry.partition]) == 1 and not assigned and self.by_bucket
            return entry.partition, entry.bucket if fixed else None

        older, newer = (
            {(each.partition, each.bucket, state.content(each)): each for each in state.entries}
            for state in (before, after)
        )
        alike = older.keys() & newer.keys() if self.share_files else set()
        differ = {place(entry) for state in (older, newer) for each, entry in state.items() if each not in alike}
        places: dict[tuple[bytes | None, int | None], _Place] = {}
        for number, state in enumerate((before, after)):
            for entry in state.entries:
                where = place(entry)
                if where in differ:
                    places.setdefault(where, ([], []))[number].append(entry)
        return list(places.values())

    def _pairs_of(self, places: Iterable[_Place]) -> Iterator[StatePair]:
        before, after = self.before.state, self.after.state
        for older, newer in places:
            yield from self._differing(replace(before, entries=older), replace(after, entries=newer))

    def _differing(self, before: State, after: State) -> list[StatePair]:
        if self.share_files and before.contents == after.contents:
            return []
        return self._differing_files(before, after, before.contents & after.contents if self.share_files else set())

    # --- what the kind of the table decides -------------------------------------------------------------------------

    @abstractmethod
    def _differing_files(self, before: State, after: State, alike: Set[Content]) -> list[StatePair]:
        """Return the files of a place to compare, given the contents that both states have."""

    @abstractmethod
    def _changes(self, pair: StatePair) -> Iterator[ChangedRows]:
        """Yield the changes of a pair, in key order."""

    @abstractmethod
    def _changes_of_many(self, pair: StatePair) -> Iterator[ChangedRows]:
        """Yield the changes of a pair that joins several, in any order."""

    # --- rows -------------------------------------------------------------------------------------------------------

    def _in_parts(self, pair: StatePair, columns: Sequence[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
        """Yield the rows of both states in parts: rows with equal values in the given columns are in the same part."""
        parts = max(1, -(-(pair.before.rows + pair.after.rows) // _ROWS_IN_MEMORY))
        for part in range(parts):
            self.progress.check()
            older, newer = (
                self._part(side.rows_of(self.progress), part, parts, columns) for side in (pair.before, pair.after)
            )
            yield older, newer

    def _part(self, tables: Iterable[pa.Table], part: int, parts: int, columns: Sequence[str]) -> pa.Table:
        kept = (
            table
            if parts == 1
            else table.filter(pa.array(parts_of(table.select(list(columns)), parts) == np.uint64(part)))
            for table in tables
        )
        return pa.concat_tables([_no_rows(self.schema.arrow_schema), *kept])


class KeyDiff(StateDiff):
    """Compares rows by key: the old and the new row of a key are an update."""

    def _differing_files(self, before: State, after: State, alike: Set[Content]) -> list[StatePair]:
        """Return the files whose keys overlap the keys of a file that only one state has, as one pair for each range of
        keys."""
        if not self.share_files and not self._same_key_types:
            return [StatePair(before, after)]
        same = before.names(alike)
        files = {name_of(entry): entry.file for entry in (*before.entries, *after.entries)}
        found = []
        for section in partition_into_sections(files.values(), key_of_schema(self.schema)):
            names = {(file.file_name, file.external_path) for run in section for file in run.files}
            if not names <= same:
                found.append(StatePair(before.within(names), after.within(names)))
        return found

    @cached_property
    def _same_key_types(self) -> bool:
        """Return whether the key bounds of files have the same types on both sides."""
        schemas = [side.store.schema for side in (self.before, self.after)]
        one, other = ([each.field(name).type.as_nullable() for name in each.trimmed_primary_keys] for each in schemas)
        return one == other

    def _changes(self, pair: StatePair) -> Iterator[ChangedRows]:
        return self._in_key_order(pair) if self.in_key_order else self._changes_of_many(pair)

    def _in_key_order(self, pair: StatePair) -> Iterator[ChangedRows]:
        alike = pair.before.contents & pair.after.contents if self.share_files else set()
        changed = self._changed_keys(pair, alike) if alike else None
        shared = SharedFiles(pair.before.names(alike)) if alike else None
        older, newer = (side.streams(self.progress, changed, shared) for side in (pair.before, pair.after))
        is_local = all(side.store.file_io.is_local for side in (self.before, self.after))
        for before, after in aligned_slices(older, newer, self.keys, self.schema.arrow_schema, ahead=not is_local):
            self.progress.check()
            changes = compared_by_key(before, after, self.keys, self.values)
            # This frees the memory of these rows before the next rows are read.
            del before, after
            yield changes
            del changes

    def _changed_keys(self, pair: StatePair, alike: Set[Content]) -> KeySet | None:
        """Return the keys of the files that only one state has, None if these files have too many rows. All other keys
        have the same rows in both states."""
        others = [pair.before.without(alike), pair.after.without(alike)]
        rows = sum(each.rows for each in others)
        if rows > min(_SHARE_OF_KEYS * (pair.before.rows + pair.after.rows), _ROWS_IN_MEMORY):
            return None
        schema = self.after.store.schema
        none = _no_rows(pa.schema([schema.arrow_schema.field(name) for name in schema.trimmed_primary_keys]))
        found = pa.concat_tables([none, *(table for each in others for table in each.stored_keys(self.progress))])
        return KeySet({name: found.column(name).unique() for name in found.schema.names})

    def _changes_of_many(self, pair: StatePair) -> Iterator[ChangedRows]:
        """Compare files that are sorted by different columns: all rows of some keys at a time."""
        for before, after in self._in_parts(pair, self.keys):
            yield compared_by_key(before, after, self.keys, self.values)


class RowDiff(StateDiff):
    """Compares rows without a key: a row that was only rewritten cancels one equal row of the other state."""

    def _differing_files(self, before: State, after: State, alike: Set[Content]) -> list[StatePair]:
        return [StatePair(before.without(alike), after.without(alike))]

    def _changes_of_many(self, pair: StatePair) -> Iterator[ChangedRows]:
        return self._changes(pair)

    def _changes(self, pair: StatePair) -> Iterator[ChangedRows]:
        before, after = pair.before, pair.after
        if not before.entries or not after.entries:
            kind = RowKind.INSERT if after.entries else RowKind.DELETE
            yield from (self._all(table, kind) for table in (after if after.entries else before).rows_of(self.progress))
            return
        for removed, new in self._in_parts(pair, self.schema.field_names):
            yield compared_by_row(removed, new)

    def _all(self, rows: pa.Table, kind: RowKind) -> ChangedRows:
        empty = _no_rows(self.schema.arrow_schema)
        here, nowhere = np.arange(rows.num_rows, dtype=np.int64), np.full(rows.num_rows, NONE)
        kinds = np.full(rows.num_rows, kind, np.int8)
        if kind == RowKind.INSERT:
            return ChangedRows(empty, rows, kinds, nowhere, here)
        return ChangedRows(rows, empty, kinds, here, nowhere)


def _small_rows(file: DataFileMeta) -> int:
    """Return how many small rows need as much memory as the rows of a file."""
    return max(file.row_count, file.file_size // _SMALL_ROW_BYTES)


_DIFFS: Mapping[type[TableKind], type[StateDiff]] = {KeyValueKind: KeyDiff, AppendOnlyKind: RowDiff}


def diff_of(schema: TableSchema) -> type[StateDiff]:
    """Return the comparison for the kind of a table."""
    return schema.kind.choose(_DIFFS)


def _no_rows(schema: pa.Schema) -> pa.Table:
    # Arrow's own empty table is built from Python lists, for which it would import pandas.
    return pa.Table.from_batches([], schema)
