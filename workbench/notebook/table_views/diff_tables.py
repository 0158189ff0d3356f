"""A comparison as tables: changed rows with marked cells, counts, files and metadata."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, replace

import pyarrow as pa

from workbench.base.texts import size_text
from workbench.lens.diff.files import FilesDiffValue, LevelFilesValue
from workbench.lens.diff.pages import DiffRowsValue
from workbench.lens.diff.value import DiffValue
from workbench.notebook.drawings.diff import diff_drawings
from workbench.notebook.views import View
from workbench.sql.grid import Grid, GridColumn, count_text, grid_html

_KINDS = "+I inserted, -U before an update, +U after it, -D deleted."
_MOST_PARTITIONS = 10


@dataclass(frozen=True, eq=False, repr=False)
class DiffTables(View):
    """The tables of a comparison. ``changed`` are the cells that updates changed, as row and column numbers in the
    table of changed rows."""

    changed: frozenset[tuple[int, int]] = frozenset()

    def _grid_html(self, grid: Grid) -> str:
        if not self.changed or grid is not self.grids[0]:
            return super()._grid_html(grid)
        # A string that no value contains.
        mark = uuid.uuid4().hex
        marked = tuple(
            tuple(
                f"{mark}{'NULL' if text is None else text}" if (row, column) in self.changed else text
                for column, text in enumerate(texts)
            )
            for row, texts in enumerate(grid.rows)
        )
        html = grid_html(replace(grid, rows=marked))
        return re.sub(f"{mark}(.*?)</td>", r'<b class="wb-kind wb-add">\1</b></td>', html, flags=re.DOTALL)


def diff_tables(diff: DiffValue) -> DiffTables:
    """Return a page of changed rows, and tables of all other differences."""
    grids: list[Grid] = []
    changed: frozenset[tuple[int, int]] = frozenset()
    caption = f"{diff.table}, {diff.before.text} → {diff.after.text}"
    line = ""
    if diff.counts is not None and diff.page is not None:
        grid, changed = _rows_grid(diff, diff.page, f"{caption}: {diff.counts.summary}")
        grids.append(grid)
        if any(each.rows for each in diff.counts.columns):
            grids.append(_columns_grid(diff))
    elif diff.rows_error is not None:
        hint = f" {diff.rows_error.hint}" if diff.rows_error.hint else ""
        line = f"{caption}: {diff.rows_error.message}{hint}"
    if diff.schema:
        rows = tuple((each.kind, each.text) for each in diff.schema)
        grids.append(Grid("Schema changes", (GridColumn("change"), GridColumn("what")), rows, wraps=True))
    if diff.files is not None and diff.files.levels:
        grids.append(_files_grid(diff.files))
    if diff.refs:
        refs = tuple((each.kind, each.name, str(each.snapshot)) for each in diff.refs)
        columns = (GridColumn("kind"), GridColumn("name"), GridColumn("snapshot", number=True))
        grids.append(Grid("Tags and branches between both versions", columns, refs))
    if not grids and not line:
        line = f"{caption}: nothing differs."
    return DiffTables(tuple(grids), columns_table(diff), diff, diff_drawings(diff), line, changed)


def columns_table(diff: DiffValue) -> pa.Table:
    """Return the number of updated rows by column."""
    columns = () if diff.counts is None else diff.counts.columns
    return pa.table(
        {
            "column": pa.array([each.name for each in columns], pa.string()),
            "rows": pa.array([each.rows for each in columns], pa.int64()),
        }
    )


def _rows_grid(diff: DiffValue, page: DiffRowsValue, caption: str) -> tuple[Grid, frozenset[tuple[int, int]]]:
    columns = (GridColumn("rowkind"), *(GridColumn(each.name, each.type, each.number) for each in page.columns))
    rows: list[tuple[str | None, ...]] = []
    changed = set()
    for change in page.rows:
        if change.before is not None:
            kind = "-U" if change.after is not None else change.kind
            rows.append((kind, *change.before))
        if change.after is not None:
            changed |= {(len(rows), 1 + column) for column in change.changed}
            rows.append((change.kind, *change.after))
    return Grid(caption, columns, tuple(rows), _notes(diff, page)), frozenset(changed)


def _notes(diff: DiffValue, page: DiffRowsValue) -> tuple[str, ...]:
    assert diff.counts is not None
    total = diff.counts.changes
    shown = len(page.rows)
    count = f"{count_text(total, 'change')}." if shown == total else f"Showing {shown:,} of {total:,} changes."
    notes = [count, diff.source, *diff.notes, _partitions(diff), _KINDS]
    if any("LOCAL TIME ZONE" in each.type for each in page.columns):
        notes.append(f"TIMESTAMP_LTZ in {page.zone}.")
    return tuple(note for note in notes if note)


def _partitions(diff: DiffValue) -> str:
    """Return the number of changes by partition, the largest first; an update is one change."""
    assert diff.counts is not None
    found = diff.counts.partitions[:_MOST_PARTITIONS]
    if not found:
        return ""
    texts = [f"{each.partition}: {each.changes:,}" for each in found]
    more = diff.counts.partition_total - len(texts)
    rest = f"; and {count_text(more, 'more partition')}" if more else ""
    return f"Changes by partition: {'; '.join(texts)}{rest}."


def _columns_grid(diff: DiffValue) -> Grid:
    assert diff.counts is not None
    columns = [each for each in diff.counts.columns if each.rows]
    columns.sort(key=lambda each: -each.rows)
    rows = tuple((each.name, f"{each.rows:,}") for each in columns)
    return Grid("Updated rows by column", (GridColumn("column"), GridColumn("rows", number=True)), rows)


def _files_grid(files: FilesDiffValue) -> Grid:
    names = ("bucket", "level", "added", "bytes added", "removed", "bytes removed", "kept", "upgraded")
    columns = tuple(GridColumn(name, number=name != "bucket") for name in names)
    total = files.total
    note = (
        f"In all buckets: {count_text(total.added, 'file')} added ({size_text(total.added_bytes)}), "
        f"{total.removed:,} removed ({size_text(total.removed_bytes)}), {total.kept:,} kept "
        f"({size_text(total.kept_bytes)}), {total.upgraded:,} moved to another level."
    )
    more = files.buckets - files.buckets_shown
    notes = (note, f"{count_text(more, 'more bucket')} with differences." if more else "")
    return Grid("Files", columns, tuple(map(_file_row, files.levels)), notes)


def _file_row(level: LevelFilesValue) -> tuple[str, ...]:
    files = level.files
    bucket = f"{level.partition}, bucket {level.bucket}" if level.partition else f"bucket {level.bucket}"
    return (
        bucket,
        str(level.level),
        f"{files.added:,}",
        size_text(files.added_bytes),
        f"{files.removed:,}",
        size_text(files.removed_bytes),
        f"{files.kept:,}",
        f"{files.upgraded:,}",
    )
