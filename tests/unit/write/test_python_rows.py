"""Rows of Python: nested values are matched by name, and no value is lost or changed in silence."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import SchemaMismatch
from workbench.catalog.filesystem import FileSystemCatalog

NESTED = {
    "id": "INT",
    "s": "ROW<a INT, b ROW<c STRING>>",
    "l": "ARRAY<ROW<x INT>>",
    "m": "MAP<STRING, ROW<v INT>>",
    "k": "MAP<ROW<p INT>, STRING>",
}
UNKNOWN: dict[str, dict[str, Any]] = {
    "s.zz": {"s": {"zz": 1}},
    "s.A": {"s": {"A": 1}},
    "s.b.d": {"s": {"a": 1, "b": {"d": "x"}}},
    "l.element.y": {"l": [{"x": 1}, {"y": 2}]},
    "m.value.w": {"m": [("k", {"w": 1})]},
    "k.key.q": {"k": [({"q": 1}, "x")]},
}


def arrow_of(rows: list[dict[str, Any]]) -> pa.Table:
    """Return rows as an Arrow table; lists of pairs are maps."""
    (name,) = rows[0]
    (value,) = rows[0].values()
    if isinstance(value, list) and isinstance(value[0], tuple):
        (key, item) = value[0]
        kind = pa.map_(pa.scalar(key).type, pa.scalar(item).type)
        return pa.table({name: pa.array([row[name] for row in rows], kind)})
    return pa.table({name: [row[name] for row in rows]})


DOORS: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "dicts": lambda rows: rows,
    "arrow": arrow_of,
    "reader": lambda rows: arrow_of(rows).to_reader(),
    "pandas": lambda rows: pd.DataFrame(rows),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("path", UNKNOWN)
def test_an_unknown_nested_name_is_refused(catalog: FileSystemCatalog, path: str, door: str) -> None:
    table = catalog.create_table("db.t", NESTED)
    with pytest.raises(SchemaMismatch, match=f"no field '{path}'"):
        table.write(DOORS[door]([UNKNOWN[path]]))
    with table.writer() as writer, pytest.raises(SchemaMismatch, match=f"no field '{path}'"):
        writer.write(DOORS[door]([UNKNOWN[path]]))
    assert table.snapshots() == []


@pytest.mark.parametrize("path", UNKNOWN)
def test_an_unknown_nested_name_of_a_source_is_refused(catalog: FileSystemCatalog, path: str) -> None:
    table = catalog.create_table("db.t", NESTED)
    keyed = catalog.create_table("db.u", NESTED, options={"upsert-key": "id"})
    given = {"id": 1, **UNKNOWN[path]}
    with pytest.raises(SchemaMismatch, match=f"no field '{path}'"):
        table.merge(
            [given], ["id"], [wb.WhenNotMatched({"id": "s.id", **{name: f"s.{name}" for name in UNKNOWN[path]}})]
        )
    with pytest.raises(SchemaMismatch, match=f"no field '{path}'"):
        keyed.write([given])


@dataclass
class Point:
    b: Any
    a: int = 7


Pair = namedtuple("Pair", ["b", "a"])


@pytest.mark.parametrize("value", [{"b": {"c": "x"}, "a": 7}, Point({"c": "x"}), Pair({"c": "x"}, 7)])
def test_named_values_are_matched_by_name(catalog: FileSystemCatalog, value: Any) -> None:
    table = catalog.create_table("db.t", NESTED)
    table.write([{"s": value}, {"s": None}, {"s": (7, ("x",))}, {"s": {}}])
    full = {"a": 7, "b": {"c": "x"}}
    assert table.to_arrow()["s"].to_pylist() == [full, None, full, {"a": None, "b": None}]


def test_a_missing_nested_field_is_null_or_refused(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"s": "ROW<a INT, r ROW<n INT NOT NULL>>"})
    empty = pa.struct([("r", pa.struct([]))])
    refused: list[Any] = [[{"s": {"r": {}}}], pa.table({"s": pa.array([{"r": {}}], empty)})]
    for rows in refused:
        with pytest.raises(SchemaMismatch, match=r"'s\.r\.n' is NOT NULL"):
            table.write(rows)
    table.write(pa.table({"s": [{"r": {"n": 1}}, None]}))
    assert table.to_arrow()["s"].to_pylist() == [{"a": None, "r": {"n": 1}}, None]


@pytest.mark.parametrize(
    "rows",
    [
        [{}, {}],
        pd.DataFrame(index=[5, 6]),
        pa.Table.from_batches([pa.RecordBatch.from_struct_array(pa.array([{}, {}], pa.struct([])))]),
        pa.RecordBatch.from_struct_array(pa.array([{}, {}], pa.struct([]))),
    ],
    ids=["dicts", "pandas", "table", "batch"],
)
def test_rows_without_values(catalog: FileSystemCatalog, rows: Any) -> None:
    table = catalog.create_table("db.t", {"a": "INT", "b": "STRING"})
    catalog.alter_table("db.t", wb.UpdateColumnDefault("b", "x"))
    table = catalog.get_table("db.t")
    assert table.write(rows).rows == 2
    assert table.to_arrow().to_pylist() == [{"a": None, "b": "x"}] * 2
    keyed = catalog.create_table("db.k", {"a": "INT"}, "a", options={"bucket": "1"})
    required = catalog.create_table("db.r", {"a": "INT NOT NULL"})
    for other in (keyed, required):
        with pytest.raises(SchemaMismatch, match="'a' is missing"):
            other.write(rows)
    assert table.write([{}]).rows == 1


FRAME = pd.DataFrame({"a": [1, 1, 2], "b": ["x", "y", "y"], "v": [1, 2, 3]})


def test_named_levels_of_an_index_are_columns(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"a": "BIGINT", "b": "STRING", "v": "BIGINT"}, options={"bucket": "-1"})
    expected = FRAME.to_dict("records")
    sums = FRAME.groupby(["a", "b"]).sum()
    for frame in (FRAME.set_index("a"), FRAME.set_index(["a", "b"]), sums, FRAME.set_index("b", drop=False)):
        table.write(frame, mode="overwrite")
        assert table.to_arrow().to_pylist() == expected
    table.write(FRAME[["v"]].set_index(pd.RangeIndex(3, name="a")), mode="overwrite")
    assert table.to_arrow()["a"].to_pylist() == [0, 1, 2]
    for index in (["p", "q", "r"], pd.date_range("2026-01-01", periods=3), pd.MultiIndex.from_arrays([[1, 2, 3]] * 2)):
        table.write(FRAME.set_index(pd.Index(index)), mode="overwrite")
        assert table.to_arrow().to_pylist() == expected
    with pytest.raises(SchemaMismatch, match="no column 'other'"):
        table.write(FRAME.rename_axis("other"))
    with pytest.raises(SchemaMismatch, match="'v' is a column and a level of the index"):
        table.write(FRAME.rename_axis("v"))
    with pytest.raises(SchemaMismatch, match="several levels"):
        table.write(FRAME.groupby("a").agg({"v": ["sum", "max"]}))


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["a", "b"])])
def test_categories_of_polars_at_every_depth(catalog: FileSystemCatalog, kind: Any) -> None:
    columns = {"l": "ARRAY<STRING>", "f": "ARRAY<STRING>", "s": "ROW<a STRING>", "n": "ARRAY<ROW<a STRING>>"}
    table = catalog.create_table("db.t", columns)
    shape = {
        "l": pl.List(kind),
        "f": pl.Array(kind, 2),
        "s": pl.Struct({"a": kind}),
        "n": pl.List(pl.Struct({"a": kind})),
    }
    full = {"l": ["b", None], "f": ["a", "b"], "s": {"a": "b"}, "n": [{"a": "a"}, {"a": None}]}
    rows = [full, dict.fromkeys(full), {**full, "l": []}]
    table.write(pl.DataFrame(rows, schema=shape))
    assert table.to_arrow().to_pylist() == rows


def test_dictionaries_of_arrow_at_every_depth(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"m": "MAP<STRING, STRING>", "r": "STRING"})
    words = pa.array(["x", "y", None, "x"]).dictionary_encode()
    maps = pa.MapArray.from_arrays([0, 1, 1, 4], pa.array(["a", "b", "c", "d"]).dictionary_encode(), words)
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], pa.array(["p", "q"]))
    table.write(pa.table({"m": maps, "r": runs}).slice(1))
    expected = [{"m": [], "r": "p"}, {"m": [("b", "y"), ("c", None), ("d", "x")], "r": "q"}]
    assert table.to_arrow().to_pylist() == expected


@pytest.mark.parametrize("value", [{"k": 1}, [("k", 1)], [["k", 1]], [{"key": "k", "value": 1}]])
def test_maps_of_python(catalog: FileSystemCatalog, value: Any) -> None:
    table = catalog.create_table(
        "db.t", {"m": "MAP<STRING, INT>", "s": "MULTISET<STRING>", "l": "ARRAY<MAP<STRING, INT>>"}
    )
    rows = [{"m": value, "s": value, "l": [value, None]}, {"m": None, "s": {}, "l": None}]
    for data in (rows, pd.DataFrame(rows)):
        table.write(data, mode="overwrite")
        pairs = [("k", 1)]
        assert table.to_arrow().to_pylist() == [
            {"m": pairs, "s": pairs, "l": [pairs, None]},
            {"m": None, "s": [], "l": None},
        ]
    with pytest.raises(SchemaMismatch, match=r"'m\.key' is null"):
        table.write([{"m": [(None, 1)]}])


def test_variants_of_python(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"v": "VARIANT", "l": "ARRAY<VARIANT>"})
    made = wb.variant({"a": 1})
    table.write([{"v": made, "l": [made, None]}, {"v": None}, {"v": {"value": made.value, "metadata": made.metadata}}])
    table.write(pd.DataFrame({"v": [made]}))
    table.write(pa.table({"v": wb.variant(pa.array(['{"a": 1}']))}))
    assert wb.variant_to_json(table.to_arrow()["v"]).to_pylist() == ['{"a":1}', None, *['{"a":1}'] * 3]
    for value in ({"a": 1}, "text", 1, [1]):
        with pytest.raises(SchemaMismatch, match=r"wb\.variant\(…\) of a Python value or of JSON text"):
            table.write([{"v": value}])


NANOSECONDS = pd.Timestamp("2026-01-01T00:00:00.123456789")


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("DATE", [date(2026, 1, 1), datetime(2026, 1, 1, 5)]),
        ("TIMESTAMP(6)", [datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC)]),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", [datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1)]),
        ("TIMESTAMP(6)", [NANOSECONDS]),
        ("TIME(3)", [time(1, tzinfo=UTC)]),
        ("DOUBLE", [1.5, 2**53 + 1]),
        ("BIGINT", [1.0, True]),
        ("DECIMAL(4, 2)", [1, Decimal("1.234")]),
        ("STRING", ["a", 1]),
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_values_are_not_changed(catalog: FileSystemCatalog, kind: str, values: list[Any], nested: bool) -> None:
    table = catalog.create_table("db.t", {"v": f"ARRAY<ROW<a {kind}>>" if nested else kind})
    given = [{"v": [{"a": each}] if nested else each} for each in values]
    for data in (given, pd.DataFrame({"v": pd.Series([each["v"] for each in given], dtype=object)})):
        with pytest.raises(SchemaMismatch, match=r"'v['.]"):
            table.write(data)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("DATE", pd.NaT, None),
        ("TIMESTAMP(6)", pd.NaT, None),
        ("INT", pd.NA, None),
        ("TIMESTAMP(3)", np.datetime64("NaT"), None),
        ("DATE", np.datetime64("2026-01-01"), date(2026, 1, 1)),
        ("TIMESTAMP(9)", NANOSECONDS, NANOSECONDS),
        ("TIMESTAMP(6)", pd.Timestamp(2026, 1, 1), datetime(2026, 1, 1)),
        ("BIGINT", np.int8(3), 3),
        ("BOOLEAN", np.bool_(True), True),
    ],
)
def test_values_of_pandas_and_numpy(catalog: FileSystemCatalog, kind: str, value: Any, expected: Any) -> None:
    table = catalog.create_table("db.t", {"v": kind, "l": f"ARRAY<{kind}>"})
    table.write([{"v": value, "l": [value, None]}, {}])
    assert table.to_arrow().to_pylist() == [{"v": expected, "l": [expected, None]}, {"v": None, "l": None}]


def test_values_of_several_types_are_converted_separately(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"i": "BIGINT", "d": "DOUBLE", "t": "TIMESTAMP(9)"})
    big = 2**53 + 1
    rows = [{"i": big, "d": 0.5, "t": NANOSECONDS}, {"i": 2.0, "d": 3, "t": datetime(2026, 1, 1)}, {}]
    table.write(rows)
    assert table.to_arrow().to_pylist() == [
        {"i": big, "d": 0.5, "t": NANOSECONDS},
        {"i": 2, "d": 3.0, "t": pd.Timestamp(2026, 1, 1)},
        {"i": None, "d": None, "t": None},
    ]


def test_arrays_of_numpy(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"l": "ARRAY<INT>", "n": "ARRAY<ARRAY<DOUBLE>>", "v": "VECTOR<FLOAT, 2>"})
    table.write([{"l": np.ma.masked_array([1, 2], [False, True]), "n": np.array([[1.0, 2.0]]), "v": np.array([1, 2])}])
    assert table.to_arrow().to_pylist() == [{"l": [1, None], "n": [[1.0, 2.0]], "v": [1.0, 2.0]}]
    for row in ({"l": np.array(1)}, {"l": np.array([1.5])}, {"v": np.array([1.0])}):
        with pytest.raises(SchemaMismatch, match=r"'[lv]['.]"):
            table.write([row])


def test_periods_of_pandas_are_no_numbers(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"v": "INT"})
    with pytest.raises(SchemaMismatch, match="Column 'v' is INT"):
        table.write(pd.DataFrame({"v": pd.period_range("2026-01", periods=2)}))


def test_objects_of_pandas_that_all_have_one_type(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"s": "STRING", "x": "BYTES", "b": "BOOLEAN", "e": "BYTES"})
    frame = pd.DataFrame(
        {
            "s": pd.Series(["ä", None, float("nan"), pd.NA], dtype=object),
            "x": pd.Series([b"x", np.nan, None, pd.NA], dtype=object),
            "b": pd.Series([True, None, pd.NA, False], dtype=object),
            "e": pd.Series(["text", None, None, pd.NA], dtype=object),
        }
    )
    table.write(frame)
    assert table.to_arrow().to_pylist() == [
        {"s": "ä", "x": b"x", "b": True, "e": b"text"},
        {"s": None, "x": None, "b": None, "e": None},
        {"s": None, "x": None, "b": None, "e": None},
        {"s": None, "x": None, "b": False, "e": None},
    ]
    with pytest.raises(SchemaMismatch, match="'s' is text, but the value in row 2 is not valid UTF-8"):
        table.write(pd.DataFrame({"s": pd.Series(["a", "\ud800"], dtype=object)}))
    with pytest.raises(SchemaMismatch, match="Column 's' is STRING"):
        table.write(pd.DataFrame({"s": pd.Series(["a", 1], dtype=object)}))
