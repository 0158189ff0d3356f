"""Passing over row groups of a Parquet file by the statistics in its footer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from workbench.expr.expressions import Expr
from workbench.expr.tree import referenced_columns, restrict_to
from workbench.format.schema import TableSchema
from workbench.format.types import to_arrow
from workbench.table.data_files.parquet import RowGroupFilter

if TYPE_CHECKING:
    import pyarrow.parquet as pq

    from workbench.expr.pruning import ColumnStats


def row_group_filter(where: Expr | None, schema: TableSchema, columns: Sequence[str]) -> RowGroupFilter | None:
    """Chooses row groups by the parts of a predicate that use only ``columns``; None where there are no such parts."""
    predicate = None if where is None else restrict_to(where, columns)
    if predicate is None:
        return None
    from workbench.expr.pruning import ColumnStatsBatch, may_match

    asked = sorted(referenced_columns(predicate))

    def choose(metadata: pq.FileMetaData, place: Callable[[str], int | None]) -> Sequence[int]:
        groups = range(metadata.num_row_groups)
        if len(groups) < 2:
            return groups
        rows = pa.array([metadata.row_group(group).num_rows for group in groups], pa.int64())
        stats = {
            name: _column_stats(metadata, found, to_arrow(schema.field(name).type))
            for name in asked
            if (found := place(name)) is not None
        }
        return [int(group) for group in np.flatnonzero(may_match(predicate, ColumnStatsBatch(rows, stats)))]

    return choose


def _column_stats(metadata: pq.FileMetaData, place: int, kind: pa.DataType) -> ColumnStats:
    """What the footer says of one column in every row group; unknown as a whole where it says it in another type."""
    from workbench.expr.pruning import ColumnStats

    lows: list[Any] = []
    highs: list[Any] = []
    nulls: list[int | None] = []
    for group in range(metadata.num_row_groups):
        found = metadata.row_group(group).column(place).statistics
        bounded = found is not None and found.has_min_max
        lows.append(found.min if bounded else None)
        highs.append(found.max if bounded else None)
        nulls.append(found.null_count if found is not None and found.has_null_count else None)
    counts = pa.array(nulls, pa.int64())
    try:
        return ColumnStats(pa.array(lows, kind), pa.array(highs, kind), counts)
    except (pa.ArrowException, TypeError, OverflowError):
        # The file's type differs (an evolved column, a decimal stored otherwise): its bounds say nothing about ours.
        return ColumnStats(None, None, counts)
