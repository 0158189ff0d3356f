"""Rows of the matrix: columns that are added, dropped and changed while rows are written."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa

from tests.interop.matrix.feature import Alter, Compact, Feature, Step, Write
from tests.interop.matrix.plain_rows import APPENDS, COLUMNS, UPSERTS, rows
from tests.interop.matrix.rows_of_tables import CORES, append, keyed


def of_evolution() -> Iterator[Feature]:
    long = rows(range(60, 80), 4)
    for kind, made in (("append", append), ("keyed", keyed)):
        first = UPSERTS if kind == "keyed" else APPENDS

        def table(line: str, name: str, steps: tuple[Step, ...], made: Any = made, kind: str = kind) -> Feature:
            return made(f"Evolution: {line}", f"{name}, {kind}", steps, varies=("format",))

        added = long.append_column("w", pa.array(range(20), pa.float64()))
        yield table("add column", "a column added", (*first, Alter((("add", "w", "DOUBLE"),)), Write(added)))
        renamed = long.rename_columns(["id", "v", "words", "m"])
        yield table(
            "rename, drop, reorder", "a column renamed", (*first, Alter((("rename", "s", "words"),)), Write(renamed))
        )
        dropped = long.drop_columns(["s"])
        yield table("rename, drop, reorder", "a column dropped", (*first, Alter((("drop", "s"),)), Write(dropped)))
        again = (
            *first,
            Alter((("drop", "s"),)),
            Alter((("add", "s", "STRING"),)),
            Write(long.select(["id", "v", "m", "s"])),
        )
        yield table("old files by field id", "a name used again", again)
        widened = long.set_column(1, "v", long["v"].cast(pa.int64()))
        widened = widened.set_column(3, "m", pa.array([Decimal(n) for n in range(20)], pa.decimal128(20, 2)))
        changes = (("type", "v", "BIGINT"), ("type", "m", "DECIMAL(20, 2)"))
        yield table("change type", "types widened", (*first, Alter(changes), Write(widened), Compact()))
        yield table(
            "change type",
            "a number made text",
            (*first, Alter((("type", "v", "STRING"),)), Write(long.set_column(1, "v", long["v"].cast(pa.string())))),
        )
        yield table(
            "schema history",
            "schemas one after the other",
            (
                *first,
                Alter((("add", "w", "DOUBLE"),)),
                Write(added),
                Alter((("rename", "w", "x"),)),
                Alter((("drop", "v"),)),
            ),
        )


RECORD = {
    "type": "ROW",
    "fields": [{"id": 10, "name": "a", "type": "INT"}, {"id": 11, "name": "b", "type": "STRING"}],
}
NESTED = {
    "id": "BIGINT",
    "r": RECORD,
    "l": {
        "type": "ARRAY",
        "element": {**RECORD, "fields": [{**each, "id": each["id"] + 10} for each in RECORD["fields"]]},
    },
    "m": {
        "type": "MAP",
        "key": "STRING NOT NULL",
        "value": {**RECORD, "fields": [{**each, "id": each["id"] + 20} for each in RECORD["fields"]]},
    },
}


def nested_rows(first: int, fields: dict[str, pa.DataType]) -> pa.Table:
    """Rows with records of these fields, in a column, in lists and in maps."""
    kind = pa.struct(list(fields.items()))

    def record(number: int) -> dict[str, Any] | None:
        values = {name: str(number) if pa.types.is_string(each) else number for name, each in fields.items()}
        return None if number % 5 == 4 else values

    ids = range(first, first + 10)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "r": pa.array([record(n) for n in ids], kind),
            "l": pa.array([[record(n), None, record(n + 1)] if n % 3 else None for n in ids], pa.list_(kind)),
            "m": pa.array([[("k", record(n))] if n % 4 else [] for n in ids], pa.map_(pa.string(), kind)),
        }
    )


def of_nested_columns() -> Iterator[Feature]:
    before = nested_rows(0, {"a": pa.int32(), "b": pa.string()})
    after = nested_rows(10, {"z": pa.int64(), "b": pa.string(), "c": pa.int16()})
    paths = (["r"], ["l", "element"], ["m", "value"])
    changes = tuple(
        change
        for path in paths
        for change in (
            ("type", [*path, "a"], "BIGINT"),
            ("rename", [*path, "a"], "z"),
            ("add", [*path, "c"], "SMALLINT"),
        )
    )
    steps = (Write(before), *(Alter((change,)) for change in changes), Write(after))
    line = "Evolution: nested columns"
    yield Feature(line, "nested columns changed", NESTED, steps, varies=("format",), only=CORES)


def of_constraints() -> Iterator[Feature]:
    strict = {**COLUMNS, "m": "DECIMAL(9, 2) NOT NULL"}
    loose = rows(range(70, 80), 5).set_column(3, "m", pa.nulls(10, pa.decimal128(9, 2)))
    steps = (*APPENDS, Alter((("nullable", ["m"], True),)), Write(loose))
    yield Feature("Evolution: nullability", "a column made nullable", strict, steps, varies=("format",), only=CORES)
    default = (*APPENDS, Alter((("default", ["v"], "7"),)), APPENDS[0])
    line = "Evolution: comment and default value"
    yield append(line, "a default value given", default, only=("java-2.0.0",))
    moved = rows(range(70, 80), 5).select(["v", "id", "m", "s"])
    positions = (*APPENDS, Alter((("first", ["v"]), ("after", ["s"], "m"))), Write(moved))
    yield append("Evolution: rename, drop, reorder", "columns reordered", positions, varies=("format",), only=CORES)


def features() -> Iterator[Feature]:
    """The rows of this part."""
    yield from of_evolution()
    yield from of_nested_columns()
    yield from of_constraints()
