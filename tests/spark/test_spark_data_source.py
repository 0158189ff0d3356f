from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from workbench.spark import data_source, formats
from workbench.spark.classes.compiler import SOURCE_CLASS

# The Python data source has a separate name, because an attached catalog provides "paimon" in the JVM.
FORMAT = "paimon_python"
pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


@pytest.fixture
def orders(spark: Any, catalog: Any) -> Any:
    assert data_source.register_format(spark, catalog, FORMAT) == FORMAT
    columns = {"id": "BIGINT", "city": "STRING", "v": "DOUBLE"}
    options = {"bucket": "2", "write-only": "true"}
    table = catalog.create_table("shop.orders", columns, primary_key=["id"], options=options)
    for first in (0, 50):
        rows = [{"id": first + number, "city": f"c{number % 3}", "v": float(first)} for number in range(100)]
        table.write(pa.Table.from_pylist(rows, table.arrow_schema))
    return table


def load(spark: Any, **options: Any) -> Any:
    return spark.read.format(FORMAT).options(**options).load("shop.orders")


@pytest.mark.usefixtures("orders")
def test_load(spark: Any) -> None:
    frame = load(spark)
    assert frame.count() == 150
    assert frame.where("id >= 50").agg({"v": "min"}).first()[0] == 50.0
    assert frame.where("city = 'c1' AND id IN (1, 2, 149) AND v IS NOT NULL").count() == 1
    assert frame.where("NOT (city = 'c1')").count() == 100


def test_a_version(spark: Any, orders: Any) -> None:
    assert load(spark, **{"scan.snapshot-id": 1}).count() == 100
    millis = orders.snapshot(1).time_millis
    assert load(spark, **{"scan.timestamp-millis": millis}).count() == (
        150 if orders.snapshot(2).time_millis <= millis else 100
    )
    orders.write([{"id": 1000, "city": "x", "v": 1.0}])
    assert load(spark).count() == 151


def test_a_tag_whose_snapshot_has_expired(spark: Any, orders: Any) -> None:
    first = Path(orders.location, "snapshot", "snapshot-1")
    Path(orders.location, "tag").mkdir()
    first.rename(Path(orders.location, "tag", "tag-start"))
    assert load(spark, **{"scan.tag-name": "start"}).count() == 100
    assert load(spark, **{"scan.version": "start"}).count() == 100


def test_a_version_by_its_watermark(spark: Any, orders: Any) -> None:
    newest = Path(orders.location, "snapshot", "snapshot-2")
    newest.write_text(json.dumps({**json.loads(newest.read_text()), "watermark": 70}))
    for options in ({"scan.watermark": 60}, {"scan.version": "watermark-70"}):
        assert load(spark, **options).count() == 150


def test_a_frame_sees_one_version_with_and_without_filters(spark: Any, orders: Any) -> None:
    frame = load(spark)
    assert frame.count() == 150
    orders.write([{"id": 1000, "city": "x", "v": 1.0}])
    assert frame.count() == 150
    assert frame.where("id = 1000").count() == 0


@pytest.mark.usefixtures("orders")
def test_a_schema_prunes_columns(spark: Any) -> None:
    frame = spark.read.format(FORMAT).schema("v double, id bigint").load("shop.orders")
    assert frame.columns == ["v", "id"]
    assert frame.where("id = 3").collect() == [(0.0, 3)]
    with pytest.raises(Exception, match="Column 'id' is bigint, not string"):
        spark.read.format(FORMAT).schema("id string").load("shop.orders").collect()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scan.snapshot-di": 1}, "Option 'scan.snapshot-di' is unknown. Did you mean 'scan.snapshot-id'"),
        ({"scan.snapshot-id": "x"}, "'scan.snapshot-id' cannot be 'x'"),
        ({"scan.snapshot-id": 1, "scan.timestamp": "2026-01-01"}, "mutually exclusive"),
        ({"scan.snapshot-id": 9}, "napshot 9"),
        ({"scan.mode": "from-snapshot"}, "requires another option"),
        ({"incremental-between": "1,2"}, "'incremental-between' = '1,2' is not supported in Spark"),
    ],
)
@pytest.mark.usefixtures("orders")
def test_wrong_options(spark: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(Exception, match=message):
        load(spark, **options).collect()


def test_save_commits_once_and_later_rows_win(spark: Any, orders: Any) -> None:
    frame = spark.range(0, 600, 1, 4).selectExpr("id % 200 AS id", "'n' AS city", "cast(id AS double) AS v")
    before = orders.snapshot().id
    frame.write.format(FORMAT).mode("append").save("shop.orders")
    assert orders.snapshot().id == before + 1
    rows = orders.to_arrow()
    assert rows.num_rows == 200
    assert all(row["v"] == row["id"] + 400 for row in rows.to_pylist())


def test_save_overwrites(spark: Any, orders: Any) -> None:
    frame = spark.sql("SELECT 'x' AS city, 7L AS id")
    frame.write.format(FORMAT).mode("overwrite").save("shop.orders")
    assert orders.to_arrow().to_pylist() == [{"id": 7, "city": "x", "v": None}]
    assert orders.snapshot().operation == "OVERWRITE"


def test_save_of_a_frame_that_does_not_fit(spark: Any, orders: Any) -> None:
    before = orders.snapshot().id
    with pytest.raises(Exception, match="The table has no column 'town'"):
        spark.sql("SELECT 7L AS id, 'x' AS town").write.format(FORMAT).mode("append").save("shop.orders")
    with pytest.raises(Exception, match="Column 'id' is BIGINT NOT NULL"):
        spark.sql("SELECT cast(NULL AS BIGINT) AS id").write.format(FORMAT).mode("append").save("shop.orders")
    assert orders.snapshot().id == before


def test_views_and_inserts(spark: Any, orders: Any) -> None:
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW o USING paimon_python OPTIONS (path 'shop.orders')")
    try:
        assert spark.sql("SELECT count(*) FROM o").first()[0] == 150
        spark.sql("INSERT INTO o VALUES (5000, 'y', 1.5)")
    finally:
        spark.catalog.dropTempView("o")
    assert orders.to_arrow(where="id = 5000").num_rows == 1


def test_an_empty_table(spark: Any, catalog: Any) -> None:
    data_source.register_format(spark, catalog, FORMAT)
    catalog.create_table("shop.none", {"id": "INT"})
    assert spark.read.format(FORMAT).load("shop.none").count() == 0


def test_with_another_provider_of_that_name(
    spark: Any, catalog: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert formats._jvm_provider(spark) in (None, SOURCE_CLASS)
    assert wb.spark.register(spark, catalog) == "paimon"
    catalog.create_table("shop.t", {"id": "INT"}).write([{"id": 1}])
    assert spark.read.format("paimon").load("shop.t").count() == 1
    monkeypatch.setattr(formats, "_jvm_provider", lambda *_: "org.example.Paimon")
    assert wb.spark.register(spark, catalog) == "workbench"
    assert "format 'workbench'" in capsys.readouterr().out
    assert spark.read.format("workbench").load("shop.t").count() == 1
