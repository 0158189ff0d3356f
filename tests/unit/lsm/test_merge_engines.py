"""Every merge engine, compared with a model in plain Python: random histories with retracts, nulls and ties, in slices
of every size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.engine_tables import ENGINES, KEY, Table
from tests.support.java_model import RETRACTS, Record, RefusedError
from workbench.base.errors import MergeError
from workbench.lsm.key_slices import Chunk, Run, merge_slices
from workbench.lsm.merge_engine import merge_function_for
from workbench.lsm.merge_function import Kinds
from workbench.lsm.sequence_fields import SequenceFields

SEQUENCE, KIND = "_SEQUENCE_NUMBER", "_VALUE_KIND"


@dataclass(frozen=True)
class MemoryChunk:
    """Rows in memory."""

    table: pa.Table

    @property
    def rows(self) -> int:
        return int(self.table.num_rows)

    def keys(self) -> Sequence[pa.ChunkedArray]:
        return [self.table.column(KEY)]

    def sequence(self) -> pa.ChunkedArray | None:
        return self.table.column(SEQUENCE)

    def kinds(self) -> Kinds | None:
        return self.table.column(KIND).to_numpy()

    def column(self, name: str) -> pa.ChunkedArray:
        return self.table.column(name)

    def values(self, columns: Sequence[str], mask: pa.Array | None) -> pa.Table:
        table = self.table.select(list(columns))
        return table if mask is None else table.filter(mask)

    def split(self, rows: int) -> tuple[Chunk, Chunk]:
        return MemoryChunk(self.table.slice(0, rows)), MemoryChunk(self.table.slice(rows))


StoredRow = tuple[int, int, int, dict[str, Any]]
"""Key, sequence number, kind, values."""


@dataclass
class History:
    """Sorted runs of a table, oldest first, each with its level; keys are unique in a run."""

    table: Table
    runs: list[list[StoredRow]]
    levels: list[int]

    def expected(self) -> list[dict[str, Any]]:
        schema = self.table.schema
        fields, descending = schema.core.sequence_field, schema.core.sequence_field_is_descending
        by_key: dict[int, list[tuple[Any, Record]]] = {}
        for run, level in zip(self.runs, self.levels, strict=True):
            for key, sequence, kind, values in run:
                ages = [age_of(values[name], descending) for name in fields]
                by_key.setdefault(key, []).append(((ages, sequence), Record(kind, values, level)))
        rows = []
        for key, aged in sorted(by_key.items()):
            records = [record for _, record in sorted(aged, key=lambda each: each[0])]
            result = self.table.model.merged(self.table.engine, records)
            if result is not None and result[1] not in RETRACTS:
                rows.append({KEY: key, **result[0]})
        return rows

    def merged(self, columns: Sequence[str], sizes: Sequence[int], *, sorted_rows: bool = True) -> list[dict[str, Any]]:
        schema = self.table.schema
        function = merge_function_for(schema, columns)
        order = SequenceFields(schema.core.sequence_field, schema.core.sequence_field_is_descending)
        runs = [self._run(*each) for each in zip(self.runs, self.levels, sizes, strict=True)]
        slices = [each.without_retracts() for each in merge_slices(runs, function, order)]
        tables = [each.in_key_order(columns) if sorted_rows else each.in_file_order(columns) for each in slices]
        rows = [row for table in tables for row in table.to_pylist()]
        return rows if sorted_rows else sorted(rows, key=lambda row: row[KEY])

    def _run(self, rows: list[StoredRow], level: int, size: int) -> Run:
        arrow = self.table.schema.arrow_schema
        arrays = [pa.array([row[0] for row in rows], pa.int64())]
        arrays += [pa.array([row[3][name] for row in rows], arrow.field(name).type) for name in self.table.columns]
        arrays += [pa.array([row[1] for row in rows], pa.int64()), pa.array([row[2] for row in rows], pa.int8())]
        table = pa.Table.from_arrays(arrays, names=[KEY, *self.table.columns, SEQUENCE, KIND])
        parts = (MemoryChunk(table.slice(first, size)) for first in range(0, table.num_rows, size))
        return Run(table.num_rows, parts, level)


def age_of(value: Any, descending: bool) -> tuple[bool, Any]:
    return (value is not None, -value if descending and value is not None else value)


@st.composite
def histories(draw: st.DrawFn, table: Table, retracts: bool = True) -> History:
    keys = st.integers(0, draw(st.sampled_from([2, 9])))
    kinds = st.sampled_from([0, 2, 0, 2, 1, 3] if retracts else [0, 2])
    values = st.fixed_dictionaries({name: strategy for name, (_, strategy) in table.columns.items()})
    runs: list[list[StoredRow]] = []
    levels = sorted(draw(st.lists(st.integers(0, 3), min_size=1, max_size=6)), reverse=True)
    # Level 0 may hold several runs, each higher level holds one.
    levels = [level for position, level in enumerate(levels) if not level or level not in levels[:position]]
    sequence = 0
    for _ in levels:
        run = []
        for key in sorted(draw(st.sets(keys, max_size=10))):
            run.append((key, sequence, draw(kinds), draw(values)))
            sequence += 1
        runs.append(run)
    return History(table, runs, levels)


def check(history: History, data: st.DataObject) -> None:
    """Check that all or some columns, merged as a whole or in slices, equal the model, including errors."""
    every = [KEY, *history.table.columns]
    whole = [1000] * len(history.runs)
    comparable = history.table.comparable
    try:
        expected = [comparable(row) for row in history.expected()]
    except RefusedError:
        expected = None
    if expected is None:
        try:
            history.merged(every, whole)
        except MergeError:
            return
        raise AssertionError("merged what the model refuses")
    assert [comparable(row) for row in history.merged(every, whole)] == expected
    assert [comparable(row) for row in history.merged(every, whole, sorted_rows=False)] == expected
    sizes = [data.draw(st.integers(1, 4)) for _ in history.runs]
    assert [comparable(row) for row in history.merged(every, sizes)] == expected
    some = [KEY, *data.draw(st.sets(st.sampled_from(every[1:])))]
    narrow = [comparable(row) for row in history.merged(some, sizes)]
    assert narrow == [{name: row[name] for name in some} for row in expected]


def check_random_histories(name: str, times: float) -> None:
    @settings(max_examples=int(ENGINES[name].examples * times), deadline=None)
    @given(data=st.data())
    def holds(data: st.DataObject) -> None:
        drawn = ENGINES[name].draw(data)
        check(data.draw(histories(drawn.table, drawn.retracts)), data)

    holds()


@pytest.mark.parametrize("name", ENGINES)
def test_random_histories(name: str) -> None:
    check_random_histories(name, times=0.25)


@pytest.mark.long
@pytest.mark.parametrize("name", ENGINES)
def test_thousands_of_random_histories(name: str) -> None:
    check_random_histories(name, times=8)
