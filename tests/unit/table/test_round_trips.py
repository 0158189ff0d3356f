"""Rows that a table returns as pandas, Polars or Python values can be written again, unchanged."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest

import workbench as wb
from workbench.catalog.filesystem import FileSystemCatalog

NANOSECONDS = pd.Timestamp("2026-01-01T00:00:00.123456789")
VALUES: dict[str, Any] = {
    "BOOLEAN": True,
    "TINYINT": -1,
    "SMALLINT": 2,
    "INT": 3,
    "BIGINT": 2**53 + 1,
    "FLOAT": 0.5,
    "DOUBLE": 0.25,
    "DECIMAL(10, 2)": Decimal("1.50"),
    "DECIMAL(38, 10)": Decimal("1234567890123456789012345678.0000000001"),
    "CHAR(3)": "abc",
    "STRING": "é",
    "BINARY(2)": b"ab",
    "BYTES": b"\xff",
    "DATE": date(1, 1, 1),
    "TIME(3)": time(1, 2, 3, 4000),
    "TIMESTAMP(3)": datetime(9999, 12, 31, 1, 1, 1, 1000),
    "TIMESTAMP(6)": datetime(1, 1, 1, 0, 0, 0, 1),
    "TIMESTAMP(9)": NANOSECONDS,
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": datetime(2026, 1, 1, 1, 1, 1, 1, tzinfo=UTC),
    "TIMESTAMP(9) WITH LOCAL TIME ZONE": NANOSECONDS.tz_localize("UTC"),
    "VARIANT": wb.variant({"a": [1, "x"]}),
}
FORMS: dict[str, Any] = {
    "pandas": lambda table: table.to_pandas(),
    "polars": lambda table: table.to_polars(),
    "dicts": lambda table: table.to_arrow().to_pylist(),
}


def columns_of(kind: str, value: Any) -> tuple[dict[str, str], dict[str, Any]]:
    """Return columns that contain a type in every way, and a row of them."""
    columns = {
        "v": kind,
        "l": f"ARRAY<{kind}>",
        "s": f"ROW<a {kind}, b ROW<c ARRAY<{kind}>>>",
        "m": f"MAP<STRING, {kind}>",
        "d": f"ARRAY<MAP<STRING, ARRAY<ROW<x {kind}>>>>",
    }
    row = {
        "v": value,
        "l": [value, None],
        "s": {"a": None, "b": {"c": [None, value]}},
        "m": [("k", value), ("n", None)],
        "d": [[("k", [{"x": value}, None])], [], None],
    }
    if kind != "VARIANT":
        columns |= {"k": f"MAP<{kind}, INT>", "c": f"MULTISET<{kind}>"}
        row |= {"k": [(value, None)], "c": [(value, 2)]}
    return columns, row


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", VALUES)
def test_rows_can_be_written_again(catalog: FileSystemCatalog, kind: str, form: str) -> None:
    columns, row = columns_of(kind, VALUES[kind])
    table = catalog.create_table("db.t", columns)
    table.write([row, dict.fromkeys(row), row])
    copy = catalog.create_table("db.copy", columns)
    copy.write(FORMS[form](table))
    assert copy.to_arrow().equals(table.to_arrow())
