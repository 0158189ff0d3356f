from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.unit.sql.conftest import rows, run
from workbench.base.errors import (
    AlreadyExists,
    Cancelled,
    CatalogError,
    CorruptFile,
    InvalidExpression,
    SchemaMismatch,
    TableNotFound,
    Unsupported,
)
from workbench.base.progress import Progress, Step
from workbench.base.session import session_options
from workbench.sql.execute import execute
from workbench.sql.statements import TimeTravel
from workbench.table.table import Table


def test_insert_reports_the_snapshot(orders: Any) -> None:
    done = run(orders, "INSERT INTO orders (item, id) VALUES ('cap', 5)")
    assert [snapshot.id for snapshot in done.snapshots] == [2]
    assert repr(done).startswith("Inserted 1 row into shop.orders: snapshot 2.")
    assert rows(orders, "SELECT * FROM orders WHERE id = 5") == [(5, "cap", None, None)]


@pytest.fixture
def no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """PySpark is not installed."""
    monkeypatch.setattr("workbench.sql.engines.spark_engine.find_spec", lambda _name: None)


def test_totals_from_metadata_read_no_file(orders: Any) -> None:
    run(orders, "INSERT INTO orders (id) VALUES (9)")
    expected = rows(orders, "SELECT count(*), max(id), min(id) AS low, count(*) AS again FROM orders")
    for path in Path(orders.get_table("shop.orders").location).rglob("*.parquet"):
        path.unlink()
    assert expected == [(5, 9, 1, 5)]
    assert rows(orders, "SELECT count(*), max(id), min(id) AS low, count(*) AS again FROM orders") == expected
    assert rows(orders, "SELECT count(*) FROM orders LIMIT 1") == [(5,)]
    for text in (
        "SELECT max(price) FROM orders",
        "SELECT max(id) FROM orders WHERE id > 2",
        "SELECT sum(id) FROM orders",
    ):
        with pytest.raises(CorruptFile):
            rows(orders, text)


def test_projection_reads_only_the_columns_it_needs(orders: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[Any] = []
    scan = Table.scan

    def recorded(self: Table, columns: Any, where: Any, limit: Any, progress: Any) -> Any:
        reads.append((columns, str(where), limit))
        return scan(self, columns, where, limit, progress)

    monkeypatch.setattr(Table, "scan", recorded)
    assert rows(orders, "SELECT o.id * 2 AS twice, upper(item) FROM orders o WHERE o.price > 2 LIMIT 1") == [(4, "INK")]
    assert reads == [(["id", "item"], "price > 2.00", 1)]


def test_star_with_order_offset_and_limit(orders: Any) -> None:
    assert rows(orders, "SELECT id FROM shop.orders ORDER BY id DESC LIMIT 2 OFFSET 1") == [(3,), (2,)]
    assert run(orders, "SELECT *, id + 1 AS next FROM orders").to_arrow().schema.names == [
        *("id", "item", "price", "weight"),
        "next",
    ]


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("weight", [3, 4, 1, 2]),
        ("weight DESC", [2, 1, 4, 3]),
        ("weight ASC NULLS LAST", [4, 1, 2, 3]),
        ("weight DESC NULLS FIRST, id", [3, 2, 1, 4]),
        ("item DESC, id", [1, 2, 4, 3]),
        ("1 DESC", [4, 3, 2, 1]),
    ],
)
def test_order_puts_null_and_nan_where_spark_does(orders: Any, order: str, ids: list[int]) -> None:
    assert [row[0] for row in rows(orders, f"SELECT id FROM orders ORDER BY {order}")] == ids


def test_totals(orders: Any) -> None:
    result = rows(orders, "SELECT count(*), count(item), sum(id), sum(price), min(price), max(id) AS top FROM orders")
    assert result == [(4, 3, 10, Decimal("7.75"), Decimal("1.50"), 4)]
    assert rows(orders, "SELECT count(*), sum(id), max(id) FROM orders WHERE id > 99") == [(0, None, None)]


def test_nan_is_the_greatest_number(orders: Any) -> None:
    low, high = rows(orders, "SELECT min(weight), max(weight) FROM orders")[0]
    assert low == -1
    assert high != high


def test_sum_overflow_is_an_error(orders: Any) -> None:
    run(orders, "INSERT INTO orders (id) VALUES (9223372036854775807)")
    with pytest.raises(InvalidExpression, match="ARITHMETIC_OVERFLOW"):
        run(orders, "SELECT sum(id) FROM orders")


def test_query_without_a_table(catalog: Any) -> None:
    assert rows(catalog, "SELECT 1 + 1 AS two, 'x'") == [(2, "x")]


def test_time_travel_by_text_and_by_flag(orders: Any) -> None:
    run(orders, "INSERT INTO orders (id) VALUES (5)")
    assert rows(orders, "SELECT count(*) FROM orders VERSION AS OF 1") == [(4,)]
    assert rows(orders, "SELECT count(*) FROM orders", version=TimeTravel("snapshot", 1)) == [(4,)]
    assert run(orders, "SELECT * FROM orders VERSION AS OF 1").caption == "shop.orders, snapshot 1"
    with pytest.raises(Unsupported, match="Only queries"):
        run(orders, "DROP TABLE orders", version=TimeTravel("snapshot", 1))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            "SELECT percentile(id, 0.5) FROM orders",
            "`percentile` runs on Spark: the function is not supported",
        ),
        ("SELECT CAST(weight AS STRING) FROM orders", "the cast of DOUBLE to STRING"),
        ("SELECT TRY_CAST(item AS INT) FROM orders", "TRY_CAST"),
        ("SELECT id FROM range(3)", "this relation is not supported on DuckDB"),
        ("SELECT id, count(*) FROM orders", "neither grouped nor aggregated"),
        ("SELECT upper(concat(item, 'é')) FROM orders", "characters beyond ASCII"),
    ],
)
@pytest.mark.usefixtures("no_spark")
def test_without_spark_the_construct_is_the_error(orders: Any, text: str, named: str) -> None:
    with pytest.raises(Unsupported, match=named) as caught:
        run(orders, text)
    assert "--engine duckdb" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("SELECT 1 / 0", "DIVIDE_BY_ZERO"),
        ("SELECT CAST('12.5' AS INT)", "CAST_INVALID_INPUT"),
        ("SELECT CAST(id + 200 AS TINYINT) FROM orders", "CAST_OVERFLOW"),
        ("SELECT 2147483647 + 1", "ARITHMETIC_OVERFLOW"),
        ("SELECT price FROM orders WHERE id = (SELECT id FROM orders)", "SCALAR_SUBQUERY_TOO_MANY_ROWS"),
    ],
)
def test_errors_are_those_of_spark(orders: Any, text: str, condition: str) -> None:
    with pytest.raises(InvalidExpression, match=condition):
        run(orders, text)


def test_every_table_is_read_at_one_snapshot(orders: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.sql.engines import duckdb_translated

    stream = duckdb_translated.scan_stream

    def late(*given: Any) -> Any:
        run(orders, "INSERT INTO orders (id) VALUES (9)")
        return stream(*given)

    text = "SELECT count(a.item), count(b.price) FROM orders a FULL JOIN orders b ON a.id = b.id"
    monkeypatch.setattr(duckdb_translated, "scan_stream", late)
    assert rows(orders, text) == [(3, 3)]
    assert run(orders, text).caption == "shop.orders, snapshot 3"


def test_the_footer_says_what_was_read(orders: Any) -> None:
    run(orders, "INSERT INTO orders (id) VALUES (50)")
    (line,) = run(orders, "SELECT id FROM orders WHERE id > 40").notes
    assert line.startswith("DuckDB · ")
    assert " · snapshot 2 · 1 of 2 files, " in line
    assert " · 1 row, " in line
    assert "no files, from metadata" in run(orders, "SELECT count(*) FROM orders").notes[0]


def test_auto_reports_a_wrong_column_without_starting_spark(orders: Any) -> None:
    with pytest.raises(InvalidExpression, match="Did you mean 'item'"):
        run(orders, "SELECT iten FROM orders", engine="auto")


def test_engines(orders: Any) -> None:
    with pytest.raises(Unsupported, match=r"Spark session.*SparkCatalog"):
        run(orders, "SELECT 1", engine="jar")
    with pytest.raises(InvalidExpression, match="Did you mean 'spark'"):
        run(orders, "SELECT 1", engine="sparc")


def test_insert_select_by_position(orders: Any) -> None:
    run(orders, "CREATE TABLE copy (a INT, b STRING)")
    done = run(orders, "INSERT INTO copy SELECT id, item FROM orders WHERE id < 3")
    assert done.snapshots
    assert rows(orders, "SELECT * FROM copy ORDER BY a") == [(1, "pen"), (2, "ink")]
    run(orders, "INSERT OVERWRITE copy VALUES (9, 'z')")
    assert rows(orders, "SELECT * FROM copy") == [(9, "z")]
    assert "no snapshot" in repr(run(orders, "INSERT INTO copy SELECT id, item FROM orders WHERE id > 99"))


def test_insert_refuses_unsuitable_values(orders: Any) -> None:
    with pytest.raises(SchemaMismatch, match="expects 4 values"):
        run(orders, "INSERT INTO orders VALUES (1)")
    with pytest.raises(SchemaMismatch, match="Did you mean 'item'"):
        run(orders, "INSERT INTO orders (iten) VALUES ('x')")
    with pytest.raises(SchemaMismatch, match="'id' has type int64, which cannot hold True"):
        run(orders, "INSERT INTO orders (id) VALUES (true)")
    with pytest.raises(SchemaMismatch, match="'id' has type int64, which cannot hold 'x'"):
        run(orders, "INSERT INTO orders (id) VALUES (1), ('x')")


def test_literals_of_every_kind(catalog: Any) -> None:
    run(
        catalog,
        "CREATE TABLE k (b BOOLEAN, d DATE, n TIMESTAMP_NTZ, x BINARY, f FLOAT, a ARRAY<INT>, m MAP<STRING, INT>,"
        " s STRUCT<p: INT, q: STRING>)",
    )
    run(
        catalog,
        "INSERT INTO k VALUES (true, DATE '2026-01-02', TIMESTAMP '2026-01-02 03:04:05', X'00ff', 1.5,"
        " array(1, NULL), map('k', 1), named_struct('p', 1, 'q', 'it\\'s'))",
    )
    assert rows(catalog, "SELECT * FROM k") == [
        (
            True,
            datetime.date(2026, 1, 2),
            datetime.datetime(2026, 1, 2, 3, 4, 5),
            b"\x00\xff",
            1.5,
            [1, None],
            [("k", 1)],
            {"p": 1, "q": "it's"},
        )
    ]


def test_timestamps_meet_in_the_session_zone(catalog: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_options, "timezone", "Asia/Tokyo")
    run(catalog, "CREATE TABLE k (n INT, z TIMESTAMP, l TIMESTAMP_NTZ)")
    noon = datetime.datetime(2026, 1, 2, 12)
    for number, literal in enumerate(
        ["TIMESTAMP '2026-01-02 12:00:00'", "TIMESTAMP '2026-01-02 03:00:00+00:00'", "DATE '2026-01-02'"]
    ):
        run(catalog, f"INSERT INTO k VALUES ({number}, {literal}, {literal})")
    result = run(catalog, "SELECT z, l FROM k ORDER BY n")
    assert result.to_arrow()["l"].to_pylist() == [noon, noon, noon.replace(hour=0)]
    assert [row[0] for row in result.grid().rows] == ["2026-01-02 12:00:00"] * 2 + ["2026-01-02 00:00:00"]


def test_create_table_as(orders: Any) -> None:
    done = run(orders, "CREATE TABLE cheap AS SELECT id, price FROM orders WHERE price < 3")
    assert repr(done).startswith("Created shop.cheap with 2 rows: snapshot 1.")
    assert rows(orders, "SELECT count(*) FROM cheap") == [(2,)]
    with pytest.raises(AlreadyExists):
        run(orders, "CREATE TABLE cheap AS SELECT 1 AS a")
    assert "unchanged" in repr(run(orders, "CREATE TABLE IF NOT EXISTS cheap AS SELECT 1 AS a"))


def test_databases_and_tables(orders: Any) -> None:
    run(orders, "CREATE DATABASE IF NOT EXISTS lab")
    assert orders.list_databases() == ["lab", "shop"]
    run(orders, "DROP TABLE orders")
    assert orders.list_tables("shop") == []
    assert "does not exist" in repr(run(orders, "DROP TABLE IF EXISTS orders"))
    run(orders, "DROP DATABASE lab")
    assert "does not exist" in repr(run(orders, "DROP DATABASE IF EXISTS lab"))


def test_a_snapshot_notes_its_statement(orders: Any) -> None:
    text = f"INSERT INTO orders (id, item) VALUES (7, '{'x' * 300}')"
    done = run(orders, f"\n  {text}\n")
    assert done.snapshots[0].properties["workbench.statement"] == text[:200]
    text = "CREATE TABLE copy AS SELECT id FROM orders"
    assert run(orders, text).snapshots[0].properties["workbench.statement"] == text


def test_names(orders: Any) -> None:
    assert rows(orders, "SELECT count(*) FROM paimon.shop.orders") == [(4,)]
    with pytest.raises(CatalogError, match="not in this catalog"):
        run(orders, "SELECT * FROM other.shop.orders")
    with pytest.raises(TableNotFound):
        run(orders, "SELECT * FROM nothing")
    with pytest.raises(CatalogError, match="has no database part"):
        execute("SELECT * FROM orders", orders)


def test_progress_is_reported_and_cancel_stops_before_the_write(orders: Any) -> None:
    steps: list[Step] = []
    run(orders, "INSERT INTO orders (id) VALUES (7)", progress=Progress(steps.append))
    assert (steps[0].label, steps[0].finished) == ("INSERT INTO shop.orders", False)
    assert (steps[-1].label, steps[-1].finished) == ("INSERT INTO shop.orders", True)
    stopped = Progress()
    stopped.cancel()
    with pytest.raises(Cancelled):
        run(orders, "INSERT INTO orders (id) VALUES (8)", progress=stopped)
    assert rows(orders, "SELECT count(*) FROM orders WHERE id = 8") == [(0,)]


def test_result_as_arrow_and_pandas(orders: Any) -> None:
    result = run(orders, "SELECT id FROM orders", limit=2)
    assert result.to_arrow().num_rows == 4
    assert result.to_pandas()["id"].tolist() == [1, 2, 3, 4]
    assert isinstance(result.rows, pa.Table)
    assert "Showing 2 of 4 rows." in repr(result)


def test_a_table_is_a_query(orders: Any) -> None:
    run(orders, "CREATE TABLE copied AS TABLE orders")
    run(orders, "INSERT INTO copied TABLE shop.orders")
    run(orders, "INSERT INTO copied BY NAME TABLE orders VERSION AS OF 1")
    assert rows(orders, "SELECT count(*) FROM (TABLE copied)") == [(12,)]
    assert rows(orders, "TABLE orders ORDER BY id LIMIT 1") == [(1, "pen", Decimal("1.50"), 0.5)]
