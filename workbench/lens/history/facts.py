"""What is known of the snapshots of a table: columns with one item per id, filled in steps and cached."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import NamedTuple

import numpy as np

from workbench.base.arrays import AnyArray, Int64Array
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.format.spec.snapshot_properties import STATEMENT_PROPERTY
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore

KINDS: tuple[CommitKind, ...] = tuple(CommitKind)
"""Known kinds of commits; a kind is stored as its rank, starting from 1."""
UNREAD, MISSING = 0, 255
NOT_RECORDED = np.iinfo(np.int64).min
"""A number that a snapshot does not record."""

# Snapshots are consecutive, so more ids than this can only be an error in a table's files.
MAX_SNAPSHOTS = 5_000_000
_LARGEST = np.iinfo(np.int64).max
_STEP = 1024
_WEIGHT = 250

_COLUMNS = np.dtype(
    [
        ("kind", np.uint8),
        ("millis", np.int64),
        ("rows", np.int64),
        ("added", np.int64),
        ("schema", np.int64),
        ("manifests", np.int64),
        ("text", object),
    ]
)


class SearchedText(NamedTuple):
    """The texts of a snapshot that a search looks at."""

    user: str
    operation: str
    statement: str


@dataclass(frozen=True)
class SnapshotFacts:
    """The facts of snapshots ``first`` to ``last``, in ``columns`` with one item for each id.

    The kind is ``UNREAD`` for a snapshot that was not read yet, ``MISSING`` if there is no snapshot with the id.
    ``manifests`` is a hash of its delta manifest list, whose name is never used twice.
    """

    first: int
    columns: AnyArray

    @property
    def last(self) -> int:
        """The newest id; ``first - 1`` without snapshots."""
        return self.first + len(self.columns) - 1

    @property
    def read(self) -> int:
        """The number of ids that were read."""
        return int(np.count_nonzero(self.columns["kind"]))

    def unread(self, start: int, end: int) -> Int64Array:
        """Return the ids from ``start`` to ``end`` that were not read yet, the newest first."""
        kinds = self.columns["kind"][start - self.first : end - self.first + 1]
        return (np.flatnonzero(kinds == UNREAD) + start)[::-1]


EMPTY = SnapshotFacts(1, np.zeros(0, _COLUMNS))


def current_facts(store: TableStore) -> SnapshotFacts:
    """Return the cached facts of the snapshots that exist now. Reads two or three snapshot files.

    A rollback removes the newest snapshots, and later snapshots may reuse their ids, so only the facts of snapshots
    that are still the same are kept.
    """
    snapshots = Snapshots(store)
    newest, earliest = snapshots.latest(), snapshots.earliest_id()
    if newest is None or earliest is None:
        return EMPTY
    known = store.cache.get_or_load(_key(store), lambda: EMPTY, _weigh)
    first = max(min(earliest, newest.id), newest.id - MAX_SNAPSHOTS + 1)
    valid = _last_unchanged(known, snapshots, first, newest)
    columns = np.zeros(newest.id - first + 1, _COLUMNS)
    start, end = max(first, known.first), min(newest.id, valid)
    if start <= end:
        columns[start - first : end - first + 1] = known.columns[start - known.first : end - known.first + 1]
    columns[-1] = _fact(newest)
    return SnapshotFacts(first, columns)


def read_facts(store: TableStore, facts: SnapshotFacts, ids: Iterable[int], deadline: float | None) -> SnapshotFacts:
    """Return the facts with those of ``ids`` added, as far as they can be read before ``deadline``, a time of
    `time.monotonic` in seconds; None reads all. The result is cached."""
    # Other requests wait, because they would read the same snapshots again.
    with store.cache.get_or_load((_key(store), "lock"), Lock, lambda _: 200):
        columns = _united(facts, store.cache.get_or_load(_key(store), lambda: EMPTY, _weigh))
        wanted = [each for each in ids if columns["kind"][each - facts.first] == UNREAD]
        for start in range(0, len(wanted), _STEP):
            if start and deadline is not None and time.monotonic() > deadline:
                break
            step = wanted[start : start + _STEP]
            columns[np.array(step) - facts.first] = _read(store, step)
        read = replace(facts, columns=columns)
        store.cache.discard(_key(store))
        return store.cache.get_or_load(_key(store), lambda: read, _weigh)


def _united(facts: SnapshotFacts, others: SnapshotFacts) -> AnyArray:
    """Return a copy of the columns, with the facts that another request has read about the same snapshots added."""
    columns = facts.columns.copy()
    same = facts.first == others.first and len(facts.columns) == len(others.columns)
    if same and facts.columns["manifests"][-1] == others.columns["manifests"][-1]:
        unread = columns["kind"] == UNREAD
        columns[unread] = others.columns[unread]
    return columns


def _read(store: TableStore, ids: Sequence[int]) -> AnyArray:
    snapshots = Snapshots(store).finder().find_all(ids)
    return np.array([_MISSING_FACT if each is None else _fact(each) for each in snapshots], _COLUMNS)


def _key(store: TableStore) -> tuple[str, str, str]:
    return "snapshot facts", store.location, store.branch


def _weigh(facts: SnapshotFacts) -> int:
    return 200 + _WEIGHT * len(facts.columns)


_MISSING_FACT = (MISSING, NOT_RECORDED, NOT_RECORDED, NOT_RECORDED, -1, 0, None)


def _fact(snapshot: Snapshot) -> tuple[object, ...]:
    return (
        KINDS.index(snapshot.commit_kind) + 1,
        _stored(snapshot.time_millis),
        _stored(snapshot.total_record_count),
        _stored(snapshot.delta_record_count),
        _stored(snapshot.schema_id),
        hash(snapshot.delta_manifest_list),
        SearchedText(snapshot.commit_user, snapshot.operation or "", snapshot.properties.get(STATEMENT_PROPERTY, "")),
    )


def _stored(value: int | None) -> int:
    """Return a number that fits into a column: a damaged file may contain any integer."""
    return NOT_RECORDED if value is None else max(min(value, _LARGEST), -_LARGEST)


def _last_unchanged(known: SnapshotFacts, snapshots: Snapshots, first: int, newest: Snapshot) -> int:
    """Return the newest id up to which the snapshots are still those whose facts are known; ``first - 1`` if there is
    none."""
    kinds = known.columns["kind"]
    read = np.flatnonzero((kinds != UNREAD) & (kinds != MISSING)) + known.first
    read = read[(read >= first) & (read <= newest.id)]

    def is_same(number: int) -> bool:
        snapshot = newest if number == newest.id else snapshots.find(number)
        manifests = known.columns["manifests"][number - known.first]
        return snapshot is not None and hash(snapshot.delta_manifest_list) == manifests

    if len(read) and is_same(int(read[-1])):
        return int(read[-1])
    low, high = 0, len(read)
    while low < high:
        middle = (low + high) // 2
        if is_same(int(read[middle])):
            low = middle + 1
        else:
            high = middle
    return int(read[low - 1]) if low else first - 1
