"""Nulls inside of the columns that are written."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import SchemaMismatch
from workbench.catalog.filesystem import FileSystemCatalog

REQUIRED = (
    "ROW<i INT NOT NULL, t STRING NOT NULL, b BYTES NOT NULL, f BINARY(2) NOT NULL, d DECIMAL(20, 2) NOT NULL, "
    "o BOOLEAN NOT NULL, s TIMESTAMP(3) NOT NULL, x DOUBLE NOT NULL, l ARRAY<INT> NOT NULL, "
    "m MAP<STRING, INT> NOT NULL, r ROW<n SMALLINT NOT NULL> NOT NULL>"
)


@pytest.mark.parametrize("file_format", ["parquet", "orc", "avro"])
def test_rows_that_are_null_may_hold_required_fields(catalog: FileSystemCatalog, file_format: str) -> None:
    table = catalog.create_table("db.t", {"id": "BIGINT", "c": REQUIRED}, options={"file.format": file_format})
    kind = table.arrow_schema.field("c").type
    full: dict[str, Any] = {"i": 1, "t": "a", "b": b"b", "f": b"cc", "d": Decimal("1.50"), "o": True, "s": None}
    full |= {"s": pa.scalar(5, pa.timestamp("ms")).as_py(), "x": 0.5, "l": [1], "m": [("k", 1)], "r": {"n": 3}}
    rows = pa.array([full, None], kind)
    table.write(pa.table({"id": [1, 2], "c": rows}))
    table.write(pa.table({"id": [3]}))
    actual_rows = table.to_arrow().sort_by("id")
    assert actual_rows["c"].to_pylist() == [*rows.to_pylist(), None]


def test_a_variant_may_be_left_out(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"id": "BIGINT", "v": "VARIANT"})
    table.write([{"id": 1}])
    assert table.to_arrow().to_pylist() == [{"id": 1, "v": None}]


@pytest.mark.parametrize(
    ("column", "value", "path"),
    [
        ("ROW<a INT NOT NULL, b INT>", {"a": None, "b": 1}, "c.a"),
        ("ROW<a ROW<z INT NOT NULL>>", {"a": {"z": None}}, "c.a.z"),
        ("ARRAY<INT NOT NULL>", [1, None], "c.element"),
        ("ARRAY<ROW<a INT NOT NULL>>", [{"a": 1}, {"a": None}], "c.element.a"),
        ("MAP<STRING, INT NOT NULL>", [("k", None)], "c.value"),
    ],
)
def test_required_fields_are_not_null(catalog: FileSystemCatalog, column: str, value: Any, path: str) -> None:
    table = catalog.create_table("db.t", {"id": "BIGINT", "c": column})
    with pytest.raises(SchemaMismatch, match=f"'{path}' is NOT NULL"):
        table.write([{"id": 1, "c": value}])
    assert table.snapshots() == []
