"""Merging of rows of equal key in the write buffer, spilled or not: every merge engine, compared with a model in plain
Python."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.engine_tables import ENGINES, KEY, Table
from tests.support.java_model import INSERT, RETRACTS, Record, RefusedError
from tests.unit.lsm.test_merge_engines import History, age_of
from workbench.base.errors import MergeError
from workbench.catalog.connect import connect
from workbench.datafile import data_file_writer
from workbench.lsm.merge_function import RowKind
from workbench.table import table as tables
from workbench.write.files import run_writer

Row = tuple[int, int, dict[str, Any]]
"""Key, kind, values."""
Piece = list[Row]


@dataclass(frozen=True)
class Lived:
    """Commits, each of several pieces that fill the memory; ``spills`` pieces are spilled to disk before each flush."""

    table: Table
    commits: Sequence[Sequence[Piece]]
    spills: int
    changelog: bool

    @property
    def options(self) -> dict[str, str]:
        return {
            "bucket": "1",
            "write-only": "true",
            **self.table.options,
            "write-buffer-size": "1 b",
            "write-buffer-spillable": str(self.spills > 0).lower(),
            "local-sort.max-num-file-handles": str(self.spills),
            "changelog-producer": "input" if self.changelog else "none",
        }

    def flushes(self) -> Iterator[Piece]:
        """Yield the rows of each flush, without ignored deletes."""
        ignores = self.table.model.ignores_deletes
        for commit in self.commits:
            kept = [[row for row in piece if not (ignores and row[1] in RETRACTS)] for piece in commit]
            pieces = [piece for piece in kept if piece]
            for first in range(0, len(pieces), self.spills + 1):
                yield [row for piece in pieces[first : first + self.spills + 1] for row in piece]

    def in_order(self, rows: Piece) -> dict[int, list[Record]]:
        """The rows of each key, oldest first."""
        core = self.table.schema.core
        descending = core.sequence_field_is_descending
        aged: dict[int, list[tuple[Any, Record]]] = {}
        for number, (key, kind, values) in enumerate(rows):
            ages = [age_of(values[name], descending) for name in core.sequence_field]
            aged.setdefault(key, []).append(((ages, number), Record(kind, values)))
        return {
            key: [record for _, record in sorted(result, key=lambda each: each[0])]
            for key, result in sorted(aged.items())
        }

    def expected(self) -> list[dict[str, Any]]:
        """The content of the table. Raises RefusedError where Java fails to write or to read."""
        runs = []
        for number, rows in enumerate(self.flushes()):
            run = []
            for key, records in self.in_order(rows).items():
                result = self.table.model.merged(self.table.engine, records)
                if result is not None:
                    run.append((key, number, result[1], result[0]))
            runs.append(run)
        return History(self.table, runs, [0] * len(runs)).expected()

    def expected_changelog(self) -> list[tuple[str, int, dict[str, Any]]]:
        return [
            (RowKind(record.kind).short, key, record.values)
            for rows in self.flushes()
            for key, records in self.in_order(rows).items()
            for record in records
        ]

    def may_be_refused(self) -> bool:
        """Return whether a delete cannot be merged with a row of its key, so that the write refuses it immediately."""
        for commit in self.commits:
            for _, kind, values in (row for piece in commit for row in piece):
                try:
                    self.table.model.merged(self.table.engine, [Record(INSERT, values), Record(kind, values)])
                except RefusedError:
                    return True
        return False


@st.composite
def lives(draw: st.DrawFn, table: Table, retracts: bool) -> Lived:
    keys = st.integers(0, draw(st.sampled_from([1, 6])))
    kinds = st.sampled_from([0, 2, 0, 2, 1, 3] if retracts else [0, 2])
    values = st.fixed_dictionaries({name: strategy for name, (_, strategy) in table.columns.items()})
    pieces = st.lists(st.tuples(keys, kinds, values), min_size=1, max_size=6)
    commits = draw(st.lists(st.lists(pieces, min_size=1, max_size=4), min_size=1, max_size=3))
    changelog = table.engine != "first_row" and draw(st.booleans())
    return Lived(table, commits, draw(st.sampled_from([0, 1, 2, 9])), changelog)


@contextmanager
def tiny_pieces(rows: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_writer, "_MIN_PIECE_BYTES", 1)
        patch.setattr(run_writer, "_MIN_PIECE_ROWS", rows)
        patch.setattr(data_file_writer, "_GATHERED_BYTES", 100)
        yield


def arrow_rows(table: Table, piece: Piece) -> pa.Table:
    schema = table.schema.arrow_schema
    columns = {KEY: pa.array([row[0] for row in piece], pa.int64())}
    for name in table.columns:
        columns[name] = pa.array([row[2][name] for row in piece], schema.field(name).type)
    return pa.table({**columns, "kind": pa.array([RowKind(row[1]).short for row in piece])})


def written(lived: Lived, warehouse: str) -> tables.Table:
    catalog = connect(warehouse)
    catalog.create_database("db")
    kinds = {KEY: "BIGINT NOT NULL", **{name: kind for name, (kind, _) in lived.table.columns.items()}}
    table = catalog.create_table("db.t", kinds, KEY, options=lived.options)
    for commit in lived.commits:
        with table.writer() as writer:
            for piece in commit:
                writer.write(arrow_rows(lived.table, piece), "kind")
            table.commit(writer.prepare())
    return table


def check(lived: Lived, piece_rows: int, compacted: bool) -> None:
    comparable = lived.table.comparable
    expected = None
    with suppress(RefusedError):
        expected = [comparable(row) for row in lived.expected()]
    with tempfile.TemporaryDirectory() as warehouse, tiny_pieces(piece_rows):
        try:
            table = written(lived, warehouse)
            if compacted:
                table.compact(full=True)
            actual_rows = table.to_arrow()
        except MergeError:
            assert expected is None or lived.may_be_refused()
            return
        assert expected is not None, "merged what the model refuses"
        rows = sorted(actual_rows.to_pylist(), key=lambda row: row[KEY])
        assert [comparable(row) for row in rows] == expected
        if lived.changelog and table.snapshots():
            check_changelog(lived, table)


def check_changelog(lived: Lived, table: tables.Table) -> None:
    changes = table.changes(mode="changelog").to_pylist()
    result = [(row.pop("rowkind"), row.pop(KEY), row) for row in changes]
    assert result == lived.expected_changelog()


def check_random_lives(name: str, examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(data=st.data(), piece_rows=st.sampled_from([1, 3, 1000]), compacted=st.booleans())
    def holds(data: st.DataObject, piece_rows: int, compacted: bool) -> None:
        drawn = ENGINES[name].draw(data)
        lived = data.draw(lives(drawn.table, drawn.retracts))
        # Compaction that looks up older rows also folds lone retracts; its results are compared with Java's instead.
        looks_up = drawn.table.schema.core.merges_with_lookup
        check(lived, piece_rows, name == "first_row" or (compacted and not looks_up))

    holds()


@pytest.mark.parametrize("name", ENGINES)
def test_random_writes(name: str) -> None:
    check_random_lives(name, 8)


@pytest.mark.long
@pytest.mark.parametrize("name", ENGINES)
def test_hundreds_of_random_writes(name: str) -> None:
    check_random_lives(name, ENGINES[name].examples)
