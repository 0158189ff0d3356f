"""Statements of a Spark session on catalogs of services."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from pyspark.errors import AnalysisException

import workbench as wb

pytestmark = [pytest.mark.spark, pytest.mark.long]


def _rows(session: Any, statement: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(statement).collect()]


def _described(session: Any, database: str) -> dict[str, str]:
    return dict(_rows(session, f"DESCRIBE DATABASE EXTENDED lake.{database}"))


def test_everything_is_listed(attached: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert ("shop",) in _rows(attached, "SHOW DATABASES IN lake")
        assert _rows(attached, "SHOW TABLES IN lake.shop") == [("shop", "orders", False)]
        assert _rows(attached, "SHOW VIEWS IN lake.shop") == [("shop", "large", False)]
        assert _rows(attached, "SHOW VIEWS IN lake.sys") == []
        assert ("sys", "tables", False) in _rows(attached, "SHOW TABLES IN lake.sys")
    assert caplog.messages == []


def test_databases_are_described(attached: Any, catalog: wb.Catalog) -> None:
    found = _described(attached, "shop")
    assert (found["Comment"], found["Properties"]) == ("all orders", "((team,a))")
    assert found["Location"] == catalog.get_database("shop").location
    assert _described(attached, "sys") == {"Catalog Name": "lake", "Namespace Name": "sys", "Properties": ""}
    rows = attached.sql("DESCRIBE TABLE EXTENDED lake.shop.orders").collect()
    described = {row[0]: row[1] for row in rows if row[0]}
    assert described["Comment"] == "the orders"
    assert described["Location"] == catalog.get_table("shop.orders").location
    with pytest.raises(AnalysisException, match="SCHEMA_NOT_FOUND"):
        _described(attached, "shp")


def test_databases_are_created_altered_and_dropped(attached: Any, catalog: wb.Catalog) -> None:
    attached.sql("CREATE DATABASE lake.stock COMMENT 'goods' WITH DBPROPERTIES ('a' = 'b', 'c' = 'd')")
    attached.sql("ALTER DATABASE lake.stock SET DBPROPERTIES ('a' = 'e')")
    attached.sql("ALTER DATABASE lake.stock UNSET DBPROPERTIES ('c')")
    database = catalog.get_database("stock")
    assert (database.comment, dict(database.properties)) == ("goods", {"a": "e"})
    assert _described(attached, "stock")["Properties"] == "((a,e))"
    catalog.create_view("stock.one", "SELECT 1 AS one", {"one": "INT"})
    with pytest.raises(AnalysisException, match="SCHEMA_NOT_EMPTY"):
        attached.sql("DROP DATABASE lake.stock")
    attached.sql("DROP DATABASE lake.stock CASCADE")
    assert "stock" not in catalog.list_databases()
    with pytest.raises(AnalysisException, match="SCHEMA_NOT_FOUND"):
        attached.sql("ALTER DATABASE lake.stock SET DBPROPERTIES ('a' = 'e')")


def test_rows_are_read_and_changed(attached: Any, catalog: wb.Catalog) -> None:
    attached.sql("CREATE TABLE lake.shop.rows (id BIGINT NOT NULL, n INT) TBLPROPERTIES ('primary-key' = 'id')")
    attached.sql("INSERT INTO lake.shop.rows SELECT id, n FROM lake.shop.orders")
    attached.sql("INSERT INTO lake.shop.rows VALUES (3, 30), (4, 40)")
    attached.sql("UPDATE lake.shop.rows SET n = n + 1 WHERE id = 1")
    attached.sql("DELETE FROM lake.shop.rows WHERE id = 2")
    attached.sql(
        "MERGE INTO lake.shop.rows t USING (SELECT 4 AS id, 41 AS n UNION ALL SELECT 5, 50) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET t.n = s.n WHEN NOT MATCHED THEN INSERT *"
    )
    expected = [(1, 11), (3, 30), (4, 41), (5, 50)]
    assert _rows(attached, "SELECT * FROM lake.shop.rows ORDER BY id") == expected
    table = catalog.get_table("shop.rows")
    assert sorted((row["id"], row["n"]) for row in table.to_arrow().to_pylist()) == expected
    seen = _rows(attached, "SELECT snapshot_id FROM lake.shop.`rows$snapshots`")
    assert [each for (each,) in seen] == [each.id for each in table.snapshots()]
    assert _rows(attached, "CALL lake.sys.create_tag(table => 'shop.rows', tag => 't1', snapshot => 1)") == [(True,)]
    assert _rows(attached, "SELECT * FROM lake.shop.rows VERSION AS OF 't1' ORDER BY id") == [(1, 10), (2, 20)]
    assert _rows(attached, "CALL lake.sys.compact(table => 'shop.rows')") == [(True,)]
    assert _rows(attached, "SELECT * FROM lake.shop.rows ORDER BY id") == expected
    attached.sql("CALL lake.sys.rollback(table => 'shop.rows', version => 't1')")
    assert _rows(attached, "SELECT * FROM lake.shop.rows ORDER BY id") == [(1, 10), (2, 20)]
    attached.sql("DROP TABLE lake.shop.rows")
    assert catalog.list_tables("shop") == ["orders"]


def test_tables_are_created_altered_and_dropped(attached: Any, catalog: wb.Catalog) -> None:
    attached.sql("CREATE TABLE lake.shop.made (id BIGINT, v STRING) COMMENT 'made' TBLPROPERTIES ('bucket' = '-1')")
    attached.sql("ALTER TABLE lake.shop.made RENAME TO lake.shop.kept")
    attached.sql("ALTER TABLE lake.shop.kept ADD COLUMN w INT COMMENT 'new'")
    attached.sql("ALTER TABLE lake.shop.kept RENAME COLUMN v TO x")
    attached.sql("ALTER TABLE lake.shop.kept SET TBLPROPERTIES ('snapshot.num-retained.max' = '99')")
    attached.sql("INSERT INTO lake.shop.kept VALUES (1, 'a', 2)")
    schema = catalog.get_table("shop.kept").schema
    assert (schema.field_names, schema.comment, schema.field("w").description) == (("id", "x", "w"), "made", "new")
    assert schema.options["snapshot.num-retained.max"] == "99"
    assert _rows(attached, "SELECT * FROM lake.shop.kept") == [(1, "a", 2)]
    attached.sql("CREATE TABLE lake.shop.copy AS SELECT id FROM lake.shop.kept")
    attached.sql("CREATE OR REPLACE TABLE lake.shop.copy AS SELECT id, x FROM lake.shop.kept")
    assert _rows(attached, "SELECT * FROM lake.shop.copy") == [(1, "a")]
    with pytest.raises(AnalysisException, match="already exists"):
        attached.sql("CREATE TABLE lake.shop.copy (id INT)")
    for name in ("kept", "copy"):
        attached.sql(f"DROP TABLE lake.shop.{name}")
    assert catalog.list_tables("shop") == ["orders"]


def test_views_are_read(attached: Any) -> None:
    assert _rows(attached, "SELECT * FROM lake.shop.large") == [(2, 20)]
    query = "SELECT o.v, l.n FROM lake.shop.orders o JOIN lake.shop.large l ON o.id = l.id"
    assert _rows(attached, query) == [("b", 20)]
