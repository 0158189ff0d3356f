"""``wb.timeline``: the snapshots and tags of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from textwrap import fill
from typing import Any

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.texts import time_text
from workbench.lens.history.timeline import collect_timeline_with_history
from workbench.lens.smaller import smaller_timelines
from workbench.lens.timeline import TagValue, TimelineValue
from workbench.notebook.definition import TableView, ViewArguments, ViewCommand, ViewDefinition
from workbench.notebook.drawings.timeline import timeline_drawings
from workbench.notebook.live import LiveView
from workbench.notebook.saved import SavedForm
from workbench.notebook.table_views.compaction import compaction
from workbench.notebook.table_views.diff import diff
from workbench.notebook.views import MAX_ROWS, View, without_types
from workbench.sql.grid import Grid, GridColumn, grid_of

SNAPSHOTS_PAGE = 200
_REASON_WIDTH = 58
# Columns that are shown even if they are empty.
_ALWAYS_SHOWN = ("snapshot", "kind", "time", "changes", "rows_stored", "rows", "schema")
# Columns whose numbers are also part of the sentence about each commit.
_IN_CHANGES = ("rows_added", "upserts", "deletes", "rows_dropped", "files_added", "files_removed")


@dataclass(frozen=True)
class TimelineArguments(ViewArguments):
    """The number of snapshots to show; ``selected`` is the id of one of them. ``changes`` is whether the changes of the
    commits are read, None if only where this takes no requests."""

    limit: int = field(default_factory=lambda: SNAPSHOTS_PAGE)
    changes: bool | None = None


class Timeline(TableView[TimelineValue, TimelineArguments]):
    """The snapshots and tags of a table. ``to_arrow`` returns one row per snapshot, the newest first."""

    @property
    def selected(self) -> int | None:
        """The snapshot selected in the picture."""
        return None if self.arguments.selected is None else int(self.arguments.selected)


@checked(table="workbench.Table", with_changes="bool | None")
def timeline(table: Any, *, with_changes: bool | None = None) -> Timeline:
    """Return the snapshots of a table, in lanes by the kind of commit, and its tags.

    In a notebook it is a picture that follows new snapshots.

    Args:
        table: The table.
        with_changes: Whether to read what each commit changed from its manifests, and the history of all snapshots. By
            default this is read from local disks only, since it takes several requests for each snapshot.

    Example:
        >>> wb.timeline(table, with_changes=True)
    """
    return _timeline(table, SNAPSHOTS_PAGE, with_changes)


def _timeline(table: Any, limit: int, changes: bool | None = None) -> Timeline:
    selected = str(table.version.id) if table.is_pinned else None
    return Timeline(TIMELINE, table, TimelineArguments(selected, limit, changes))


def _on_event(arguments: TimelineArguments, event: Mapping[str, Any]) -> TimelineArguments:
    match event:
        case {"kind": "select-snapshot", "id": str(snapshot)} if snapshot.isdecimal():
            return replace(arguments, selected=snapshot)
        case {"kind": "more-snapshots"}:
            return replace(arguments, limit=arguments.limit + SNAPSHOTS_PAGE)
    return arguments


def opened_by_timeline(table: Any, event: Mapping[str, Any]) -> LiveView[Any] | None:
    """Return the comparison or the compaction that an event of a timeline requests, None for other events."""
    match event:
        case {"kind": "compare", "before": str(before), "after": str(after)} if (
            before.isdecimal() and after.isdecimal()
        ):
            return diff(table, int(before), int(after))
        case {"kind": "show-compaction", "id": str(snapshot)} if snapshot.isdecimal():
            return compaction(table, int(snapshot))
    return None


def timeline_view(timeline: TimelineValue, limit: int = MAX_ROWS) -> View:
    """Return the picture, a table of snapshots, the newest first, and a table of tags."""
    rows = _snapshot_rows(timeline)
    times = pa.array([time_text(each.time_millis) for each in timeline.snapshots], pa.string())
    users = pa.array([_short(each.user) for each in timeline.snapshots], pa.string())
    shown = rows.set_column(2, "time", times).set_column(rows.schema.get_field_index("user"), "user", users)
    # A cell of one line would be cut.
    reasons = pa.array([fill(each.reason, _REASON_WIDTH) for each in timeline.snapshots], pa.string())
    shown = shown.set_column(shown.schema.get_field_index("why"), "reason", reasons).drop_columns(list(_IN_CHANGES))
    if timeline.kind == "append":
        shown = shown.rename_columns(["rows" if name == "rows_stored" else name for name in shown.schema.names])
    # Columns that are empty in all rows only take space.
    empty = [name for name in shown.schema.names if name not in _ALWAYS_SHOWN and not any(shown[name].to_pylist())]
    writers = {each.writer for each in timeline.snapshots}
    notes = [f"Times in {timeline.zone}."]
    if len(writers) == 1 and "" not in writers:
        empty.append("writer")
        notes.append(f"Written by {writers.pop()}.")
    caption = f"Snapshots of {timeline.table}"
    grid = without_types(grid_of(shown.drop_columns(empty), caption, limit, timeline.total, notes, "snapshot"))
    grids = (grid, _tag_grid(timeline)) if timeline.tags else (grid,)
    return View(grids, rows, timeline, timeline_drawings(timeline))


def _snapshot_rows(timeline: TimelineValue) -> pa.Table:
    snapshots = timeline.snapshots
    figures = [each.figures for each in snapshots]
    return pa.table(
        {
            "snapshot": pa.array([each.id for each in snapshots], pa.int64()),
            "kind": pa.array([each.kind for each in snapshots], pa.string()),
            "time": pa.array([each.time_millis for each in snapshots], pa.timestamp("ms", "UTC")),
            "changes": pa.array(["" if each is None else each.text for each in figures], pa.string()),
            "rows_added": pa.array([each.rows_added for each in snapshots], pa.int64()),
            "upserts": pa.array([each and each.upserts for each in figures], pa.int64()),
            "deletes": pa.array([each and each.deletes for each in figures], pa.int64()),
            "rows_dropped": pa.array([each and each.superseded for each in figures], pa.int64()),
            "files_added": pa.array([each and each.files_added for each in figures], pa.int64()),
            "files_removed": pa.array([each and each.files_removed for each in figures], pa.int64()),
            "rows_stored": pa.array([each.rows_total for each in snapshots], pa.int64()),
            "changelog_rows": pa.array([each.changelog_rows for each in snapshots], pa.int64()),
            "schema": pa.array([each.schema_id for each in snapshots], pa.int64()),
            "tags": pa.array([", ".join(each.tags) for each in snapshots], pa.string()),
            "why": pa.array([each.reason for each in snapshots], pa.string()),
            "user": pa.array([each.user for each in snapshots], pa.string()),
            "operation": pa.array([each.operation for each in snapshots], pa.string()),
            "writer": pa.array([each.writer for each in snapshots], pa.string()),
            "statement": pa.array([each.statement for each in snapshots], pa.string()),
        }
    )


def _tag_grid(timeline: TimelineValue) -> Grid:
    columns = (GridColumn("tag"), GridColumn("snapshot", number=True), GridColumn("created"), GridColumn("note"))
    return Grid(f"Tags of {timeline.table}", columns, tuple(map(_tag_row, timeline.tags)))


def _tag_row(tag: TagValue) -> tuple[str, ...]:
    created = "" if tag.time_millis is None else time_text(tag.time_millis)
    return tag.name, str(tag.snapshot), created, "the snapshot has expired; the tag keeps it" if tag.expired else ""


def _short(user: str) -> str:
    """Shorten a user that is a random UUID: its beginning distinguishes it from others."""
    return f"{user[:8]}…" if len(user) == 36 and user.count("-") == 4 else user


TIMELINE: ViewDefinition[TimelineValue, TimelineArguments] = ViewDefinition(
    "timeline",
    lambda table, arguments: collect_timeline_with_history(table, arguments.limit, changes=arguments.changes),
    timeline_view,
    TimelineArguments(),
    _on_event,
    ViewCommand(
        "timeline",
        "versions, newest first, and why compactions ran",
        lambda table, limit: _timeline(table, limit),
        aliases=("snapshots",),
    ),
    per_version=False,
    saved=SavedForm(smaller_timelines),
    opens=lambda table, _arguments, event: opened_by_timeline(table, event),
)
