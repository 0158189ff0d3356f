"""Every merge engine against the same in plain Python: random histories with retracts, nulls and ties, in slices of
every size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from java_model import RETRACTS, Aggregator, Engine, Group, Record, RefusedError

from workbench.base.errors import MergeError
from workbench.format.schema import TableSchema, new_table_schema
from workbench.lsm.key_slices import Chunk, Run, merge_slices
from workbench.lsm.merge_function import Kinds
from workbench.lsm.sequence_fields import SequenceFields
from workbench.table.sections import merge_function_for

KEY, SEQUENCE, KIND = "id", "_SEQUENCE_NUMBER", "_VALUE_KIND"


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


@dataclass
class Table:
    """A table: its columns with what each may hold, its options, and the model of its engine."""

    columns: dict[str, tuple[str, st.SearchStrategy[Any]]]
    options: dict[str, str]
    model: Engine = field(default_factory=Engine)
    sets: tuple[str, ...] = ()

    @property
    def schema(self) -> TableSchema:
        types = {KEY: "BIGINT NOT NULL", **{name: kind for name, (kind, _) in self.columns.items()}}
        return new_table_schema(types, primary_key=KEY, options={"bucket": "1", **self.options}, time_millis=0)

    @property
    def engine(self) -> str:
        return self.options.get("merge-engine", "deduplicate").replace("-", "_")

    def comparable(self, row: dict[str, Any]) -> dict[str, Any]:
        """Values with lists and maps whose order means nothing in one order."""
        return {
            name: sorted(value, key=repr) if name in self.sets and value is not None else value
            for name, value in row.items()
        }


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
                ages = [_age(values[name], descending) for name in fields]
                by_key.setdefault(key, []).append(((ages, sequence), Record(kind, values, level)))
        rows = []
        for key, aged in sorted(by_key.items()):
            records = [record for _, record in sorted(aged, key=lambda each: each[0])]
            found = self.table.model.merged(self.table.engine, records)
            if found is not None and found[1] not in RETRACTS:
                rows.append({KEY: key, **found[0]})
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


def _age(value: Any, descending: bool) -> tuple[bool, Any]:
    return (value is not None, -value if descending and value is not None else value)


@st.composite
def histories(draw: st.DrawFn, table: Table, retracts: bool = True) -> History:
    keys = st.integers(0, draw(st.sampled_from([2, 9])))
    kinds = st.sampled_from([0, 2, 0, 2, 1, 3] if retracts else [0, 2])
    values = st.fixed_dictionaries({name: strategy for name, (_, strategy) in table.columns.items()})
    runs: list[list[StoredRow]] = []
    levels = sorted(draw(st.lists(st.integers(0, 3), min_size=1, max_size=6)), reverse=True)
    # Level 0 may hold several runs, each higher level is one.
    levels = [level for place, level in enumerate(levels) if not level or level not in levels[:place]]
    sequence = 0
    for _ in levels:
        run = []
        for key in sorted(draw(st.sets(keys, max_size=10))):
            run.append((key, sequence, draw(kinds), draw(values)))
            sequence += 1
        runs.append(run)
    return History(table, runs, levels)


def check(history: History, data: st.DataObject) -> None:
    """All columns, some columns, whole and in slices: all like the model, errors too."""
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


def or_null(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


def maps(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return or_null(
        st.dictionaries(st.integers(0, 3), or_null(values), max_size=3).map(lambda found: list(found.items()))
    )


NUMBER = ("BIGINT", or_null(st.integers(-3, 3)))
TEXT = ("STRING", or_null(st.sampled_from(["", " ", "a", "b", "a,b", "b,c,,"])))
FLAG = ("BOOLEAN", or_null(st.booleans()))
LIST = ("ARRAY<BIGINT>", or_null(st.lists(or_null(st.integers(0, 3)), max_size=3)))
MAP = ("MAP<BIGINT, BIGINT>", maps(st.integers(0, 9)))
NESTED_ROW = st.builds(
    lambda k, s, v: {"k": k, "s": s, "v": v}, st.integers(0, 2), or_null(st.integers(0, 2)), or_null(st.integers(0, 9))
)
ROWS = ("ARRAY<ROW<k BIGINT, s BIGINT, v BIGINT>>", or_null(st.lists(or_null(NESTED_ROW), max_size=3)))
TIMED = st.builds(lambda v, t: {"v": v, "t": t}, or_null(st.integers(0, 9)), or_null(st.sampled_from(["1", "10", "2"])))
TIMED_MAP = (
    "MAP<BIGINT, ROW<v BIGINT, t STRING>>",
    maps(TIMED),
)


@settings(max_examples=200, deadline=None)
@given(data=st.data(), ignores=st.booleans(), descending=st.booleans(), fields=st.integers(0, 2))
def test_deduplicate(data: st.DataObject, ignores: bool, descending: bool, fields: int) -> None:
    options = {"ignore-delete": str(ignores).lower()}
    if fields:
        options["sequence.field"] = ",".join(["s", "t"][:fields])
        options["sequence.field.sort-order"] = "descending" if descending else "ascending"
    table = Table({"s": NUMBER, "t": NUMBER, "v": TEXT}, options, Engine(ignores_deletes=ignores))
    check(data.draw(histories(table)), data)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), ignores=st.booleans(), retracts=st.booleans())
def test_first_row(data: st.DataObject, ignores: bool, retracts: bool) -> None:
    options = {"merge-engine": "first-row", "ignore-delete": str(ignores).lower()}
    table = Table({"v": NUMBER, "w": TEXT}, options, Engine(ignores_deletes=ignores))
    check(data.draw(histories(table, retracts)), data)


@settings(max_examples=200, deadline=None)
@given(data=st.data(), mode=st.sampled_from(["", "ignore-delete", "partial-update.remove-record-on-delete"]))
def test_partial_update(data: st.DataObject, mode: str) -> None:
    sequence = data.draw(st.sampled_from([{}, {"sequence.field": "s"}]))
    options = {"merge-engine": "partial-update", **sequence, **({mode: "true"} if mode else {})}
    lookup = data.draw(st.booleans())
    if lookup:
        options["changelog-producer"] = "lookup"
    model = Engine(
        columns=("s", "v", "w", "x"),
        ignores_deletes=mode == "ignore-delete",
        removes_deleted=mode.startswith("partial"),
        merged_below=lookup,
    )
    table = Table({"s": NUMBER, "v": NUMBER, "w": TEXT, "x": LIST}, options, model)
    check(data.draw(histories(table, retracts=data.draw(st.booleans()))), data)


IN_GROUPS = [
    "last_value",
    "last_non_null_value",
    "first_value",
    "first_non_null_value",
    "sum",
    "product",
    "max",
    "min",
]


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_sequence_groups(data: st.DataObject) -> None:
    function = data.draw(st.sampled_from(IN_GROUPS))
    ignored = data.draw(st.booleans())
    removing = data.draw(st.sampled_from([(), ("g",), ("g", "h2")]))
    options = {
        "merge-engine": "partial-update",
        "fields.g.sequence-group": "a,b",
        "fields.h1,h2.sequence-group": "c",
        "fields.b.aggregate-function": function,
        "fields.b.ignore-retract": str(ignored).lower(),
    }
    if removing:
        options["partial-update.remove-record-on-sequence-group"] = ",".join(removing)
    groups = (
        Group(("g",), ("a", "b"), "g" in removing),
        Group(("h1", "h2"), ("c",), "h2" in removing),
    )
    columns = ("free", "g", "a", "b", "h1", "h2", "c")
    model = Engine(lambda: {"b": Aggregator(function, ignored)}, groups, columns)
    table = Table(dict.fromkeys(columns, NUMBER), options, model)
    check(data.draw(histories(table, retracts=data.draw(st.booleans()))), data)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_collections_in_a_sequence_group(data: st.DataObject) -> None:
    ignored = data.draw(st.booleans())
    options = {
        "merge-engine": "partial-update",
        "fields.g.sequence-group": "text,list,map,rows",
        "fields.text.aggregate-function": "listagg",
        "fields.text.ignore-retract": "true",
        "fields.list.aggregate-function": "collect",
        "fields.list.ignore-retract": str(ignored).lower(),
        "fields.map.aggregate-function": "merge_map",
        "fields.rows.aggregate-function": "nested_partial_update",
        "fields.rows.nested-key": "k",
        "fields.rows.ignore-retract": "true",
    }

    def functions() -> dict[str, Aggregator]:
        return {
            "text": Aggregator("listagg", True),
            "list": Aggregator("collect", ignored),
            "map": Aggregator("merge_map"),
            "rows": Aggregator("nested_partial_update", True),
        }

    columns = ("g", "text", "list", "map", "rows")
    model = Engine(functions, (Group(("g",), columns[1:]),), columns)
    table = Table(dict(zip(columns, (NUMBER, TEXT, LIST, MAP, ROWS), strict=True)), options, model, ("map", "rows"))
    check(data.draw(histories(table)), data)


AGGREGATES: dict[str, tuple[Any, dict[str, str], dict[str, Any]]] = {
    **dict.fromkeys(["sum", "product", "max", "min"], (NUMBER, {}, {})),
    **dict.fromkeys(["last_value", "last_non_null_value", "first_value", "first_non_null_value"], (NUMBER, {}, {})),
    **dict.fromkeys(["bool_and", "bool_or"], (FLAG, {}, {})),
    "listagg": (TEXT, {}, {}),
    "listagg distinct": (TEXT, {"distinct": "true"}, {"distinct": True}),
    "max of text": (TEXT, {}, {}),
    "collect": (LIST, {}, {}),
    "collect distinct": (LIST, {"distinct": "true"}, {"distinct": True}),
    "merge_map": (MAP, {}, {}),
    "merge_map_with_keytime": (TIMED_MAP, {"ts-field": "t"}, {}),
    "nested_update": (ROWS, {}, {}),
    "nested_update limited": (ROWS, {"count-limit": "2"}, {"limit": 2}),
    "nested_update keyed": (ROWS, {"nested-key": "k"}, {"key": True}),
    "nested_update sequence": (
        ROWS,
        {"nested-key": "k", "nested-sequence-field": "s", "count-limit": "2"},
        {"key": True, "sequence": True, "limit": 2},
    ),
    "nested_partial_update": (ROWS, {"nested-key": "k"}, {"key": True}),
}


@settings(max_examples=800, deadline=None)
@given(data=st.data())
def test_aggregation(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(AGGREGATES)))
    function = name.partition(" ")[0]
    column, told, known = AGGREGATES[name]
    ignored, removes = data.draw(st.sampled_from([(False, False), (True, False), (False, True)]))
    lookup = data.draw(st.booleans())
    options = {
        "merge-engine": "aggregation",
        "fields.v.aggregate-function": function,
        **{f"fields.v.{option}": value for option, value in told.items()},
        "fields.v.ignore-retract": str(ignored).lower(),
        "aggregation.remove-record-on-delete": str(removes).lower(),
        "force-lookup": str(lookup).lower(),
    }
    if data.draw(st.booleans()):
        options["sequence.field"] = "s"

    def functions() -> dict[str, Aggregator]:
        first = "last_value" if "sequence.field" in options else "last_non_null_value"
        return {"s": Aggregator(first), "v": Aggregator(function, ignored, **known)}

    model = Engine(functions, removes_deleted=removes, merged_below=lookup)
    sets = ("v",) if column in (MAP, TIMED_MAP, ROWS) else ()
    table = Table({"s": NUMBER, "v": column}, options, model, sets)
    check(data.draw(histories(table, retracts=data.draw(st.booleans()))), data)
