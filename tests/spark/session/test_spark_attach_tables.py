"""Tables of a catalog in a Spark session: created, altered, replaced, and with other columns."""

from __future__ import annotations

import getpass
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException

from tests.support.spark_rows import rows

pytestmark = pytest.mark.spark


def test_tables_are_created(attached: Any, catalog: Any) -> None:
    rows(
        attached,
        "CREATE TABLE days (id INT NOT NULL COMMENT 'it\\'s the key', at TIMESTAMP, wall TIMESTAMP_NTZ, "
        "d DECIMAL(5, 2), name VARCHAR(5), s STRUCT<`A b`: INT COMMENT 'it\\'s', "
        "m: MAP<STRING, ARRAY<STRUCT<d: DATE NOT NULL COMMENT 'day'>>>>, day STRING) PARTITIONED BY (day) "
        "COMMENT 'all days' TBLPROPERTIES ('primary-key' = 'id,day', 'bucket' = '1')",
    )
    table = catalog.get_table("shop.days")
    assert [(field.name, str(field.type)) for field in table.schema.fields] == [
        ("id", "INT NOT NULL"),
        ("at", "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
        ("wall", "TIMESTAMP(6)"),
        ("d", "DECIMAL(5, 2)"),
        ("name", "VARCHAR(5)"),
        ("s", "ROW<`A b` INT COMMENT 'it''s', m MAP<STRING, ARRAY<ROW<d DATE NOT NULL COMMENT 'day'>>>>"),
        ("day", "STRING NOT NULL"),
    ]
    assert (table.primary_key, table.partition_keys) == (["id", "day"], ["day"])
    # Spark notes who created the table, as with Paimon's own connector.
    assert table.options == {"bucket": "1", "owner": getpass.getuser()}
    assert (table.schema.comment, table.schema.fields[0].description) == ("all days", "it's the key")
    declared = attached.table("days").schema["s"].dataType
    assert declared["A b"].metadata["comment"] == "it's"
    assert declared["m"].dataType.valueType.elementType["d"].metadata["comment"] == "day"
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


def test_tables_are_replaced(attached: Any, catalog: Any) -> None:
    rows(attached, "CREATE OR REPLACE TABLE orders AS SELECT 1 AS a, 'x' AS b")
    assert rows(attached, "SELECT * FROM orders") == [(1, "x")]
    # The history keeps the rows and the columns of earlier versions.
    assert rows(attached, "SELECT * FROM orders VERSION AS OF 1 WHERE id = 2") == [(2, "ink", 4)]
    assert catalog.get_table("shop.orders").primary_key == []
    # A query that reads the replaced table finds the rows that it had before.
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


def test_names_of_tables(attached: Any, catalog: Any) -> None:
    rows(attached, "CREATE TABLE IF NOT EXISTS twin LIKE orders TBLPROPERTIES ('bucket' = '3')")
    assert catalog.get_table("shop.twin").options["bucket"] == "3"
    rows(attached, "ALTER TABLE paimon.shop.twin RENAME TO paimon.shop.copy")
    assert catalog.list_tables("shop") == ["copy", "orders"]


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


def test_temporary_views_take_precedence_over_tables(attached: Any, catalog: Any) -> None:
    attached.sql("CREATE TABLE news (id INT, item STRING)")
    attached.sql("INSERT INTO news VALUES (1, 'table')")
    frame = attached.createDataFrame([(1, "view"), (9, "view")], "id int, item string")
    frame.createOrReplaceTempView("news")
    orders = catalog.get_table("shop.orders")
    matched = "WHEN MATCHED THEN UPDATE SET item = news.item WHEN NOT MATCHED THEN INSERT (id, item) VALUES (id, item)"
    for statement, expected in (
        (f"MERGE INTO orders USING news ON orders.id = news.id {matched}", {1: "view", 2: "ink", 9: "view"}),
        ("UPDATE orders SET item = (SELECT concat(max(item), '!') FROM news) WHERE id = 2", {2: "view!"}),
        ("DELETE FROM orders WHERE id IN (SELECT id FROM news)", {2: "view!"}),
    ):
        attached.sql(statement)
        found = {row["id"]: row["item"] for row in orders.to_arrow().to_pylist()}
        assert found == {**found, **expected}
    assert found == {2: "view!"}
    frame.createOrReplaceTempView("orders")
    before = orders.snapshot().id
    for refused in (
        "UPDATE orders SET item = 'x'",
        "DELETE FROM orders WHERE id = 2",
        f"MERGE INTO orders USING news ON orders.id = news.id {matched}",
        "TRUNCATE TABLE orders",
        "SHOW PARTITIONS orders",
    ):
        with pytest.raises((PySparkException, Py4JJavaError)):
            attached.sql(refused)
    assert orders.snapshot().id == before
    attached.sql("TRUNCATE TABLE shop.orders")
    assert orders.to_arrow().num_rows == 0


_NESTED = "id INT, s STRUCT<a: VARCHAR(3), b: CHAR(4)>, l ARRAY<CHAR(2)>, m MAP<CHAR(2), VARCHAR(5)>"


def test_inserts_pad_char_at_every_depth(attached: Any, catalog: Any) -> None:
    attached.sql(f"CREATE TABLE t ({_NESTED})")
    attached.sql("INSERT INTO t VALUES (1, struct('x', 'x'), array('q', NULL), map('k', 'v')), (2, NULL, NULL, NULL)")
    attached.table("t").where("id = 1").selectExpr("3 AS id", "s", "array('q') AS l", "m").writeTo("t").append()
    padded = {"s": {"a": "x", "b": "x   "}, "m": [("k ", "v")]}
    empty = {"id": 2, "s": None, "l": None, "m": None}
    stored = sorted(catalog.get_table("shop.t").to_arrow().to_pylist(), key=lambda row: row["id"])
    assert stored == [{"id": 1, "l": ["q ", None], **padded}, empty, {"id": 3, "l": ["q "], **padded}]


def test_a_table_of_a_query_keeps_the_lengths_of_nested_text(attached: Any, catalog: Any) -> None:
    attached.sql(f"CREATE TABLE t ({_NESTED})")
    attached.sql("CREATE TABLE copy AS SELECT * FROM t")
    attached.table("t").write.format("paimon").saveAsTable("saved")
    for name in ("copy", "saved"):
        assert str(catalog.get_table(f"shop.{name}").schema.fields) == str(catalog.get_table("shop.t").schema.fields)
    attached.sql("CREATE TABLE computed AS SELECT named_struct('a', s.a) AS s, array(s.b) AS l FROM t")
    assert str(catalog.get_table("shop.computed").schema.fields) == "(s ROW<a STRING>, l ARRAY<STRING>)"


def test_nested_text_gets_another_length(attached: Any, catalog: Any) -> None:
    attached.sql(f"CREATE TABLE t ({_NESTED})")
    attached.sql("ALTER TABLE t ALTER COLUMN s.a TYPE VARCHAR(9)")
    attached.sql("ALTER TABLE t ALTER COLUMN l.element TYPE CHAR(8)")
    types = [str(field.type) for field in catalog.get_table("shop.t").schema.fields]
    assert types[1:3] == ["ROW<a VARCHAR(9), b CHAR(4)>", "ARRAY<CHAR(8)>"]
