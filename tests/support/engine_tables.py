"""Tables of every merge engine with random settings, each with its model in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.support.java_model import Aggregator, Engine, Group
from workbench.format.spec.schema import TableSchema
from workbench.metadata.definition.new_schema import new_table_schema

KEY = "id"


@dataclass
class Table:
    """A table: its columns with their possible values, its options, and the model of its engine."""

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
        """The values of a row; lists and maps whose order has no meaning are sorted."""
        return {
            name: sorted(value, key=repr) if name in self.sets and value is not None else value
            for name, value in row.items()
        }


@dataclass(frozen=True)
class Drawn:
    """A table, and whether its rows may be deletes."""

    table: Table
    retracts: bool = True


@dataclass(frozen=True)
class EngineTables:
    """``draw`` makes a random table; ``examples``: the number of tables in a short run."""

    examples: int
    draw: Callable[[st.DataObject], Drawn]


ENGINES: dict[str, EngineTables] = {}


def engine(examples: int) -> Callable[[Callable[[st.DataObject], Drawn]], None]:
    """Return a decorator that adds a function that draws tables to ENGINES."""

    def register(draw: Callable[[st.DataObject], Drawn]) -> None:
        ENGINES[draw.__name__] = EngineTables(examples, draw)

    return register


def or_null(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


def maps(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return or_null(
        st.dictionaries(st.integers(0, 3), or_null(values), max_size=3).map(lambda result: list(result.items()))
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


@engine(200)
def deduplicate(data: st.DataObject) -> Drawn:
    ignores, descending, fields = (data.draw(each) for each in (st.booleans(), st.booleans(), st.integers(0, 2)))
    options = {"ignore-delete": str(ignores).lower()}
    if fields:
        options["sequence.field"] = ",".join(["s", "t"][:fields])
        options["sequence.field.sort-order"] = "descending" if descending else "ascending"
    table = Table({"s": NUMBER, "t": NUMBER, "v": TEXT}, options, Engine(ignores_deletes=ignores))
    return Drawn(table)


@engine(150)
def first_row(data: st.DataObject) -> Drawn:
    ignores, retracts = data.draw(st.booleans()), data.draw(st.booleans())
    options = {"merge-engine": "first-row", "ignore-delete": str(ignores).lower()}
    table = Table({"v": NUMBER, "w": TEXT}, options, Engine(ignores_deletes=ignores))
    return Drawn(table, retracts)


@engine(200)
def partial_update(data: st.DataObject) -> Drawn:
    mode = data.draw(st.sampled_from(["", "ignore-delete", "partial-update.remove-record-on-delete"]))
    sequence = data.draw(st.sampled_from([{}, {"sequence.field": "s"}]))
    options = {"merge-engine": "partial-update", **sequence, **({mode: "true"} if mode else {})}
    lookup = data.draw(st.booleans())
    if lookup:
        options["force-lookup"] = "true"
    model = Engine(
        columns=("s", "v", "w", "x"),
        ignores_deletes=mode == "ignore-delete",
        removes_deleted=mode.startswith("partial"),
        merged_below=lookup,
    )
    table = Table({"s": NUMBER, "v": NUMBER, "w": TEXT, "x": LIST}, options, model)
    return Drawn(table, data.draw(st.booleans()))


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


@engine(400)
def sequence_groups(data: st.DataObject) -> Drawn:
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
    return Drawn(table, data.draw(st.booleans()))


@engine(150)
def collections_in_a_sequence_group(data: st.DataObject) -> Drawn:
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
    return Drawn(table)


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


@engine(800)
def aggregation(data: st.DataObject) -> Drawn:
    name = data.draw(st.sampled_from(sorted(AGGREGATES)))
    function = name.partition(" ")[0]
    column, reported, known = AGGREGATES[name]
    ignored, removes = data.draw(st.sampled_from([(False, False), (True, False), (False, True)]))
    lookup = data.draw(st.booleans())
    options = {
        "merge-engine": "aggregation",
        "fields.v.aggregate-function": function,
        **{f"fields.v.{option}": value for option, value in reported.items()},
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
    return Drawn(table, data.draw(st.booleans()))
