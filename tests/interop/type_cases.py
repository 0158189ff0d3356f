"""Types crossed with file formats: values for every type at its limits, in the form that the Java side expects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import workbench as wb
from tests.interop.lives import TABLE, our_table
from tests.interop.rows import Rows, assert_same_rows, from_arrow

ALONE = 40
FORMATS = ("parquet", "orc", "avro")
YEAR_1, YEAR_9999 = -62_135_596_800 * 10**9, 253_402_300_799 * 10**9
GREGORIAN = -12_219_292_800 * 10**9
FAR = [YEAR_1, YEAR_1 + 7_000_000_000, GREGORIAN, GREGORIAN - 86_400 * 10**9, 9_300_000_000 * 10**9, YEAR_9999, None]
NEAR = [-9_000_000_000 * 10**9, -1_500_000_000, -1_000_000_000, 0, 1_700_000_000_123_456_789, 9_000_000_000 * 10**9]


def array(element: Any) -> Any:
    """ARRAY as JSON."""
    return {"type": "ARRAY", "element": element}


def row(*fields: tuple[str, Any]) -> Any:
    """ROW as JSON."""
    named = [{"id": 100 + position, "name": name, "type": kind} for position, (name, kind) in enumerate(fields)]
    return {"type": "ROW", "fields": named}


def mapped(key: Any, value: Any) -> Any:
    """Return MAP as JSON. Values have one pair, or pairs in an order that both Java and `rows` keep."""
    return {"type": "MAP", "key": key, "value": value}


def vector(element: Any, length: int) -> Any:
    """VECTOR as JSON."""
    return {"type": "VECTOR", "element": element, "length": length}


def multiset(element: Any) -> Any:
    """MULTISET as JSON."""
    return {"type": "MULTISET", "element": element}


def moments(precision: int, far: bool) -> list[str | None]:
    """Return moments of a precision, with ``far`` also moments that 64-bit nanoseconds cannot represent."""
    unit = 10 ** (9 - precision)
    values = [*NEAR, *(unit * position for position in (1, -1))]
    return [*texts(value // unit * unit for value in values), *(texts(FAR) if far else [None])]


def texts(values: Any) -> list[str | None]:
    """Return values as the strings that requests and answers contain."""
    return [None if value is None else str(value) for value in values]


def decimals(precision: int, scale: int) -> list[str | None]:
    """Return the limits of a decimal type, zero, its smallest positive value, and null."""
    digits = "9" * precision
    maximum = (digits[: precision - scale] or "0") + ("." + digits[precision - scale :] if scale else "")
    minimum = f"{0:.{scale}f}"[:-1] + "1" if scale else "1"
    return [maximum, f"-{maximum}", f"{0:.{scale}f}", minimum, None]


FLOATS = ["NaN", "-0.0", "0.0", "Infinity", "-Infinity", "1.5", "1.4E-45", None]
PRECISIONS = range(10)
ZONED = "TIMESTAMP({}) WITH LOCAL TIME ZONE"
# Column name -> (type, values)
ATOMIC: dict[str, tuple[Any, list[Any]]] = {
    **{f"time{p}": (f"TIME({p})", ["0", "1", "43200001", "86399999", None]) for p in PRECISIONS},
    **{f"stamp{p}": (f"TIMESTAMP({p})", moments(p, p <= 6)) for p in PRECISIONS},
    **{f"zoned{p}": (ZONED.format(p), moments(p, p <= 6)) for p in PRECISIONS},
    **{f"dec{p}_{s}": (f"DECIMAL({p}, {s})", decimals(p, s)) for p in range(1, 39) for s in sorted({0, p // 2, p})},
    "char": ("CHAR(5)", ["ab", "abcde", "  a", "", "é", None]),
    "one": ("CHAR(1)", ["x", "", None]),
    "binary": ("BINARY(3)", ["010203", "000000", "ffffff", "01", "", None]),
    "float": ("FLOAT", FLOATS),
    "double": ("DOUBLE", [*FLOATS, "4.9E-324"]),
}
NESTED: dict[str, tuple[Any, list[Any]]] = {
    "stamps": (array("TIMESTAMP(3)"), [texts(FAR), [], None, [None], ["5000000"]]),
    "fine": (array("TIMESTAMP(9)"), [["5", "-7", None], [], None]),
    "names": (row(("a b.c", "TIMESTAMP(6)"), ("é", "INT")), [[str(YEAR_1), "5"], [None, None], None]),
    "deep": (
        row(("p", row(("q", ZONED.format(3)), ("r", "STRING"))), ("s", array(array("TIME(3)")))),
        [[[str(YEAR_9999), "x"], [["1", None], None, []]], [None, None], None, [[None, "y"], []]],
    ),
    "by_time": (mapped("TIMESTAMP(3)", "DECIMAL(20, 3)"), [[[str(YEAR_1), None]], [["0", "1.000"]], [], None]),
    "maps": (
        mapped("INT", mapped("STRING", array("DATE"))),
        [[["1", [["a", ["15", None]], ["b", None]]], ["2", None], ["3", []]], [], None],
    ),
    "bag": (multiset("STRING"), [[["a", "1"], ["b", "3"]], [], None]),
    "numbers": (multiset("INT"), [[["7", "1"]], [], None]),
    "bags": (array(multiset("BINARY(2)")), [[[["0102", "1"]], None, []], None]),
    "row_bag": (multiset(row(("a", "INT"), ("b", "STRING"))), [[[["1", "x"], "2"]], [], None]),
    "rows": (array(row(("x", mapped("STRING", "CHAR(4)")), ("y", "BOOLEAN"))), [[[[["k", "ab"]], "true"], None], []]),
    "single": (row(("a", "INT")), [["1"], [None], None]),
    "vector": (vector("INT", 3), [["1", "2", "3"], None, ["-1", "0", "1"]]),
    "short": (vector("BIGINT", 1), [["1"], None]),
    "bits": (vector("BOOLEAN", 2), [["true", "false"], None]),
    "in_row": (row(("v", vector("SMALLINT", 2)), ("n", "INT")), [[["1", "2"], "3"], [None, None], None]),
}
FINER = tuple(f"{kind}{precision}" for kind in ("stamp", "zoned") for precision in (7, 8, 9))
VECTORS = ("vector", "short", "bits", "in_row")
UNKNOWN_TO = {
    "avro": (
        "fine",
        "names",
        "numbers",
        "bags",
        "row_bag",
        *FINER,
        *(f"time{precision}" for precision in range(4, 10)),
    ),
    "orc": VECTORS,
    "parquet": (),
}
"""Columns that Java cannot write in a format."""


def write_lines(java: Any, warehouse: Path, rows: Sequence[Sequence[Any]]) -> None:
    """Write rows that are given as text, because no Arrow type can hold all of their values."""
    lines = [json.dumps(["+I", *values]) + "\n" for values in rows]
    java.path("json").write_text("".join(lines), encoding="utf-8")
    java.ask("write", warehouse, TABLE, rows=str(java.path("json")))


def make(java: Any, warehouse: Path, columns: Mapping[str, tuple[Any, list[Any]]], **options: str) -> None:
    """Create a table with a row number and these columns; the values of shorter columns are repeated."""
    kinds = {"id": "INT NOT NULL", **{name: kind for name, (kind, _) in columns.items()}}
    settings = {name.replace("__", "-").replace("_", "."): value for name, value in options.items()}
    java.create(warehouse, TABLE, kinds, ["id"] if "bucket" in settings else [], [], settings)
    count = max(len(values) for _, values in columns.values())
    rows = [
        [str(position), *(values[position % len(values)] for _, values in columns.values())]
        for position in range(count)
    ]
    write_lines(java, warehouse, rows)


def compare(java: Any, warehouse: Path) -> Rows:
    """Compare the rows that Java reads with ours: at once, as a stream, and with some columns only."""
    expected: Rows = java.read(warehouse, TABLE)
    table = our_table(warehouse)
    for rows in (table.to_arrow(), table.to_batches().read_all()):
        rows.validate(full=True)
        assert_same_rows(from_arrow(rows), expected)
    for position, name in list(enumerate(expected.columns))[::ALONE]:
        alone = Rows((name,), tuple((values[position],) for values in expected.rows))
        assert_same_rows(from_arrow(table.to_arrow(columns=[name])), alone)
    return expected


def variant_rows(column: Any) -> list[tuple[str, str, str] | None]:
    """A VARIANT column as the Java side returns it: value, metadata and JSON text."""
    jsons = wb.variant_to_json(column).to_pylist()
    return [
        None if each is None else (each["value"].hex(), each["metadata"].hex(), text)
        for each, text in zip(column.to_pylist(), jsons, strict=True)
    ]
