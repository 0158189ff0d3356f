"""Statistics of a whole table."""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from tests.support.versioned import make, row
from workbench.base.errors import Unsupported, WorkbenchError
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.types import parse_type
from workbench.scan.analysis.column_statistics import ColumnStatistics
from workbench.scan.analysis.distinct import DistinctCount
from workbench.table.schema_changes.changes import AddColumn

COLUMNS = {
    "id": "INT NOT NULL",
    "flag": "BOOLEAN",
    "money": "DECIMAL(10, 2)",
    "wide": "DECIMAL(38, 3)",
    "real": "DOUBLE",
    "single": "FLOAT",
    "day": "DATE",
    "at": "TIMESTAMP(3)",
    "moment": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "text": "STRING",
    "raw": "BYTES",
    "none": "STRING",
    "list": "ARRAY<INT>",
}
NAN = float("nan")
ROWS = [
    {
        "id": 1,
        "flag": True,
        "money": Decimal("1.50"),
        "wide": Decimal("-7.125"),
        "real": 1e10,
        "single": 0.5,
        "day": date(2026, 1, 1),
        "at": datetime(2026, 1, 2, 3, 4, 5, 600_000),
        "moment": datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
        "text": "grün",
        "raw": b"12345",
        "list": [1],
    },
    {"id": 2, "flag": False, "money": Decimal("-2"), "real": NAN, "single": NAN, "text": "a", "raw": b"", "list": None},
    {"id": 3, "money": Decimal("1.50"), "real": -0.25, "single": NAN, "text": "a"},
]


def test_every_type(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", COLUMNS)
    table.write(ROWS[:2])
    table.write(ROWS[2:])
    done = table.analyze()
    assert (done.analyzed, done.snapshot, done.rows) == (2, 3, 3)
    assert done.columns == {
        "id": ColumnStatistics(0, 3, 0, 4, 4, "1", "3"),
        "flag": ColumnStatistics(1, 2, 1, 1, 1, "false", "true"),
        "money": ColumnStatistics(2, 2, 0, 8, 8, "-2.00", "1.50"),
        "wide": ColumnStatistics(3, 1, 2, 16, 16, "-7.125", "-7.125"),
        "real": ColumnStatistics(4, 3, 0, 8, 8, "-0.25", "NaN"),
        "single": ColumnStatistics(5, 2, 0, 4, 4, "0.5", "NaN"),
        "day": ColumnStatistics(6, 1, 2, 4, 4, "20454", "20454"),
        "at": ColumnStatistics(7, 1, 2, 8, 8, "2026-01-02 03:04:05.600", "2026-01-02 03:04:05.600"),
        "moment": ColumnStatistics(8, 1, 2, 8, 8, "2026-01-02 03:04:05.000006", "2026-01-02 03:04:05.000006"),
        "text": ColumnStatistics(9, 2, 0, 2, 4),
        "raw": ColumnStatistics(10, 2, 1, 3, 5),
        "none": ColumnStatistics(11, 0, 3, 20, 20),
    }
    snapshot = table.snapshot()
    assert (snapshot.commit_kind, snapshot.delta_record_count, snapshot.total_record_count) == ("ANALYZE", 0, 3)
    assert snapshot.statistics is not None
    stored = json.loads(Path(table.location, "statistics", snapshot.statistics).read_text())
    assert (stored["snapshotId"], stored["schemaId"], stored["mergedRecordCount"]) == (2, 0, 3)
    assert stored["mergedRecordSize"] == done.bytes > 0
    assert stored["colStats"]["none"] == {"colId": 11, "distinctCount": 0, "nullCount": 3, "avgLen": 20, "maxLen": 20}
    (shown,) = catalog.open("db.t$statistics").to_arrow().to_pylist()
    assert (shown["snapshot_id"], json.loads(shown["colstat"])) == (2, stored["colStats"])
    assert "3 rows" in repr(done)


def test_the_schema_is_the_one_that_has_the_columns(catalog: FileSystemCatalog) -> None:
    """Statistics refer to a schema that has their columns: otherwise Java could not commit to the table."""
    table = catalog.create_table("db.t", {"id": "INT"})
    table.write([{"id": 1}])
    catalog.alter_table("db.t", AddColumn("added", "INT"))
    altered = catalog.get_table("db.t")
    altered.analyze()
    statistics = altered.snapshot().statistics
    assert statistics is not None
    stored = json.loads(Path(table.location, "statistics", statistics).read_text())
    assert (stored["schemaId"], set(stored["colStats"])) == (1, {"id", "added"})


def test_rows_as_reads_see_them(catalog: FileSystemCatalog) -> None:
    options = {"bucket": "1", "write-only": "true"}
    table = catalog.create_table("db.k", {"id": "INT NOT NULL", "v": "INT"}, primary_key=["id"], options=options)
    for value in range(4):
        table.write([{"id": 1, "v": value}])
    done = table.analyze(["v"])
    assert (done.rows, done.columns) == (1, {"v": ColumnStatistics(1, 1, 0, 4, 4, "3", "3")})
    assert table.analyze([]).rows == 1
    sizes = [entry.stat().st_size for entry in Path(table.location).rglob("data-*")]
    assert done.bytes == sum(sizes) // 4


def test_statistics_last_until_the_schema_changes(catalog: FileSystemCatalog) -> None:
    table = make(catalog)
    table.analyze()
    name = table.snapshot().statistics
    table.write(row(9))
    assert table.snapshot().statistics == name is not None
    assert table.remove_orphan_files(0).files == ()


def test_invalid_columns(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", COLUMNS)
    assert table.analyze().snapshot is None
    with pytest.raises(Unsupported, match="ARRAY"):
        table.analyze(["list"])
    with pytest.raises(WorkbenchError, match="no column 'txet'"):
        table.analyze(["txet"])


@pytest.mark.parametrize("text", ["STRING", "BIGINT"])
def test_many_different_values_are_estimated(text: str) -> None:
    chance = random.Random(1)
    counter = DistinctCount(parse_type(text))
    values: list[int | str] = []
    for _ in range(6):
        values = [chance.getrandbits(62) for _ in range(50_000)]
        counter.add(pa.array(values if text == "BIGINT" else [f"key {value}" for value in values]))
        counter.add(pa.array([values[0] if text == "BIGINT" else f"key {values[0]}", None]))
    assert abs(counter.count() - 300_000) < 300_000 * 0.025
