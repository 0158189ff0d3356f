"""The tables that all engines must agree on: types, keys, partitions, buckets, and the steps that fill them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pyarrow as pa

from tests.interop.referees import Filter
from tests.interop.rows import NANOS_PER_UNIT, Rows, column_text, from_arrow

MILLIS_MIN, MILLIS_MAX = -62135596800000, 253402300799999  # the years 1 and 9999
NANOS_MIN, NANOS_MAX = -9_223_372_036_854_774_000, 9_223_372_036_854_775_000  # whole microseconds that fit in 64 bits
MOMENTS = [-1, 0, 1, 1_700_000_000_123]
WORDS = [
    "",
    " ",
    "%25/=x",
    "A" * 16,
    "A" * 16 + "B",
    "a long text that no truncated statistic can hold in full",
    "zebra",
    "é",
    "日本語のテキスト",
    "\U0001f600" * 9,
]
BYTES = [b"", b"\x00", b"\x00\x01" * 12, b"\x7f", b"\x80", b"\xff" * 20]


def decimals(*texts: str) -> list[Decimal]:
    return [Decimal(text) for text in texts]


# Paimon type -> (Arrow type, distinct values in ascending order). Times are integers of the Arrow type's unit.
SAMPLES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "BOOLEAN": (pa.bool_(), [False, True]),
    "TINYINT": (pa.int8(), [-128, -1, 0, 1, 127]),
    "SMALLINT": (pa.int16(), [-32768, -1, 0, 300, 32767]),
    "INT": (pa.int32(), [-(2**31), -1, 0, 1, 70_000, 2**31 - 1]),
    "BIGINT": (pa.int64(), [-(2**63), -1, 0, 1, 5_000_000_000, 2**63 - 1]),
    "FLOAT": (pa.float32(), [float("-inf"), -1.5, 2.0**-149, 0.25, 2.0**100, float("inf"), float("nan")]),
    "DOUBLE": (pa.float64(), [float("-inf"), -1e300, -0.1, 5e-324, 0.1, 1e300, float("inf"), float("nan")]),
    "DECIMAL(9, 2)": (pa.decimal128(9, 2), decimals("-9999999.99", "-0.01", "0.00", "1.50", "9999999.99")),
    "DECIMAL(18, 6)": (pa.decimal128(18, 6), decimals("-999999999999.999999", "0.000000", "12.000001")),
    "DECIMAL(38, 10)": (
        pa.decimal128(38, 10),
        decimals("-" + "9" * 28 + "." + "9" * 10, "-0.0000000001", "1.0000000000", "9" * 28 + "." + "9" * 10),
    ),
    "CHAR(3)": (pa.string(), ["   ", "abc", "xyz", "ééé"]),
    "VARCHAR(100)": (pa.string(), ["a", "b" * 100, "ü"]),
    "STRING": (pa.string(), WORDS),
    "BINARY(4)": (pa.binary(), [b"\x00\x00\x00\x00", b"\x01\x02\x03\x04", b"\xff\xff\xff\xff"]),
    "VARBINARY(30)": (pa.binary(), BYTES),
    "BYTES": (pa.binary(), BYTES),
    "DATE": (pa.date32(), [-719162, -1, 0, 20_000, 2_932_896]),
    "TIME(3)": (pa.time32("ms"), [0, 1, 43_200_000, 86_399_999]),
    "TIMESTAMP(0)": (pa.timestamp("ms"), [MILLIS_MIN, -1000, 0, 1_700_000_000_000]),
    "TIMESTAMP(3)": (pa.timestamp("ms"), [MILLIS_MIN, *MOMENTS, MILLIS_MAX]),
    "TIMESTAMP(6)": (
        pa.timestamp("us"),
        [MILLIS_MIN * 1000, -999, *MOMENTS, 1_700_000_000_123_456, MILLIS_MAX * 1000 + 999],
    ),
    "TIMESTAMP(9)": (pa.timestamp("ns"), [NANOS_MIN, -1000, 0, 1000, 1_700_000_000_123_456_000, NANOS_MAX]),
    "TIMESTAMP(3) WITH LOCAL TIME ZONE": (pa.timestamp("ms", "UTC"), [MILLIS_MIN, *MOMENTS, MILLIS_MAX]),
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": (pa.timestamp("us", "UTC"), [-999, *MOMENTS, 10**15 * 2 + 456]),
}
# Nested type in SQL -> (the same in JSON, Arrow type, values)
NESTED: dict[str, tuple[Any, pa.DataType, list[Any]]] = {
    "ARRAY<INT>": ({"type": "ARRAY", "element": "INT"}, pa.list_(pa.int32()), [[], [1, None, -3], [2**31 - 1] * 9]),
    "MAP<STRING, BIGINT>": (
        {"type": "MAP", "key": "STRING", "value": "BIGINT"},
        pa.map_(pa.string(), pa.int64()),
        [[], [("a", 1), ("日本", None)], [("only", -(2**63))]],
    ),
    "ROW<a INT, b STRING, c ROW<d DECIMAL(12, 2), e TIMESTAMP(3)>>": (
        {
            "type": "ROW",
            "fields": [
                {"id": 100, "name": "a", "type": "INT"},
                {"id": 101, "name": "b", "type": "STRING"},
                {
                    "id": 102,
                    "name": "c",
                    "type": {
                        "type": "ROW",
                        "fields": [
                            {"id": 103, "name": "d", "type": "DECIMAL(12, 2)"},
                            {"id": 104, "name": "e", "type": "TIMESTAMP(3)"},
                        ],
                    },
                },
            ],
        },
        pa.struct(
            [
                ("a", pa.int32()),
                ("b", pa.string()),
                ("c", pa.struct([("d", pa.decimal128(12, 2)), ("e", pa.timestamp("ms"))])),
            ]
        ),
        [
            {"a": 1, "b": "", "c": {"d": Decimal("-0.01"), "e": 1_700_000_000_123}},
            {"a": None, "b": "é", "c": {"d": None, "e": None}},
            {"a": 7, "b": None, "c": None},
        ],
    ),
    "ARRAY<MAP<INT, ARRAY<STRING>>>": (
        {"type": "ARRAY", "element": {"type": "MAP", "key": "INT", "value": {"type": "ARRAY", "element": "STRING"}}},
        pa.list_(pa.map_(pa.int32(), pa.list_(pa.string()))),
        [[], [[(1, ["x", None]), (2, [])], None, []]],
    ),
}
UNFILTERABLE = (float("-inf"), float("inf"))


def sample_values(type_text: str, years_of_nanoseconds: bool = False) -> list[Any]:
    """Return the values of a type, or only those that 64-bit nanoseconds can represent, from 1677 to 2262."""
    arrow, values = SAMPLES[type_text.removesuffix(" NOT NULL")]
    if not years_of_nanoseconds or not pa.types.is_timestamp(arrow):
        return values
    return [value for value in values if NANOS_MIN <= value * NANOS_PER_UNIT[arrow.unit] <= NANOS_MAX]


def array(type_text: str, values: Sequence[Any]) -> pa.Array:
    """Internal values as an Arrow array of the type; a nullability suffix is ignored."""
    arrow = SAMPLES[type_text.removesuffix(" NOT NULL")][0]
    if pa.types.is_timestamp(arrow):
        return pa.array(values, pa.int64()).cast(arrow)
    if pa.types.is_date(arrow) or pa.types.is_time(arrow):
        return pa.array(values, pa.int32()).cast(arrow)
    return pa.array(values, arrow)


@dataclass(frozen=True)
class Step:
    """One commit: rows to write (with kinds or all +I), or a full compaction when there is no data."""

    data: pa.Table | None
    kinds: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Case:
    """A table and its history."""

    name: str
    columns: Mapping[str, str]
    steps: tuple[Step, ...]
    primary_key: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    years_of_nanoseconds: bool = False

    def __str__(self) -> str:
        return self.name

    def model(self) -> Iterator[Rows]:
        """Yield the rows that the table must hold after each step, computed from the steps alone."""
        current: dict[Any, tuple[Any, ...]] = {}
        names = tuple(self.columns)
        positions = [names.index(name) for name in self.primary_key]
        for step in self.steps:
            if step.data is not None:
                for number, row in enumerate(from_arrow(step.data).rows):
                    key = tuple(row[position] for position in positions) if positions else len(current)
                    if step.kinds and step.kinds[number] in ("-D", "-U"):
                        current.pop(key, None)
                    else:
                        current[key] = row
            yield Rows(names, tuple(current.values()))

    @property
    def json_columns(self) -> dict[str, Any]:
        """The columns with types in Paimon's JSON form."""
        return {name: NESTED[text][0] if text in NESTED else text for name, text in self.columns.items()}

    def type_of(self, column: str) -> str:
        """The type of a column without its nullability."""
        return self.columns[column].removesuffix(" NOT NULL")

    def filters(self) -> Iterator[tuple[Filter, Any]]:
        """Yield conditions on every column, each with a predicate on a value's text that selects the same rows."""
        for name, type_text in self.columns.items():
            if type_text in NESTED:
                continue
            samples = sample_values(type_text, self.years_of_nanoseconds)
            values = [value for value in samples if value == value and value not in UNFILTERABLE]
            middle = values[len(values) // 4 : len(values) // 2 + 1]
            for operation, kept, literals in (
                ("equal", values[-1:], values[-1:]),
                ("in", [values[0], values[-1]], [values[0], values[-1]]),
                ("between", middle, [middle[0], middle[-1]]),
            ):
                if operation == "between" and isinstance(values[0], bool):
                    continue
                texts = set(column_text(array(type_text, kept)))
                yield Filter(name, operation, array(type_text, literals)), texts.__contains__
            if isinstance(values[0], float):  # a NaN is above every number, as in Java and Spark
                yield (
                    Filter(name, "greater_or_equal", array(type_text, values[-1:])),
                    {repr(values[-1]), "inf", "nan"}.__contains__,
                )
            yield Filter(name, "is_null"), lambda text: text is None
            yield Filter(name, "is_not_null"), lambda text: text is not None


def keep(result: Rows, column: str, test: Any) -> Rows:
    """Return the rows whose value of ``column`` passes the test."""
    position = result.columns.index(column)
    return Rows(result.columns, tuple(row for row in result.rows if test(row[position])))


# ---- tables ----


def wide_columns() -> dict[str, str]:
    """An id, one column per type, and a column that is always null."""
    names = {text: text.replace("WITH LOCAL TIME ZONE", "ltz").lower() for text in SAMPLES if text != "TIMESTAMP(9)"}
    wide = {"c_" + re.sub(r"\W+", "_", name).rstrip("_"): type_text for type_text, name in names.items()}
    return {"id": "BIGINT NOT NULL", **wide, "nothing": "INT"}


def wide_rows(
    columns: Mapping[str, str], ids: Sequence[int], shift: int, years_of_nanoseconds: bool = False
) -> pa.Table:
    """Return rows that cover all sample values and nulls; ``shift`` varies which row has which value."""
    result: dict[str, pa.Array] = {}
    for position, (name, type_text) in enumerate(columns.items()):
        samples = sample_values(type_text, years_of_nanoseconds)
        if name == "id":
            result[name] = pa.array(ids, pa.int64())
        elif name == "nothing":
            result[name] = pa.nulls(len(ids), pa.int32())
        else:
            turns = [number * (position % 5 + 1) + shift + position for number in range(len(ids))]
            result[name] = array(type_text, [None if turn % 7 == 3 else samples[turn % len(samples)] for turn in turns])
    return pa.table(result)


def wide_case(name: str, primary_key: Sequence[str], options: Mapping[str, str], partitioned: bool = False) -> Case:
    columns = wide_columns()
    ids = (range(60), range(40, 80), range(0, 70, 3))
    lives = [wide_rows(columns, numbers, shift) for numbers, shift in zip(ids, (0, 3, 5), strict=True)]
    if partitioned:
        columns["part"] = "STRING NOT NULL" if primary_key else "STRING"
        lives = [
            life.append_column("part", array("STRING", [WORDS[number % 4 + 2] for number in numbers]))
            for life, numbers in zip(lives, ids, strict=True)
        ]
    steps = [Step(lives[0]), Step(lives[1])]
    if primary_key:
        steps.append(Step(lives[2], tuple("-D" if number % 2 else "+U" for number in range(lives[2].num_rows))))
    else:
        steps.append(Step(lives[2]))
    steps += [Step(None), Step(lives[1].slice(0, 5))]
    keys = (*(["part"] if partitioned and primary_key else []), *primary_key)
    return Case(name, columns, tuple(steps), keys, ("part",) if partitioned else (), dict(options))


def key_case(type_text: str) -> Case:
    """Return a table whose primary key is one column of the type; later commits replace and delete some of its rows."""
    columns = {"k": f"{type_text} NOT NULL", "v": "BIGINT", "s": "STRING"}
    values = SAMPLES[type_text][1]

    def life(chosen: Sequence[Any], version: int) -> pa.Table:
        numbers = pa.array(range(version * 1000, version * 1000 + len(chosen)), pa.int64())
        texts = array("STRING", [None if n % 3 == 2 else WORDS[(n + version) % len(WORDS)] for n in range(len(chosen))])
        return pa.table({"k": array(type_text, chosen), "v": numbers, "s": texts})

    steps = (
        Step(life(values, 1)),
        Step(life(values[::2], 2)),
        Step(life(values[1:], 3), tuple("-D" if n % 2 == 0 else "+I" for n in range(len(values) - 1))),
        Step(None),
        Step(life(values[:1], 4), ("-D",)),
    )
    return Case(f"key-{type_text}", columns, steps, ("k",), (), {"bucket": "2"})


def partition_case(type_text: str, primary_key: bool) -> Case:
    """Return a table with one partition column of the type; append tables also have the null partition."""
    columns = {"id": "INT NOT NULL", "p": type_text + (" NOT NULL" if primary_key else ""), "v": "STRING"}
    values = list(SAMPLES[type_text][1])[:6] + ([] if primary_key else [None])

    def life(version: int) -> pa.Table:
        chosen = values * 2
        ids = array("INT", range(version, version + len(chosen)))
        return pa.table({"id": ids, "p": array(type_text, chosen), "v": array("STRING", [f"v{version}"] * len(chosen))})

    steps = (Step(life(1)), Step(life(2)), Step(None))
    kind, keys = ("pk", ("p", "id")) if primary_key else ("append", ())
    return Case(f"partition-{kind}-{type_text}", columns, steps, keys, ("p",), {"bucket": "1"} if primary_key else {})


def nanoseconds_case(primary_key: bool, far: bool) -> Case:
    """Return a table with nanoseconds, for which our library stores all timestamps of a file as INT96.

    Coarser timestamps stay within the years that nanoseconds can represent or, with ``far``, are beyond them, where
    readers of INT96 fail.
    """
    columns = {"id": "BIGINT NOT NULL"}
    columns |= {f"t{position}": text for position, text in enumerate(SAMPLES) if text.startswith("TIMESTAMP")}
    lives = [wide_rows(columns, ids, shift, not far) for ids, shift in ((range(20), 0), (range(15, 30), 3))]
    keys, kind = (("id",), "pk") if primary_key else ((), "append")
    name = f"nanoseconds-{'far-' if far else ''}{kind}"
    options = {"bucket": "1"} if primary_key else {}
    return Case(name, columns, (*map(Step, lives), Step(None)), keys, (), options, not far)


def nested_case(primary_key: bool) -> Case:
    """Arrays, maps and rows as values, empty and null at every depth."""
    columns = {"id": "INT NOT NULL", **{f"n{position}": text for position, text in enumerate(NESTED)}}

    def life(ids: Sequence[int], shift: int) -> pa.Table:
        result = {"id": array("INT", ids)}
        for position, (_, arrow, values) in enumerate(NESTED.values()):
            choices = [*values, None]
            result[f"n{position}"] = pa.array([choices[(n + shift + position) % len(choices)] for n in ids], arrow)
        return pa.table(result)

    steps = (Step(life(range(12), 0)), Step(life(range(6, 18), 1)), Step(None))
    keys, kind = (("id",), "pk") if primary_key else ((), "append")
    return Case(f"nested-{kind}", columns, steps, keys, (), {"bucket": "1"} if primary_key else {})


def composite_case() -> Case:
    """Two partition columns and three key columns of different widths."""
    columns = {
        "region": "STRING NOT NULL",
        "day": "DATE NOT NULL",
        "name": "STRING NOT NULL",
        "amount": "DECIMAL(38, 10) NOT NULL",
        "at": "TIMESTAMP(6) NOT NULL",
        "v": "DOUBLE",
    }
    samples = {name: SAMPLES[text.removesuffix(" NOT NULL")][1] for name, text in columns.items()}

    def life(numbers: Sequence[int], version: int) -> pa.Table:
        chosen = {}
        for position, (name, values) in enumerate(samples.items()):
            chosen[name] = [values[n * (position + 1) % len(values)] for n in numbers]
        chosen["region"] = [("north", "s/o=uth")[n % 2] for n in numbers]
        chosen["day"] = [20_000 + n % 3 for n in numbers]
        chosen["v"] = [version + n / 4 for n in numbers]
        return pa.table({name: array(text, chosen[name]) for name, text in columns.items()})

    removed = Step(life(range(0, 60, 4), 3), ("-D",) * 15)
    steps = (Step(life(range(60), 1)), Step(life(range(20, 50), 2)), removed, Step(None))
    keys = ("region", "day", "name", "amount", "at")
    return Case("composite", columns, steps, keys, ("region", "day"), {"bucket": "3"})


WIDE = (
    wide_case("append-unaware", (), {}),
    wide_case("append-bucketed", (), {"bucket": "2", "bucket-key": "id"}),
    wide_case("append-partitioned", (), {}, partitioned=True),
    wide_case("pk", ("id",), {"bucket": "2"}),
    wide_case("pk-partitioned", ("id",), {"bucket": "2"}, partitioned=True),
    wide_case("pk-full-stats", ("id",), {"bucket": "1", "metadata.stats-mode": "full"}),
    wide_case("pk-old-stats", ("id",), {"bucket": "1", "metadata.stats-dense-store": "false"}),
    wide_case("pk-no-stats", ("id",), {"bucket": "1", "metadata.stats-mode": "none"}),
)
KEYS = tuple(key_case(type_text) for type_text in SAMPLES if type_text not in ("FLOAT", "DOUBLE"))
PARTITION_TYPES = (
    "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "STRING", "CHAR(3)", "DATE", "TIMESTAMP(3)", "TIMESTAMP(6)",
    "TIMESTAMP(9)", "TIMESTAMP(3) WITH LOCAL TIME ZONE", "DECIMAL(9, 2)", "DECIMAL(38, 10)", "FLOAT", "DOUBLE",
)  # fmt: skip
PARTITIONS = tuple(partition_case(type_text, keyed) for type_text in PARTITION_TYPES for keyed in (False, True))
NESTED_CASES = tuple(map(nested_case, (False, True)))
NANOSECONDS = tuple(nanoseconds_case(keyed, far) for keyed in (False, True) for far in (False, True))
SPECIAL = (*NESTED_CASES, *NANOSECONDS)
CASES = (*WIDE, *SPECIAL, composite_case(), *KEYS, *PARTITIONS)
