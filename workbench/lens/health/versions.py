"""The snapshots of a table: how many, how often, and which of them should have expired."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.snapshot import Snapshot
from workbench.lens.health.facts import HistoryFacts
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore

RECENT = 100
# How many snapshots are read for a table in a storage in which every request takes long.
_REMOTE_READS = 3


def collect_history(store: TableStore, consumers: Mapping[str, int], now_millis: int) -> HistoryFacts:
    """Return the facts about the snapshots of a table; reads the newest snapshots, and only a few older ones."""
    snapshots = Snapshots(store)
    ids = snapshots.ids()
    latest = snapshots.latest()
    if latest is None:
        return HistoryFacts()
    earliest_id = ids[0] if ids else latest.id
    end = first_retained(store, store.schema.core, (earliest_id, latest.id), now_millis)
    blocking = min(consumers.values(), default=end)
    allowed = max(earliest_id, min(end, blocking))
    return HistoryFacts(
        count=len(ids),
        earliest=snapshots.finder().find(earliest_id) or snapshots.get(earliest_id),
        latest=latest,
        recent=_recent(store, snapshots),
        overdue=allowed - earliest_id,
        blocked=max(0, end - allowed),
    )


def _recent(store: TableStore, snapshots: Snapshots) -> tuple[Snapshot, ...]:
    """Return the newest snapshots; in a remote storage those that are cached, and only a few more."""
    if store.is_local:
        return snapshots.newest(RECENT).snapshots
    finder = snapshots.finder()
    ids: list[int] = []
    reads = 0
    for number in reversed(finder.ids()[-RECENT:]):
        reads += not finder.is_cached(number)
        if reads > _REMOTE_READS:
            break
        ids.append(number)
    return tuple(each for each in finder.find_all(ids) if each is not None)


def first_retained(store: TableStore, core: CoreOptions, range_: tuple[int, int], now_millis: int) -> int:
    """Return the oldest snapshot that the options would retain if there were no consumers."""
    earliest, latest = range_
    least = latest - core.snapshot_num_retained_min + 1
    most = latest - core.snapshot_num_retained_max + 1
    # A snapshot's age is that of its successor: until then it was the newest.
    before = Snapshots(store).newest_before(now_millis - core.snapshot_time_retained)
    by_time = earliest if before is None else before.id
    return max(earliest, min(least, max(most, by_time)))
