"""A catalog in a Spark session: databases, statements, writes and other sessions, without a JAR."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql.functions import lit

import workbench as wb
from tests.support.sampling import sampled
from tests.support.spark_rows import COLUMNS, rows

pytestmark = pytest.mark.spark


def test_writes(attached: Any, catalog: Any) -> None:
    table = catalog.get_table("shop.orders")
    rows(attached, "INSERT INTO orders VALUES (3, 'cap', 5), (1, 'PEN', 6)")
    assert table.to_arrow(columns=["item"], where="id = 1").to_pylist() == [{"item": "PEN"}]
    frame = attached.createDataFrame([(8, "z", 1)], "id bigint, item string, qty int")
    frame.writeTo("paimon.shop.orders").append()
    frame.write.insertInto("orders")
    assert table.to_arrow().num_rows == 4
    rows(attached, "INSERT OVERWRITE orders SELECT id, item, 0 FROM orders WHERE id < 3")
    assert sorted(table.to_arrow()["id"].to_pylist()) == [1, 2]
    with pytest.raises(AnalysisException, match="not enough data columns"):
        rows(attached, "INSERT INTO orders VALUES (1)")


def test_databases(attached: Any, catalog: Any) -> None:
    rows(attached, "CREATE DATABASE IF NOT EXISTS lab")
    assert rows(attached, "SHOW DATABASES IN paimon") == [("default",), ("lab",), ("shop",)]
    assert rows(attached, "SHOW TABLES IN paimon.shop") == [("shop", "orders", False)]
    assert attached.catalog.tableExists("paimon.shop.orders")
    assert not attached.catalog.tableExists("paimon.shop.nothing")
    rows(attached, "DROP DATABASE lab")
    with pytest.raises(AnalysisException, match="SCHEMA_NOT_EMPTY"):
        rows(attached, "DROP DATABASE shop")
    assert catalog.list_databases() == ["shop"]


def test_the_default_database_is_created_for_its_first_table(attached: Any, catalog: Any) -> None:
    assert rows(attached, "SHOW TABLES IN paimon.default") == []
    rows(attached, "DROP DATABASE paimon.default")
    assert catalog.list_databases() == ["shop"]
    rows(attached, "USE paimon.default")
    rows(attached, "CREATE TABLE my_table AS SELECT 1 AS a")
    assert rows(attached, "SELECT * FROM my_table") == [(1,)]
    assert catalog.list_databases() == ["default", "shop"]
    rows(attached, "USE paimon.shop")
    rows(attached, "DROP DATABASE paimon.default CASCADE")


def test_two_catalogs_and_two_sessions(attached: Any, catalog: Any, tmp_path: Any) -> None:
    other = wb.connect(str(tmp_path / "other"))
    other.create_database("lab")
    other.create_table("lab.t", {"a": "INT"}).write([{"a": 1}])
    wb.spark.attach(attached, other, name="second")
    assert rows(attached, "SELECT a FROM second.lab.t UNION ALL SELECT qty FROM paimon.shop.orders") == [
        (1,),
        (3,),
        (4,),
    ]
    beside = wb.spark.attach(attached.newSession(), catalog)
    assert rows(beside, "SELECT count(*) FROM paimon.shop.orders") == [(2,)]


@pytest.mark.usefixtures("attached")
def test_another_catalog_of_that_name_is_left_alone(spark: Any, catalog: Any) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.taken", "org.example.Other")
    with pytest.raises(wb.WorkbenchError, match="already has a catalog 'taken'"):
        wb.spark.attach(session, catalog, name="taken")


def test_other_threads_know_the_catalog(spark: Any, catalog: Any) -> None:
    catalog.create_table("shop.orders", COLUMNS, options={"bucket": "-1"}).write([{"id": 1, "item": "a", "qty": 1}])
    session = wb.spark.attach(spark.newSession(), catalog)
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(rows, session, "SELECT count(*) FROM paimon.shop.orders").result() == [(1,)]


def test_what_is_not_supported_is_refused(attached: Any) -> None:
    with pytest.raises(AnalysisException):
        rows(attached, "SELECT * FROM nothing")
    for text in ("CREATE TABLE p (a INT) USING parquet", "CREATE TABLE p (a INT) LOCATION '/tmp/p'"):
        with pytest.raises(PySparkException, match="are not supported"):
            rows(attached, text)
    with pytest.raises(PySparkException, match="format 'parquet'"):
        attached.range(1).write.saveAsTable("paimon.shop.p")
    with pytest.raises(PySparkException, match="LOCATION"):
        rows(attached, "CREATE DATABASE elsewhere LOCATION '/tmp/elsewhere'")
    with pytest.raises(PySparkException, match="cannot be changed"):
        rows(attached, "ALTER TABLE orders SET TBLPROPERTIES ('primary-key' = 'item')")
    with pytest.raises(PySparkException, match="SET LOCATION"):
        rows(attached, "ALTER TABLE orders SET LOCATION '/tmp/elsewhere'")
    with pytest.raises(PySparkException, match="not a valid INT"):
        rows(attached, "ALTER TABLE orders ALTER COLUMN qty SET DEFAULT 1 + 2")
    with pytest.raises(PySparkException, match="NOT NULL"):
        rows(attached, "ALTER TABLE orders ADD COLUMN x INT NOT NULL")


def test_statements_of_the_library(attached: Any) -> None:
    rows(attached, "UPDATE orders SET item = upper(item) WHERE id = 1")
    rows(attached, "DELETE FROM paimon.shop.orders WHERE id = 2")
    assert rows(attached, "SELECT * FROM orders") == [(1, "PEN", 3)]
    assert rows(attached, "CALL sys.create_tag(table => 'shop.orders', tag => 'v1')") == [(True,)]
    rows(attached, "ALTER TABLE orders CREATE TAG v2")
    assert rows(attached, "SHOW TAGS orders") == [("v1",), ("v2",)]
    rows(attached, "TRUNCATE TABLE orders")
    assert rows(attached, "SELECT count(*) FROM orders") == [(0,)]
    beside = attached.newSession()
    assert rows(beside, "CALL paimon.sys.delete_tag('shop.orders', 'v1')") == [(True,)]
    with pytest.raises(wb.WorkbenchError, match="no procedure"):
        rows(attached, "CALL sys.compacts('shop.orders')")
    with pytest.raises(PySparkException):
        rows(beside, "CALL sys.delete_tag('shop.orders', 'v2')")


def test_overwrites(attached: Any, catalog: Any) -> None:
    rows(attached, "CREATE TABLE days (v INT, dt STRING) PARTITIONED BY (dt)")
    rows(attached, "INSERT INTO days VALUES (1, 'a'), (2, 'b')")
    rows(attached, "INSERT OVERWRITE days PARTITION (dt = 'a') SELECT 3")
    assert rows(attached, "SELECT * FROM days ORDER BY dt") == [(3, "a"), (2, "b")]
    attached.createDataFrame([(4, "b")], "v int, dt string").writeTo("days").overwritePartitions()
    assert rows(attached, "SELECT * FROM days ORDER BY dt") == [(3, "a"), (4, "b")]
    rows(attached, "INSERT OVERWRITE days VALUES (5, 'c')")
    assert rows(attached, "SELECT * FROM days") == [(5, "c")]
    from pyspark.sql.functions import col

    attached.createDataFrame([(6, "c")], "v int, dt string").writeTo("days").overwrite(col("dt") == "c")
    attached.createDataFrame([(6, "c")], "v int, dt string").writeTo("days").overwrite(col("dt").isin("c", "d"))
    assert rows(attached, "SELECT * FROM days") == [(6, "c")]
    with pytest.raises(PySparkException, match="v"):
        attached.createDataFrame([(6, "c")], "v int, dt string").writeTo("days").overwrite(col("v") > 1)
    assert [each.commit_kind for each in catalog.get_table("shop.days").snapshots()][1:] == ["OVERWRITE"] * 5


@pytest.mark.parametrize("options", ["'bucket' = '-1'", "'bucket' = '-2'"])
def test_dynamic_overwrites_of_keys_without_fixed_buckets(attached: Any, options: str) -> None:
    keys = f"TBLPROPERTIES ('primary-key' = 'id,dt', {options})"
    rows(attached, f"CREATE TABLE keyed (id INT, v INT, dt STRING) PARTITIONED BY (dt) {keys}")
    rows(attached, "INSERT INTO keyed VALUES (1, 1, 'a'), (2, 2, 'a'), (3, 3, 'b')")
    attached.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        rows(attached, "INSERT OVERWRITE keyed SELECT id, v + 10, dt FROM keyed WHERE id = 1")
        assert rows(attached, "SELECT * FROM keyed ORDER BY id") == [(1, 11, "a"), (3, 3, "b")]
        attached.createDataFrame([(4, 4, "b")], "id int, v int, dt string").write.insertInto("keyed", overwrite=True)
        assert rows(attached, "SELECT * FROM keyed ORDER BY id") == [(1, 11, "a"), (4, 4, "b")]
    finally:
        attached.conf.unset("spark.sql.sources.partitionOverwriteMode")


def test_data_evolution(attached: Any) -> None:
    options = "'row-tracking.enabled' = 'true', 'data-evolution.enabled' = 'true'"
    rows(attached, f"CREATE TABLE grown (id INT, v STRING) TBLPROPERTIES ({options})")
    rows(attached, "INSERT INTO grown VALUES (1, 'a'), (2, 'b')")
    rows(attached, "ALTER TABLE grown ADD COLUMN n INT")
    rows(attached, "UPDATE grown SET n = id * 10 WHERE v = 'b'")
    source = "(SELECT 1 AS id, 'c' AS v UNION ALL SELECT 3, 'd')"
    matched = "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"
    rows(attached, f"MERGE INTO grown t USING {source} s ON t.id = s.id {matched}")
    expected = [(1, "c", None, 0), (2, "b", 20, 1), (3, "d", None, 2)]
    assert rows(attached, "SELECT *, _ROW_ID FROM grown ORDER BY id") == expected
    with pytest.raises(PySparkException, match="without deletion vectors"):
        rows(attached, "DELETE FROM grown WHERE id = 1")


_WRITERS: dict[str, Any] = {
    "insertInto": lambda frame, _: frame.write.insertInto("orders"),
    "saveAsTable": lambda frame, _: frame.write.mode("append").saveAsTable("orders"),
    "save": lambda frame, _: frame.write.format("paimon").mode("append").save("shop.orders"),
    "append": lambda frame, _: frame.writeTo("orders").append(),
    "overwrite": lambda frame, _: frame.writeTo("orders").overwrite(lit(True)),
    "overwritePartitions": lambda frame, _: frame.writeTo("orders").overwritePartitions(),
    "start": lambda _, stream: stream.format("paimon").start("shop.orders").awaitTermination(),
    "toTable": lambda _, stream: stream.toTable("paimon.shop.orders").awaitTermination(),
}


@pytest.mark.parametrize("writer", sampled(_WRITERS, 4))
def test_writers_use_their_own_session(spark: Any, attached: Any, catalog: Any, tmp_path: Any, writer: str) -> None:
    source = str(tmp_path / "rows")
    frame = attached.sql("SELECT 9L AS id, 'new' AS item, 1 AS qty")
    frame.write.parquet(source)
    stream = attached.readStream.schema(frame.schema).parquet(source).writeStream.trigger(availableNow=True)
    # The session that is active from now on does not know the catalog.
    other = spark.newSession()
    other.createDataFrame([(1,)], "a int")
    _WRITERS[writer](frame, stream.option("checkpointLocation", str(tmp_path / "checkpoint")))
    assert catalog.get_table("shop.orders").to_arrow(columns=["item"], where="id = 9").to_pylist() == [{"item": "new"}]
    assert other.getActiveSession() is other
