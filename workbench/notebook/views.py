"""What `%paimon` gives back: lens values with a table for everyone and, for levels and timelines, a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.base.session import session_options
from workbench.lens.diff import DiffValue
from workbench.lens.levels import BucketsValue
from workbench.lens.schema import FieldValue
from workbench.lens.summary import SummaryValue
from workbench.lens.texts import size_text, time_text
from workbench.lens.timeline import TagValue, TimelineValue
from workbench.notebook.levels_picture import levels_svg
from workbench.notebook.timeline_picture import timeline_svg
from workbench.sql.grid import Grid, GridColumn, Shown, count_text, grid_html, grid_of, grid_text

# What is shown where nobody said how much; the values hold it all.
MOST_ROWS = 200
# Columns of a timeline that are there even where they are empty.
_ALWAYS = ("snapshot", "kind", "time", "rows_added", "rows_stored", "schema")


@dataclass(frozen=True, eq=False, repr=False)
class View(Shown):
    """``value`` is the lens value behind the tables, ``rows`` what `to_arrow` gives, ``picture`` HTML or ''."""

    grids: tuple[Grid, ...]
    rows: pa.Table
    value: Any = None
    picture: str = ""

    def to_arrow(self) -> pa.Table:
        """The main table, with numbers as numbers."""
        return self.rows

    def to_pandas(self) -> Any:
        """The main table as a pandas DataFrame."""
        return self.rows.to_pandas()

    def _text(self) -> str:
        return "\n\n".join(grid_text(grid) for grid in self.grids)

    def _html(self) -> str:
        return self.picture + "".join(grid_html(grid) for grid in self.grids)


def names_view(heading: str, names: Sequence[str], caption: str) -> View:
    """A list of names."""
    rows = pa.table({heading: pa.array(names, pa.string())})
    return View((without_types(grid_of(rows, caption, len(names), len(names), unit=heading)),), rows, tuple(names))


def summary_view(summary: SummaryValue) -> View:
    """Facts first, then the columns, then the options."""
    version = "never written"
    if summary.snapshot is not None and summary.time_millis is not None:
        version = f"{summary.snapshot}, {time_text(summary.time_millis)} {session_options.timezone}"
    facts = [
        ("comment", summary.comment),
        ("primary key", ", ".join(summary.primary_key) or "none"),
        ("partitioned by", ", ".join(summary.partition_keys) or "nothing"),
        ("snapshot", version),
        ("stored", f"{summary.rows:,} rows before merging, {summary.files:,} files, {size_text(summary.size)}"),
        ("buckets in use", f"{summary.buckets:,}"),
        ("schema", str(summary.schema_id)),
        ("location", summary.location),
    ]
    about = Grid(
        summary.table, (GridColumn("fact"), GridColumn("value")), tuple(fact for fact in facts if fact[1] is not None)
    )
    columns = pa.table(
        {
            "column": pa.array([field.name for field in summary.fields], pa.string()),
            "type": pa.array([_type_text(field) for field in summary.fields], pa.string()),
            "key": pa.array([field.role for field in summary.fields], pa.string()),
            "comment": pa.array([field.comment or "" for field in summary.fields], pa.string()),
        }
    )
    grids = [about, _plain_grid(columns, "Columns")]
    if summary.options:
        options = tuple((option.key, option.value) for option in summary.options)
        grids.append(Grid("Options", (GridColumn("option"), GridColumn("value")), options))
    return View(tuple(grids), columns, summary)


def _type_text(field: FieldValue) -> str:
    return field.type if field.nullable else f"{field.type} NOT NULL"


def _plain_grid(rows: pa.Table, caption: str) -> Grid:
    texts = tuple(zip(*(column.to_pylist() for column in rows.columns), strict=True))
    return Grid(caption, tuple(GridColumn(name) for name in rows.schema.names), texts)


def timeline_view(timeline: TimelineValue, limit: int = MOST_ROWS) -> View:
    """The lanes of snapshots as a picture, one row a snapshot, the newest first, and the tags."""
    rows = _snapshot_rows(timeline)
    times = pa.array([time_text(each.time_millis) for each in timeline.snapshots], pa.string())
    users = pa.array([_short(each.user) for each in timeline.snapshots], pa.string())
    shown = rows.set_column(2, "time", times).set_column(9, "user", users)
    # A column that says nothing in any row only takes room.
    silent = [name for name in shown.schema.names if name not in _ALWAYS and not any(shown[name].to_pylist())]
    writers = {each.writer for each in timeline.snapshots}
    notes = [f"Times in {timeline.zone}."]
    if len(writers) == 1 and "" not in writers:
        silent.append("writer")
        notes.append(f"Written by {writers.pop()}.")
    caption = f"Snapshots of {timeline.table}"
    grid = without_types(grid_of(shown.drop_columns(silent), caption, limit, timeline.total, notes, "snapshot"))
    grids = (grid, _tag_grid(timeline)) if timeline.tags else (grid,)
    return View(grids, rows, timeline, timeline_svg(timeline))


def _snapshot_rows(timeline: TimelineValue) -> pa.Table:
    snapshots = timeline.snapshots
    return pa.table(
        {
            "snapshot": pa.array([each.id for each in snapshots], pa.int64()),
            "kind": pa.array([each.kind for each in snapshots], pa.string()),
            "time": pa.array([each.time_millis for each in snapshots], pa.timestamp("ms", "UTC")),
            "rows_added": pa.array([each.rows_added for each in snapshots], pa.int64()),
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
    columns = (GridColumn("tag"), GridColumn("snapshot", number=True), GridColumn("made"), GridColumn("note"))
    return Grid(f"Tags of {timeline.table}", columns, tuple(map(_tag_row, timeline.tags)))


def _tag_row(tag: TagValue) -> tuple[str, ...]:
    made = "" if tag.time_millis is None else time_text(tag.time_millis)
    return tag.name, str(tag.snapshot), made, "the snapshot has expired, the tag keeps it" if tag.expired else ""


def _short(user: str) -> str:
    """A user that is only a random identifier says little: its beginning tells it from the others."""
    return f"{user[:8]}…" if len(user) == 36 and user.count("-") == 4 else user


def without_types(grid: Grid) -> Grid:
    """The grid with plain headings: no types below them, and spaces for underscores."""
    columns = tuple(GridColumn(column.name.replace("_", " "), "", column.number) for column in grid.columns)
    return Grid(grid.caption, columns, grid.rows, grid.notes)


def levels_view(levels: BucketsValue, limit: int) -> View:
    """A picture of the runs of each bucket, and a table of their files."""
    files = [(bucket, run, file) for bucket in levels.buckets for run in bucket.runs for file in run.files]
    rows = pa.table(
        {
            "partition": pa.array([bucket.partition for bucket, _, _ in files], pa.string()),
            "bucket": pa.array([bucket.bucket for bucket, _, _ in files], pa.int64()),
            "level": pa.array([run.level for _, run, _ in files], pa.int64()),
            "rows": pa.array([file.rows for _, _, file in files], pa.int64()),
            "deletes": pa.array([file.deletes for _, _, file in files], pa.int64()),
            "bytes": pa.array([file.size for _, _, file in files], pa.int64()),
            "min_key": pa.array([file.min_key for _, _, file in files], pa.string()),
            "max_key": pa.array([file.max_key for _, _, file in files], pa.string()),
            "min_sequence": pa.array([file.min_sequence for _, _, file in files], pa.int64()),
            "max_sequence": pa.array([file.max_sequence for _, _, file in files], pa.int64()),
            "file": pa.array([file.name for _, _, file in files], pa.string()),
        }
    )
    shown = rows if any(bucket.partition for bucket in levels.buckets) else rows.drop_columns(["partition"])
    caption = f"Files of {levels.table}, {at_text(levels.snapshot)}"
    grid = without_types(grid_of(shown, caption, limit, len(files), [runs_note(levels.keys, levels.runs)], "file"))
    return View((grid,), rows, levels, levels_svg(levels))


def at_text(snapshot: int | None) -> str:
    """``snapshot 3``, or that there is none."""
    return "never written" if snapshot is None else f"snapshot {snapshot}"


def runs_note(keys: Sequence[str], runs: int) -> str:
    """How much a read of the fullest bucket has to merge; '' where there is nothing to say."""
    if not keys or not runs:
        return ""
    if runs == 1:
        return "Each bucket is one sorted run: a read merges nothing."
    return f"A read merges up to {count_text(runs, 'sorted run')} in a bucket, by {', '.join(keys)}."


def diff_view(diff: DiffValue, limit: int) -> View:
    """How many rows of each kind, and the first of them."""
    caption = f"{diff.table}, snapshot {diff.start} → {diff.end}: {diff.summary}"
    letters = "+I inserted, -U before an update, +U after it, -D deleted."
    return View((grid_of(diff.rows, caption, limit, diff.rows.num_rows, [letters], "change"),), diff.rows, diff)
