"""The whole history of a table in a few bins: commits by kind, rows, files, bytes and sorted runs over time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from workbench.base.arrays import Int64Array
from workbench.base.errors import CorruptFile
from workbench.base.session import session_options
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.lens.buckets import BucketKey, run_count
from workbench.lens.history.facts import (
    KINDS,
    MISSING,
    NOT_RECORDED,
    UNREAD,
    SnapshotFacts,
    current_facts,
    read_facts,
)
from workbench.lens.history.marks import HistoryMark, collect_marks
from workbench.lens.wire import Int64
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.table.readable_table import ReadableTable

DEFAULT_BINS = 1000
# How many versions are usually measured for the curves of files, bytes and sorted runs.
MEASURED = 64
# In a remote storage, each of them takes several requests.
_MEASURED_REMOTELY = 16


@dataclass(frozen=True)
class HistoryBins:
    """Consecutive snapshots in bins, the oldest first, as columns with one item for each bin.

    ``ids`` are the newest snapshots of the bins: a bin begins after the newest snapshot of the previous bin. ``times``
    are the commit times of these snapshots, None for missing ones, ``rows`` their stored rows before any merge.
    ``appends`` to ``analyzes`` count the commits that were read so far, ``added`` sums up the stored rows that they
    added, less those that they removed, None if not recorded. ``files``, ``bytes`` and ``runs``, the sorted runs of the
    fullest bucket, are None for versions that were not measured; tables without keys have no runs.
    """

    ids: tuple[Int64, ...]
    times: tuple[Int64 | None, ...]
    rows: tuple[Int64 | None, ...]
    added: tuple[Int64 | None, ...]
    appends: tuple[int, ...]
    compacts: tuple[int, ...]
    overwrites: tuple[int, ...]
    analyzes: tuple[int, ...]
    files: tuple[Int64 | None, ...]
    bytes: tuple[Int64 | None, ...]
    runs: tuple[int | None, ...]


@dataclass(frozen=True)
class HistoryValue:
    """The snapshots from ``start`` to ``end`` in bins; ``first`` and ``last`` are the first and the last snapshot of
    the whole table. All four are None if the table has no snapshots.

    ``since_millis`` is the commit time of snapshot ``start``. ``read`` of ``total`` snapshots of this range were read
    so far; until ``complete`` is true, the same request returns more. ``marks`` are the marks of the whole history; for
    a part of the history, they are left out.
    """

    table: str
    zone: str
    first: Int64 | None
    last: Int64 | None
    start: Int64 | None
    end: Int64 | None
    since_millis: Int64 | None
    total: Int64
    read: Int64
    complete: bool
    bins: HistoryBins
    marks: tuple[HistoryMark, ...]


@dataclass(frozen=True)
class Measures:
    """The files of a version, their bytes, and the sorted runs of its fullest bucket, None for a table without keys."""

    files: int
    bytes: int
    runs: int | None


def collect_history(
    table: ReadableTable,
    start: int | None = None,
    end: int | None = None,
    bins: int = DEFAULT_BINS,
    seconds: float | None = None,
    measured: int = MEASURED,
) -> HistoryValue:
    """Return the history of a table from snapshot ``start`` to ``end``, by default all of it, in at most ``bins`` bins.

    The newest snapshot of each bin is always read. Other snapshots, and the manifests of ``measured`` versions, are
    read for about ``seconds``, by default until the history is complete. What was read is cached.
    """
    store = table.store
    facts = current_facts(store)
    if not len(facts.columns):
        return _empty(table, facts)
    measured = measured if store.is_local else min(measured, _MEASURED_REMOTELY)
    low = facts.first if start is None else min(max(start, facts.first), facts.last)
    high = facts.last if end is None else max(min(end, facts.last), low)
    edges = bin_edges(low, high, bins)
    facts = read_facts(store, facts, [low, *edges.tolist()], None)
    facts = read_facts(store, facts, facts.unread(low, high).tolist(), _deadline(seconds))
    whole = (low, high) == (facts.first, facts.last)
    read = high - low + 1 - len(facts.unread(low, high))
    measures, all_measured = _measure(table, facts, edges, measured, _deadline(seconds)) if read else ({}, True)
    return HistoryValue(
        table=table.name,
        zone=session_options.timezone,
        first=facts.first,
        last=facts.last,
        start=low,
        end=high,
        since_millis=_optional(facts.columns["millis"][low - facts.first]),
        total=high - low + 1,
        read=read,
        complete=all_measured and read == high - low + 1,
        bins=_bins(facts, low, edges, measures),
        marks=collect_marks(table, facts) if whole else (),
    )


def bin_edges(low: int, high: int, bins: int) -> Int64Array:
    """Return the newest snapshot id of each bin. The bins have about equal numbers of snapshots, and at least one
    each."""
    count = high - low + 1
    number = min(bins, count)
    return low + np.arange(1, number + 1, dtype=np.int64) * count // number - 1


def _deadline(seconds: float | None) -> float | None:
    return None if seconds is None else time.monotonic() + seconds


def _empty(table: ReadableTable, facts: SnapshotFacts) -> HistoryValue:
    bins = HistoryBins((), (), (), (), (), (), (), (), (), (), ())
    marks = collect_marks(table, facts)
    return HistoryValue(table.name, session_options.timezone, None, None, None, None, None, 0, 0, True, bins, marks)


def _bins(facts: SnapshotFacts, low: int, edges: Int64Array, measured: dict[int, Measures | None]) -> HistoryBins:
    columns = facts.columns[low - facts.first : int(edges[-1]) - facts.first + 1]
    starts = np.concatenate([[0], edges[:-1] - low + 1])
    newest = columns[edges - low]
    kinds = columns["kind"]

    def count(kind: CommitKind) -> tuple[int, ...]:
        return tuple(np.add.reduceat(kinds == KINDS.index(kind) + 1, starts, dtype=np.int64).tolist())

    def measure(of: Callable[[Measures], int | None]) -> tuple[int | None, ...]:
        found = (measured.get(each) for each in edges.tolist())
        return tuple(None if each is None else of(each) for each in found)

    return HistoryBins(
        ids=tuple(edges.tolist()),
        times=tuple(map(_optional, newest["millis"].tolist())),
        rows=tuple(map(_optional, newest["rows"].tolist())),
        added=_sums(columns["added"], starts),
        appends=count(CommitKind.APPEND),
        compacts=count(CommitKind.COMPACT),
        overwrites=count(CommitKind.OVERWRITE),
        analyzes=count(CommitKind.ANALYZE),
        files=measure(lambda each: each.files),
        bytes=measure(lambda each: each.bytes),
        runs=measure(lambda each: each.runs),
    )


def _sums(values: Int64Array, starts: Int64Array) -> tuple[int | None, ...]:
    """Return the sums of the recorded numbers from each start to the next one, None where nothing is recorded."""
    recorded = values != NOT_RECORDED
    numbers = np.where(recorded, values, 0)
    some = np.logical_or.reduceat(recorded, starts).tolist()
    # A damaged file may contain numbers whose sum does not fit into 64 bits.
    if np.abs(numbers.astype(np.float64)).sum() >= 2**62:
        numbers = numbers.astype(object)
    return tuple(
        int(total) if each else None for total, each in zip(np.add.reduceat(numbers, starts), some, strict=True)
    )


def _optional(value: int) -> int | None:
    return None if value == NOT_RECORDED else int(value)


# --- files, bytes and runs ----------------------------------------------------------------------------------------


def _measure(
    table: ReadableTable, facts: SnapshotFacts, edges: Int64Array, count: int, deadline: float | None
) -> tuple[dict[int, Measures | None], bool]:
    """Return the measures of ``count`` versions, evenly spread, and whether all were measured before the deadline.

    The measures of a version whose manifests are damaged are None: other versions, and the snapshots, can be read.
    """
    spread = np.unique(np.linspace(len(edges) - 1, 0, count).round().astype(np.int64))[::-1]
    store = table.store
    measured: dict[int, Measures | None] = {}
    is_first = True
    for number in edges[spread].tolist():
        row = facts.columns[number - facts.first]
        if row["kind"] in (UNREAD, MISSING):
            continue
        key = ("measures", store.location, store.branch, number, int(row["manifests"]))
        if key not in store.cache:
            # One version is always measured, so that repeated requests come to an end.
            if not is_first and deadline is not None and time.monotonic() > deadline:
                return measured, False
            is_first = False
        measured[number] = store.cache.get_or_load(key, partial(_measures, store, number), lambda _: 300)
    return measured, True


def _measures(store: TableStore, number: int) -> Measures | None:
    snapshot = Snapshots(store).find(number)
    try:
        return None if snapshot is None else _measures_of(store, snapshot)
    except CorruptFile:
        return None


def _measures_of(store: TableStore, snapshot: Snapshot) -> Measures:
    manifests = ManifestFiles(store)
    buckets: dict[BucketKey, list[DataFileMeta]] = {}
    for entry in manifests.merged(manifests.data_manifests(snapshot)):
        buckets.setdefault((entry.partition, entry.bucket), []).append(entry.file)
    files = [file for bucket in buckets.values() for file in bucket]
    runs = max((run_count(store.schema, bucket) for bucket in buckets.values()), default=0)
    keyed = store.schema.is_primary_key_table
    return Measures(len(files), sum(file.file_size for file in files), runs if keyed else None)
