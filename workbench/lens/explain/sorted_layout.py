"""The bounds that files would have if their rows were sorted by a column, estimated from the bounds that they have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray, Float64Array, Int64Array
from workbench.base.modules import pc
from workbench.expr.pruning import ColumnStats


@dataclass(frozen=True)
class StoredRanges:
    """The bounds of one column in each of several files, the rows of each file, and how many of them are NULL."""

    minimum: pa.Array
    maximum: pa.Array
    rows: Int64Array
    nulls: Int64Array


def stored_ranges(stats: ColumnStats, rows: Int64Array) -> StoredRanges | None:
    """Return the ranges of a column; None if the bounds of some file are unknown."""
    if stats.minimum is None or stats.maximum is None or stats.null_count is None or stats.null_count.null_count:
        return None
    nulls = np.asarray(stats.null_count, np.int64)
    valid = np.asarray(pc.and_(stats.minimum.is_valid(), stats.maximum.is_valid()), np.bool_)
    if (~valid & (nulls < rows)).any():
        return None
    return StoredRanges(stats.minimum, stats.maximum, rows, nulls)


def sorted_stats(ranges: StoredRanges, files: int) -> ColumnStats | None:
    """Return the statistics that the files would have if the same values were sorted and divided into ``files`` files
    with equal numbers of rows; None if the type has no order.

    Integers, floats and times are assumed to be evenly distributed between the bounds of a file; of other values, half
    are assumed to be at the lower bound and half at the upper.
    """
    total = int(ranges.rows.sum())
    of_nulls = min(files, -(-int(ranges.nulls.sum()) * files // max(1, total)))
    of_values = files - of_nulls
    has_values = np.asarray(ranges.minimum.is_valid(), np.bool_)
    weights = (ranges.rows - ranges.nulls)[has_values].astype(np.float64)
    low, high = ranges.minimum.filter(pa.array(has_values)), ranges.maximum.filter(pa.array(has_values))
    if of_values == 0 or weights.sum() == 0:
        bounds = (pa.nulls(0, low.type), pa.nulls(0, low.type))
        of_values, of_nulls = 0, files
    else:
        found = _even(low, high, weights, of_values) if _is_number(low.type) else _ranked(low, high, weights, of_values)
        if found is None:
            return None
        bounds = found
    lower, upper = (pa.concat_arrays([bound, pa.nulls(of_nulls, low.type)]) for bound in bounds)
    counts = np.concatenate([np.zeros(of_values, np.int64), np.full(of_nulls, max(1, total // files), np.int64)])
    return ColumnStats(lower, upper, pa.array(counts))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_temporal(kind))


def _even(low: pa.Array, high: pa.Array, weights: Float64Array, files: int) -> tuple[pa.Array, pa.Array]:
    """Return the bounds of files that divide evenly distributed values into equal parts."""
    kind = low.type
    whole = not pa.types.is_floating(kind)
    begins, ends = (_numbers(bound).astype(np.float64) for bound in (low, high))
    ends = ends + 1 if whole else np.maximum(ends, np.nextafter(begins, np.inf))
    points = np.unique(np.concatenate([begins, ends]))
    # The density changes where the range of a file begins or ends.
    density = np.zeros(len(points))
    np.add.at(density, np.searchsorted(points, begins), weights / (ends - begins))
    np.add.at(density, np.searchsorted(points, ends), -weights / (ends - begins))
    rows = np.concatenate([[0.0], np.cumsum(np.cumsum(density)[:-1] * np.diff(points))])
    cuts = np.interp(np.linspace(0, rows[-1], files + 1), np.maximum.accumulate(rows), points)
    if not whole:
        return pa.array(cuts[:-1]).cast(kind), pa.array(cuts[1:]).cast(kind)
    first, last = int(_numbers(low).min()), int(_numbers(high).max())
    starts = [max(first, int(cut)) for cut in np.floor(cuts[:-1])]
    stops = [min(last, max(int(cut) - 1, start)) for cut, start in zip(np.ceil(cuts[1:]), starts, strict=True)]
    return _typed(starts, kind), _typed(stops, kind)


def _numbers(bound: pa.Array) -> AnyArray:
    kind = bound.type
    if pa.types.is_temporal(kind):
        bound = bound.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    numbers: AnyArray = bound.to_numpy(zero_copy_only=False)
    return numbers


def _typed(values: list[int], kind: pa.DataType) -> pa.Array:
    if pa.types.is_temporal(kind):
        return pa.array(values, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
    return pa.array(values, kind)


def _ranked(low: pa.Array, high: pa.Array, weights: Float64Array, files: int) -> tuple[pa.Array, pa.Array] | None:
    """Return the bounds of files that divide the bounds into equal parts."""
    ends = pa.concat_arrays([low, high])
    try:
        order = pc.sort_indices(ends)
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return None
    rows = np.cumsum(np.concatenate([weights, weights])[np.asarray(order)])
    places = np.searchsorted(rows, np.linspace(0, rows[-1], files + 1)).clip(0, len(rows) - 1)
    cuts = ends.take(order).take(pa.array(places))
    return cuts.slice(0, files), cuts.slice(1)
