"""Tables exported to pandas, Polars and DuckDB, tested with the real libraries."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb

NANOS = 1_700_000_000_123_456_789
COLUMNS = {
    "id": "BIGINT NOT NULL",
    "tiny": "TINYINT",
    "large": "BIGINT",
    "truth": "BOOLEAN",
    "ratio": "DOUBLE",
    "cost": "DECIMAL(38, 10)",
    "word": "STRING",
    "bytes": "BYTES",
    "day": "DATE",
    "clock": "TIME(3)",
    "millis": "TIMESTAMP(3)",
    "nanos": "TIMESTAMP(9)",
    "moment": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "list": "ARRAY<BIGINT>",
    "map": "MAP<STRING, INT>",
    "row": "ROW<a INT, b ARRAY<STRING>>",
}
FAR = datetime(9999, 12, 31, 23, 59, 59, 999_000)
MOMENT = datetime(2026, 11, 1, 12, 30, 0, 1, tzinfo=UTC)
ROWS: list[dict[str, Any]] = [
    {
        "id": 1,
        "tiny": -128,
        "large": 2**63 - 1,
        "truth": True,
        "ratio": 0.1,
        "cost": Decimal("9" * 28 + ".0000000001"),
        "word": "日本語",
        "bytes": b"\x00\xff",
        "day": date(1, 1, 1),
        "clock": time(23, 59, 59, 999_000),
        "millis": FAR,
        "nanos": NANOS,
        "moment": MOMENT,
        "list": [2**62 + 1, None],
        "map": [("a", 1), ("b", None)],
        "row": {"a": None, "b": ["x", None]},
    },
    {"id": 2, **dict.fromkeys(list(COLUMNS)[1:])},
]


@pytest.fixture
def table(tmp_path: Path) -> Any:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    created = catalog.create_table("db.t", COLUMNS)
    created.write(pa.Table.from_pylist(ROWS, schema=created.arrow_schema))
    return created


@pytest.fixture
def empty(tmp_path: Path) -> Any:
    catalog = wb.connect(str(tmp_path / "other"))
    catalog.create_database("db")
    return catalog.create_table("db.t", COLUMNS)


def test_arrow_readers_accept_a_table(table: Any, empty: Any) -> None:
    assert pa.table(table).equals(table.to_arrow())
    assert pa.table(empty).schema == empty.arrow_schema
    assert pa.table(table.at(snapshot=1)).num_rows == 2
    assert pa.RecordBatchReader.from_stream(table).read_all().num_rows == 2


def test_pandas(table: Any, empty: Any) -> None:
    frame = table.to_pandas()
    assert list(frame.columns) == list(COLUMNS)
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert (kinds["id"], kinds["tiny"], kinds["large"], kinds["truth"]) == ("int64", "Int8", "Int64", "boolean")
    assert (kinds["millis"], kinds["nanos"]) == ("datetime64[ms]", "datetime64[ns]")
    assert kinds["moment"] == "datetime64[us, UTC]"
    first = frame.iloc[0]
    assert first["large"] == 2**63 - 1
    assert first["cost"] == ROWS[0]["cost"]
    assert first["nanos"].value == NANOS
    assert first["millis"].year == 9999
    assert first["clock"] == time(23, 59, 59, 999_000)
    assert list(first["list"]) == [2**62 + 1, None]
    assert frame["large"].isna().tolist() == [False, True]
    assert len(empty.to_pandas()) == 0
    assert list(empty.to_pandas(["word"]).columns) == ["word"]


def test_polars(table: Any, empty: Any) -> None:
    import polars

    frame = table.to_polars()
    result = frame.row(0, named=True)
    for name in ("id", "tiny", "large", "truth", "ratio", "cost", "word", "bytes", "day", "clock", "millis", "list"):
        assert result[name] == ROWS[0][name]
    assert result["moment"] == MOMENT
    assert result["row"] == {"a": None, "b": ["x", None]}
    assert frame["nanos"].to_physical()[0] == NANOS
    assert frame["cost"].dtype == polars.Decimal(38, 10)
    assert frame.row(1)[1:] == (None,) * (len(COLUMNS) - 1)
    assert polars.DataFrame(table).equals(frame)
    assert empty.to_polars().schema == frame.schema
    assert table.to_polars(["id"], where="large > 0", limit=5)["id"].to_list() == [1]


def test_duckdb(table: Any, empty: Any) -> None:
    import duckdb

    relation = table.to_duckdb()
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    assert types["cost"] == "DECIMAL(38,10)"
    assert (types["millis"], types["nanos"]) == ("TIMESTAMP_MS", "TIMESTAMP_NS")
    assert types["moment"] == "TIMESTAMP WITH TIME ZONE"
    assert types["map"] == "MAP(VARCHAR, INTEGER)"
    chosen = relation.project("large, cost, word, day, clock, list, epoch_ns(nanos), epoch_us(moment)")
    first, second = chosen.fetchall()
    moment = int(MOMENT.timestamp()) * 10**6 + 1
    assert first == (*(ROWS[0][name] for name in ("large", "cost", "word", "day", "clock", "list")), NANOS, moment)
    assert second == (None,) * 8
    # A relation can be read as often as one likes.
    assert relation.count("*").fetchall() == relation.count("*").fetchall() == [(2,)]
    assert empty.to_duckdb().fetchall() == []
    assert empty.to_duckdb().columns == relation.columns
    assert duckdb.sql("SELECT max(large) FROM relation").fetchall() == [(2**63 - 1,)]
    with duckdb.connect() as connection:
        table.to_duckdb(["id"], connection=connection).create("kept")
        assert connection.sql("SELECT sum(id) FROM kept").fetchall() == [(3,)]


def test_duckdb_has_no_zoned_nanoseconds(tmp_path: Path) -> None:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"moments": "ARRAY<TIMESTAMP(9) WITH LOCAL TIME ZONE>"})
    table.write(pa.table({"moments": pa.array([[1_000]], pa.list_(pa.timestamp("ns", "UTC")))}))
    assert table.to_duckdb().project("epoch_us(moments[1])").fetchall() == [(1,)]
    table.write(pa.table({"moments": pa.array([[1_001]], pa.list_(pa.timestamp("ns", "UTC")))}))
    with pytest.raises(wb.Unsupported, match=r"Column 'moments' .* beyond microseconds"):
        table.to_duckdb()


def test_system_tables_have_outlets(table: Any, tmp_path: Path) -> None:
    snapshots = wb.connect(str(tmp_path)).open("db.t$snapshots")
    assert snapshots.to_polars()["snapshot_id"].to_list() == [1]
    assert snapshots.to_duckdb(["snapshot_id"]).fetchall() == [(1,)]
    assert pa.table(snapshots).num_rows == len(table.snapshots())


@pytest.mark.parametrize("name", ["pandas", "polars", "duckdb"])
def test_missing_packages_are_named(name: str, table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        wb.WorkbenchError, match=rf"{name} is not installed. Run: pip install 'paimon-workbench\[outlets\]'"
    ):
        getattr(table, f"to_{name}")()


# Python without a file is interactive, and DuckDB turns its progress bar on.
_BARS = """
import duckdb, sys
import workbench as wb
from workbench.base.progress import Progress
from workbench.sql.engines.duckdb_connection import connection

SETTING = "SELECT current_setting('enable_progress_bar')"
bars = [duckdb.connect().execute(SETTING).fetchone()[0]]
catalog = wb.connect(sys.argv[1])
catalog.create_database("db")
table = catalog.create_table("db.t", {"a": "INT"})
table.write([{"a": 1}])
table.to_duckdb()
bars.append(duckdb.execute(SETTING).fetchone()[0])
with connection(Progress()) as opened:
    bars.append(opened.execute(SETTING).fetchone()[0])
print(bars)
"""


def test_duckdb_shows_no_progress_bar_of_its_own(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _BARS, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[True, False, False]"
