"""The tags, branches, consumers and schema changes of a history, each at its snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from workbench.base.errors import TableNotFound
from workbench.lens.history.facts import MISSING, UNREAD, SnapshotFacts
from workbench.lens.wire import Int64
from workbench.metadata.refs.branches import all_branches, open_branch
from workbench.metadata.refs.consumers import all_consumers
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.table.readable_table import ReadableTable

_MAX_SCHEMAS = 200


@dataclass(frozen=True)
class HistoryMark:
    """A tag, a branch at the snapshot that it began with, a consumer at the snapshot that it reads next, or a schema
    at the first snapshot that has it. ``time_millis`` is the commit time of the snapshot, None if the table no longer
    has it, or does not have it yet."""

    kind: Literal["tag", "branch", "consumer", "schema"]
    name: str
    snapshot: Int64
    time_millis: Int64 | None


def collect_marks(table: ReadableTable, facts: SnapshotFacts) -> tuple[HistoryMark, ...]:
    """Return all marks of a history, in the order of their snapshots. Schema changes are those known so far."""
    marks = [*_tags(table, facts), *_branches(table.store), *_consumers(table.store, facts), *_schemas(facts)]
    return tuple(sorted(marks, key=lambda mark: (mark.snapshot, mark.kind, mark.name)))


def _tags(table: ReadableTable, facts: SnapshotFacts) -> Iterator[HistoryMark]:
    for tag in Tags(table.store).all().values():
        exists = facts.first <= tag.snapshot.id <= facts.last
        yield HistoryMark("tag", tag.name, tag.snapshot.id, tag.snapshot.time_millis if exists else None)


def _branches(store: TableStore) -> Iterator[HistoryMark]:
    own = Snapshots(store)
    for name in all_branches(store):
        try:
            branch = Snapshots(open_branch(store, name))
        except TableNotFound:
            # The creation of the branch was interrupted, so it has no history.
            continue
        begin = branch.earliest_id()
        if begin is not None:
            here, there = own.find(begin), branch.find(begin)
            # After an expiry, the branch begins with a snapshot of its own that only has the same id.
            shared = here and there and here.delta_manifest_list == there.delta_manifest_list
            yield HistoryMark("branch", name, begin, here.time_millis if here and shared else None)


def _consumers(store: TableStore, facts: SnapshotFacts) -> Iterator[HistoryMark]:
    for name, following in all_consumers(store).items():
        # The next snapshot of a consumer that has read everything does not exist yet.
        exists = facts.first <= following <= facts.last
        snapshot = Snapshots(store).find(following) if exists else None
        yield HistoryMark("consumer", name, following, None if snapshot is None else snapshot.time_millis)


def _schemas(facts: SnapshotFacts) -> Iterator[HistoryMark]:
    columns = facts.columns
    known = (columns["kind"] != UNREAD) & (columns["kind"] != MISSING)
    changed = (columns["schema"][1:] != columns["schema"][:-1]) & known[1:] & known[:-1]
    for index in (np.flatnonzero(changed) + 1)[-_MAX_SCHEMAS:].tolist():
        row = columns[index]
        yield HistoryMark("schema", str(row["schema"]), facts.first + index, int(row["millis"]))
