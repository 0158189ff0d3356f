"""The difference between two states of a table, its branches, or two tables (format §25.9, mode diff)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.lazy import cached_property
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format.spec.data_file import ManifestEntry
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.lsm.interval_partition import partition_into_sections
from workbench.lsm.levels import key_of_schema
from workbench.lsm.merge_function import RowKind
from workbench.metadata.index_files import DataFileId, DeletionFile, deletion_files
from workbench.metadata.layouts import laid_out_as
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.scan.incremental.changed_rows import NONE, ChangedRows, compared_by_key, compared_by_row, parts_of
from workbench.scan.incremental.key_order import KeyOrderReader, KeySet, Stream, aligned_slices
from workbench.scan.incremental.row_kind_reader import ROW_KIND_FIELD, KindReader
from workbench.scan.incremental.shared_files import SharedFiles
from workbench.scan.planner import splits_of, visible_entries
from workbench.scan.split import Split
from workbench.scan.split_reader import SplitReader

_Name = tuple[str, str | None]
_Content = tuple[_Name, DeletionFile | None]
# If the files that differ have at most this share of the rows, only rows with keys of these files are compared.
_SHARE_OF_KEYS = 0.3
# Rows without a key are compared in memory; more rows than this are compared part by part.
_ROWS_IN_MEMORY = 1 << 21


def _as_it_is(table: pa.Table) -> pa.Table:
    return table


@dataclass(frozen=True)
class Side:
    """One of the states that are compared. ``snapshot`` None is the empty table; ``columns`` are read with the schema
    of ``store``, and ``adapt`` gives them the names and types of the comparison."""

    store: TableStore
    snapshot: Snapshot | None
    columns: tuple[str, ...]
    adapt: Callable[[pa.Table], pa.Table] = _as_it_is

    @staticmethod
    def of(store: TableStore, snapshot: Snapshot | None) -> Side:
        """Return the state of a snapshot with all columns of the store."""
        return Side(store, snapshot, store.schema.field_names)

    @cached_property
    def state(self) -> State:
        """Return the visible files."""
        if self.snapshot is None:
            return State((), {}, self)
        store = laid_out_as(self.store, self.snapshot)
        visible = visible_entries(store, ManifestFiles(store).live_files(self.snapshot)).items
        if any(entry.bucket == POSTPONE_BUCKET for entry in visible):
            raise Unsupported(
                f"Versions of {store.name} with rows that wait for a bucket cannot be compared with option "
                "'postpone.merge-on-read' = 'true'.",
                "Compact the table first, or set the option to 'false'.",
            )
        return State(visible, deletion_files(store, self.snapshot), replace(self, store=store))


@dataclass(frozen=True)
class State:
    """Files of one side, and their deletion vectors."""

    entries: Sequence[ManifestEntry]
    deletions: Mapping[DataFileId, DeletionFile]
    side: Side

    @cached_property
    def contents(self) -> set[_Content]:
        """Return what identifies the rows of the state: its files and their deletion vectors. The level is ignored, as
        a file that is upgraded to another level holds the same rows."""
        return {self._content(entry) for entry in self.entries}

    def names(self, contents: Container[_Content]) -> set[_Name]:
        """Return the names of the files whose content is among ``contents``."""
        return {_name(entry) for entry in self.entries if self._content(entry) in contents}

    def within(self, names: Container[_Name]) -> State:
        """Return the state with only the files that have one of these names."""
        return replace(self, entries=[entry for entry in self.entries if _name(entry) in names])

    def without(self, contents: Container[_Content]) -> State:
        """Return the state without the files that have one of these contents."""
        return replace(self, entries=[entry for entry in self.entries if self._content(entry) not in contents])

    @property
    def rows(self) -> int:
        """The number of stored rows."""
        return sum(entry.file.row_count for entry in self.entries)

    def splits(self) -> list[Split]:
        """Return the splits that read the files."""
        return splits_of(self.side.store, self.entries, self.deletions) if self.entries else []

    def streams(self, progress: Progress, keys: KeySet | None, shared: SharedFiles | None) -> list[Stream]:
        """Return the rows that may have one of the ``keys``, all rows for None, as streams in key order."""
        store = self.side.store
        reader = KeyOrderReader(store, store.schema, self.side.columns, progress=progress, keys=keys, shared=shared)
        return reader.ordered_streams(self.splits(), key_of_schema(store.schema), self.side.adapt)

    def stored_keys(self, progress: Progress) -> Iterator[pa.Table]:
        """Return the keys of all stored rows, including rows that deletes and deletion vectors remove."""
        schema = self.side.store.schema
        reader = KindReader(self.side.store, schema, schema.trimmed_primary_keys, progress=progress)
        splits = (
            replace(split, sections=tuple(((file,),) for file in split.files), deletions={}) for split in self.splits()
        )
        return (table.remove_column(0) for table in reader.stream(list(splits)))

    def rows_of(self, progress: Progress) -> Iterator[pa.Table]:
        """Return the rows in any order."""
        reader = SplitReader(self.side.store, self.side.store.schema, self.side.columns, progress=progress)
        return map(self.side.adapt, reader.stream(self.splits()))

    def _content(self, entry: ManifestEntry) -> _Content:
        return _name(entry), self.deletions.get((entry.partition, entry.bucket, entry.file.file_name))


@dataclass(frozen=True)
class StatePair:
    """Files of both states that hold all rows with some keys, or all rows of a partition in a table without keys."""

    before: State
    after: State

    @property
    def known_changes(self) -> tuple[RowKind, bytes, int] | None:
        """The kind, the partition and the number of the changes if metadata determines them: a single file, or files
        without a key, that only one state has. None if rows have to be compared."""
        if bool(self.before.entries) == bool(self.after.entries):
            return None
        state, kind = (self.after, RowKind.INSERT) if self.after.entries else (self.before, RowKind.DELETE)
        first = state.entries[0]
        keyed = state.side.store.schema.is_primary_key_table
        if state.deletions or (keyed and (len(state.entries) > 1 or first.file.delete_row_count)):
            return None
        if state.side.store.schema.core.data_evolution_enabled or any(
            entry.partition != first.partition for entry in state.entries
        ):
            return None
        return kind, first.partition, state.rows


@dataclass(frozen=True)
class StateDiff:
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
        return StateDiff(Side.of(store, start), Side.of(store, end), store.schema, progress or Progress())

    @property
    def arrow_schema(self) -> pa.Schema:
        """The schema of rows with their kinds: `rowkind`, then the columns."""
        return pa.schema([ROW_KIND_FIELD, *self.schema.arrow_schema])

    def between(self) -> pa.Table:
        """Return rows as +I, -U, +U and -D, the old row of an update right before the new one."""
        pairs = self.pairs()
        with self.progress.step(f"Comparing {self.after.store.name}", len(pairs), "buckets"):
            tables = parallel_map(self._table_of, pairs)
        return pa.concat_tables([self.arrow_schema.empty_table(), *tables])

    def stream(self) -> Iterator[ChangedRows]:
        """Yield the changes piece by piece, in bounded memory."""
        for pair in self.pairs():
            yield from self.changes_of(pair)

    def _table_of(self, pair: StatePair) -> pa.Table:
        tables = [each.to_table(self.arrow_schema) for each in self.changes_of(pair)]
        self.progress.advance()
        return pa.concat_tables([self.arrow_schema.empty_table(), *tables])

    def pairs(self) -> list[StatePair]:
        """Return the files to compare, apart from those whose rows are the same in both states."""
        found: list[StatePair] = []
        for before, after in self._places():
            found += self._differing(before, after)
        return found

    def changes_of(self, pair: StatePair) -> Iterator[ChangedRows]:
        """Yield the changes of one pair, in key order."""
        self.progress.check()
        if not self.schema.is_primary_key_table:
            return self._by_row(pair)
        return self._by_key(pair) if self.in_key_order else self._by_key_in_parts(pair)

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

    def _places(self) -> list[tuple[State, State]]:
        """Divide both states into pairs of parts that hold the same keys.

        A part is a bucket; a partition, if its number of buckets has changed or buckets are assigned as rows arrive; or
        the whole table, if a key may move to another partition.
        """
        before, after = self.before.state, self.after.state
        totals: dict[bytes, set[int]] = {}
        for entry in chain(before.entries, after.entries):
            totals.setdefault(entry.partition, set()).add(entry.total_buckets)
        keyed = self.schema.is_primary_key_table
        assigned = keyed and any(min(each) < 1 for each in totals.values())
        moves = assigned and not set(self.schema.partition_keys) <= set(self.schema.primary_keys)

        def place(entry: ManifestEntry) -> tuple[bytes | None, int | None]:
            if moves or not self.by_partition:
                return None, None
            fixed = len(totals[entry.partition]) == 1 and not assigned and self.by_bucket
            return entry.partition, entry.bucket if fixed else None

        older, newer = _by_place(before, place), _by_place(after, place)
        none_before, none_after = replace(before, entries=()), replace(after, entries=())
        return [
            (older.get(each, none_before), newer.get(each, none_after)) for each in dict.fromkeys(chain(older, newer))
        ]

    def _differing(self, before: State, after: State) -> list[StatePair]:
        """Return the files to compare: in tables without a key, the files whose content is in only one state; otherwise
        the files whose keys overlap the keys of such files, as one pair for each range of keys."""
        alike = before.contents & after.contents if self.share_files else set()
        if self.share_files and before.contents == after.contents:
            return []
        if not self.schema.is_primary_key_table:
            return [StatePair(before.without(alike), after.without(alike))]
        if not self.share_files and not self._same_key_types:
            return [StatePair(before, after)]
        same = before.names(alike)
        files = {_name(entry): entry.file for entry in (*before.entries, *after.entries)}
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

    # --- rows -------------------------------------------------------------------------------------------------------

    def _by_key(self, pair: StatePair) -> Iterator[ChangedRows]:
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

    def _changed_keys(self, pair: StatePair, alike: Set[_Content]) -> KeySet | None:
        """Return the keys of the files that only one state has, None if these files have too many rows. All other keys
        have the same rows in both states."""
        others = [pair.before.without(alike), pair.after.without(alike)]
        rows = sum(each.rows for each in others)
        if rows > min(_SHARE_OF_KEYS * (pair.before.rows + pair.after.rows), _ROWS_IN_MEMORY):
            return None
        schema = self.after.store.schema
        none = pa.schema([schema.arrow_schema.field(name) for name in schema.trimmed_primary_keys]).empty_table()
        found = pa.concat_tables([none, *(table for each in others for table in each.stored_keys(self.progress))])
        return KeySet({name: found.column(name).unique() for name in found.schema.names})

    def _by_key_in_parts(self, pair: StatePair) -> Iterator[ChangedRows]:
        """Compare files that are sorted by different columns: all rows of some keys at a time."""
        for before, after in self._in_parts(pair, self.keys):
            yield compared_by_key(before, after, self.keys, self.values)

    def _by_row(self, pair: StatePair) -> Iterator[ChangedRows]:
        """Compare rows without a key: a row that was only rewritten cancels one equal row of the other state."""
        before, after = pair.before, pair.after
        if not before.entries or not after.entries:
            kind = RowKind.INSERT if after.entries else RowKind.DELETE
            yield from (self._all(table, kind) for table in (after if after.entries else before).rows_of(self.progress))
            return
        for removed, new in self._in_parts(pair, self.schema.field_names):
            yield compared_by_row(removed, new)

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
        return pa.concat_tables([self.schema.arrow_schema.empty_table(), *kept])

    def _all(self, rows: pa.Table, kind: RowKind) -> ChangedRows:
        empty = self.schema.arrow_schema.empty_table()
        here, nowhere = np.arange(rows.num_rows, dtype=np.int64), np.full(rows.num_rows, NONE)
        kinds = np.full(rows.num_rows, kind, np.int8)
        if kind == RowKind.INSERT:
            return ChangedRows(empty, rows, kinds, nowhere, here)
        return ChangedRows(rows, empty, kinds, here, nowhere)


def _by_place(
    state: State, place: Callable[[ManifestEntry], tuple[bytes | None, int | None]]
) -> dict[tuple[bytes | None, int | None], State]:
    places: dict[tuple[bytes | None, int | None], list[ManifestEntry]] = {}
    for entry in state.entries:
        places.setdefault(place(entry), []).append(entry)
    return {each: replace(state, entries=entries) for each, entries in places.items()}


def _name(entry: ManifestEntry) -> _Name:
    return entry.file.file_name, entry.file.external_path
