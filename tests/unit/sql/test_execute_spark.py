"""Queries passed to Spark: names, versions, temporary views, store assignment, short errors."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from workbench.base.errors import InvalidExpression, SnapshotNotFound
from workbench.sql.execute import execute

pytestmark = pytest.mark.spark
pytest.importorskip("pyspark")


def run(catalog: Any, text: str, engine: str = "auto", **given: Any) -> Any:
    return execute(text, catalog, "shop", engine=engine, **given)


@pytest.fixture
def orders(catalog: Any) -> Any:
    run(
        catalog,
        "CREATE TABLE orders (id BIGINT, item STRING, n INT, PRIMARY KEY (id) NOT ENFORCED)"
        " TBLPROPERTIES ('bucket' = '2')",
    )
    statement = "INSERT INTO orders SELECT id, concat('i', id), id % 3 FROM range(30)"
    done = run(catalog, statement)
    assert done.engine == "spark"
    assert [snapshot.id for snapshot in done.snapshots] == [1]
    assert done.snapshots[0].properties["workbench.statement"] == statement
    return catalog


def test_spark_runs_statements_that_duckdb_does_not(orders: Any) -> None:
    run(orders, "INSERT INTO orders VALUES (100, 'x', 9)")
    counted = run(orders, "SELECT n, count(*) AS c, percentile(n, 0.5) FROM orders GROUP BY n ORDER BY n", limit=2)
    assert counted.engine == "spark"
    assert counted.total is None
    assert "there are more" in repr(counted)
    assert "`percentile` runs on Spark" in repr(counted)
    assert counted.to_arrow().select(["n", "c"]).to_pydict() == {"n": [0, 1, 2, 9], "c": [10, 10, 10, 1]}
    assert counted.spark().columns[:2] == ["n", "c"]
    earlier = run(orders, "SELECT max(n) AS m, avg(n) AS a FROM paimon.shop.orders VERSION AS OF 1")
    assert earlier.to_arrow()["m"].to_pylist() == [2]


def test_temporary_views_and_tables_can_be_used_together(orders: Any) -> None:
    from workbench.spark.session import get_session

    get_session().range(3).createOrReplaceTempView("numbers")
    assert run(orders, "SELECT * FROM numbers").to_arrow().num_rows == 3
    joined = run(orders, "SELECT o.item FROM orders o JOIN numbers v ON o.id = v.id ORDER BY item")
    assert joined.to_arrow()["item"].to_pylist() == ["i0", "i1", "i2"]
    run(orders, "INSERT OVERWRITE orders (id) SELECT id FROM numbers")
    assert run(orders, "SELECT count(*) AS c FROM orders").to_arrow()["c"].to_pylist() == [3]


def test_create_table_as(orders: Any) -> None:
    done = run(orders, "CREATE TABLE sums AS SELECT n, sum(id) AS s FROM orders GROUP BY n", engine="spark")
    assert done.engine == "spark"
    assert run(orders, "SELECT s FROM sums ORDER BY n").to_arrow()["s"].to_pylist() == [135, 145, 155]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT nope FROM orders o JOIN orders p ON o.id = p.id", "nope"),
        ("SELECT sum(1 / (n - n)) FROM orders GROUP BY n", "DIVIDE_BY_ZERO"),
    ],
)
def test_spark_errors_are_short(orders: Any, text: str, message: str) -> None:
    with pytest.raises(InvalidExpression, match=message) as caught:
        run(orders, text)
    assert "\n" not in str(caught.value)


def test_a_tag_is_a_version(orders: Any) -> None:
    run(orders, "INSERT INTO orders VALUES (100, 'x', 9)")
    location = Path(orders.get_table("shop.orders").location)
    (location / "tag").mkdir()
    shutil.copy(location / "snapshot" / "snapshot-1", location / "tag" / "tag-v1")
    for engine in ("spark", "auto"):
        counted = run(orders, "SELECT count(*) AS c FROM orders VERSION AS OF 'v1'", engine=engine)
        assert counted.to_arrow()["c"].to_pylist() == [30]
        with pytest.raises(SnapshotNotFound, match="no tag 'v9'"):
            run(orders, "SELECT * FROM orders VERSION AS OF 'v9'", engine=engine)
