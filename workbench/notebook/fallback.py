"""Live views where no browser draws them: the same facts as a static picture and tables."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from workbench.lens.levels import BucketsValue, BucketTotalsValue, LevelsValue, LevelTotalsValue
from workbench.lens.texts import size_text
from workbench.notebook.views import MOST_ROWS, View, at_text, levels_view, runs_note, without_types
from workbench.sql.grid import Grid, count_text, grid_of


def static_levels(levels: LevelsValue) -> View:
    """The picture of the bucket that is shown, the totals of all, and the files of the one."""
    if levels.bucket is None:
        return levels_view(BucketsValue(levels.table, levels.snapshot, levels.keys, ()), MOST_ROWS)
    bucket = levels.bucket
    view = levels_view(BucketsValue(levels.table, levels.snapshot, levels.keys, (bucket,)), MOST_ROWS)
    (files,) = view.grids
    count, _ = files.notes
    caption = f"Files of {levels.table}, {bucket.label}, {at_text(levels.snapshot)}"
    return View(
        (_bucket_grid(levels), replace(files, caption=caption, notes=(count,))), view.rows, levels, view.picture
    )


def _bucket_grid(levels: LevelsValue) -> Grid:
    buckets = levels.buckets
    rows = pa.table(
        {
            "partition": pa.array([each.partition for each in buckets], pa.string()),
            "bucket": pa.array([each.bucket for each in buckets], pa.int64()),
            "runs": pa.array([each.runs for each in buckets], pa.int64()),
            "files": pa.array([each.files for each in buckets], pa.int64()),
            "rows": pa.array([each.rows for each in buckets], pa.int64()),
            "deletes": pa.array([each.deletes for each in buckets], pa.int64()),
            "bytes": pa.array([each.size for each in buckets], pa.int64()),
            "levels": pa.array([_levels_text(each) for each in buckets], pa.string()),
        }
    )
    if not any(each.partition for each in buckets):
        rows = rows.drop_columns(["partition"])
    caption = f"Buckets of {levels.table}, {at_text(levels.snapshot)}"
    note = runs_note(levels.keys, max(each.runs for each in buckets))
    return without_types(grid_of(rows, caption, MOST_ROWS, levels.total, [note], "bucket"))


def _levels_text(bucket: BucketTotalsValue) -> str:
    return "\n".join(map(_level_text, bucket.levels))


def _level_text(level: LevelTotalsValue) -> str:
    facts = (count_text(level.runs, "run"), count_text(level.files, "file"), count_text(level.rows))
    return f"L{level.level}: {', '.join(facts)}, {size_text(level.size)}"
