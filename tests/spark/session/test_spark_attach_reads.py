"""Queries over a catalog in a Spark session: versions, options, system tables and what a scan reads."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pyspark.errors import PySparkException

import workbench as wb
from tests.support.spark_rows import rows

pytestmark = pytest.mark.spark


def drained(stream: Any) -> None:
    """Run a stream until it has read everything."""
    stream.writeStream.format("noop").trigger(availableNow=True).start().awaitTermination()


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
    for change in (
        "UPDATE two SET v = 3",
        "UPDATE two SET v = length(uuid()) WHERE dt = 'a'",
        "DELETE FROM two WHERE v = 1",
        "MERGE INTO two t USING (SELECT 'b' AS dt, 8 AS v) s ON t.dt = s.dt WHEN MATCHED THEN UPDATE SET v = 9",
    ):
        with pytest.raises(PySparkException, match="the table is read from two branches"):
            attached.sql(change)
    with pytest.raises(PySparkException, match="Read the table itself"):
        rows(attached, "SELECT * FROM `two$partitions`")
    assert attached.read.format("paimon").load("shop.two").count() == 3
    assert rows(wb.spark.attach(attached, catalog), "SHOW PARTITIONS two") == [("dt=a",), ("dt=b",)]


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
    # Python merges the other files, and reads only the columns of the query.
    rows(attached, "INSERT INTO orders VALUES (1, 'cap', 5)")
    merged = rows(attached, "EXPLAIN SELECT item FROM orders WHERE id = 1")[0][0]
    assert "ParquetScan" not in merged
    assert "qty" not in merged
    assert rows(attached, "SELECT item FROM orders WHERE id = 1") == [("cap",)]
    assert rows(attached, "SELECT count(*) FROM orders") == [(2,)]
    assert len(rows(attached, "SELECT * FROM orders LIMIT 1")) == 1
    rows(attached, "ALTER TABLE plain RENAME COLUMN note TO remark")
    assert rows(attached, "SELECT remark FROM plain WHERE id = 1") == [("a",)]


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
    with pytest.raises(PySparkException, match="no tag '2026-01-01'"):
        rows(attached, "SELECT * FROM paimon_incremental_query('orders', '2026-01-01', '2026-01-02')")
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
    by_path = attached.read.format("paimon").option("primary-key", "v")
    for refused in (
        lambda: attached.read.option("bucket", "3").table("parts").collect(),
        lambda: rows(attached, "SELECT v FROM parts WITH ('bucket' = '3')"),
        lambda: by_path.load(catalog.get_table("shop.parts").location),
        lambda: drained(attached.readStream.option("bucket", "3").table("parts")),
        lambda: attached.readStream.format("paimon").option("bucket", "3").load("shop.parts"),
    ):
        with pytest.raises(PySparkException, match="cannot be set for a read or write: it is fixed for a table"):
            refused()
    # Writers may set such an option, as for a new table; it has no effect on an existing one.
    one = attached.createDataFrame([(3, "c")], "v int, dt string")
    one.write.format("paimon").mode("append").option("bucket", "3").saveAsTable("parts")
    assert {file["bucket"] for file in catalog.open("shop.parts$files").to_arrow().to_pylist()} == {0}
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


def test_full_scans_are_refused_where_partitions_leave_nothing_out(attached: Any) -> None:
    rows(attached, "CREATE TABLE sales (v INT, dt DATE, shop STRING) PARTITIONED BY (dt, shop)")
    attached.conf.set("spark.paimon.read.allow.fullScan", "false")
    with pytest.raises(PySparkException, match="fullScan"):
        rows(attached, "SELECT * FROM sales")
    values = "(1, DATE'2025-12-31', 'a'), (2, DATE'2026-01-01', 'a'), (3, DATE'2026-01-01', 'b'), (4, NULL, NULL)"
    rows(attached, f"INSERT INTO sales VALUES {values}")
    for condition, found in {
        "upper(shop) = 'B'": [3],
        "year(dt) = 2026": [2, 3],
        "coalesce(shop, 'none') = 'none'": [4],
        "concat(shop, '@', date_format(dt, 'yyyy')) IN ('a@2025', 'b@2026')": [1, 3],
        "length(shop) > 5": [],
        "upper(shop) = 'A' AND v > 1": [2],
    }.items():
        assert rows(attached, f"SELECT v FROM sales WHERE {condition} ORDER BY v") == [(each,) for each in found]
    for condition in ("length(shop) = 1 OR shop IS NULL", "upper(shop) = 'A' OR v > 1"):
        with pytest.raises(PySparkException, match="fullScan"):
            rows(attached, f"SELECT v FROM sales WHERE {condition}")
    # A value that cannot be cast is an error of its row, as in tables without partitions.
    with pytest.raises(PySparkException, match=r"fullScan|CAST_INVALID_INPUT"):
        rows(attached, "SELECT v FROM sales WHERE CAST(shop AS INT) = 1")
    # Partitions and their numbers of rows are metadata.
    days = [(date(2025, 12, 31), 1), (date(2026, 1, 1), 2), (None, 1)]
    grouped = "SELECT dt, count(*) FROM sales GROUP BY dt ORDER BY dt NULLS LAST"
    assert rows(attached, grouped) == days
    assert rows(attached, "SELECT DISTINCT shop FROM sales ORDER BY shop NULLS LAST") == [("a",), ("b",), (None,)]
    both = "SELECT count(*) AS n, shop, dt FROM sales GROUP BY shop, dt HAVING shop = 'a' ORDER BY dt"
    with pytest.raises(PySparkException, match="fullScan"):
        rows(attached, "SELECT shop, sum(v) FROM sales GROUP BY shop")
    assert rows(attached, both) == [(1, "a", date(2025, 12, 31)), (1, "a", date(2026, 1, 1))]
    attached.conf.unset("spark.paimon.read.allow.fullScan")
    rows(attached, "DELETE FROM sales WHERE v = 2")
    assert rows(attached, grouped) == [(day, 1) for day, _ in days]


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


def test_names_of_columns_may_have_dots_and_quotes(attached: Any) -> None:
    attached.sql("CREATE TABLE paimon.shop.odd (`col umn` INT, `dot.ted` STRING, `back``tick` INT)")
    attached.sql("INSERT INTO paimon.shop.odd VALUES (1, 'a', 2)")
    assert [tuple(row) for row in attached.table("paimon.shop.odd").collect()] == [(1, "a", 2)]
    assert attached.sql("SELECT `dot.ted` FROM paimon.shop.odd WHERE `back``tick` = 2").collect()[0][0] == "a"


def test_the_option_of_a_read_names_a_branch(attached: Any, catalog: Any) -> None:
    rows(attached, "CALL sys.create_branch('orders', 'side')")
    rows(attached, "INSERT INTO `orders$branch_side` VALUES (7, 'hat', 1)")
    location = catalog.get_table("shop.orders").location
    reader = attached.read.format("paimon").option("branch", "side")
    for frame in (
        reader.table("orders"),
        reader.load(location),
        attached.sql("SELECT * FROM orders WITH ('branch' = 'side')"),
    ):
        assert [tuple(row) for row in frame.collect()] == [(7, "hat", 1)]
    assert attached.read.option("branch", "main").table("orders").count() == 2
    with pytest.raises(PySparkException, match="no branch 'nothing'"):
        attached.read.option("branch", "nothing").table("orders").collect()
