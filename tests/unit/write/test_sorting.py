"""Sorting through disk: the order is that of a sort in memory, regardless of the memory limit."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from workbench.format.options.core_options import CoreOptions
from workbench.write.sorting.external_sort import RowSorter

KINDS = ("spread", "one value", "few values", "sorted", "nulls")


def rows_of(kind: str, count: int = 60_000) -> pa.Table:
    chance = np.random.default_rng(5)
    values = {
        "spread": chance.integers(-(1 << 40), 1 << 40, count),
        "one value": np.zeros(count, np.int64),
        "few values": chance.integers(0, 3, count),
        "sorted": np.arange(count),
        "nulls": chance.integers(0, 100, count),
    }[kind]
    mask = chance.random(count) < 0.3 if kind == "nulls" else None
    texts = pa.array(chance.integers(0, 50, count)).cast(pa.string())
    return pa.table({"a": pa.array(values, mask=mask), "b": texts, "row": np.arange(count)})


@pytest.mark.parametrize("memory", [1 << 30, 200_000, 30_000])
@pytest.mark.parametrize("kind", KINDS)
def test_order(kind: str, memory: int) -> None:
    rows = rows_of(kind)
    sorter = RowSorter(CoreOptions({}), ["a", "b"], memory)
    for start in range(0, rows.num_rows, 1234):
        sorter.add(rows.slice(start, 1234))
    pieces = list(sorter.sorted())
    sorter.close()
    result = pa.concat_tables(pieces)
    missing = rows["a"].is_null().to_numpy()
    by_rule = np.lexsort([rows["row"], rows["b"].to_pylist(), rows["a"].fill_null(0).to_numpy(), ~missing])
    assert result["row"].to_pylist() == by_rule.tolist()
    assert result.equals(rows.take(pa.array(by_rule)))
    # A range spans from one sampled row to another, so it may exceed its size by one step of each run.
    runs = -(-rows.nbytes // memory)
    assert max(piece.nbytes for piece in pieces) <= memory + (runs + 1) * 1024 * (rows.nbytes / rows.num_rows) + 100_000


def test_no_rows() -> None:
    assert list(RowSorter(CoreOptions({}), ["a"], 1000).sorted()) == []
