"""Row-level statements that are refused, and the values that they store."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

import workbench as wb
from tests.support.row_level import (
    COLUMNS,
    append_table,
    key_table,
    rows,
)
from workbench.base.errors import (
    InvalidExpression,
    SchemaMismatch,
    Unsupported,
)
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table


def test_merge_engines_say_what_they_take(catalog: FileSystemCatalog) -> None:
    def engine(name: str, **more: str) -> Table:
        options = {"bucket": "1", "merge-engine": name, **{key.replace("_", "-"): value for key, value in more.items()}}
        number = len(catalog.list_tables("db"))
        return catalog.create_table(f"db.e{number}", COLUMNS, ["id"], options=options)

    merge = [wb.WhenMatched(delete=True)]
    for name in ("aggregation", "first-row"):
        table = engine(name)
        with pytest.raises(Unsupported, match=f"UPDATE is not supported with option 'merge-engine' = '{name}'"):
            table.update({"v": "1"})
        with pytest.raises(Unsupported, match=f"MERGE is not supported with option 'merge-engine' = '{name}'"):
            table.merge(rows(1), ["id"], merge)
    with pytest.raises(Unsupported, match=r"partial-update\.remove-record-on-delete"):
        engine("partial-update").merge(rows(1), ["id"], merge)
    with pytest.raises(Unsupported, match="'ignore-delete' = 'true'"):
        engine("deduplicate", ignore_delete="true").merge(rows(1), ["id"], merge)


def test_keys_and_partitions_stay(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, partition="p")
    with pytest.raises(SchemaMismatch, match="primary key column 'id'"):
        table.update({"ID": "id + 1"})
    with pytest.raises(SchemaMismatch, match="primary key column 'p'"):
        table.update({"p": "'x'"})
    with pytest.raises(SchemaMismatch, match="primary key column 'id'"):
        table.merge(rows(1), "t.v = s.v", [wb.WhenMatched(update={"id": "s.id"})])
    with pytest.raises(SchemaMismatch, match="primary key column 'id'"):
        table.merge(rows(1), ["id"], [wb.WhenNotMatchedBySource(update={"id": "id + 1"})])


@pytest.mark.parametrize(
    ("assignments", "error", "message"),
    [
        ({"w": "1"}, SchemaMismatch, "There is no column 'w'"),
        ({"v": "1", "V": "2"}, SchemaMismatch, "'v' is assigned twice"),
        ({"v": "s"}, SchemaMismatch, "Column 'v' is INT and s is STRING"),
        ({"v": "'7'"}, SchemaMismatch, "Column 'v' is INT and '7' is STRING"),
        ({"v": "TRUE"}, SchemaMismatch, "Column 'v' is INT and TRUE is BOOLEAN"),
        ({"v": "3000000000"}, SchemaMismatch, "does not fit column 'v'"),
        ({"v": "id * 3000000000"}, InvalidExpression, "v|INT"),
        ({"v": "unknown + 1"}, InvalidExpression, "no column 'unknown'"),
        ({"v": "sum(v)"}, InvalidExpression, "aggregate"),
        ({}, InvalidExpression, "cannot assign"),
        ([("v", 1)], InvalidExpression, "cannot assign"),
        ({"id": "NULL"}, SchemaMismatch, "'id' is BIGINT NOT NULL"),
    ],
)
def test_values_that_cannot_be_stored(
    catalog: FileSystemCatalog, assignments: Any, error: type[Exception], message: str
) -> None:
    table = append_table(catalog, files=1)
    with pytest.raises(error, match=message):
        table.update(assignments)
    assert table.snapshot().id == 1


def test_values_that_are_stored(catalog: FileSystemCatalog) -> None:
    """Strings are SQL and other values are literals; numbers and times are converted as Spark stores them."""
    columns = {"id": "INT", "d": "DECIMAL(10, 2)", "day": "DATE", "at": "TIMESTAMP(3)", "s": "STRING", "b": "BYTES"}
    table = catalog.create_table("db.t", columns)
    table.write([{"id": 1}])
    table.update({"d": "id / 3", "day": date(2026, 1, 2), "at": "DATE '2026-01-03'", "s": "id", "b": b"x", "ID": 7.9})
    (row,) = table.to_arrow().to_pylist()
    assert (row["id"], row["d"], row["day"], row["s"], row["b"]) == (7, Decimal("0.33"), date(2026, 1, 2), "1", b"x")
    assert row["at"].isoformat() == "2026-01-03T00:00:00"
    table.update({"s": wb.col("s").cast("INT") + 41})
    assert table.to_arrow(["s"]).column(0).to_pylist() == ["42"]
