"""The values of INSERT INTO … VALUES: casts and other expressions are computed as in a query."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest

from workbench.base.errors import InvalidExpression, SchemaMismatch
from workbench.sql.execute import execute

_COLUMNS = ("id", "s", "b", "f", "i", "d")

pytestmark = pytest.mark.spark
pytest.importorskip("pyspark")


def run(catalog: Any, text: str) -> None:
    execute(text, catalog, "shop", engine="auto")


@pytest.fixture
def values(catalog: Any) -> Any:
    """A catalog with a table of several types."""
    run(catalog, "CREATE TABLE v (id INT, s STRING DEFAULT 'none', b BINARY, f DOUBLE, i INT, d DECIMAL(10, 3))")
    return catalog


@pytest.mark.parametrize(
    ("expression", "column", "expected"),
    [
        ("CAST(X'4142' AS STRING)", "s", "AB"),
        ("CAST(true AS STRING)", "s", "true"),
        ("CAST(12 AS STRING)", "s", "12"),
        ("CAST(DATE '2026-01-02' AS STRING)", "s", "2026-01-02"),
        ("upper('a')", "s", "A"),
        ("concat('a', 'b')", "s", "ab"),
        ("CASE WHEN 1 < 2 THEN 'x' ELSE 'y' END", "s", "x"),
        ("CAST('ab' AS BINARY)", "b", b"ab"),
        ("CAST(0.1 AS FLOAT)", "f", 0.10000000149011612),
        ("0.1F", "f", 0.10000000149011612),
        ("CAST('1e2' AS DOUBLE)", "f", 100.0),
        ("CAST(2.7 AS INT)", "i", 2),
        ("1 + 2 * 3", "i", 7),
        ("TRY_CAST('x' AS INT)", "i", None),
        ("CAST(1.005 AS DECIMAL(3, 2))", "d", Decimal("1.010")),
        ("CAST(1.7 AS DECIMAL)", "d", Decimal("2.000")),
        ("1.7BD", "d", Decimal("1.700")),
        ("DEFAULT", "s", "none"),
        ("default", "i", None),
    ],
)
def test_values_are_computed(values: Any, expression: str, column: str, expected: Any) -> None:
    run(values, f"INSERT INTO v (id, {column}) VALUES (1, {expression})")
    run(values, f"INSERT INTO v (id, {column}) VALUES (1 + 1, {expression})")
    assert values.get_table("shop.v").to_arrow()[column].to_pylist() == [expected] * 2


@pytest.mark.parametrize(
    ("expression", "column"),
    [("CAST(X'ff' AS STRING)", "s"), ("CAST(300 AS TINYINT)", "i"), ("CAST('x' AS INT)", "i"), ("missing", "i")],
)
def test_values_that_are_none_are_refused(values: Any, expression: str, column: str) -> None:
    with pytest.raises((SchemaMismatch, InvalidExpression)):
        run(values, f"INSERT INTO v (id, {column}) VALUES (1, {expression})")
    assert values.get_table("shop.v").to_arrow().num_rows == 0


def test_rows_may_differ_in_their_expressions(values: Any) -> None:
    run(values, "INSERT INTO v VALUES (1, 'a', X'00', double('NaN'), 1, 1.5), (2, lower('B'), NULL, 2, DEFAULT, 1.25)")
    first, second = values.get_table("shop.v").to_arrow().sort_by("id").to_pylist()
    assert math.isnan(first.pop("f"))
    assert tuple(first.values()) == (1, "a", b"\0", 1, Decimal("1.500"))
    assert dict(zip(_COLUMNS, second.values(), strict=True)) == second
    assert tuple(second.values()) == (2, "b", None, 2.0, None, Decimal("1.250"))


@pytest.mark.parametrize("rows", ["VALUES (1, {})", "SELECT 1, {}"])
@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("1.0005", "1.001"),
        ("-1.0005", "-1.001"),
        ("1.00049999", "1.000"),
        ("9999999.9994", "9999999.999"),
        ("99.99999999999999999999999999999999", "100.000"),
        ("0.00000000000000000000000000000000000001", "0.000"),
    ],
)
def test_decimals_are_rounded(values: Any, rows: str, value: str, stored: str) -> None:
    run(values, f"INSERT INTO v (id, d) {rows.format(value)}")
    assert values.get_table("shop.v").to_arrow()["d"].to_pylist() == [Decimal(stored)]


@pytest.mark.parametrize("rows", ["VALUES (1, {})", "SELECT 1, {}"])
def test_decimals_that_do_not_fit_when_rounded_are_refused(values: Any, rows: str) -> None:
    with pytest.raises(SchemaMismatch, match="'d'"):
        run(values, f"INSERT INTO v (id, d) {rows.format('9999999.9995')}")


@pytest.mark.parametrize("column", ["DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "STRUCT<a: DATE>", "ARRAY<TIMESTAMP>"])
@pytest.mark.parametrize("number", ["5", "2.5", "2.5D"])
def test_numbers_are_no_times(values: Any, column: str, number: str) -> None:
    run(values, f"CREATE TABLE times (t {column})")
    value = {"STRUCT": "struct({})", "ARRAY": "array({})"}.get(column.split("<")[0], "{}").format(number)
    for rows in (f"VALUES ({value})", f"SELECT {value}"):
        with pytest.raises((SchemaMismatch, InvalidExpression), match=r"'t'|'t\.|cannot cast"):
            run(values, f"INSERT INTO times {rows}")
    assert values.get_table("shop.times").to_arrow().num_rows == 0
