"""Java's JdbcCatalog opens what we made, and we what it made; both write the same rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.jdbc.conftest import KINDS
from tests.catalogs.jdbc.servers import Place, driver_jars
from tests.catalogs.referee import JavaCatalog

pytestmark = pytest.mark.parametrize("new_place", KINDS, indirect=True)

_COLUMNS = [["id", "BIGINT NOT NULL", "the id"], ["name", "STRING"], ["dt", "STRING NOT NULL"]]
_OPTIONS = {"bucket": "2", "deletion-vectors.enabled": "true", "owner": "sales"}
_TABLES = ("paimon_tables", "paimon_database_properties", "paimon_table_properties", "paimon_views")


def _make_with_java(java: JavaCatalog) -> None:
    java.run("createDatabase", database="shop", options={"comment": "a shop", "owner": "ada"})
    java.run(
        "createTable",
        table="shop.orders",
        columns=_COLUMNS,
        primary_key=["dt", "id"],
        partition_by=["dt"],
        options=_OPTIONS,
        comment="what was sold",
    )
    java.run("createTable", table="shop.log", columns=[["v", "INT"]])
    view = {"query": "SELECT 'ü' AS v", "dialects": {"spark": "SELECT 1"}, "options": {"k": "v"}}
    java.run("createView", table="shop.large", columns=[["id", "BIGINT"]], comment="large ones", **view)
    java.run("createView", table="shop.bare", columns=[["id", "BIGINT"]], query="SELECT 1")


def _make(catalog: wb.Catalog) -> None:
    catalog.create_database("shop", comment="a shop", properties={"owner": "ada"})
    columns = {"id": "BIGINT NOT NULL", "name": "STRING", "dt": "STRING NOT NULL"}
    catalog.create_table(
        "shop.orders",
        columns,
        primary_key=["dt", "id"],
        partition_by=["dt"],
        options=_OPTIONS,
        comment="what was sold",
    )
    catalog.alter_table("shop.orders", wb.UpdateColumnComment("id", "the id"))
    catalog.create_table("shop.log", {"v": "INT"})
    catalog.create_view(
        "shop.large",
        "SELECT 'ü' AS v",
        {"id": "BIGINT"},
        dialects={"spark": "SELECT 1"},
        comment="large ones",
        options={"k": "v"},
    )
    catalog.create_view("shop.bare", "SELECT 1", {"id": "BIGINT"})


def _dump(place: Place) -> dict[str, list[tuple[Any, ...]]]:
    return {table: place.rows(f"SELECT * FROM {table}") for table in _TABLES}


def _layout(place: Place) -> list[tuple[Any, ...]]:
    """Return the tables of a database as it describes them."""
    if place.kind == "sqlite":
        found = place.rows("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        return [(name, re.sub(r"\s+", "", sql).lower()) for name, sql in found]
    mine = "table_schema = 'public'" if place.kind == "postgresql" else "table_schema = DATABASE()"
    columns = place.rows(
        "SELECT table_name, ordinal_position, column_name, data_type, character_maximum_length, column_default, "
        f"is_nullable FROM information_schema.columns WHERE {mine}"
    )
    keys = place.rows(
        "SELECT table_name, constraint_name, column_name, ordinal_position FROM information_schema.key_column_usage "
        f"WHERE {mine}"
    )
    if place.kind == "mariadb":
        keys += place.rows(f"SELECT table_name, table_collation, engine FROM information_schema.tables WHERE {mine}")
    return [*columns, *keys]


@pytest.fixture
def java(place: Place, options: dict[str, str]) -> JavaCatalog:
    java = JavaCatalog({**options, **place.java_options, "lock.enabled": "true"}, driver_jars())
    # First: Java leaves a query for an existing table of locks open, and SQLite then lets no other program write.
    assert java.run("listDatabases") == []
    return java


@pytest.fixture
def opened(options: dict[str, str], java: JavaCatalog) -> wb.Catalog:  # noqa: ARG001 - opens the database first
    return wb.connect({**options, "lock.enabled": "true"})


def test_java_opens_what_we_made(opened: wb.Catalog, java: JavaCatalog) -> None:
    _make(opened)
    opened.get_table("shop.orders").write([{"id": 1, "name": "pen", "dt": "a"}, {"id": 2, "name": "ink", "dt": "b"}])

    assert java.run("listDatabases") == ["shop"]
    described = java.run("getDatabase", database="shop")
    assert described["options"] == {
        "comment": "a shop",
        "owner": "ada",
        "location": f"{opened.warehouse}/shop.db",
    }
    assert java.run("listTables", database="shop") == ["log", "orders"]
    assert java.run("read", table="shop.orders") == [["1", "pen", "a"], ["2", "ink", "b"]]
    assert [each["spec"] for each in java.run("listPartitions", table="shop.orders")] == [{"dt": "a"}, {"dt": "b"}]
    table = java.run("getTable", table="shop.orders")
    assert (table["comment"], table["options"]["owner"]) == ("what was sold", "sales")
    view = java.run("getView", table="shop.large")
    assert (view["query"], view["dialects"], view["comment"]) == (
        "SELECT 'ü' AS v",
        {"spark": "SELECT 1"},
        "large ones",
    )
    assert java.run("listViews", database="shop") == ["bare", "large"]
    java.run("renameView", table="shop.bare", to="shop.plain")
    java.run("dropView", table="shop.large")
    assert opened.list_views("shop") == ["plain"]


def test_we_open_what_java_made(opened: wb.Catalog, java: JavaCatalog) -> None:
    _make_with_java(java)
    java.run("write", table="shop.orders", rows=[[1, "pen", "a"], [2, "ink", "b"]])

    assert opened.list_databases() == ["shop"]
    database = opened.get_database("shop")
    assert (database.location, database.comment, database.properties) == (
        f"{opened.warehouse}/shop.db",
        "a shop",
        {"owner": "ada"},
    )
    assert opened.list_tables("shop") == ["log", "orders"]
    table = opened.get_table("shop.orders")
    assert table.to_arrow().sort_by("id").to_pylist() == [
        {"id": 1, "name": "pen", "dt": "a"},
        {"id": 2, "name": "ink", "dt": "b"},
    ]
    assert (table.schema.comment, table.options["owner"]) == ("what was sold", "sales")
    assert table.schema.field("id").description == "the id"
    assert sorted(str(each.spec["dt"]) for each in opened.list_partitions("shop.orders")) == ["a", "b"]
    view = opened.get_view("shop.large")
    assert (view.query, view.dialects, view.comment, view.options) == (
        "SELECT 'ü' AS v",
        {"spark": "SELECT 1"},
        "large ones",
        {"k": "v"},
    )
    assert opened.get_view("shop.bare").comment is None


def test_both_write_the_same_rows_into_the_same_tables(new_place: Callable[[], Place], tmp_path: Path) -> None:
    (tmp_path / "warehouse").mkdir()
    theirs, ours = new_place(), new_place()
    more = {"warehouse": str(tmp_path / "warehouse"), "lock.enabled": "true"}
    java = JavaCatalog({**theirs.java_options, **more, "catalog-key": "k"}, driver_jars())
    _make_with_java(java)
    (tmp_path / "warehouse").rename(tmp_path / "of-java")
    (tmp_path / "warehouse").mkdir()
    catalog = wb.connect({**ours.options, **more, "catalog-key": "k"})
    _make(catalog)

    assert _layout(ours) == _layout(theirs)
    assert _dump(ours) == _dump(theirs)


def test_java_opens_a_database_that_we_prepared(options: dict[str, str], place: Place) -> None:
    catalog = wb.connect(options)
    catalog.create_database("shop")
    catalog.create_table("shop.log", {"v": "INT"}).write([{"v": 1}])
    java = JavaCatalog({**options, **place.java_options}, driver_jars())
    assert java.run("read", table="shop.log") == [["1"]]
    java.run("createTable", table="shop.more", columns=[["v", "INT"]])
    assert catalog.list_tables("shop") == ["log", "more"]


def test_changes_from_both_sides(opened: wb.Catalog, java: JavaCatalog, place: Place) -> None:
    _make(opened)
    opened.get_table("shop.orders").write([{"id": 1, "name": "pen", "dt": "a"}])
    opened.alter_table("shop.orders", wb.AddColumn("price", "DOUBLE"), wb.SetOption("snapshot.num-retained.max", "50"))
    java.run(
        "alterTable",
        table="shop.orders",
        changes=[["add", "note", "STRING", "free"], ["rename", "name", "title"], ["set", "owner", "ada"]],
    )
    table = opened.get_table("shop.orders")
    assert table.schema.field_names == ("id", "title", "dt", "price", "note")
    opened.alter_table(
        "shop.orders", wb.RemoveOption("snapshot.num-retained.max"), wb.SetOption("write-buffer-size", "8 mb")
    )
    kept = place.rows("SELECT property_key, property_value FROM paimon_table_properties WHERE table_name = 'orders'")
    assert dict(kept) == {
        "bucket": "2",
        "bucket-key": "id",
        "deletion-vectors.enabled": "true",
        "owner": "ada",
        "partition": "dt",
        "primary-key": "dt,id",
        "write-buffer-size": "8 mb",
    }
    java.run("write", table="shop.orders", rows=[[2, "ink", "b", 2.5, "n"]])
    assert opened.get_table("shop.orders").to_arrow().sort_by("id").to_pylist() == [
        {"id": 1, "title": "pen", "dt": "a", "price": None, "note": None},
        {"id": 2, "title": "ink", "dt": "b", "price": 2.5, "note": "n"},
    ]

    java.run("alterDatabase", database="shop", properties={"owner": None, "comment": "big", "region": "eu"})
    opened.alter_database("shop", {"region": "us", "since": "2026"})
    assert java.run("getDatabase", database="shop")["options"] == {
        "comment": "big",
        "location": f"{opened.warehouse}/shop.db",
        "region": "us",
        "since": "2026",
    }


def test_renaming_and_dropping_from_both_sides(opened: wb.Catalog, java: JavaCatalog, place: Place) -> None:
    _make(opened)
    opened.get_table("shop.log").write([{"v": 1}])
    opened.rename_table("shop.log", "shop.journal")
    assert java.run("read", table="shop.journal") == [["1"]]
    java.run("renameTable", table="shop.journal", to="shop.diary")
    diary = opened.get_table("shop.diary")
    assert (diary.to_arrow().to_pylist(), diary.location) == ([{"v": 1}], f"{opened.warehouse}/shop.db/diary")
    opened.rename_table("shop.orders", "shop.sales")
    names = place.rows("SELECT DISTINCT table_name FROM paimon_table_properties")
    assert names == [("sales",)]

    java.run("dropTable", table="shop.diary")
    opened.drop_table("shop.sales")
    assert java.run("listTables", database="shop") == opened.list_tables("shop") == []
    assert place.rows("SELECT * FROM paimon_table_properties") == []
    assert not (Path(opened.warehouse) / "shop.db" / "sales").exists()
    java.run("dropDatabase", database="shop", cascade=True)
    assert opened.list_databases() == []
    assert place.rows("SELECT * FROM paimon_views") == []
