"""``wb.levels`` and ``wb.timeline``: one table, one picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from workbench.lens.levels import LevelsValue, gather_buckets, gather_levels
from workbench.lens.timeline import TimelineValue, gather_timeline
from workbench.notebook.fallback import static_levels
from workbench.notebook.following import Version
from workbench.notebook.live import LiveView, table_at
from workbench.notebook.views import MOST_ROWS, View, levels_view, timeline_view

BUCKETS_PAGE = 500
SNAPSHOTS_PAGE = 200


class Levels(LiveView[LevelsValue]):
    """The sorted runs of a table, bucket by bucket. ``to_arrow`` has a row for each file of all buckets."""

    kind = "levels"

    def __init__(self, table: Any, bucket: str | None) -> None:
        super().__init__(table)
        self._bucket = bucket
        self._limit = BUCKETS_PAGE

    def to_arrow(self) -> pa.Table:
        """One row a file, of all buckets: sizes in bytes, rows as stored, before any merge."""
        snapshot = self.value.snapshot
        table = self.table if snapshot is None or self.table.is_pinned else self.table.at(snapshot=snapshot)
        return levels_view(gather_buckets(table), MOST_ROWS).to_arrow()

    def _gather(self, newest: Version | None) -> LevelsValue:
        return gather_levels(table_at(self.table, newest), self._bucket, limit=self._limit)

    def _static(self, value: LevelsValue) -> View:
        return static_levels(value)

    def _heard(self, event: Mapping[str, Any]) -> bool:
        match event:
            case {"kind": "select-bucket", "id": str(bucket)}:
                self._bucket, self._selected = bucket, None
            case {"kind": "more-buckets"}:
                self._limit += BUCKETS_PAGE
            case {"kind": "select-file", "name": str(name)}:
                self._selected = name
                return False
            case _:
                return False
        return True


class Timeline(LiveView[TimelineValue]):
    """The snapshots and tags of a table. ``to_arrow`` has a row for each snapshot, the newest first."""

    kind = "timeline"

    def __init__(self, table: Any) -> None:
        super().__init__(table)
        self._limit = SNAPSHOTS_PAGE
        self._selected = str(table.version.id) if table.is_pinned else None

    @property
    def selected(self) -> int | None:
        """The snapshot that was chosen in the picture."""
        return None if self._selected is None else int(self._selected)

    def _gather(self, newest: Version | None) -> TimelineValue:  # noqa: ARG002 - it is of all versions
        return gather_timeline(self.table, limit=self._limit)

    def _static(self, value: TimelineValue) -> View:
        return timeline_view(value)

    def _heard(self, event: Mapping[str, Any]) -> bool:
        match event:
            case {"kind": "select-snapshot", "id": str(snapshot)} if snapshot.isdecimal():
                self._selected = snapshot
            case {"kind": "more-snapshots"}:
                self._limit += SNAPSHOTS_PAGE
                return True
        return False


def levels(table: Any, bucket: str | int | None = None) -> Levels:
    """The LSM tree of a table, bucket by bucket: levels, sorted runs, files and the keys they cover.

    In a notebook it is a picture that follows new snapshots; of ``table.at(…)`` it stays at that version. ``bucket``
    is a number, or an id of `LevelsValue` where the table has partitions; without it, the bucket of most runs.
    """
    return Levels(table, f":{bucket}" if isinstance(bucket, int) else bucket)


def timeline(table: Any) -> Timeline:
    """The snapshots of a table on lanes by what made them, and its tags. In a notebook the picture follows new ones."""
    return Timeline(table)
