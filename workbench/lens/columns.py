"""The columns of a version, as the statistics of its data files describe them: shares of nulls, minimum and maximum
values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.base.modules import pc
from workbench.expr.cells import cell_texts
from workbench.expr.pruning import ColumnStats, ColumnStatsBatch
from workbench.format.spec.data_file import DataFileMeta
from workbench.lens.wire import Int64
from workbench.metadata.file_stats import FileStats
from workbench.metadata.manifests import ManifestFiles
from workbench.table.readable_table import ReadableTable

# Statistics are decoded column by column: about a second for this many values.
_MAX_VALUES = 4_000_000


@dataclass(frozen=True)
class ColumnSummaryValue:
    """The statistics of a column over stored rows, before any merge; None if a file does not record them.

    ``null_share`` is from 0 to 1. ``minimum`` and ``maximum`` are bounds of the values; bounds of strings may be
    truncated.
    """

    name: str
    null_share: float | None
    minimum: str | None
    maximum: str | None


@dataclass(frozen=True)
class ColumnsValue:
    """The columns of a version. ``complete`` is whether the statistics were read: if there are very many files, nothing
    is said about the columns, because the statistics of some files do not hold for the version."""

    table: str
    snapshot: Int64 | None
    complete: bool
    columns: tuple[ColumnSummaryValue, ...]


def collect_columns(table: ReadableTable) -> ColumnsValue:
    """Return the statistics of the columns of a table's version; reads metadata only.

    Raises:
        CorruptFile: A manifest is missing or damaged, or its statistics are corrupt.
    """
    snapshot = table.version
    files: Sequence[DataFileMeta] = ()
    if snapshot is not None:
        files = [entry.file for entry in ManifestFiles(table.store).live_files(snapshot)]
    complete = len(files) * len(table.schema.fields) <= _MAX_VALUES
    stats = FileStats(table.store, table.schema).of_values(files if complete else ())
    columns = tuple(_column(name, stats) for name in table.schema.field_names)
    return ColumnsValue(table.name, None if snapshot is None else snapshot.id, complete, columns)


def _column(name: str, batch: ColumnStatsBatch) -> ColumnSummaryValue:
    stats = batch.columns.get(name)
    if stats is None or not len(batch.row_counts):
        return ColumnSummaryValue(name, None, None, None)
    rows, nulls = pc.sum(batch.row_counts).as_py(), stats.null_count
    known = nulls is not None and not nulls.null_count
    share = pc.sum(nulls).as_py() / rows if known and rows else None
    return ColumnSummaryValue(name, share, _bound(stats, batch, pc.min), _bound(stats, batch, pc.max))


def _bound(stats: ColumnStats, batch: ColumnStatsBatch, pick: Any) -> str | None:
    """Return the smallest minimum or the largest maximum of the files, None if a file with values does not record
    it."""
    bounds = stats.minimum if pick is pc.min else stats.maximum
    if bounds is None or stats.null_count is None or not _is_ordered(bounds.type):
        return None
    only_nulls = pc.equal(stats.null_count, batch.row_counts)
    if not pc.all(pc.or_(bounds.is_valid(), pc.fill_null(only_nulls, False)), min_count=0).as_py():
        return None
    value = pick(bounds)
    return cell_texts(pa.array([value.as_py()], bounds.type) if value.is_valid else pa.nulls(1, bounds.type))[0]


def _is_ordered(kind: pa.DataType) -> bool:
    return not pa.types.is_nested(kind) and not pa.types.is_binary(kind) and not pa.types.is_boolean(kind)
