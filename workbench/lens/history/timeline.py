"""A timeline with its history, for pictures that cannot request the history themselves."""

from __future__ import annotations

from dataclasses import replace

from workbench.base.errors import CorruptFile
from workbench.lens.history.history import collect_history
from workbench.lens.timeline import TimelineValue, collect_timeline
from workbench.table.readable_table import ReadableTable

# One bin for every two or three pixels of the map.
MAP_BINS = 300
_MEASURED = 200
# A picture appears after a few seconds, even if the history is very long.
_SECONDS = 2.0


def collect_timeline_with_history(
    table: ReadableTable, limit: int | None = None, *, changes: bool | None = None
) -> TimelineValue:
    """Return the newest snapshots of a table, and its history in bins: all of it in at most `MAP_BINS`, and if these
    are too coarse, the listed snapshots with a bin for each.

    Args:
        table: The table.
        limit: The most snapshots that are listed.
        changes: Whether to read the changes of the commits and the history of the table, from manifests and from the
            snapshots that are not listed; by default only on a local disk.

    Raises:
        InvalidRequest: the limit is below 1.
    """
    timeline = collect_timeline(table, limit=limit, changes=changes)
    if not (table.store.is_local if changes is None else changes):
        return timeline
    try:
        return _with_history(timeline, table)
    except CorruptFile:
        # The listed snapshots can be read, and an older one that the history needs is damaged.
        return timeline


def _with_history(timeline: TimelineValue, table: ReadableTable) -> TimelineValue:
    whole = collect_history(table, bins=MAP_BINS, seconds=_SECONDS, measured=_MEASURED)
    if len(whole.bins.ids) == whole.total or not timeline.snapshots:
        return replace(timeline, whole=whole)
    newest, oldest = timeline.snapshots[0].id, timeline.snapshots[-1].id
    count = newest - oldest + 1
    return replace(timeline, whole=whole, listed=collect_history(table, oldest, newest, count, _SECONDS, count))
