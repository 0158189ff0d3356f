"""Counts of changes: by kind, by partition and by column. Rows are counted chunk by chunk and not kept in memory."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress, zip_longest

import numpy as np

from workbench.base.parallel import parallel_stream
from workbench.lens.diff.filters import KINDS, BoundFilter, DiffFilter
from workbench.lens.diff.partitions import labels_of, labels_of_partitions
from workbench.lens.diff.source import Source, Unit
from workbench.lens.wire import Int64
from workbench.lsm.merge_function import RowKind
from workbench.scan.incremental.changed_rows import ChangedRows, KnownChanges

MOST_PARTITIONS = 100


@dataclass(frozen=True)
class KindCountValue:
    """The number of rows of a kind: +I, -U, +U or -D."""

    kind: str
    rows: Int64


@dataclass(frozen=True)
class PartitionCountValue:
    """The changes in a partition. A row that moved to another partition counts in its new one."""

    partition: str
    inserted: Int64
    updated: Int64
    deleted: Int64

    @property
    def changes(self) -> int:
        """All changes."""
        return self.inserted + self.updated + self.deleted


@dataclass(frozen=True)
class ColumnCountValue:
    """The number of updated rows whose values in a column differ."""

    name: str
    rows: Int64


@dataclass(frozen=True)
class DiffCountsValue:
    """How many rows changed. ``columns`` are the columns that are not part of the key, in their order, ``partitions``
    the partitions with the most changes, out of ``partition_total``. ``complete`` is whether all changes were counted;
    otherwise, ``counted`` of the ``parts`` of the work were done when the time was over."""

    inserted: Int64
    updated: Int64
    deleted: Int64
    kinds: tuple[KindCountValue, ...]
    columns: tuple[ColumnCountValue, ...]
    partitions: tuple[PartitionCountValue, ...]
    partition_total: Int64
    complete: bool
    counted: int
    parts: int

    @property
    def changes(self) -> int:
        """All changes; an update is one."""
        return self.inserted + self.updated + self.deleted

    @property
    def summary(self) -> str:
        """``3 inserted, 2 updated, 1 deleted``."""
        least = "" if self.complete else "at least "
        words = ((self.inserted, "inserted"), (self.updated, "updated"), (self.deleted, "deleted"))
        return least + ", ".join(f"{count:,} {word}" for count, word in words if count) or "no changes"


@dataclass
class _Counter:
    """The counts of some chunks of changes."""

    rows: dict[str, int] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=dict)
    columns: dict[str, int] = field(default_factory=dict)
    partitions: dict[str, list[int]] = field(default_factory=dict)

    def add(self, changes: ChangedRows, filtered: BoundFilter) -> None:
        """Count a chunk of changes."""
        _add(self.rows, changes.counts)
        by_kind = np.bincount(changes.kinds, minlength=len(RowKind))
        _add(self.changes, {name: int(by_kind[list(kinds)].sum()) for name, kinds in KINDS.items()})
        _add(self.columns, {name: int(np.count_nonzero(each)) for name, each in changes.differs.items()})
        keys = filtered.schema.partition_keys
        if keys and len(changes):
            codes, labels = labels_of(changes.newest_rows(keys), [filtered.schema.field(name) for name in keys])
            for place, kinds in enumerate(KINDS.values()):
                counted = np.bincount(codes[np.isin(changes.kinds, kinds)], minlength=len(labels))
                for label, count in zip(labels, counted.tolist(), strict=True):
                    self.partitions.setdefault(label, [0, 0, 0])[place] += count

    def add_known(self, known: Sequence[KnownChanges], bound: BoundFilter) -> None:
        """Count changes of which only the numbers are known."""
        fields = bound.schema.partition_fields
        labels = labels_of_partitions([partition for _, partition, _ in known], fields) if fields else []
        for place, (name, kinds) in enumerate(KINDS.items()):
            chosen = [kind in kinds and bound.filter.kind in ("", name) for kind, _, _ in known]
            for (kind, _, rows), label in compress(zip_longest(known, labels), chosen):
                _add(self.rows, {kind.short: rows})
                _add(self.changes, {name: rows})
                if label is not None:
                    self.partitions.setdefault(label, [0, 0, 0])[place] += rows

    def merge(self, other: _Counter) -> None:
        """Add the counts of other chunks."""
        for mine, theirs in ((self.rows, other.rows), (self.changes, other.changes), (self.columns, other.columns)):
            _add(mine, theirs)
        for label, counts in other.partitions.items():
            known = self.partitions.setdefault(label, [0, 0, 0])
            self.partitions[label] = [one + more for one, more in zip(known, counts, strict=True)]


def _add(counts: dict[str, int], more: dict[str, int]) -> None:
    for name, count in more.items():
        counts[name] = counts.get(name, 0) + count


@dataclass
class BegunCount:
    """A count of changes that is done in several steps: what the first ``counted`` parts of the work contain.

    ``units`` are all parts, None until they are known: it takes longer to find them than to count many of them.
    """

    counter: _Counter = field(default_factory=_Counter)
    counted: int = 0
    units: Sequence[Unit] | None = None


def collect_counts(
    source: Source, chosen: DiffFilter | None = None, seconds: float | None = None, begun: BegunCount | None = None
) -> DiffCountsValue:
    """Count the changes of a source that a filter keeps. Files whose rows are all new, or all gone, are not read.

    Args:
        source: The changes.
        chosen: The filter.
        seconds: After how many seconds to return what was counted so far; None to count everything.
        begun: What was counted before, of the same source and filter; it takes up what is counted now.

    Raises:
        InvalidExpression: The condition of the filter is not valid.
        CorruptFile: A file is missing or damaged.
    """
    bound = BoundFilter.of(chosen or DiffFilter(), source.schema)
    deadline = None if seconds is None else time.monotonic() + seconds
    begun = BegunCount() if begun is None else begun
    if begun.units is None:
        begun.units = source.counted_units() if bound.keeps_kinds else source.units()
    left = begun.units[begun.counted :]
    with source.progress.step("Counting changes", len(left), "parts"):
        for each in parallel_stream(lambda unit: _counted(unit, bound, source), left):
            begun.counter.merge(each)
            begun.counted += 1
            if deadline is not None and time.monotonic() > deadline:
                break
    return _value(begun, source, len(begun.units))


def _counted(unit: Unit, bound: BoundFilter, source: Source) -> _Counter:
    counter, known = _Counter(), []
    for changes in unit():
        if isinstance(changes, KnownChanges):
            known.append(changes)
        else:
            counter.add(bound.apply(changes), bound)
        # Frees the memory of these rows before the next ones are read.
        del changes
    counter.add_known(known, bound)
    source.progress.advance()
    return counter


def _value(begun: BegunCount, source: Source, parts: int) -> DiffCountsValue:
    counter, schema = begun.counter, source.schema
    values: Iterable[str] = (name for name in schema.field_names if name not in schema.primary_keys)
    partitions = [PartitionCountValue(label, *counts) for label, counts in counter.partitions.items()]
    partitions.sort(key=lambda each: (-each.changes, each.partition))
    inserted, updated, deleted = (counter.changes.get(name, 0) for name in KINDS)
    return DiffCountsValue(
        inserted,
        updated,
        deleted,
        kinds=tuple(KindCountValue(kind.short, counter.rows.get(kind.short, 0)) for kind in RowKind),
        columns=tuple(ColumnCountValue(name, counter.columns.get(name, 0)) for name in values)
        if schema.is_primary_key_table
        else (),
        partitions=tuple(partitions[:MOST_PARTITIONS]),
        partition_total=len(partitions),
        complete=begun.counted == parts,
        counted=begun.counted,
        parts=parts,
    )
