"""The files of the states of a table that are compared."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.lazy import cached_property
from workbench.base.progress import Progress
from workbench.format.spec.data_file import ManifestEntry
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.snapshot import Snapshot
from workbench.lsm.levels import key_of_schema
from workbench.lsm.merge_function import RowKind
from workbench.metadata.index_files import DataFileId, DeletionFile, deletion_files
from workbench.metadata.layouts import laid_out_as
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.scan.incremental.changed_rows import KnownChanges
from workbench.scan.incremental.key_order import KeyOrderReader, KeySet, Stream
from workbench.scan.incremental.row_kind_reader import KindReader
from workbench.scan.incremental.shared_files import SharedFiles
from workbench.scan.planner import splits_of, visible_entries
from workbench.scan.split import Split
from workbench.scan.split_reader import SplitReader

Name = tuple[str, str | None]
Content = tuple[Name, DeletionFile | None]


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
    def contents(self) -> set[Content]:
        """Return what identifies the rows of the state: its files and their deletion vectors. The level is ignored, as
        a file that is upgraded to another level holds the same rows."""
        return {self.content(entry) for entry in self.entries}

    def names(self, contents: Container[Content]) -> set[Name]:
        """Return the names of the files whose content is among ``contents``."""
        return {name_of(entry) for entry in self.entries if self.content(entry) in contents}

    def within(self, names: Container[Name]) -> State:
        """Return the state with only the files that have one of these names."""
        return replace(self, entries=[entry for entry in self.entries if name_of(entry) in names])

    def without(self, contents: Container[Content]) -> State:
        """Return the state without the files that have one of these contents."""
        return replace(self, entries=[entry for entry in self.entries if self.content(entry) not in contents])

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

    def content(self, entry: ManifestEntry) -> Content:
        """Return what identifies the rows of a file."""
        return name_of(entry), self.deletions.get((entry.partition, entry.bucket, entry.file.file_name))


@dataclass(frozen=True)
class StatePair:
    """Files of both states that hold all rows with some keys, or all rows of a partition in a table without keys."""

    before: State
    after: State

    @property
    def known_changes(self) -> KnownChanges | None:
        """The changes if metadata determines them: those of a single file, or of files without a key, that only one
        state has. None if rows have to be compared."""
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
        return KnownChanges(kind, first.partition, state.rows)


def name_of(entry: ManifestEntry) -> Name:
    """Return what distinguishes a file from the other files of its bucket."""
    return entry.file.file_name, entry.file.external_path
