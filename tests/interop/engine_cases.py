"""Tables of every merge engine and aggregate function, with random histories: deletes, nulls, ties and compactions."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from datasketches import hll_sketch, update_theta_sketch
from pyroaring import BitMap

from workbench.format.index.roaring64 import encode_bitmap64

Values = Callable[[random.Random], Any]
KEYS = 24


@dataclass(frozen=True)
class Kind:
    """A type in Java's JSON form and in Arrow, and a function that makes values of it."""

    json: Any
    arrow: pa.DataType
    make: Values


@dataclass(frozen=True)
class EngineCase:
    """A table and the row kinds of its history.

    ``compacts``: the commits after which the table is compacted.
    ``refused``: Java fails to merge its rows.
    ``unordered``: columns whose lists Java builds from hash tables, so that their order has no meaning.
    """

    name: str
    columns: Mapping[str, Kind]
    options: Mapping[str, str]
    kinds: tuple[str, ...] = ("+I", "+U", "+I", "-D", "-U")
    compacts: tuple[int, ...] = (2,)
    commits: int = 5
    refused: bool = False
    unordered: tuple[str, ...] = ()
    partitioned: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def json_columns(self) -> dict[str, Any]:
        """All columns with Java's types."""
        keys = {"id": "BIGINT NOT NULL", **({"part": "STRING NOT NULL"} if self.partitioned else {})}
        return {**keys, **{name: kind.json for name, kind in self.columns.items()}}

    @property
    def primary_key(self) -> list[str]:
        """The key, the partition column first."""
        return ["part", "id"] if self.partitioned else ["id"]

    def commit(self, number: int) -> tuple[pa.Table, tuple[str, ...]]:
        """Return the rows of one commit, each key once, and their kinds; they are the same in every run."""
        chance = random.Random(f"{self.name} {number}")
        ids = sorted(chance.sample(range(KEYS), KEYS * 2 // 3))
        table = {"id": pa.array(ids, pa.int64())}
        if self.partitioned:
            table["part"] = pa.array(["odd" if each % 2 else "even" for each in ids])
        for name, kind in self.columns.items():
            nullable = "NOT NULL" not in str(kind.json)
            values = [None if nullable and chance.random() < 0.3 else kind.make(chance) for _ in ids]
            table[name] = pa.array(values, kind.arrow)
        return pa.table(table), tuple(chance.choice(self.kinds) for _ in ids)


def one_of(*values: Any) -> Values:
    return lambda chance: chance.choice(values)


def lists(make: Values) -> Values:
    return lambda chance: [None if chance.random() < 0.2 else make(chance) for _ in range(chance.randrange(4))]


def maps(make: Values) -> Values:
    return lambda chance: [
        (key, None if chance.random() < 0.2 else make(chance)) for key in chance.sample(range(4), chance.randrange(4))
    ]


def records(**fields: Values) -> Values:
    return lambda chance: {
        name: None if chance.random() < 0.3 and name != "k" else make(chance) for name, make in fields.items()
    }


def bitmap(chance: random.Random) -> bytes:
    numbers = BitMap(chance.sample(range(200_000), 5)) | BitMap(range(chance.randrange(1, 900)))
    numbers.run_optimize()
    return numbers.serialize()


def wide_bitmap(chance: random.Random) -> bytes:
    """Return a bitmap of numbers near each other and far apart, so that its tree has nodes of several sizes."""
    spread = 1 << chance.choice([4, 20, 24, 33, 63])
    numbers = [chance.randrange(spread) for _ in range(chance.choice([1, 3, 30, 300]))]
    start = chance.randrange(1 << 40)
    numbers += range(start, start + chance.choice([0, 50, 9000]))
    scattered = chance.randrange(1 << 30) << 16
    numbers += range(scattered, scattered + chance.choice([0, 65000]), 7)
    upper: dict[int, set[int]] = {}
    for number in numbers:
        upper.setdefault(number >> 16, set()).add(number & 0xFFFF)
    return encode_bitmap64({key: np.array(sorted(low), np.uint16) for key, low in upper.items()})


def hll(chance: random.Random) -> bytes:
    sketch = hll_sketch(chance.choice([4, 10, 12]))
    for _ in range(chance.choice([1, 20, 3000])):
        sketch.update(chance.randrange(1 << 40))
    return bytes(sketch.serialize_compact())


def theta(chance: random.Random) -> bytes:
    sketch = update_theta_sketch()
    for _ in range(chance.choice([0, 1, 20, 9000])):
        sketch.update(chance.randrange(1 << 40))
    return bytes(sketch.compact().serialize())


SMALL = one_of(-3, -2, -1, 1, 2, 3)
TEXTS = one_of("", " ", "a", "b", "é", "a longer text", "b,a", "c|d")


def row_json(first: int, **fields: Any) -> dict[str, Any]:
    named = [
        {"id": first + position, "name": name, "type": kind} for position, (name, kind) in enumerate(fields.items())
    ]
    return {"type": "ROW", "fields": named}


TINY = Kind("TINYINT", pa.int8(), SMALL)
SHORT = Kind("SMALLINT", pa.int16(), SMALL)
INT = Kind("INT", pa.int32(), SMALL)
LONG = Kind("BIGINT", pa.int64(), SMALL)
FLOAT = Kind("FLOAT", pa.float32(), one_of(-1.5, 0.1, 3.25, 1e30, float("inf"), float("nan"), -0.0))
DOUBLE = Kind("DOUBLE", pa.float64(), one_of(-1.5, 0.1, 3.25, 1e300, float("-inf"), float("nan"), 0.0))
MONEY = Kind("DECIMAL(9, 2)", pa.decimal128(9, 2), one_of(*map(Decimal, ("-0.02", "0.50", "1.25", "40.00"))))
TIGHT = Kind("DECIMAL(2, 0)", pa.decimal128(2, 0), one_of(*map(Decimal, ("90", "-90", "5"))))
WIDE = Kind(
    "DECIMAL(38, 10)",
    pa.decimal128(38, 10),
    one_of(*map(Decimal, ("-0.0000000002", "0.5000000000", "9" * 27 + "." + "9" * 10, "-" + "9" * 28 + ".0000000000"))),
)
LONG_DECIMAL = Kind(
    "DECIMAL(38, 10)",
    pa.decimal128(38, 10),
    one_of(*map(Decimal, ("-0.0000000002", "0.5000000000", "9" * 26 + "." + "9" * 10, "-" + "9" * 26 + ".0000000000"))),
)
PLAIN = Kind("DECIMAL(20, 1)", pa.decimal128(20, 1), one_of(*map(Decimal, ("-2.0", "0.5", "4.0"))))
TEXT = Kind("STRING", pa.string(), TEXTS)
BYTES = Kind("BYTES", pa.binary(), one_of(b"", b"\x00", b"\x7f", b"\x80", b"\xff\x01"))
FLAG = Kind("BOOLEAN", pa.bool_(), one_of(True, False))
DAY = Kind("DATE", pa.date32(), one_of(-1, 0, 20_000))
TIME = Kind("TIMESTAMP(3)", pa.timestamp("ms"), one_of(-1, 0, 1_700_000_000_123))
FINE_TIME = Kind("TIMESTAMP(6)", pa.timestamp("us"), one_of(-1, 0, 1_700_000_000_123_456))
LIST = Kind({"type": "ARRAY", "element": "BIGINT"}, pa.list_(pa.int64()), lists(SMALL))
TEXT_LIST = Kind({"type": "ARRAY", "element": "STRING"}, pa.list_(pa.string()), lists(TEXTS))
MAP = Kind({"type": "MAP", "key": "BIGINT NOT NULL", "value": "STRING"}, pa.map_(pa.int64(), pa.string()), maps(TEXTS))
NESTED = Kind(
    {"type": "ARRAY", "element": row_json(100, k="BIGINT", s="BIGINT", v="STRING")},
    pa.list_(pa.struct([("k", pa.int64()), ("s", pa.int64()), ("v", pa.string())])),
    lists(records(k=one_of(1, 2, 3), s=SMALL, v=TEXTS)),
)
TIMED = Kind(
    {"type": "MAP", "key": "BIGINT NOT NULL", "value": row_json(200, v="STRING", t="STRING")},
    pa.map_(pa.int64(), pa.struct([("v", pa.string()), ("t", pa.string())])),
    maps(records(v=TEXTS, t=one_of("1", "10", "2", "2026-01-01"))),
)
BITMAP = Kind("BYTES", pa.binary(), bitmap)
HLL = Kind("BYTES", pa.binary(), hll)
THETA = Kind("BYTES", pa.binary(), theta)
WIDE_BITMAP = Kind("BYTES", pa.binary(), wide_bitmap)

ADDS = ("+I", "+U")
NUMBERS = {"t": TINY, "s": SHORT, "i": INT, "l": LONG, "f": FLOAT, "d": DOUBLE, "m": MONEY, "w": LONG_DECIMAL}
ORDERED = {**NUMBERS, "text": TEXT, "bytes": BYTES, "day": DAY, "time": TIME, "fine": FINE_TIME}
ANY = {"l": LONG, "text": TEXT, "m": MONEY, "time": TIME, "list": LIST}


def aggregation(
    name: str, function: str, columns: Mapping[str, Kind], settings: Mapping[str, str] | None = None, **more: Any
) -> EngineCase:
    """Return a case whose columns are all aggregated by one function, each with ``settings``."""
    options = {"merge-engine": "aggregation", "fields.default-aggregate-function": function}
    for column in columns:
        options.update({f"fields.{column}.{setting}": value for setting, value in (settings or {}).items()})
    options.update(more.pop("options", {}))
    return EngineCase(f"aggregation-{name}", columns, options, **more)


def partial_update(name: str, columns: Mapping[str, Kind], options: Mapping[str, str], **more: Any) -> EngineCase:
    return EngineCase(f"partial-update-{name}", columns, {"merge-engine": "partial-update", **options}, **more)


GROUPED = {"g": LONG, "a": TEXT, "b": LONG, "h1": LONG, "h2": TEXT, "c": LONG, "free": TEXT}
GROUPS = {"fields.g.sequence-group": "a,b", "fields.h1,h2.sequence-group": "c"}
REMOVES = {"options": {"aggregation.remove-record-on-delete": "true"}}
PIPE = {"list-agg-delimiter": "|"}
IGNORES = {"ignore-retract": "true"}
REMOVING = "partial-update.remove-record-on-sequence-group"
OVERFLOWING = {"w": WIDE, "g": TIGHT}
LOOKUP = {"changelog-producer": "lookup", "write-only": "false"}

CASES = [
    EngineCase("deduplicate", ANY, {}),
    EngineCase("deduplicate-ignore-delete", ANY, {"ignore-delete": "true"}),
    EngineCase("deduplicate-ignore-update-before", ANY, {"ignore-update-before": "true"}),
    EngineCase("deduplicate-sequence", {"a": LONG, **ANY}, {"sequence.field": "a"}),
    EngineCase("deduplicate-sequences", {"a": LONG, "b": TEXT, **ANY}, {"sequence.field": "b,a"}),
    EngineCase(
        "deduplicate-sequence-descending",
        {"a": FINE_TIME, "b": MONEY, **ANY},
        {"sequence.field": "a,b", "sequence.field.sort-order": "descending"},
    ),
    EngineCase("deduplicate-sequence-float", {"a": DOUBLE, **ANY}, {"sequence.field": "a"}),
    EngineCase(
        "deduplicate-rowkind",
        {"a": Kind("STRING NOT NULL", pa.string(), one_of("+I", "-D")), **ANY},
        {"rowkind.field": "a"},
    ),
    EngineCase(
        "record-level-expire",
        {"seen": INT, **ANY},
        {"record-level.expire-time": "1 h", "record-level.time-field": "seen"},
    ),
    EngineCase("first-row", ANY, {"merge-engine": "first-row", "write-only": "false"}, ADDS),
    EngineCase("first-row-behind", ANY, {"merge-engine": "first-row"}, ADDS, compacts=(1, 3)),
    EngineCase("first-row-ignore-delete", ANY, {"merge-engine": "first-row", "ignore-delete": "true"}, compacts=(0, 3)),
    partial_update("plain", ANY, {}, kinds=ADDS),
    partial_update("refuses-deletes", ANY, {}, refused=True),
    partial_update("ignore-delete", ANY, {"ignore-delete": "true"}),
    partial_update("remove-on-delete", ANY, {"partial-update.remove-record-on-delete": "true"}),
    partial_update("sequence", {"a": LONG, **ANY}, {"sequence.field": "a"}, kinds=ADDS),
    partial_update("groups", GROUPED, GROUPS),
    partial_update("groups-of-adds", GROUPED, GROUPS, kinds=ADDS),
    partial_update("groups-removing", GROUPED, {**GROUPS, "partial-update.remove-record-on-sequence-group": "g"}),
    partial_update(
        "groups-removing-both", GROUPED, {**GROUPS, "partial-update.remove-record-on-sequence-group": "g,h2"}
    ),
    *(
        partial_update(
            f"group-{function}",
            {"g": LONG, "a": LONG, "b": LONG},
            {
                "fields.g.sequence-group": "a,b",
                "fields.a.aggregate-function": function,
                "fields.a.ignore-retract": str(ignored).lower(),
            },
            kinds=("+I", "-D") if ignored or function in ("sum", "last_value", "last_non_null_value") else ADDS,
        )
        for function, ignored in (
            ("sum", False),
            ("max", True),
            ("first_value", False),
            ("first_non_null_value", True),
            ("last_value", False),
            ("last_non_null_value", False),
            ("product", True),
        )
    ),
    partial_update(
        "group-collections",
        {"g": LONG, "text": TEXT, "list": LIST, "map": MAP, "rows": NESTED},
        {
            "fields.g.sequence-group": "text,list,map,rows",
            "fields.text.aggregate-function": "listagg",
            "fields.text.ignore-retract": "true",
            "fields.list.aggregate-function": "collect",
            "fields.map.aggregate-function": "merge_map",
            "fields.rows.aggregate-function": "nested_update",
            "fields.rows.nested-key": "k",
        },
        unordered=("rows",),
    ),
    partial_update(
        "default-aggregate",
        {"g": LONG, "a": LONG, "b": LONG},
        {"fields.g.sequence-group": "a,b", "fields.default-aggregate-function": "sum"},
    ),
    partial_update("partitioned", GROUPED, {**GROUPS, "bucket": "3"}, partitioned=True),
    partial_update("lookup", GROUPED, {**GROUPS, **LOOKUP}, kinds=ADDS),
    aggregation("default", "last_non_null_value", ANY),
    aggregation("last_value", "last_value", ANY),
    aggregation("last_value-ignoring", "last_value", ANY, IGNORES),
    aggregation("first_value", "first_value", ANY, kinds=ADDS),
    aggregation("first_non_null_value", "first_non_null_value", ANY, kinds=ADDS),
    aggregation("first_not_null_value", "first_not_null_value", ANY, IGNORES),
    aggregation("sum", "sum", NUMBERS),
    aggregation("sum-partitioned", "sum", NUMBERS, options={"bucket": "3"}, partitioned=True),
    aggregation("sum-removing", "sum", NUMBERS, **REMOVES),
    aggregation("sum-ignoring", "sum", NUMBERS, IGNORES),
    aggregation("sum-lookup", "sum", NUMBERS, options=LOOKUP),
    aggregation("sum-overflow", "sum", {"t": Kind("TINYINT", pa.int8(), one_of(120))}, kinds=ADDS, refused=True),
    aggregation("sum-sequence", "sum", {"a": LONG, "v": LONG}, options={"sequence.field": "a"}),
    aggregation(
        "product", "product", {"t": TINY, "l": LONG, "d": DOUBLE, "m": MONEY, "p": PLAIN}, kinds=ADDS, commits=4
    ),
    aggregation("product-retract", "product", {"l": LONG, "p": PLAIN}, commits=4),
    aggregation(
        "product-overflow", "product", {"i": Kind("INT", pa.int32(), one_of(1 << 20))}, kinds=ADDS, refused=True
    ),
    aggregation("max", "max", ORDERED, kinds=ADDS),
    aggregation("min", "min", ORDERED, IGNORES),
    aggregation("min-refuses-deletes", "min", {"l": LONG}, refused=True),
    aggregation("bool_and", "bool_and", {"a": FLAG}, kinds=ADDS),
    aggregation("bool_or", "bool_or", {"a": FLAG}, kinds=("+I", "-D"), **REMOVES),
    aggregation("listagg", "listagg", {"a": TEXT}, kinds=ADDS),
    aggregation("listagg-distinct", "listagg", {"a": TEXT}, {"distinct": "true"}, kinds=ADDS),
    aggregation(
        "listagg-delimiter", "listagg", {"a": TEXT}, {"list-agg-delimiter": "|", "distinct": "true"}, kinds=ADDS
    ),
    aggregation("collect", "collect", {"a": LIST, "b": TEXT_LIST}),
    aggregation("collect-distinct", "collect", {"a": LIST, "b": TEXT_LIST}, {"distinct": "true"}, unordered=("a", "b")),
    aggregation("merge_map", "merge_map", {"a": MAP}),
    aggregation("merge_map_with_keytime", "merge_map_with_keytime", {"a": TIMED}, kinds=ADDS),
    aggregation("merge_map_with_keytime-field", "merge_map_with_keytime", {"a": TIMED}, {"ts-field": "t", **IGNORES}),
    aggregation("nested_update", "nested_update", {"a": NESTED}),
    aggregation("nested_update-limit", "nested_update", {"a": NESTED}, {"count-limit": "2"}, kinds=ADDS),
    aggregation("nested_update-key", "nested_update", {"a": NESTED}, {"nested-key": "k"}, unordered=("a",)),
    aggregation(
        "nested_update-sequence",
        "nested_update",
        {"a": NESTED},
        {"nested-key": "k", "nested-sequence-field": "s"},
        unordered=("a",),
    ),
    aggregation(
        "nested_update-null-keys",
        "nested_update",
        {"a": NESTED},
        {"nested-key": "k,s", "nested-key-null-strategy": "ignore"},
        unordered=("a",),
    ),
    aggregation(
        "nested_partial_update",
        "nested_partial_update",
        {"a": NESTED},
        {"nested-key": "k"},
        kinds=ADDS,
        unordered=("a",),
    ),
    aggregation("rbm32", "rbm32", {"a": BITMAP}, kinds=ADDS),
    aggregation("rbm64", "rbm64", {"a": WIDE_BITMAP}, kinds=ADDS),
    aggregation("hll_sketch", "hll_sketch", {"a": HLL}, kinds=ADDS),
    aggregation("theta_sketch", "theta_sketch", {"a": THETA}, kinds=ADDS),
]

BLANK_TEXTS = "Java 1.4.2 joins blank texts, which 2.0.0 passes over"
NULL_ROWS = "Java 1.4.2 keeps null rows and equal keys of a first list, which 2.0.0 leaves out"
WRAPS = "Java 1.4.2 lets whole numbers wrap around, where 2.0.0 refuses"
# Cases that the two versions of Java merge differently; our library follows 2.0.0.
CHANGED_IN_2 = {
    "deduplicate-sequence-float": "Java 1.4.2 does not order NaN",
    "partial-update-group-collections": BLANK_TEXTS,
    "aggregation-sum-overflow": WRAPS,
    "aggregation-product-overflow": WRAPS,
    "aggregation-listagg": BLANK_TEXTS,
    "aggregation-listagg-distinct": BLANK_TEXTS,
    "aggregation-listagg-delimiter": BLANK_TEXTS,
    "aggregation-nested_update": NULL_ROWS,
    "aggregation-nested_update-limit": NULL_ROWS,
    "aggregation-nested_update-key": NULL_ROWS,
    "aggregation-nested_update-sequence": NULL_ROWS,
    "aggregation-nested_update-null-keys": NULL_ROWS,
    "aggregation-nested_partial_update": NULL_ROWS,
}
