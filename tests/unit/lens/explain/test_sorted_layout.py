"""The bounds of sorted files, estimated from those of unsorted ones."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from workbench.expr.pruning import ColumnStats
from workbench.lens.explain.sorted_layout import sorted_stats, stored_ranges


def sorted_bounds(low: list[Any], high: list[Any], files: int, kind: pa.DataType, nulls: int = 0) -> list[Any]:
    rows = np.full(len(low), 100, np.int64)
    counts = np.zeros(len(low), np.int64)
    counts[0] = nulls
    ranges = stored_ranges(ColumnStats(pa.array(low, kind), pa.array(high, kind), pa.array(counts)), rows)
    assert ranges is not None
    stats = sorted_stats(ranges, files)
    assert stats is not None
    assert stats.minimum is not None
    assert stats.maximum is not None
    return list(zip(stats.minimum.to_pylist(), stats.maximum.to_pylist(), strict=True))


def test_equal_ranges_are_cut_evenly() -> None:
    assert sorted_bounds([0] * 4, [999] * 4, 4, pa.int64()) == [(0, 249), (250, 499), (500, 749), (750, 999)]


def test_ranges_that_do_not_overlap_stay() -> None:
    assert sorted_bounds([100, 0], [199, 99], 2, pa.int32()) == [(0, 99), (100, 199)]


def test_dates_and_floats() -> None:
    days = sorted_bounds([date(2026, 1, 1)] * 2, [date(2026, 1, 10)] * 2, 2, pa.date32())
    assert days == [(date(2026, 1, 1), date(2026, 1, 5)), (date(2026, 1, 6), date(2026, 1, 10))]
    assert sorted_bounds([0.0] * 2, [1.0] * 2, 2, pa.float64()) == [(0.0, 0.5), (0.5, 1.0)]


def test_other_types_are_cut_at_bounds() -> None:
    assert sorted_bounds(["a", "m"], ["l", "z"], 2, pa.string()) == [("a", "l"), ("l", "z")]
    kind = pa.decimal128(4, 1)
    assert sorted_bounds([Decimal("1.5")], [Decimal("2.5")], 1, kind) == [(Decimal("1.5"), Decimal("2.5"))]


def test_nulls_fill_files_of_their_own() -> None:
    assert sorted_bounds([0, 0], [99, 99], 2, pa.int64(), nulls=100) == [(0, 99), (None, None)]
    assert sorted_bounds([None], [None], 2, pa.int64(), nulls=100) == [(None, None), (None, None)]


def test_extreme_values() -> None:
    least, most = -(2**63), 2**63 - 1
    bounds = sorted_bounds([least] * 2, [most] * 2, 2, pa.int64())
    assert bounds[0][0] == least
    assert bounds[-1][1] == most
    assert all(low <= high for low, high in bounds)


@pytest.mark.parametrize("missing", ["minimum", "null_count"])
def test_unknown_bounds(missing: str) -> None:
    known = {"minimum": pa.array([1]), "maximum": pa.array([2]), "null_count": pa.array([0])}
    assert stored_ranges(ColumnStats(**{**known, missing: None}), np.array([5])) is None
    unknown = {**known, missing: pa.nulls(1, pa.int64())}
    assert stored_ranges(ColumnStats(**unknown), np.array([5])) is None
