"""Search of the snapshots of a table by id, time, user, statement, operation and kind."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from workbench.base.errors import WorkbenchError
from workbench.lens.history.facts import KINDS, MISSING, UNREAD, SnapshotFacts, current_facts, read_facts
from workbench.lens.texts import excerpt
from workbench.lens.wire import Int64
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.metadata.times import to_millis
from workbench.table.readable_table import ReadableTable

_ID = re.compile(r"[0-9]{1,19}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T].*)?")
_EXCERPT = 120

Field = Literal["id", "time", "kind", "user", "operation", "statement"]


@dataclass(frozen=True)
class FoundSnapshot:
    """A snapshot that a search found by ``field``; ``text`` is what the field contains, shortened around the words."""

    id: Int64
    kind: str
    time_millis: Int64
    field: Field
    text: str


@dataclass(frozen=True)
class SearchValue:
    """The newest of the ``found`` snapshots. If the text names an id or a time, the snapshots with that id or closest
    to that time are listed first.

    ``read`` of ``total`` snapshots were searched so far; until both are equal, the same request finds more.
    """

    table: str
    hits: tuple[FoundSnapshot, ...]
    found: int
    total: Int64
    read: Int64


def search_snapshots(table: ReadableTable, text: str, limit: int, seconds: float | None = None) -> SearchValue:
    """Return the snapshots that contain a text in their user, statement, operation or kind, ignoring case. If the text
    is an id, or a time in the session zone such as ``2026-11-01 12:30``, the snapshot with that id or the snapshots
    next to that time are returned as well.

    Snapshots are read for about ``seconds``, by default all of them; what was read is cached.
    """
    store = table.store
    facts = current_facts(store)
    deadline = None if seconds is None else time.monotonic() + seconds
    facts = read_facts(store, facts, facts.unread(facts.first, facts.last).tolist(), deadline)
    wanted = text.strip().lower()
    first = [*_by_id(facts, wanted), *_by_time(store, facts, wanted)] if wanted else []
    rest = list(_by_text(facts, wanted)) if wanted else []
    named = {each.id for each in first}
    hits = [*first, *(each for each in rest if each.id not in named)]
    return SearchValue(table.name, tuple(hits[:limit]), len(hits), len(facts.columns), facts.read)


def _by_id(facts: SnapshotFacts, wanted: str) -> Iterator[FoundSnapshot]:
    if _ID.fullmatch(wanted) and facts.first <= int(wanted) <= facts.last:
        found = _found(facts, int(wanted), "id", wanted)
        if found is not None:
            yield found


def _by_time(store: TableStore, facts: SnapshotFacts, wanted: str) -> Iterator[FoundSnapshot]:
    """Yield the last snapshot at or before a time and the first one after it."""
    if not _TIME.fullmatch(wanted):
        return
    try:
        millis = to_millis(wanted)
    except WorkbenchError:
        # The text only looks like a time.
        return
    until = _newest_until(store, facts, millis)
    for number in (until, until + 1):
        snapshot = Snapshots(store).find(number) if facts.first <= number <= facts.last else None
        if snapshot is not None:
            yield FoundSnapshot(number, str(snapshot.commit_kind), snapshot.time_millis, "time", "")


def _newest_until(store: TableStore, facts: SnapshotFacts, millis: int) -> int:
    """Return the id of the newest snapshot that was committed at or before a time; the id before the first one if there
    is none."""
    find = Snapshots(store).find
    low, high = facts.first, facts.last + 1
    while low < high:
        middle = (low + high) // 2
        snapshot = find(middle)
        if snapshot is None or snapshot.time_millis <= millis:
            low = middle + 1
        else:
            high = middle
    return low - 1


def _by_text(facts: SnapshotFacts, wanted: str) -> Iterator[FoundSnapshot]:
    kinds = {rank for rank, kind in enumerate(KINDS, 1) if wanted in kind.lower()}
    ranks, texts = facts.columns["kind"].tolist(), facts.columns["text"].tolist()
    for index in range(len(texts) - 1, -1, -1):
        rank, text = ranks[index], texts[index]
        if rank in (UNREAD, MISSING):
            continue
        field = next((name for name in text._fields if wanted in getattr(text, name).lower()), None)
        if field is None and rank not in kinds:
            continue
        shown = "" if field is None else _shown(getattr(text, field), wanted)
        found = _found(facts, facts.first + index, field or "kind", shown)
        if found is not None:
            yield found


def _found(facts: SnapshotFacts, number: int, field: Field, text: str) -> FoundSnapshot | None:
    row = facts.columns[number - facts.first]
    if row["kind"] in (UNREAD, MISSING):
        return None
    return FoundSnapshot(number, str(KINDS[row["kind"] - 1]), int(row["millis"]), field, text)


def _shown(text: str, wanted: str) -> str:
    return text if len(text) <= _EXCERPT else excerpt(text, wanted, _EXCERPT, _EXCERPT // 3)
