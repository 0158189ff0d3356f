"""Where the changed rows come from: stored changelogs, deltas of commits, or the comparison of both states."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Literal

import numpy as np
import pyarrow as pa

from workbench.base.errors import Unsupported, WorkbenchError, did_you_mean
from workbench.base.lazy import cached_property
from workbench.base.modules import pc
from workbench.base.progress import Progress
from workbench.format.spec.schema import TableSchema
from workbench.lens.diff.alignment import Adapt, Alignment, aligned
from workbench.lens.diff.ends import End
from workbench.lsm.merge_function import RowKind
from workbench.metadata.definition.option_checks import check_supported
from workbench.scan.incremental.changed_rows import NONE, ChangedRows, KnownChanges, values_differ
from workbench.scan.incremental.changes import AUTO, CHANGELOG, DELTA, DIFF, MODES
from workbench.scan.incremental.history import History
from workbench.scan.incremental.row_kind_reader import ROW_KIND_FIELD, KindReader
from workbench.scan.incremental.state_diff import StateDiff, diff_of
from workbench.scan.incremental.states import Side, StatePair
from workbench.scan.incremental.stored import StoredChanges
from workbench.scan.split import Split

Mode = Literal["diff", "delta", "changelog"]
Unit = Callable[[], Iterator[ChangedRows | KnownChanges]]

_EXPLAINED: dict[str, str] = {
    DIFF: "Both states compared: each key, or each row of a table without keys, before and after.",
    DELTA: "Deltas of the commits: the rows that APPEND commits wrote, unmerged. OVERWRITE commits are left out.",
    CHANGELOG: "Stored changelog of the commits. OVERWRITE commits are left out.",
}


@dataclass(frozen=True)
class Source(ABC):
    """Changed rows, as a stream of chunks. ``schema`` has their columns and key; ``notes`` are limitations that users
    must know."""

    before: End
    after: End
    progress: Progress = field(default_factory=Progress)

    mode: str = DIFF

    @property
    @abstractmethod
    def schema(self) -> TableSchema:
        """The columns, the key and the partition columns of the rows."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Limitations that users must know, as sentences."""
        return ()

    @property
    def explained(self) -> str:
        """Where the rows come from, in words."""
        return _EXPLAINED[self.mode]

    @property
    def arrow_schema(self) -> pa.Schema:
        """The schema of the rows, with the row kind as the first column."""
        return pa.schema([ROW_KIND_FIELD, *self.schema.arrow_schema])

    @abstractmethod
    def units(self) -> Sequence[Unit]:
        """Return independent parts of the work, which yield changed rows."""

    def counted_units(self) -> Sequence[Unit]:
        """Return independent parts of the work, which do not read the changes that metadata counts."""
        return self.units()

    @abstractmethod
    def stream(self) -> Iterator[ChangedRows]:
        """Yield the changes chunk by chunk in their order, in bounded memory."""


@dataclass(frozen=True)
class ComparedStates(Source):
    """Both states compared with each other."""

    @property
    def schema(self) -> TableSchema:
        """The columns that both have."""
        return self._alignment.schema

    @property
    def notes(self) -> tuple[str, ...]:
        """Which columns are left out, and whose types differ."""
        return self._alignment.notes

    def units(self) -> Sequence[Unit]:
        """Return a unit for each range of keys that may differ, or for some partitions and buckets with few rows."""
        return [partial(self._unit, part, knows=False) for part in self._diff.parts()]

    def counted_units(self) -> Sequence[Unit]:
        """Return the same units, which do not read files that only one state has if metadata counts their rows."""
        return [partial(self._unit, part, knows=self._is_one_branch) for part in self._diff.parts()]

    def stream(self) -> Iterator[ChangedRows]:
        """Yield the changes chunk by chunk, in bounded memory."""
        return self._diff.stream()

    def _unit(self, part: Callable[[], Iterable[StatePair]], *, knows: bool) -> Iterator[ChangedRows | KnownChanges]:
        unknown = []
        for pair in part():
            known = pair.known_changes if knows else None
            if known is None:
                unknown.append(pair)
            else:
                yield known
        yield from self._diff.changes_together(unknown)

    @cached_property
    def is_one_table(self) -> bool:
        """Whether both ends are versions of one table or of its branches."""
        return self.before.store.location == self.after.store.location

    @cached_property
    def _is_one_branch(self) -> bool:
        return self.is_one_table and self.before.store.branch == self.after.store.branch

    @cached_property
    def _alignment(self) -> Alignment:
        for end in (self.before, self.after):
            check_supported(end.store.schema, for_write=False)
            if end.store.schema.core.data_evolution_enabled:
                raise Unsupported("Rows of a table with option 'data-evolution.enabled' = 'true' cannot be compared.")
        if self._is_one_branch:
            schema = self._read_schema
            return Alignment(schema, schema.field_names, schema.field_names)
        return aligned(self.before.store.schema, self.after.store.schema, by_id=self.is_one_table)

    @property
    def _read_schema(self) -> TableSchema:
        """The columns of the newer version, unless that is the empty table."""
        return (self.after if self.after.number else self.before).store.schema

    @cached_property
    def _diff(self) -> StateDiff:
        alignment = self._alignment
        one, other = (end.store.schema for end in (self.before, self.after))
        if self._is_one_branch:
            stores = [end.store.with_schema(self._read_schema) for end in (self.before, self.after)]
            sides = [
                Side(store, end.snapshot, alignment.after)
                for store, end in zip(stores, (self.before, self.after), strict=True)
            ]
            return diff_of(alignment.schema)(sides[0], sides[1], alignment.schema, self.progress)
        adapt = Adapt(alignment.schema.arrow_schema)
        by_partition = _partitioned_alike(one, other) and not other.kind.crosses_partitions
        return diff_of(alignment.schema)(
            Side(self.before.store, self.before.snapshot, alignment.before, adapt),
            Side(self.after.store, self.after.snapshot, alignment.after, adapt),
            alignment.schema,
            self.progress,
            share_files=self.is_one_table and _reads_alike(one, other, alignment),
            by_bucket=by_partition and _bucketed_alike(one, other),
            by_partition=by_partition,
            in_key_order=_sorted_alike(one, other, alignment),
        )


def _reads_alike(one: TableSchema, other: TableSchema, alignment: Alignment) -> bool:
    """Return whether a file that both branches share gives the same rows in both."""
    return alignment.before == alignment.after and not alignment.notes and one.options == other.options


def _sorted_alike(one: TableSchema, other: TableSchema, alignment: Alignment) -> bool:
    """Return whether the files of both are sorted by the same columns."""
    names = dict(zip(alignment.before, alignment.after, strict=True))
    orders = [
        [*schema.trimmed_primary_keys, *(name for name in schema.primary_keys if name in schema.partition_keys)]
        for schema in (one, other)
    ]
    return [names[name] for name in orders[0]] == orders[1]


def _partitioned_alike(one: TableSchema, other: TableSchema) -> bool:
    types = [[(each.name, each.type.as_nullable()) for each in schema.partition_fields] for schema in (one, other)]
    return types[0] == types[1]


def _bucketed_alike(one: TableSchema, other: TableSchema) -> bool:
    keys = [[(name, schema.field(name).type.as_nullable()) for name in schema.bucket_keys] for schema in (one, other)]
    function = [schema.options.get("bucket-function.type") for schema in (one, other)]
    return keys[0] == keys[1] and function[0] == function[1] and one.core.bucket == other.core.bucket > 0


@dataclass(frozen=True)
class StoredRows(Source):
    """The rows that commits stored: their deltas or changelogs."""

    @property
    def schema(self) -> TableSchema:
        """The columns of the newer version."""
        return self.after.store.schema

    def units(self) -> Sequence[Unit]:
        """Return one unit for each split, in the order of the commits."""
        return [partial(self.read, split) for split in self._splits]

    def stream(self) -> Iterator[ChangedRows]:
        """Yield the changes chunk by chunk, in the order of the commits."""
        return chain.from_iterable(map(self.read, self._splits))

    @cached_property
    def _splits(self) -> list[Split]:
        store = self.after.store
        if store.schema.core.data_evolution_enabled:
            raise Unsupported("Changes of a table with option 'data-evolution.enabled' = 'true' are not supported.")
        kept = self.mode == CHANGELOG or _produces_none(store.schema)
        snapshots = History(store, with_changelogs=kept).between(self.before.number, self.after.number)
        stored = StoredChanges(store)
        if self.mode == DELTA:
            return stored.delta(snapshots)
        if _produces_none(store.schema) and snapshots and not any(each.changelog_manifest_list for each in snapshots):
            raise Unsupported(
                f"{store.name} stores no changelog: its option 'changelog-producer' is 'none'.",
                "Use mode 'delta' or 'diff'.",
            )
        return stored.changelog(snapshots)

    def read(self, split: Split) -> Iterator[ChangedRows]:
        """Yield the changes of a split."""
        schema = self.schema
        reader = KindReader(self.after.store, schema, schema.field_names, progress=self.progress)
        values = [name for name in schema.field_names if name not in schema.primary_keys]
        held: pa.Table | None = None
        for table in reader.stream([split]):
            rows = table if held is None else pa.concat_tables([held, table])
            held = None
            # The new row of an update may be in the next chunk.
            if rows.num_rows and rows.column(0)[-1].as_py() == RowKind.UPDATE_BEFORE.short:
                held, rows = rows.slice(rows.num_rows - 1), rows.slice(0, rows.num_rows - 1)
            yield labeled_changes(rows, schema.primary_keys, values)
        if held is not None:
            yield labeled_changes(held, schema.primary_keys, values)


def labeled_changes(rows: pa.Table, keys: Sequence[str], values: Sequence[str]) -> ChangedRows:
    """Return the changes in rows whose first column is the row kind: -U and +U of the same key in succession are one
    change."""
    names = pa.array([kind.short for kind in RowKind])
    kinds = pc.index_in(rows.column(0), names).to_numpy().astype(np.int8)
    rows = rows.remove_column(0)
    is_old = (kinds == RowKind.UPDATE_BEFORE) | (kinds == RowKind.DELETE)
    first = np.zeros(len(kinds), bool)
    if len(kinds) > 1 and keys:
        first[:-1] = (kinds[:-1] == RowKind.UPDATE_BEFORE) & (kinds[1:] == RowKind.UPDATE_AFTER)
        olds = np.flatnonzero(first)
        same = np.ones(len(olds), bool)
        for name in keys:
            column = rows.column(name)
            same &= ~values_differ(column.take(pa.array(olds)), column.take(pa.array(olds + 1)))
        first[olds[~same]] = False
    second = np.zeros(len(kinds), bool)
    second[1:] = first[:-1]
    positions = np.arange(len(kinds), dtype=np.int64)
    left = np.where(is_old, positions, np.where(second, positions - 1, NONE))
    right = np.where(is_old, NONE, positions)
    kept = ~first
    changes = ChangedRows(rows, rows, kinds[kept], left[kept], right[kept])
    pairs = changes.is_pair
    differs = {}
    for name in values:
        column = rows.column(name)
        differs[name] = np.zeros(len(changes), bool)
        differs[name][pairs] = values_differ(
            column.take(pa.array(changes.left[pairs])), column.take(pa.array(changes.right[pairs]))
        )
    return ChangedRows(rows, rows, changes.kinds, changes.left, changes.right, differs)


def source_of(before: End, after: End, mode: str, progress: Progress | None = None) -> Source:
    """Return the source for a mode, which is one of the modes of `Table.changes`.

    Raises:
        Unsupported: The mode is unknown, or it reads something that these ends do not have.
        WorkbenchError: Stored changes are requested from a newer to an older version.
    """
    progress = progress or Progress()
    if mode not in MODES:
        raise Unsupported(
            f"Mode '{mode}' of a comparison is unknown.", did_you_mean(mode, MODES) or f"Use {', '.join(MODES)}."
        )
    one_branch = before.store.location == after.store.location and before.store.branch == after.store.branch
    if mode == AUTO:
        mode = _automatic(before, after) if one_branch and before.number <= after.number else DIFF
    if mode == DIFF:
        return ComparedStates(before, after, progress)
    if not one_branch:
        raise Unsupported(
            f"Mode '{mode}' reads the commits of one table, but two were passed.", "Use mode 'diff', or one table."
        )
    if before.number > after.number:
        raise WorkbenchError(
            f"Version {before.number} is newer than version {after.number}.",
            "Pass the older version first, or use mode 'diff'.",
        )
    return StoredRows(before, after, progress, mode)


def _automatic(before: End, after: End) -> str:
    """Return the mode that `Table.changes` would choose."""
    if before.ref.startswith("tag:") and after.ref.startswith("tag:"):
        return DIFF
    return DELTA if _produces_none(after.store.schema) else CHANGELOG


def _produces_none(schema: TableSchema) -> bool:
    return schema.kind.changelog_producer == "none"
