"""Accepted input: all types of rows, and lossless casts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import SchemaMismatch
from workbench.catalog.filesystem import FileSystemCatalog

PLAIN = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "s": ["a", None, "c"]})


class Stream:
    """Rows as Polars and DuckDB pass them: an object with a single method."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return PLAIN.to_reader(max_chunksize=2).__arrow_c_stream__(requested_schema)


KINDS: dict[str, Callable[[], Any]] = {
    "table": lambda: PLAIN,
    "batch": lambda: PLAIN.to_batches()[0],
    "reader": lambda: PLAIN.to_reader(max_chunksize=1),
    "pandas": lambda: pd.DataFrame({"id": [1, 2, 3], "s": ["a", None, "c"]}),
    "pandas with an index": lambda: pd.DataFrame({"id": [1, 2, 3], "s": ["a", None, "c"]}, index=[7, 8, 9]),
    "pandas with categories": lambda: pd.DataFrame({"id": [1, 2, 3], "s": pd.Categorical(["a", None, "c"])}),
    "dicts": lambda: PLAIN.to_pylist(),
    "dicts with gaps": lambda: [{"id": 1, "s": "a"}, {"id": 2}, {"s": "c", "id": 3}],
    "a stream": Stream,
    "columns in another order": lambda: PLAIN.select(["s", "id"]),
    "large strings": lambda: PLAIN.cast(pa.schema([("id", pa.int32()), ("s", pa.large_string())])),
    "views": lambda: pa.table({"id": PLAIN["id"], "s": PLAIN["s"].cast(pa.string_view())}),
    "dictionaries": lambda: pa.table({"id": PLAIN["id"].cast(pa.uint8()), "s": PLAIN["s"].dictionary_encode()}),
    "sliced": lambda: pa.concat_tables([PLAIN, PLAIN]).slice(3),
    "chunked": lambda: pa.concat_tables([PLAIN.slice(0, 1), PLAIN.slice(0, 0), PLAIN.slice(1)]),
}


@pytest.mark.parametrize("keyed", [True, False], ids=["keyed", "append"])
@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_rows(catalog: FileSystemCatalog, kind: str, keyed: bool) -> None:
    table = catalog.create_table(
        "db.t",
        {"id": "BIGINT", "s": "STRING"},
        primary_key="id" if keyed else (),
        options={"bucket": "1"} if keyed else {},
    )
    commit = table.write(KINDS[kind]())
    assert commit.rows == 3
    assert table.to_arrow().sort_by("id").to_pylist() == PLAIN.to_pylist()
    with table.writer() as writer:
        writer.write(KINDS[kind]())
        messages = writer.prepare()
    table.commit(messages)
    assert table.to_arrow().num_rows == (3 if keyed else 6)


def test_a_table_of_ours_is_a_stream(catalog: FileSystemCatalog) -> None:
    source = catalog.create_table("db.source", {"id": "BIGINT", "s": "STRING"})
    source.write(PLAIN)
    target = catalog.create_table("db.target", {"s": "STRING", "id": "BIGINT"})
    target.write(source)
    assert target.to_arrow(["id", "s"]).equals(source.to_arrow())


@pytest.mark.parametrize("empty", [[], PLAIN.slice(0, 0), PLAIN.slice(0, 0).to_reader(), pd.DataFrame({"id": []})])
def test_nothing(catalog: FileSystemCatalog, empty: Any) -> None:
    table = catalog.create_table("db.t", {"id": "BIGINT NOT NULL", "s": "STRING"})
    assert table.write(empty).snapshots == ()
    assert table.snapshots() == []


CASTS: list[tuple[str, pa.Array, list[Any]]] = [
    ("TINYINT", pa.array([1, -128, 127], pa.int64()), [1, -128, 127]),
    ("BIGINT", pa.array([1, 2], pa.uint16()), [1, 2]),
    ("BIGINT", pa.array([1.0, 2.0]), [1, 2]),
    ("DOUBLE", pa.array([1, 2], pa.int32()), [1.0, 2.0]),
    ("FLOAT", pa.array([0.5, None]), [0.5, None]),
    ("DECIMAL(10, 2)", pa.array([5, -7], pa.int64()), [Decimal("5.00"), Decimal("-7.00")]),
    ("DECIMAL(10, 2)", pa.array([Decimal("1.5")]), [Decimal("1.50")]),
    ("DECIMAL(38, 2)", pa.array([2**62], pa.int64()), [Decimal(2**62)]),
    ("DATE", pa.array([date(2026, 1, 1)], pa.date64()), [date(2026, 1, 1)]),
    ("TIMESTAMP(3)", pa.array([datetime(2026, 1, 1, 1, 2, 3)], pa.timestamp("ns")), [datetime(2026, 1, 1, 1, 2, 3)]),
    (
        "TIMESTAMP(6) WITH LOCAL TIME ZONE",
        pa.array([datetime(2026, 1, 1, tzinfo=UTC)], pa.timestamp("us", "Europe/Berlin")),
        [datetime(2026, 1, 1, tzinfo=UTC)],
    ),
    ("BYTES", pa.array([b"ab"], pa.binary(2)), [b"ab"]),
    ("STRING", pa.nulls(2), [None, None]),
    ("ARRAY<INT>", pa.array([[1, None], None], pa.list_(pa.int64())), [[1, None], None]),
    ("ROW<a INT, b STRING>", pa.array([{"a": 1, "b": "x"}, None]), [{"a": 1, "b": "x"}, None]),
]


@pytest.mark.parametrize(
    ("kind", "given", "expected"), CASTS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_casts_that_lose_nothing(catalog: FileSystemCatalog, kind: str, given: pa.Array, expected: list[Any]) -> None:
    table = catalog.create_table("db.t", {"v": kind})
    table.write(pa.table({"v": given}))
    assert table.to_arrow().column("v").to_pylist() == expected


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("BIGINT", pa.array([1.5])),
        ("INT", pa.array([2**31], pa.int64())),
        ("BIGINT", pa.array([np.nan])),
        ("STRING", pa.array([b"x"])),
        ("BOOLEAN", pa.array([1])),
        ("INT", pa.array([True])),
        ("DECIMAL(4, 2)", pa.array([100])),
        ("DECIMAL(4, 2)", pa.array([0.5])),
        ("TIMESTAMP(3)", pa.array([1], pa.timestamp("ns"))),
        ("TIMESTAMP(3)", pa.array([1], pa.timestamp("ms", "UTC"))),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", pa.array([1], pa.timestamp("ms"))),
        ("DATE", pa.array([1], pa.timestamp("s"))),
        ("ARRAY<INT>", pa.array([["x"]])),
        ("INT", pa.array([[1]])),
        ("ARRAY<STRING>", pa.array([[1]])),
        ("ARRAY<FLOAT>", pa.array([[1e300]])),
        ("ARRAY<INT>", pa.array([[1, 2]], pa.list_view(pa.int32()))),
        ("MAP<STRING, STRING>", pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64()))),
        ("MAP<STRING, FLOAT>", pa.array([[("k", 1e300)]], pa.map_(pa.string(), pa.float64()))),
        ("ROW<a INT>", pa.array([{"a": 1, "z": 2}])),
        ("ROW<a FLOAT>", pa.array([{"a": 1e300}])),
        ("ARRAY<ROW<a DATE>>", pa.array([[{"b": 1}]])),
    ],
)
def test_casts_that_are_refused(catalog: FileSystemCatalog, kind: str, given: pa.Array) -> None:
    table = catalog.create_table("db.t", {"v": kind})
    with pytest.raises(SchemaMismatch, match=r"'v['.]"):
        table.write(pa.table({"v": given}))
    assert table.snapshots() == []


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("INT", 1.5),
        ("FLOAT", 1e300),
        ("DOUBLE", True),
        ("DATE", datetime(2026, 1, 1, 12)),
        ("TIME(3)", time(1, 2, 3, 4005)),
        ("TIMESTAMP(3)", datetime(2026, 1, 1, 12, 0, 0, 1)),
        ("TIMESTAMP(6)", datetime(2026, 1, 1, tzinfo=UTC)),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", datetime(2026, 1, 1)),
        ("ARRAY<INT>", [1.5]),
        ("ROW<a INT>", {"a": 1, "z": 2}),
        ("ROW<a INT>", {"A": 1}),
        ("ROW<a TIMESTAMP(0)>", {"a": datetime(2026, 1, 1, 0, 0, 0, 1)}),
    ],
)
def test_python_values_are_not_cut(catalog: FileSystemCatalog, kind: str, value: Any) -> None:
    table = catalog.create_table("db.t", {"v": kind})
    with pytest.raises(SchemaMismatch, match=r"'v['.]"):
        table.write([{"v": None}, {"v": value}])
    assert table.snapshots() == []


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("INT", 2.0, 2),
        ("DECIMAL(38, 0)", 10**30, Decimal(10**30)),
        ("DATE", 31, date(1970, 2, 1)),
        ("BYTES", "text", b"text"),
        ("ROW<a INT, b STRING>", (1, "x"), {"a": 1, "b": "x"}),
        ("ROW<a INT, b STRING>", {"b": "x"}, {"a": None, "b": "x"}),
        ("ARRAY<BIGINT>", {7}, [7]),
        ("MAP<STRING, INT>", {"k": 1}, [("k", 1)]),
        ("MAP<STRING, INT>", [("k", 1)], [("k", 1)]),
        ("ARRAY<MAP<STRING, INT>>", [{"k": 1}, {}], [[("k", 1)], []]),
    ],
)
def test_python_values_in_the_type_of_the_column(
    catalog: FileSystemCatalog, kind: str, value: Any, expected: Any
) -> None:
    table = catalog.create_table("db.t", {"v": kind})
    table.write([{"v": value}, {"v": None}])
    assert table.to_arrow().column("v").to_pylist() == [expected, None]


@pytest.mark.parametrize("kind", [polars.Categorical, polars.Enum(["a", "b"])])
def test_categories_of_polars(catalog: FileSystemCatalog, kind: Any) -> None:
    table = catalog.create_table("db.t", {"s": "STRING", "n": "INT"})
    given = polars.DataFrame({"s": ["a", None, "b"]}, schema={"s": kind})
    table.write(given)
    table.merge(given, ["s"], [wb.WhenMatched(update={"n": "1"})])
    assert table.to_arrow().to_pylist() == [{"s": "a", "n": 1}, {"s": None, "n": None}, {"s": "b", "n": 1}]


def test_a_frame_with_a_column_twice(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"i": "INT"})
    with pytest.raises(SchemaMismatch, match="Duplicate"):
        table.write(pd.DataFrame([[1, 2]], columns=["i", "i"]))
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["i", "i"])
    with pytest.raises(SchemaMismatch, match="'i' of the source is given twice"):
        table.merge(twice, ["i"], [wb.WhenMatched(delete=True)])


@pytest.mark.parametrize("value", [1.5, datetime(1970, 1, 2, 5), "x"])
def test_a_named_partition_is_not_cut(catalog: FileSystemCatalog, value: Any) -> None:
    table = catalog.create_table("db.t", {"d": "DATE", "i": "INT"}, partition_by="d")
    table.write([{"d": date(1970, 1, 2), "i": 1}])
    with pytest.raises(SchemaMismatch, match="'d'"):
        table.drop_partitions({"d": value})
    with pytest.raises(SchemaMismatch, match="'d'"):
        table.write([{"i": 2}], mode="overwrite", partition={"d": value})
    assert table.to_arrow().num_rows == 1
    assert table.drop_partitions({"d": date(1970, 1, 2)}).deleted == 1


def test_named_partition_completes_rows_of_any_kind(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"dt": "STRING", "id": "BIGINT"}, partition_by="dt")
    rows = [{"id": 1}, {"id": 2}]
    for data in (pa.Table.from_pylist(rows), rows, pd.DataFrame(rows), pa.Table.from_pylist(rows).to_reader()):
        table.write(data, mode="overwrite", partition={"dt": "x"})
        assert table.to_arrow().sort_by("id").to_pylist() == [{"dt": "x", "id": 1}, {"dt": "x", "id": 2}]


@pytest.mark.parametrize("kinds", [["+I", "-D", "+U"], pa.array(["+I", "-D", "+U"]).dictionary_encode()])
def test_row_kinds(catalog: FileSystemCatalog, kinds: Any) -> None:
    table = catalog.create_table("db.t", {"id": "BIGINT", "s": "STRING"}, primary_key="id", options={"bucket": "1"})
    table.write(PLAIN)
    table.write(PLAIN.append_column("op", kinds if isinstance(kinds, pa.Array) else pa.array(kinds)), row_kind="op")
    assert table.to_arrow().sort_by("id").column("id").to_pylist() == [1, 3]
