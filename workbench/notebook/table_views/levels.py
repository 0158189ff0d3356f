"""``wb.levels``: the LSM tree of a table, bucket by bucket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.texts import size_text
from workbench.lens.levels import (
    BucketsValue,
    BucketTotalsValue,
    BucketValue,
    LevelsValue,
    LevelTotalsValue,
    collect_buckets,
    collect_levels,
    each_bucket,
)
from workbench.lens.smaller import smaller_levels
from workbench.notebook.definition import TableView, ViewArguments, ViewCommand, ViewDefinition
from workbench.notebook.drawings.levels import levels_drawings
from workbench.notebook.saved import SavedForm
from workbench.notebook.views import MAX_ROWS, View, at_text, without_types
from workbench.sql.grid import Grid, count_text, grid_of

BUCKETS_PAGE = 500
# Columns, in lists of files and of buckets, that are meaningless for a table without keys.
_OF_KEYED_TABLES = frozenset({"level", "deletes", "min_key", "max_key", "runs", "levels"})


@dataclass(frozen=True)
class LevelsArguments(ViewArguments):
    """The bucket to show, and the number of buckets; ``selected`` is the name of a file."""

    bucket: str | None = None
    limit: int = field(default_factory=lambda: BUCKETS_PAGE)


class Levels(TableView[LevelsValue, LevelsArguments]):
    """The sorted runs of a table, bucket by bucket. ``to_arrow`` returns one row per file of all buckets."""

    def to_arrow(self) -> pa.Table:
        """Return one row per file of all buckets: sizes in bytes, and rows as stored, before any merge."""
        snapshot = self.value.snapshot
        table = self.table if snapshot is None or self.table.is_pinned else self.table.at(snapshot=snapshot)
        return levels_view(collect_buckets(table)).to_arrow()


@checked(table="workbench.Table")
def levels(table: Any, bucket: str | int | None = None) -> Levels:
    """Return the LSM tree of a table, bucket by bucket: levels, sorted runs, files and the keys they cover.

    In a notebook it is a picture that follows new snapshots; for ``table.at(…)`` it stays at that version.

    Args:
        table: The table.
        bucket: The bucket to show: its number, or its id in `LevelsValue` if the table has partitions; by default the
            one with the most runs.
    """
    return Levels(LEVELS, table, LevelsArguments(bucket=f":{bucket}" if isinstance(bucket, int) else bucket))


def _on_event(arguments: LevelsArguments, event: Mapping[str, Any]) -> LevelsArguments:
    match event:
        case {"kind": "select-bucket", "id": str(bucket)}:
            return replace(arguments, bucket=bucket, selected=None)
        case {"kind": "more-buckets"}:
            return replace(arguments, limit=arguments.limit + BUCKETS_PAGE)
        case {"kind": "select-file", "name": str(name)}:
            return replace(arguments, selected=name)
    return arguments


def levels_view(levels: BucketsValue, limit: int = MAX_ROWS) -> View:
    """Return the picture of each bucket's runs, and a table of their files."""
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
    # The picture names a single bucket.
    same = ["partition", "bucket"] if len(levels.buckets) == 1 else []
    if not any(bucket.partition for bucket in levels.buckets):
        same = ["partition", *same[1:]]
    shown = _of_kind(rows.drop_columns(same), levels.keys)
    version = f"{levels.table}, {at_text(levels.snapshot)}"
    notes = [runs_note(levels.keys, levels.merged_runs)]
    grid = without_types(grid_of(shown, f"Files of {version}", limit, len(files), notes, "file"))
    return View((grid,), rows, levels, levels_drawings(levels, version))


def _of_kind(rows: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Return the columns that apply to a table with these keys."""
    return rows if keys else rows.drop_columns([name for name in rows.schema.names if name in _OF_KEYED_TABLES])


def runs_note(keys: Sequence[str], runs: int) -> str:
    """Return how many runs reads merge at most, or '' if the table has no keys or no files."""
    if not keys or not runs:
        return ""
    if runs == 1:
        return "Each key is read from one sorted run: no merge needed on read."
    return f"Reads merge up to {count_text(runs, 'sorted run')} per bucket, by {', '.join(keys)}."


def static_levels(levels: LevelsValue) -> View:
    """Return the picture and the files of the shown bucket, and a table of the totals of all buckets."""
    if levels.bucket is None:
        return levels_view(BucketsValue(levels.table, levels.snapshot, levels.keys, ()))
    bucket = levels.bucket
    view = levels_view(BucketsValue(levels.table, levels.snapshot, levels.keys, (bucket,)))
    (files,) = view.grids
    caption = f"Files of {levels.table}, {bucket.label}, {at_text(levels.snapshot)}"
    return View((_bucket_grid(levels), replace(files, caption=caption)), view.rows, levels, view.drawings)


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
    rows = _of_kind(rows, levels.keys)
    caption = f"Buckets of {levels.table}, {at_text(levels.snapshot)}"
    return without_types(grid_of(rows, caption, MAX_ROWS, levels.total, [], "bucket"))


def _levels_text(bucket: BucketTotalsValue) -> str:
    return "\n".join(map(_level_text, bucket.levels))


def _level_text(level: LevelTotalsValue) -> str:
    facts = (count_text(level.runs, "run"), count_text(level.files, "file"), count_text(level.rows))
    return f"L{level.level}: {', '.join(facts)}, {size_text(level.size)}"


def _other_buckets(table: Any, levels: LevelsValue) -> Iterator[BucketValue]:
    """Return the buckets that are not shown, for readers without a kernel."""
    if levels.bucket is None or levels.total == 1:
        return iter(())
    shown = levels.bucket.id
    return (bucket for bucket in each_bucket(table) if bucket.id != shown)


LEVELS: ViewDefinition[LevelsValue, LevelsArguments] = ViewDefinition(
    "levels",
    lambda table, arguments: collect_levels(table, arguments.bucket, limit=arguments.limit),
    static_levels,
    LevelsArguments(),
    _on_event,
    ViewCommand(
        "levels",
        "sorted runs and files of each bucket",
        lambda table, _limit: levels(table),
    ),
    saved=SavedForm(smaller_levels, _other_buckets),
)
