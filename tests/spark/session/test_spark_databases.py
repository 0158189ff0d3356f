"""Databases of a catalog that keeps their properties, in an attached session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException, UnsupportedOperationException

import workbench as wb

pytestmark = pytest.mark.spark


@pytest.fixture
def catalog(tmp_path: Path) -> wb.Catalog:
    opened = wb.connect(metastore="jdbc", uri=f"jdbc:sqlite:{tmp_path}/catalog.db", warehouse=str(tmp_path))
    opened.create_database("shop", comment="all orders", properties={"team": "a"})
    return opened


@pytest.fixture
def session(spark: Any, catalog: wb.Catalog) -> Iterator[Any]:
    yield wb.spark.attach(spark.newSession(), catalog, "lake")
    # Creating a frame makes the shared session the current one again.
    spark.createDataFrame([(1,)], "a int")


def _rows(session: Any, statement: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(statement).collect()]


def test_a_database_is_described(session: Any, catalog: wb.Catalog) -> None:
    location = catalog.get_database("shop").location
    rows = [("Catalog Name", "lake"), ("Namespace Name", "shop"), ("Comment", "all orders"), ("Location", location)]
    assert _rows(session, "DESCRIBE DATABASE lake.shop") == rows
    assert _rows(session, "DESCRIBE DATABASE EXTENDED lake.shop") == [*rows, ("Properties", "((team,a))")]
    assert _rows(session, "DESCRIBE DATABASE lake.sys") == [("Catalog Name", "lake"), ("Namespace Name", "sys")]
    assert _rows(session, "DESCRIBE DATABASE lake.default")[1:] == [("Namespace Name", "default")]
    with pytest.raises(AnalysisException, match="SCHEMA_NOT_FOUND"):
        session.sql("DESCRIBE DATABASE lake.shp")


def test_a_database_is_altered(session: Any, catalog: wb.Catalog) -> None:
    session.sql("ALTER DATABASE lake.shop SET DBPROPERTIES ('stage' = 'test')")
    session.sql("ALTER DATABASE lake.shop UNSET DBPROPERTIES ('team')")
    session.sql("COMMENT ON DATABASE lake.shop IS 'new'")
    found = catalog.get_database("shop")
    assert (found.comment, dict(found.properties)) == ("new", {"stage": "test"})
    with pytest.raises(AnalysisException, match="SCHEMA_NOT_FOUND"):
        session.sql("ALTER DATABASE lake.shp SET DBPROPERTIES ('stage' = 'test')")
    with pytest.raises(UnsupportedOperationException, match="cannot be changed"):
        session.sql("ALTER DATABASE lake.shop SET LOCATION '/elsewhere'")


def test_a_database_with_a_view_is_not_empty(session: Any, catalog: wb.Catalog) -> None:
    catalog.create_view("shop.one", "SELECT 1 AS one", {"one": "INT"})
    with pytest.raises(AnalysisException, match="SCHEMA_NOT_EMPTY"):
        session.sql("DROP DATABASE lake.shop")
    session.sql("DROP DATABASE lake.shop CASCADE")
    assert catalog.list_databases() == []


def test_statements_without_a_query_are_not_parsed_for_views(
    session: Any, catalog: wb.Catalog, caplog: pytest.LogCaptureFixture
) -> None:
    catalog.create_view("shop.one", "SELECT 1 AS one", {"one": "INT"})
    assert _rows(session, "SHOW VIEWS IN lake.shop") == [("shop", "one", False)]
    assert _rows(session, "SHOW TABLES IN lake.shop") == []
    session.sql("CREATE DATABASE lake.other COMMENT 'goods'")
    assert caplog.messages == []
