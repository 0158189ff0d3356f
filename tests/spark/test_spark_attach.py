"""A catalog in a Spark session: SQL, readers and writers by name, without a JAR."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException

import workbench as wb

pytestmark = pytest.mark.spark
COLUMNS = {"id": "BIGINT", "item": "STRING", "qty": "INT"}


@pytest.fixture
def attached(spark: Any, catalog: Any) -> Iterator[Any]:
    session = wb.spark.attach(spark.newSession(), catalog)
    table = catalog.create_table("shop.orders", COLUMNS, primary_key=["id"], options={"bucket": "2"})
    table.write([{"id": 1, "item": "pen", "qty": 3}, {"id": 2, "item": "ink", "qty": 4}])
    session.sql("USE paimon.shop")
    yield session
    # Frames that a session makes let it be the current one.
    spark.createDataFrame([(1,)], "a int")


def rows(session: Any, text: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(text).collect()]


def test_queries(attached: Any, catalog: Any) -> None:
    everything = [(1, "pen", 3), (2, "ink", 4)]
    assert rows(attached, "SELECT * FROM paimon.shop.orders ORDER BY id") == everything
    assert rows(attached, "SELECT count(*), sum(qty) FROM orders WHERE item = 'ink'") == [(1, 4)]
    attached.range(3).createOrReplaceTempView("numbers")
    joined = "SELECT o.id FROM orders o JOIN numbers n ON o.id = n.id ORDER BY 1"
    assert rows(attached, joined) == [(1,), (2,)]
    assert attached.table("paimon.shop.orders").count() == attached.read.table("orders").count() == 2
    catalog.get_table("shop.orders").write([{"id": 1, "item": "cap", "qty": 9}])
    assert rows(attached, "SELECT * FROM orders VERSION AS OF 1 ORDER BY id") == everything
    assert rows(attached, "SELECT item FROM orders TIMESTAMP AS OF '2099-01-01 00:00:00' WHERE id = 1") == [("cap",)]
    catalog.get_table("shop.orders").create_tag("first", 1)
    assert rows(attached, "SELECT item FROM orders VERSION AS OF 'first' WHERE id = 1") == [("pen",)]


def test_queries_follow_other_writers(attached: Any, catalog: Any) -> None:
    frame = attached.table("orders")
    assert frame.count() == 2
    catalog.get_table("shop.orders").write([{"id": 7, "item": "new", "qty": 1}])
    # Spark loads the tables of a frame again for each query.
    assert frame.where("id > 0").count() == 3
    joined = "SELECT count(*) FROM orders a FULL JOIN (SELECT * FROM orders WHERE id > 0) b ON a.id = b.id"
    assert rows(attached, joined) == [(3,)]


def test_system_tables_and_branches(attached: Any, catalog: Any) -> None:
    catalog.get_table("shop.orders").create_branch("dev")
    assert rows(attached, "SELECT snapshot_id, commit_kind FROM `orders$snapshots`") == [(1, "APPEND")]
    assert rows(attached, "SELECT count(*) FROM paimon.shop.`orders$branch_dev`") == [(0,)]
    table = catalog.create_table("shop.two", {"dt": "STRING", "v": "INT"}, partition_by=["dt"])
    table.create_branch("other")
    attached.sql("ALTER TABLE two SET TBLPROPERTIES ('scan.fallback-branch' = 'other')")
    attached.sql("INSERT INTO two VALUES ('a', 1)")
    attached.sql("INSERT INTO two VALUES ('a', 2)")
    attached.sql("INSERT INTO `two$branch_other` VALUES ('a', 7), ('b', 8)")
    assert rows(attached, "SELECT * FROM two ORDER BY v") == [("a", 1), ("a", 2), ("b", 8)]
    assert rows(attached, "SELECT count(*), max(v) FROM two WHERE dt = 'b'") == [(1, 8)]
    assert rows(attached, "SELECT v FROM two VERSION AS OF 1 ORDER BY v") == [(1,), (8,)]
    assert attached.read.format("paimon").load("shop.two").count() == 3
    assert rows(wb.spark.attach(attached, catalog), "SHOW PARTITIONS two") == [("dt=a",), ("dt=b",)]


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


def test_tables_are_created(attached: Any, catalog: Any) -> None:
    rows(
        attached,
        "CREATE TABLE days (id INT NOT NULL COMMENT 'it\\'s the key', at TIMESTAMP, wall TIMESTAMP_NTZ, "
        "d DECIMAL(5, 2), name VARCHAR(5), s STRUCT<`A b`: INT, m: MAP<STRING, ARRAY<DATE>>>, day STRING) "
        "PARTITIONED BY (day) "
        "COMMENT 'all days' TBLPROPERTIES ('primary-key' = 'id,day', 'bucket' = '1')",
    )
    table = catalog.get_table("shop.days")
    assert [(field.name, str(field.type)) for field in table.schema.fields] == [
        ("id", "INT NOT NULL"),
        ("at", "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
        ("wall", "TIMESTAMP(6)"),
        ("d", "DECIMAL(5, 2)"),
        ("name", "VARCHAR(5)"),
        ("s", "ROW<`A b` INT, m MAP<STRING, ARRAY<DATE>>>"),
        ("day", "STRING NOT NULL"),
    ]
    assert (table.primary_key, table.partition_keys) == (["id", "day"], ["day"])
    # Spark notes who created the table, as with Paimon's own connector.
    assert table.options == {"bucket": "1", "owner": getpass.getuser()}
    assert (table.schema.comment, table.schema.fields[0].description) == ("all days", "it's the key")
    described = rows(attached, "DESCRIBE days")
    assert described[0] == ("id", "int", "it's the key")
    assert described[-1] == ("day", "string", None)

    rows(attached, "CREATE TABLE copy TBLPROPERTIES ('bucket' = '-1') AS SELECT * FROM orders")
    attached.range(3).writeTo("paimon.shop.numbers").create()
    assert catalog.get_table("shop.copy").to_arrow().num_rows == 2
    assert catalog.get_table("shop.numbers").to_arrow().num_rows == 3
    with pytest.raises(AnalysisException, match="already exists"):
        rows(attached, "CREATE TABLE copy (a INT)")
    rows(attached, "CREATE TABLE IF NOT EXISTS copy (a INT)")


def test_tables_are_altered(attached: Any, catalog: Any) -> None:
    for change in (
        "ADD COLUMNS (note STRING COMMENT 'new' AFTER id, s STRUCT<a: INT>)",
        "ADD COLUMN s.b BIGINT FIRST",
        "ALTER COLUMN qty TYPE BIGINT",
        "ALTER COLUMN item COMMENT 'thing'",
        "RENAME COLUMN item TO thing",
        "ALTER COLUMN thing FIRST",
        "SET TBLPROPERTIES ('write-only' = 'true', 'comment' = 'mine')",
    ):
        rows(attached, f"ALTER TABLE orders {change}")
    schema = catalog.get_table("shop.orders").schema
    assert [(field.name, str(field.type), field.description) for field in schema.fields] == [
        ("thing", "STRING", "thing"),
        ("id", "BIGINT NOT NULL", None),
        ("note", "STRING", "new"),
        ("qty", "BIGINT", None),
        ("s", "ROW<b BIGINT, a INT>", None),
    ]
    assert (schema.options["write-only"], schema.comment) == ("true", "mine")
    rows(attached, "ALTER TABLE orders UNSET TBLPROPERTIES ('write-only')")
    rows(attached, "ALTER TABLE orders DROP COLUMNS (note, s)")
    assert catalog.get_table("shop.orders").schema.field_names == ("thing", "id", "qty")
    with pytest.raises(PySparkException, match="There is no option 'bucke'"):
        rows(attached, "ALTER TABLE orders SET TBLPROPERTIES ('bucke' = '3')")
    rows(attached, "ALTER TABLE orders RENAME TO sales")
    assert rows(attached, "SELECT count(*) FROM sales") == [(2,)]
    rows(attached, "DROP TABLE sales")
    rows(attached, "DROP TABLE IF EXISTS sales")
    assert catalog.list_tables("shop") == []


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


def test_scans_read_only_what_a_query_needs(attached: Any) -> None:
    rows(attached, "CREATE TABLE plain (id BIGINT NOT NULL, v DOUBLE, at DATE, note STRING)")
    rows(
        attached, "INSERT INTO plain VALUES (1, 1.5, DATE'2026-01-01', 'a'), (2, double('NaN'), DATE'2026-01-05', NULL)"
    )
    # The metadata has the answer.
    aggregates = "SELECT count(*), min(id), max(at), count(id) FROM plain"
    assert rows(attached, aggregates) == [(2, 1, date(2026, 1, 5), 2)]
    assert "LocalTableScan" in rows(attached, f"EXPLAIN {aggregates}")[0][0]
    assert rows(attached, "SELECT count(note), count(*) FROM plain") == [(1, 2)]
    # Spark reads files that need no merge; NaN is greater than all other numbers.
    plan = rows(attached, "EXPLAIN SELECT id FROM plain WHERE id > 1 AND v > 7")[0][0]
    assert "ParquetScan" in plan
    assert "ReadSchema: struct<id:bigint,v:double>" in plan
    assert rows(attached, "SELECT id FROM plain WHERE v > 7") == [(2,)]
    # Python merges the others, and reads the columns of the query.
    rows(attached, "INSERT INTO orders VALUES (1, 'cap', 5)")
    merged = rows(attached, "EXPLAIN SELECT item FROM orders WHERE id = 1")[0][0]
    assert "ParquetScan" not in merged
    assert "qty" not in merged
    assert rows(attached, "SELECT item FROM orders WHERE id = 1") == [("cap",)]
    assert rows(attached, "SELECT count(*) FROM orders") == [(2,)]
    assert len(rows(attached, "SELECT * FROM orders LIMIT 1")) == 1
    rows(attached, "ALTER TABLE plain RENAME COLUMN note TO remark")
    assert rows(attached, "SELECT remark FROM plain WHERE id = 1") == [("a",)]


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


def test_options_of_reads(attached: Any, catalog: Any) -> None:
    table = catalog.get_table("shop.orders")
    table.write([{"id": 1, "item": "cap", "qty": 9}])
    assert rows(attached, "SELECT item FROM orders WITH ('scan.snapshot-id' = '1') WHERE id = 1") == [("pen",)]
    assert rows(attached, "SELECT * FROM orders WITH ('incremental-between' = '1,2')") == [(1, "cap", 9)]
    changes = "SELECT rowkind, id FROM `orders$audit_log` WITH ('incremental-between' = '1,2')"
    assert rows(attached, changes) == [("+I", 1)]
    between = "SELECT id, item FROM paimon_incremental_query('shop.orders', 1, '2') AS c WHERE id > 0"
    assert rows(attached, between) == [(1, "cap")]
    assert rows(attached, "SELECT count(*) FROM paimon_incremental_query('orders', 2, 2)") == [(0,)]
    folded = "SELECT id, item FROM paimon_incremental_query('shop.' || lower('ORDERS'), abs(-1), 1 + 1) WHERE id > 0"
    assert rows(attached, folded) == rows(attached, between)
    with pytest.raises(PySparkException, match="UNRESOLVED_COLUMN"):
        rows(attached, "SELECT * FROM paimon_incremental_query('orders', 1, id)")
    later = "SELECT * FROM paimon_incremental_between_timestamp('`orders$audit_log`', '2000-01-01', '2000-01-02')"
    assert rows(attached, later) == []
    with pytest.raises(wb.WorkbenchError, match="has 3 arguments"):
        rows(attached, "SELECT * FROM paimon_incremental_query('orders', 1)")
    for name in ("scan.snapshot-id", "paimon.shop.orders.scan.snapshot-id", "*.*.orders.scan.snapshot-id"):
        attached.conf.set(f"spark.paimon.{name}", "1")
        assert rows(attached, "SELECT item FROM orders WHERE id = 1") == [("pen",)], name
        assert rows(attached, "SELECT item FROM orders VERSION AS OF 2 WHERE id = 1") == [("cap",)], name
        attached.conf.unset(f"spark.paimon.{name}")
    attached.conf.set("spark.paimon.read.allow.fullScan", "false")
    assert len(rows(attached, "SELECT item FROM orders")) > 1
    attached.sql("CREATE TABLE parts (v INT, dt STRING) PARTITIONED BY (dt)")
    attached.sql("INSERT INTO parts VALUES (1, 'a'), (2, 'b')")
    with pytest.raises(PySparkException, match="fullScan"):
        rows(attached, "SELECT v FROM parts WHERE v < 9")
    for condition in ("= 'a'", "LIKE 'a%'", "LIKE '%a'", "LIKE '%a%'", "NOT LIKE 'b%'", "<> 'b'"):
        assert rows(attached, f"SELECT v FROM parts WHERE dt {condition}") == [(1,)], condition
    attached.conf.unset("spark.paimon.read.allow.fullScan")
    attached.conf.set("spark.paimon.*.*.parts.bucket", "7")
    with pytest.raises(PySparkException, match="'bucket' cannot be set for a session"):
        rows(attached, "SELECT v FROM parts")
    attached.conf.unset("spark.paimon.*.*.parts.bucket")
    attached.conf.set("spark.paimon.legacy-timestamp-mapping.enabled", "true")
    with pytest.raises(PySparkException, match="timestamp_ntz"):
        rows(attached, "SELECT v FROM parts")
    attached.conf.unset("spark.paimon.legacy-timestamp-mapping.enabled")
    with pytest.raises(PySparkException, match="audit_log"):
        attached.read.option("read.changelog", "true").table("parts").collect()
    attached.conf.set("spark.paimon.paimon.shop.other.scan.snapshot-id", "1")
    assert rows(attached, "SELECT item FROM orders WHERE id = 1") == [("cap",)]


def test_a_version_of_the_session_need_not_exist_in_tables_that_are_written(attached: Any) -> None:
    attached.conf.set("spark.paimon.scan.snapshot-id", "7")
    rows(attached, "CREATE TABLE fresh (a INT)")
    rows(attached, "INSERT INTO fresh VALUES (1)")
    for query in ("SELECT * FROM fresh", "SELECT count(*) FROM fresh", "SELECT a FROM fresh WHERE a = 1"):
        with pytest.raises(PySparkException, match="no snapshot 7"):
            rows(attached, query)
    attached.conf.unset("spark.paimon.scan.snapshot-id")
    assert rows(attached, "SELECT * FROM fresh") == [(1,)]


def test_tables_are_replaced(attached: Any, catalog: Any) -> None:
    rows(attached, "CREATE OR REPLACE TABLE orders AS SELECT 1 AS a, 'x' AS b")
    assert rows(attached, "SELECT * FROM orders") == [(1, "x")]
    # The history keeps the rows and the columns of earlier versions.
    assert rows(attached, "SELECT * FROM orders VERSION AS OF 1 WHERE id = 2") == [(2, "ink", 4)]
    assert catalog.get_table("shop.orders").primary_key == []
    # A query that reads the table finds the rows that it had.
    rows(attached, "CREATE OR REPLACE TABLE orders AS SELECT a, b, a + 1 AS c FROM orders WHERE b = 'x'")
    assert rows(attached, "SELECT * FROM orders") == [(1, "x", 2)]
    rows(attached, "CREATE OR REPLACE TABLE orders AS SELECT count(*) AS n, max(c) AS c FROM shop.orders")
    assert rows(attached, "SELECT * FROM orders") == [(1, 2)]
    attached.table("orders").selectExpr("CAST(n AS INT) AS a", "'x' AS b").writeTo("orders").replace()
    assert rows(attached, "SELECT * FROM orders") == [(1, "x")]
    rows(attached, "CREATE TABLE empty (a INT)")
    with pytest.raises(PySparkException, match="has no rows"):
        rows(attached, "CREATE OR REPLACE TABLE empty AS SELECT * FROM empty")
    rows(attached, "DROP TABLE empty")
    newest = catalog.get_table("shop.orders").snapshot().id
    rows(attached, f"REPLACE TABLE orders AS SELECT a + 1 AS a, b FROM orders VERSION AS OF {newest}")
    assert rows(attached, "SELECT * FROM orders") == [(2, "x")]
    rows(attached, "CREATE OR REPLACE TABLE orders AS SELECT 1 AS a, 'x' AS b")
    with pytest.raises(PySparkException, match="no luck"):
        rows(attached, "CREATE OR REPLACE TABLE orders AS SELECT CAST(raise_error('no luck') AS INT) AS c")
    assert rows(attached, "SELECT * FROM orders") == [(1, "x")]
    rows(attached, "REPLACE TABLE orders (c BIGINT) TBLPROPERTIES ('bucket' = '3', 'bucket-key' = 'c')")
    assert rows(attached, "SELECT * FROM orders") == []
    assert catalog.get_table("shop.orders").options["bucket"] == "3"
    rows(attached, "CREATE OR REPLACE TABLE fresh AS SELECT 1 AS a")
    with pytest.raises(PySparkException, match="no luck"):
        rows(attached, "CREATE TABLE never AS SELECT CAST(raise_error('no luck') AS INT) AS c")
    assert catalog.list_tables("shop") == ["fresh", "orders"]
    with pytest.raises(AnalysisException, match="cannot be found"):
        rows(attached, "REPLACE TABLE nothing (c INT)")


def test_metadata_columns(attached: Any, catalog: Any) -> None:
    rows(attached, "CREATE TABLE places (id INT, dt STRING) PARTITIONED BY (dt) TBLPROPERTIES ('bucket' = '-1')")
    rows(attached, "INSERT INTO places SELECT /*+ COALESCE(1) */ id, 'x' FROM range(5)")
    chosen = "SELECT id, __paimon_row_index, __paimon_partition.dt, __paimon_bucket FROM places WHERE id > 3"
    assert rows(attached, chosen) == [(4, 4, "x", 0)]
    (path,) = rows(attached, "SELECT DISTINCT __paimon_file_path FROM places")[0]
    assert path.startswith(catalog.get_table("shop.places").location)
    assert rows(attached, "SELECT count(__paimon_file_path) FROM places") == [(5,)]
    rows(attached, "INSERT INTO orders VALUES (1, 'cap', 5)")
    assert rows(attached, "SELECT max(__paimon_bucket) FROM orders WHERE id = 1")[0][0] in (0, 1)
    with pytest.raises(PySparkException, match="merged from several files"):
        rows(attached, "SELECT __paimon_row_index FROM orders")
    tracked = "CREATE TABLE tracked (id INT) TBLPROPERTIES ('row-tracking.enabled' = 'true')"
    rows(attached, tracked)
    rows(attached, "INSERT INTO tracked VALUES (7)")
    assert rows(attached, "SELECT _ROW_ID, _SEQUENCE_NUMBER, id FROM tracked") == [(0, 1, 7)]


def test_names_of_tables(attached: Any, catalog: Any) -> None:
    rows(attached, "CREATE TABLE IF NOT EXISTS twin LIKE orders TBLPROPERTIES ('bucket' = '3')")
    assert catalog.get_table("shop.twin").options["bucket"] == "3"
    rows(attached, "ALTER TABLE paimon.shop.twin RENAME TO paimon.shop.copy")
    assert catalog.list_tables("shop") == ["copy", "orders"]


def test_functions(attached: Any) -> None:
    rows(attached, "CREATE TABLE days (v INT, dt DATE) PARTITIONED BY (dt)")
    with pytest.raises(PySparkException, match="no partition with rows"):
        rows(attached, "SELECT sys.max_pt('days')")
    rows(attached, "INSERT INTO days VALUES (1, DATE'2026-01-02'), (2, DATE'2026-01-01'), (3, NULL)")
    newest = "SELECT v, paimon.sys.max_pt('shop.days') FROM days WHERE dt = sys.max_pt('days')"
    assert rows(attached, newest) == [(1, "2026-01-02")]
    with pytest.raises(PySparkException, match="has no partitions"):
        rows(attached, "SELECT sys.max_pt('orders')")
    text = "SELECT sys.descriptor_to_string(sys.path_to_descriptor(concat('/x', id))) FROM range(2) ORDER BY id"
    assert rows(attached, text)[1] == ("BlobDescriptor{version=2, uri='/x1', offset=0, length=-1}",)
    with pytest.raises(PySparkException, match="too short"):
        rows(attached, "SELECT sys.descriptor_to_string(X'02')")


def test_defaults(attached: Any, catalog: Any) -> None:
    columns = "a INT, b STRING DEFAULT 'it', c INT DEFAULT 5, l ARRAY<INT> DEFAULT array(1, 2), n VARCHAR(3)"
    rows(attached, f"CREATE TABLE filled ({columns})")
    rows(attached, "INSERT INTO filled (a) VALUES (1)")
    rows(attached, "INSERT INTO filled VALUES (2, DEFAULT, NULL, array(), 'abc')")
    assert rows(attached, "SELECT * FROM filled ORDER BY a") == [(1, "it", 5, [1, 2], None), (2, "it", 5, [], "abc")]
    rows(attached, "ALTER TABLE filled ALTER COLUMN c SET DEFAULT 6")
    rows(attached, "INSERT INTO filled (a) VALUES (3)")
    assert rows(attached, "SELECT c FROM filled WHERE a = 3") == [(6,)]
    assert rows(attached, "DESCRIBE filled")[4][1] == "varchar(3)"
    with pytest.raises(PySparkException, match="length limitation"):
        rows(attached, "INSERT INTO filled (n) VALUES ('long')")
    with pytest.raises(PySparkException, match="DEFAULT value"):
        rows(attached, "CREATE TABLE wrong (l ARRAY<INT> DEFAULT array('x'))")
    assert "wrong" not in catalog.list_tables("shop")


def test_writers_create_tables(attached: Any, catalog: Any) -> None:
    frame = attached.createDataFrame([(1, "a", "x"), (2, "b", "y")], "id int, v string, dt string")
    writer = frame.write.format("paimon").option("primary-key", "id,dt").option("bucket", "2").partitionBy("dt")
    writer.saveAsTable("saved")
    table = catalog.get_table("shop.saved")
    assert (table.primary_key, table.partition_keys, table.options["bucket"]) == (["id", "dt"], ["dt"], "2")
    frame.write.format("paimon").mode("append").option("primary-key", "id,dt").saveAsTable("saved")
    assert table.to_arrow().num_rows == 2
    # As in Paimon's connector, options that would name the keys of a new table have no effect on one that exists.
    frame.write.format("PAIMON").mode("append").option("primary-key", "id").saveAsTable("saved")
    assert attached.read.format("Paimon").load("shop.saved").count() == 2
    assert (catalog.get_table("shop.saved").primary_key, table.to_arrow().num_rows) == (["id", "dt"], 2)
    with pytest.raises(PySparkException, match="nothing"):
        frame.write.format("paimon").option("primary-key", "nothing").saveAsTable("wrong")
    assert "wrong" not in catalog.list_tables("shop")


def test_schemas_are_merged(attached: Any, catalog: Any) -> None:
    attached.conf.set("spark.paimon.write.merge-schema", "true")
    rows(attached, "INSERT INTO orders BY NAME SELECT 9 AS id, 'new' AS item, 1 AS qty, 2.5D AS price")
    assert rows(attached, "SELECT price FROM orders WHERE id = 9") == [(2.5,)]
    rows(attached, "INSERT INTO orders VALUES (10, 'by position', 1, 3.5D)")
    assert rows(attached, "SELECT item FROM orders WHERE price > 3") == [("by position",)]
    with pytest.raises(PySparkException, match="too many data columns"):
        rows(attached, "INSERT INTO orders VALUES (11, 'a', 1, 3.5D, 'surplus')")
    assert len(catalog.get_table("shop.orders").schema.fields) == 4


def test_names_of_columns_may_have_dots_and_quotes(attached: Any) -> None:
    attached.sql("CREATE TABLE paimon.shop.odd (`col umn` INT, `dot.ted` STRING, `back``tick` INT)")
    attached.sql("INSERT INTO paimon.shop.odd VALUES (1, 'a', 2)")
    assert [tuple(row) for row in attached.table("paimon.shop.odd").collect()] == [(1, "a", 2)]
    assert attached.sql("SELECT `dot.ted` FROM paimon.shop.odd WHERE `back``tick` = 2").collect()[0][0] == "a"
