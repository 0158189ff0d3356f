"""Histograms of numbers and times, with limits that people would choose."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from workbench.lens.charts.choice import ChartChoice
from workbench.lens.charts.columns import Role, drawable
from workbench.lens.charts.points import left_out_text, positions, time_texts
from workbench.lens.charts.value import Axis, ChartSeries, ChartValue

_MOST_BINS = 40
_SECOND = 1_000_000
_MINUTE, _HOUR, _DAY = 60 * _SECOND, 3600 * _SECOND, 86_400 * _SECOND
_TIME_STEPS = (
    *(step * _SECOND for step in (1, 5, 15, 30)),
    *(step * _MINUTE for step in (1, 5, 15, 30)),
    *(step * _HOUR for step in (1, 3, 6, 12)),
    *(step * _DAY for step in (1, 7, 30, 90, 365, 3650)),
)


def histogram(rows: pa.Table, choice: ChartChoice) -> ChartValue:
    """Return the number of rows in each of several equally wide ranges of a number or a time."""
    role, arrow_type = choice.x.role, rows.schema.field(choice.x.index).type
    column = drawable(rows.column(choice.x.index))
    values = column.drop_null().combine_chunks().to_numpy(zero_copy_only=False)
    span = float(values.max()) - float(values.min())
    whole = bool(pa.types.is_integer(arrow_type))
    if role is Role.TIME:
        step = _time_step(span, _DAY if pa.types.is_date(arrow_type) else _SECOND)
    else:
        step = _number_step(span, len(values), whole=whole)
    starts, counts = np.unique(np.floor(values / step), return_counts=True)
    # A range of one whole number is drawn at the number itself.
    single = whole and step == 1
    left = starts * step
    texts = tuple(f"{value:.15g}" for value in left) if single else _ranges(left, step, role)
    centers = pa.array(left if single else left + step / 2, pa.float64())
    x = positions(centers.cast(pa.int64(), safe=False) if role is Role.TIME else centers, role)
    series = ChartSeries("rows", x, tuple(map(float, counts)), texts)
    left_out = column.null_count
    notes = (left_out_text(choice.x.name, left_out, rows.num_rows),) if left_out else ()
    axis = Axis(choice.x.name, "time" if role is Role.TIME else "number")
    return ChartValue(choice.kind, f"rows by {choice.x.name}", choice.why, axis, "rows", (series,), notes, step)


def _number_step(span: float, count: int, *, whole: bool) -> float:
    """Return 1, 2 or 5 times a power of ten, which divides the span into as many ranges as the rows can fill."""
    bins = min(_MOST_BINS, max(5, math.isqrt(count)))
    if span == 0:
        return 1.0
    least = span / bins
    power = 10.0 ** math.floor(math.log10(least))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * 0.999)
    return max(1.0, step) if whole else step


def _time_step(span: float, least: int) -> float:
    fitting = (step for step in _TIME_STEPS if step >= least and span / step <= _MOST_BINS)
    return float(next(fitting, span / _MOST_BINS))


def _ranges(left: np.ndarray[tuple[int], np.dtype[np.float64]], step: float, role: Role) -> tuple[str, ...]:
    if role is Role.TIME:
        edges = time_texts(pa.array(np.concatenate([left, left + step]).astype("int64")))
        pairs = zip(edges[: len(left)], edges[len(left) :], strict=True)
    else:
        pairs = ((f"{start:.6g}", f"{start + step:.6g}") for start in left)  # type: ignore[assignment]
    return tuple(f"{start} to {end}" for start, end in pairs)
