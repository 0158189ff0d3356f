"""Sorted runs merged slice by slice have the same result as a dict, in key order, for any size of chunks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.lsm.deduplicate import DeduplicateMergeFunction
from workbench.lsm.key_slices import Chunk, MergedSlice, Run, merge_slices
from workbench.lsm.merge_function import Kinds, RowKind

KeyRow = tuple[int, str, int]


@dataclass(frozen=True)
class Rows:
    """A chunk in memory, with or without the columns of sequence numbers and kinds."""

    table: pa.Table
    with_sequence: bool
    with_kinds: bool

    @property
    def rows(self) -> int:
        return int(self.table.num_rows)

    def keys(self) -> Sequence[pa.ChunkedArray]:
        return [self.table.column("k"), self.table.column("t")]

    def sequence(self) -> pa.ChunkedArray | None:
        return self.table.column("sequence") if self.with_sequence else None

    def kinds(self) -> Kinds | None:
        return self.table.column("kind").to_numpy() if self.with_kinds else None

    def column(self, name: str) -> pa.ChunkedArray:
        return self.table.column(name)

    def values(self, columns: Sequence[str], mask: pa.Array | None) -> pa.Table:
        table = self.table.select(list(columns))
        return table if mask is None else table.filter(mask)

    def split(self, rows: int) -> tuple[Chunk, Chunk]:
        parts = self.table.slice(0, rows), self.table.slice(rows)
        head, tail = (Rows(part, self.with_sequence, self.with_kinds) for part in parts)
        return head, tail


@dataclass
class Case:
    """Runs of rows (k, t, value, sequence, kind), each sorted and without duplicate keys, the oldest run first."""

    runs: list[list[tuple[int, str, int, int, int]]]
    with_sequence: bool
    with_kinds: bool

    def expected(self) -> list[tuple[int, str, int]]:
        newest: dict[tuple[int, str], tuple[int, int, tuple[int, str, int, int, int]]] = {}
        for age, run in enumerate(self.runs):
            for row in run:
                rank = (row[3] if self.with_sequence else 0, age, row)
                if (row[0], row[1]) not in newest or rank[:2] > newest[row[0], row[1]][:2]:
                    newest[row[0], row[1]] = rank
        kept = [row for _, _, row in newest.values() if not self.with_kinds or row[4] in (0, 2)]
        return sorted(row[:3] for row in kept)

    def merge(self, sizes: Sequence[int]) -> list[MergedSlice]:
        runs = [self._run(run, size) for run, size in zip(self.runs, sizes, strict=True)]
        return list(merge_slices(runs, DeduplicateMergeFunction()))

    def _run(self, rows: list[Any], size: int) -> Run:
        kinds = [pa.int64(), pa.string(), pa.int64(), pa.int64(), pa.int8()]
        columns = list(zip(*rows, strict=True)) or [()] * 5
        arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
        table = pa.table(dict(zip(["k", "t", "value", "sequence", "kind"], arrays, strict=True)))
        parts = (table.slice(first, size) for first in range(0, table.num_rows, size))
        return Run(table.num_rows, (Rows(part, self.with_sequence, self.with_kinds) for part in parts))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    key = st.tuples(st.integers(0, draw(st.sampled_from([3, 30]))), st.sampled_from(["", "a", "b\0"]))
    with_sequence = draw(st.booleans())
    runs = []
    for number in range(draw(st.integers(1, 5))):
        result = sorted(draw(st.sets(key, max_size=25)))
        runs.append(
            [
                (
                    *each,
                    draw(st.integers(0, 99)),
                    draw(st.integers(0, 9)) if with_sequence else number,
                    draw(st.integers(0, 3)),
                )
                for each in result
            ]
        )
    return Case(runs, with_sequence, draw(st.booleans()))


@settings(max_examples=150, deadline=None)
@given(case=cases(), data=st.data())
def test_any_chunks_return_the_same_rows(case: Case, data: st.DataObject) -> None:
    sizes = [data.draw(st.integers(1, 8)) for _ in case.runs]
    columns = ["k", "t", "value"]
    slices = case.merge(sizes)
    sorted_rows = [row for each in slices for row in rows_of(each.without_retracts().in_key_order(columns))]
    assert sorted_rows == case.expected()
    in_file_order = [
        row for each in case.merge(sizes) for row in rows_of(each.without_retracts().in_file_order(columns))
    ]
    assert sorted(in_file_order) == case.expected()
    whole = [
        row
        for each in case.merge([1000] * len(sizes))
        for row in rows_of(each.without_retracts().in_key_order(columns))
    ]
    assert whole == case.expected()


def rows_of(table: pa.Table) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.to_pylist()]


def test_retracts_are_kept_until_dropped() -> None:
    case = Case([[(1, "", 10, 0, 0), (2, "", 20, 0, 0)], [(1, "", 11, 1, 3), (3, "", 30, 1, 1)]], False, True)
    (merged,) = case.merge([9, 9])
    result = merged.in_key_order(["k", "value", "kind"])
    assert rows_of(result) == [(1, 11, RowKind.DELETE), (2, 20, RowKind.INSERT), (3, 30, RowKind.UPDATE_BEFORE)]
    assert rows_of(merged.without_retracts().in_key_order(["k"])) == [(2,)]


def test_everything_deleted() -> None:
    case = Case([[(1, "", 10, 0, 0)], [(1, "", 11, 1, 3)]], False, True)
    (merged,) = case.merge([9, 9])
    result = merged.without_retracts().in_file_order(["k", "value"])
    assert result.num_rows == 0
    assert result.schema.names == ["k", "value"]


def test_memory_is_bounded() -> None:
    """A slice holds only a few chunks of each run, regardless of the length of the runs."""
    chance = random.Random(4)
    runs = [
        [(key, "", number, number, 0) for key in sorted(chance.sample(range(100_000), 4000))] for number in range(6)
    ]
    slices = Case(runs, False, False).merge([100] * 6)
    assert len(slices) > 40
    assert max(sum(chunk.rows for chunk in each.chunks) for each in slices) <= 6 * 2 * 100
    last = -1
    for each in slices:
        keys = np.asarray(each.in_key_order(["k"]).column(0))
        assert keys[0] > last
        last = int(keys[-1])


def test_a_run_that_ends_early() -> None:
    long = [(key, "", 0, 0, 0) for key in range(1000)]
    short = [(key, "", 1, 1, 0) for key in range(20)]
    case = Case([long, short, []], False, False)
    result = [row for each in case.merge([64, 64, 64]) for row in rows_of(each.in_key_order(["k", "t", "value"]))]
    assert result == case.expected()


@pytest.mark.parametrize("runs", [[], [[]], [[], []]])
def test_nothing_to_merge(runs: list[list[Any]]) -> None:
    assert Case(runs, False, False).merge([1] * len(runs)) == []
