"""The SQL of a comparison turns the first state into the second, for every type that SQL can write."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.support.diff_counter import Counted, count_differences
from workbench.base.errors import Unsupported
from workbench.lens.diff.collect import Comparison
from workbench.lens.diff.ends import end_at
from workbench.lens.diff.sql import replaying_sql
from workbench.sql.execute import execute
from workbench.table.table import Table

_MICRO = datetime.datetime(2026, 11, 1, 12, 30, 0, 123456)
_VALUES: dict[str, list[Any]] = {
    "BOOLEAN": [True, False, None],
    "TINYINT": [-128, 127, None],
    "SMALLINT": [-32768, 32767, None],
    "INT": [-(2**31), 2**31 - 1, None],
    "BIGINT": [-(2**63), 2**63 - 1, None],
    "FLOAT": [1.5, float("nan"), float("-inf"), None],
    "DOUBLE": [0.1, 1e300, float("nan"), None],
    "DECIMAL(10, 2)": [Decimal("-12345678.90"), Decimal("0.00"), None],
    "DECIMAL(38, 10)": [Decimal("1234567890123456789012345678.0123456789"), None],
    "CHAR(3)": ["abc", None],
    "STRING": ["it's \\ \n\t 'quoted' <b>", "", "ü𝄞; --", None],
    "BYTES": [b"\x00\xff", b"", None],
    "DATE": [datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None],
    "TIMESTAMP(3)": [_MICRO.replace(microsecond=123000), None],
    "TIMESTAMP(6)": [_MICRO, datetime.datetime(1969, 12, 31, 23, 59, 59, 1), None],
    "TIMESTAMP(9)": [_MICRO, None],
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": [_MICRO.replace(tzinfo=datetime.UTC), None],
    "ARRAY<INT>": [[1, None], [], None],
    "ARRAY<ARRAY<STRING>>": [[["a'b"], []], None],
    "MAP<STRING, BIGINT>": [[("a", 1), ("b", None)], [], None],
    "ROW<x INT, y ARRAY<DOUBLE>>": [{"x": 1, "y": [0.5]}, {"x": None, "y": None}, None],
    "MAP<INT, ROW<a DATE, b DECIMAL(5, 1)>>": [[(1, {"a": datetime.date(2026, 1, 1), "b": Decimal("1.5")})], None],
}


def replay(catalog: Any, table: Table, first: int, second: int) -> None:
    """Apply the SQL to a copy of the first state, and compare it with the second."""
    before, after = end_at(table, first), end_at(table, second)
    schema = table.schema
    columns = {each.name: str(each.type) for each in schema.fields}
    copy = catalog.create_table("d.copy", columns, schema.primary_keys, schema.partition_keys, options=schema.options)
    old, new = (table.with_store(end.store, end.snapshot).to_arrow() for end in (before, after))
    copy.write(old)
    for statement in replaying_sql(Comparison(before, after), "d.copy").split(";\n"):
        execute(statement.removesuffix(";"), catalog, "d")
    found = catalog.get_table("d.copy").to_arrow()
    assert count_differences(found, new, [], []) == Counted()


@pytest.mark.parametrize("kind", _VALUES)
def test_each_type(catalog: Any, kind: str) -> None:
    values = _VALUES[kind]
    table = catalog.create_table("d.t", {"id": "INT NOT NULL", "v": kind}, ["id"], options={"bucket": "1"})
    table.write([{"id": number, "v": values[number % len(values)]} for number in range(12)])
    table.write([{"id": number, "v": values[(number + 1) % len(values)]} for number in range(4, 16)])
    table.delete("id < 3")
    replay(catalog, table, 1, table.snapshot().id)


@pytest.mark.parametrize("kind", ["STRING", "BIGINT", "DATE", "DECIMAL(10, 2)", "BYTES", "TIMESTAMP(6)", "BOOLEAN"])
def test_rows_without_a_key(catalog: Any, kind: str) -> None:
    values = _VALUES[kind]
    table = catalog.create_table("d.t", {"n": "INT", "v": kind})
    rows = [{"n": number % 3, "v": values[number % len(values)]} for number in range(24)]
    table.write(rows)
    table.write(rows[:7])
    table.delete("n = 1")
    table.write(rows[:2])
    replay(catalog, table, 1, table.snapshot().id)


def test_some_of_equal_rows_remain(catalog: Any) -> None:
    table = catalog.create_table("d.t", {"n": "INT"})
    table.write([{"n": 1}] * 3 + [{"n": 2}] * 3)
    table.write([{"n": 1}, {"n": 2}, {"n": 2}], mode="overwrite")
    replay(catalog, table, 1, 2)


def test_keys_of_several_columns(catalog: Any) -> None:
    table = catalog.create_table(
        "d.t",
        {"p": "STRING NOT NULL", "a": "BIGINT NOT NULL", "b": "STRING NOT NULL", "select": "INT"},
        ["p", "a", "b"],
        ["p"],
        options={"bucket": "1"},
    )
    table.write([{"p": "xy'z"[n % 4], "a": n % 5, "b": f"{n}\n", "select": n} for n in range(50)])
    table.delete("a = 2 OR b LIKE '1%'")
    replay(catalog, table, 1, 2)
    catalog.drop_table("d.copy")
    replay(catalog, table, 2, 1)


@pytest.mark.parametrize(
    ("kind", "value"),
    [("TIME(3)", datetime.time(12, 30)), ("MULTISET<INT>", [(1, 2)]), ("VECTOR<FLOAT, 2>", [1.0, 2.0])],
)
def test_types_that_sql_cannot_write_are_named(catalog: Any, kind: str, value: Any) -> None:
    table = catalog.create_table("d.t", {"id": "INT NOT NULL", "v": kind}, ["id"], options={"bucket": "1"})
    table.write([{"id": 1, "v": value}])
    with pytest.raises(Unsupported, match="Column 'v' holds values of type"):
        replaying_sql(Comparison(end_at(table, 0), end_at(table, 1)), "d.copy")


def test_nanoseconds_are_named(catalog: Any) -> None:
    import pyarrow as pa

    table = catalog.create_table("d.t", {"v": "TIMESTAMP(9)"})
    table.write(pa.table({"v": pa.array([1], pa.timestamp("ns"))}))
    with pytest.raises(Unsupported, match="nanoseconds"):
        replaying_sql(Comparison(end_at(table, 0), end_at(table, 1)), "d.copy")


def test_engines_that_do_not_replace_rows_are_named(catalog: Any) -> None:
    options = {"bucket": "1", "merge-engine": "aggregation", "fields.v.aggregate-function": "sum"}
    table = catalog.create_table("d.t", {"id": "INT NOT NULL", "v": "INT"}, ["id"], options=options)
    table.write([{"id": 1, "v": 1}])
    table.write([{"id": 1, "v": 1}])
    with pytest.raises(Unsupported, match="'merge-engine' = 'aggregation'"):
        replaying_sql(Comparison(end_at(table, 1), end_at(table, 2)), "d.copy")


@pytest.mark.parametrize("null", ["old", "new", "neither"])
def test_partial_updates_are_merged(catalog: Any, null: str) -> None:
    options = {"bucket": "1", "merge-engine": "partial-update"}
    columns = {"id": "INT NOT NULL", "v": "INT", "w": "STRING"}
    table = catalog.create_table("d.t", columns, ["id"], options=options)
    table.write([{"id": n, "v": n, "w": None if null == "old" else "x"} for n in range(20)])
    table.write([{"id": n, "v": n + 1, "w": None if null == "new" else "y'"} for n in range(10, 30)])
    sql = replaying_sql(Comparison(end_at(table, 1), end_at(table, 2)), "d.copy")
    assert sql.startswith("MERGE INTO d.copy AS t USING (SELECT * FROM VALUES")
    replay(catalog, table, 1, 2)
