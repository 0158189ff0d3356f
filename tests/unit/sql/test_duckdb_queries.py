"""Queries that run on DuckDB, in the dialect of Spark and in that of DuckDB."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.unit.sql.conftest import rows, run
from workbench.base.errors import InvalidExpression, TableNotFound
from workbench.sql.statements import TimeTravel


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT weight > 0, count(*) FROM orders GROUP BY 1 ORDER BY 1", [(None, 1), (False, 1), (True, 2)]),
        ("SELECT a.id, b.item FROM orders a JOIN orders b ON a.id = b.id + 1 WHERE b.id < 3", [(2, "pen"), (3, "ink")]),
        ("SELECT DISTINCT id > 2 AS late FROM orders ORDER BY late", [(False,), (True,)]),
        ("SELECT id FROM orders WHERE id < 2 UNION SELECT id FROM orders WHERE id < 3 ORDER BY 1", [(1,), (2,)]),
        ("SELECT avg(id), avg(price) FROM orders", [(2.5, Decimal("2.583333"))]),
        ("SELECT id, row_number() OVER (ORDER BY id DESC) FROM orders ORDER BY 1 LIMIT 1", [(1, 4)]),
        ("SELECT id FROM orders WHERE id IN (SELECT max(id) FROM orders)", [(4,)]),
        ("SELECT id FROM orders ORDER BY -id LIMIT 1", [(4,)]),
        ("WITH cheap AS (SELECT id FROM orders WHERE price < 3) SELECT count(*) FROM cheap", [(2,)]),
    ],
)
def test_queries_on_duckdb(orders: Any, text: str, expected: list[tuple[Any, ...]]) -> None:
    assert run(orders, text).engine == "duckdb"
    assert rows(orders, text) == expected


def test_duckdbs_own_dialect(orders: Any) -> None:
    text = "FROM shop.orders SELECT id, [id, 1] AS pair WHERE id < 3 ORDER BY ALL"
    assert rows(orders, text, engine="duckdb") == [(1, [1, 1]), (2, [2, 1])]
    assert rows(orders, "SELECT count(*) FROM orders", engine="duckdb", version=TimeTravel("snapshot", 1)) == [(4,)]
    joined = (
        "SELECT count(*) FROM shop.orders a, orders AS b TABLESAMPLE 100%, orders c(k) WHERE a.id = b.id AND k = a.id"
    )
    assert rows(orders, joined, engine="duckdb") == rows(orders, "SELECT count(*) FROM orders", engine="duckdb")
    with pytest.raises(InvalidExpression, match="DuckDB says"):
        run(orders, "SELECT nope(id) FROM orders", engine="duckdb")
    done = run(
        orders, "INSERT INTO orders SELECT id + 10, item, price, weight FROM orders WHERE id = 1", engine="duckdb"
    )
    assert done.snapshots


def test_a_query_reads_no_files_and_no_python_variables(orders: Any, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    secret = pa.table({"a": [1]})
    assert secret.num_rows
    for text in (f"SELECT * FROM '{tmp_path}/secret.csv'", f"SELECT * FROM read_csv('{tmp_path}/secret.csv')"):
        with pytest.raises(Exception, match="secret"):
            run(orders, text, engine="duckdb")
    with pytest.raises(TableNotFound):
        run(orders, "SELECT * FROM secret", engine="duckdb")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a.id FROM orders a JOIN shop.orders b USING (id) ORDER BY ALL",
        "WITH c AS (SELECT * FROM orders) SELECT id FROM c NATURAL JOIN (SELECT id FROM orders) ORDER BY ALL",
        "SELECT paimon.shop.orders.id FROM paimon.shop.orders ORDER BY ALL",
    ],
)
def test_duckdb_joins_tables_by_the_names_of_columns(orders: Any, text: str) -> None:
    expected = rows(orders, "SELECT id FROM orders ORDER BY id")
    assert rows(orders, text, engine="duckdb") == expected


def test_data_frames_by_name(orders: Any) -> None:
    frames = {"Extra": pa.table({"id": [1, 2], "note": ["a", "b"]}), "orders": pa.table({"id": [99]})}
    text = "SELECT o.item, e.note FROM orders o JOIN extra e USING (id) ORDER BY 1"
    assert rows(orders, text, frames=frames) == [("ink", "b"), ("pen", "a")]
    assert rows(orders, "SELECT max(id) FROM orders", frames=frames) == [(4,)]
    assert rows(orders, "SELECT sum(id) FROM extra", frames=frames, engine="duckdb") == [(3,)]
