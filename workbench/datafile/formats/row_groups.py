"""Selection of the row groups of a Parquet file by the statistics in its footer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from workbench.datafile.file_format import RowGroupFilter
from workbench.format.spec.schema import TableSchema
from workbench.format.types import to_arrow

if TYPE_CHECKING:
    from workbench.expr.expressions import Expr
    from workbench.expr.pruning import ColumnStats
    from workbench.format.parquet.statistics import Bounds


def row_group_filter(where: Expr | None, schema: TableSchema, columns: Sequence[str]) -> RowGroupFilter | None:
    """Return a filter of row groups by the parts of a predicate that use only ``columns``; None if there are none."""
    if where is None:
        return None
    # Loaded here, because many reads have no condition.
    from workbench.expr.tree import referenced_columns, restrict_to

    predicate = restrict_to(where, columns)
    if predicate is None:
        return None
    # Loaded last, because it imports Arrow's compute module.
    from workbench.expr.pruning import ColumnStatsBatch, may_match

    kinds = {name: to_arrow(schema.field(name).type) for name in sorted(referenced_columns(predicate))}

    def choose(rows: Sequence[int], bounds: Callable[[str], Bounds | None]) -> Sequence[int]:
        if len(rows) < 2:
            return range(len(rows))
        stats = {
            name: _column_stats(bound, arrow_type)
            for name, arrow_type in kinds.items()
            if (bound := bounds(name)) is not None
        }
        batch = ColumnStatsBatch(pa.array(rows, pa.int64()), stats)
        return [int(group) for group in np.flatnonzero(may_match(predicate, batch))]

    return choose


def _column_stats(bounds: Bounds, arrow_type: pa.DataType) -> ColumnStats:
    """Return the statistics of one column in the footer, in the type of the table."""
    from workbench.expr.pruning import ColumnStats

    if bounds.minimum is None or bounds.maximum is None:
        return ColumnStats(None, None, bounds.null_count)
    if bounds.minimum.type == arrow_type and bounds.maximum.type == arrow_type:
        return ColumnStats(bounds.minimum, bounds.maximum, bounds.null_count)
    try:
        return ColumnStats(bounds.minimum.cast(arrow_type), bounds.maximum.cast(arrow_type), bounds.null_count)
    except pa.ArrowException:
        # A file may hold a column with another type than its schema says, so its bounds cannot be used.
        return ColumnStats(None, None, bounds.null_count)
