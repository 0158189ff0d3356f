"""Databases and views of ours and of Java in one metastore."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.hive.metastores import HIVE_2, RunningMetastore
from tests.catalogs.referee import JavaCatalog

pytestmark = pytest.mark.java


def test_databases_are_those_of_java(
    java: JavaCatalog, metastore: RunningMetastore, options: dict[str, str], database: str
) -> None:
    catalog = wb.connect(options)
    properties = {"k": "v", "owner": "me"}
    catalog.create_database(f"{database}_a", comment="the shop", properties=properties)
    java.run("createDatabase", database=f"{database}_b", options={"comment": "the shop", **properties})
    ours, theirs = (metastore.client.call("get_database", f"{database}_{each}") for each in "ab")
    assert ours.locationUri == f"file:{metastore.warehouse}/{database}_a.db"
    ours.name, ours.locationUri = theirs.name, ours.locationUri.replace("_a.db", "_b.db")
    assert ours == theirs
    mine = catalog.get_database(f"{database}_b")
    assert (mine.comment, dict(mine.properties)) == ("the shop", properties)
    assert java.run("getDatabase", database=f"{database}_a")["options"] == {
        **properties,
        "comment": "the shop",
        "location": f"file:{metastore.warehouse}/{database}_a.db",
    }


def test_databases_are_altered_and_dropped(
    java: JavaCatalog, metastore: RunningMetastore, options: dict[str, str], database: str, tmp_path: Path
) -> None:
    catalog = wb.connect(options)
    place = tmp_path / "elsewhere"
    catalog.create_database(database, location=str(place), comment="the shop", properties={"k": "v", "gone": "x"})
    catalog.alter_database(database, {"k": "w", "gone": None})
    found = java.run("getDatabase", database=database)["options"]
    assert found == {"comment": "the shop", "k": "w", "location": f"file:{place}"}
    if metastore.version is HIVE_2:
        with pytest.raises(wb.Unsupported, match=r"comment .* was not changed: Hive 2 cannot change it"):
            catalog.alter_database(database, {"comment": "another"})
    else:
        catalog.alter_database(database, {"comment": "another"})
        assert java.run("getDatabase", database=database)["comment"] == "another"
    table = catalog.create_table(f"{database}.t", {"k": "INT"})
    assert table.location == str(place / "t")
    with pytest.raises(wb.CatalogError, match="cascade"):
        catalog.drop_database(database)
    catalog.drop_database(database, cascade=True)
    assert database not in java.run("listDatabases")
    assert not place.exists()


def test_the_database_default_has_a_location_of_its_own(java: JavaCatalog, metastore: RunningMetastore) -> None:
    catalog = wb.connect(metastore="hive", uri=metastore.uri)
    place = metastore.client.call("get_database", "default").locationUri
    assert f"file:{catalog.warehouse}" == place
    table = catalog.create_table("default.t", {"k": "INT"})
    try:
        assert f"file:{table.location}" == f"{place}/t"
        table.write([{"k": 1}])
        assert java.run("read", table="default.t") == [["1"]]
    finally:
        catalog.drop_table("default.t")


def view_entry(metastore: RunningMetastore, database: str, name: str) -> Any:
    """The entry of a view without what differs from one view to the next."""
    found = metastore.get(database, name)
    assert found.createTime > 1_700_000_000
    found.tableName, found.createTime = "", 0
    found.parameters.pop("transient_lastDdlTime")
    return found


def test_views_are_those_of_java(
    catalog: wb.Catalog, java: JavaCatalog, metastore: RunningMetastore, database: str
) -> None:
    query = "SELECT id FROM orders"
    catalog.create_view(
        f"{database}.ours", query, {"id": "BIGINT", "tags": "ARRAY<STRING>"}, comment="c", options={"k": "v"}
    )
    columns = [["id", "BIGINT"], ["tags", {"type": "ARRAY", "element": "STRING"}]]
    java.run("createView", table=f"{database}.theirs", columns=columns, query=query, comment="c", options={"k": "v"})
    assert view_entry(metastore, database, "ours") == view_entry(metastore, database, "theirs")
    mine, other = catalog.get_view(f"{database}.theirs"), java.run("getView", table=f"{database}.ours")
    assert (mine.query, mine.comment, mine.options["k"]) == (query, "c", "v")
    assert [str(each.type) for each in mine.fields] == ["BIGINT", "ARRAY<STRING>"]
    assert other["query"] == query
    catalog.rename_view(f"{database}.theirs", f"{database}.third")
    java.run("renameView", table=f"{database}.ours", to=f"{database}.fourth")
    assert java.run("listViews", database=database) == catalog.list_views(database) == ["fourth", "third"]
    assert catalog.list_tables(database) == catalog.list_other_tables(database) == []
    changed = catalog.alter_view(f"{database}.third", wb.View(mine.fields, "SELECT 1", comment="other"))
    assert java.run("getView", table=f"{database}.third")["query"] == changed.query == "SELECT 1"
    catalog.drop_view(f"{database}.third")
    java.run("dropView", table=f"{database}.fourth")
    assert catalog.list_views(database) == []


def test_a_view_has_no_other_queries_in_dialects_and_is_not_a_table(catalog: wb.Catalog, database: str) -> None:
    with pytest.raises(wb.Unsupported, match="not other queries in dialects"):
        catalog.create_view(f"{database}.v", "SELECT 1", {"id": "INT"}, dialects={"spark": "SELECT 2"})
    # SQL stores the query as the one for Spark, too.
    catalog.create_view(f"{database}.v", "SELECT 1", {"id": "INT"}, dialects={"spark": "SELECT 1"})
    with pytest.raises(wb.TableNotFound, match="is a view"):
        catalog.get_table(f"{database}.v")
    with pytest.raises(wb.AlreadyExists, match="is a view"):
        catalog.create_table(f"{database}.v", {"k": "INT"})


def test_locations_in_properties(
    java_jars: list[Path], metastore: RunningMetastore, options: dict[str, str], database: str
) -> None:
    given = {**options, "location-in-properties": "true"}
    catalog, java = wb.connect(given), JavaCatalog({**given, "cache-enabled": "false"}, java_jars)
    catalog.create_database(database)
    place = f"{metastore.warehouse}/{database}.db"
    stored = metastore.client.call("get_database", database)
    assert stored.parameters["paimon_location"] == f"file:{place}"
    catalog.create_table(f"{database}.ours", {"k": "INT"})
    java.run("createTable", table=f"{database}.theirs", columns=[["k", "INT"]])
    for name in ("ours", "theirs"):
        assert metastore.get(database, name).parameters["paimon_location"] == f"file:{place}/{name}"
        catalog.get_table(f"{database}.{name}").write([{"k": 1}])
        assert java.run("read", table=f"{database}.{name}") == [["1"]]
    catalog.rename_table(f"{database}.ours", f"{database}.renamed")
    assert java.run("read", table=f"{database}.renamed") == [["1"]]
    catalog.drop_database(database, cascade=True)
    assert not Path(place).exists()


def test_a_missing_database_is_named(catalog: wb.Catalog, database: str) -> None:
    missing = f"{database}x"
    for ask in (catalog.list_tables, catalog.list_views, catalog.list_other_tables, catalog.get_database):
        with pytest.raises(wb.DatabaseNotFound, match=missing):
            ask(missing)
    for ask in (catalog.get_table, catalog.get_view, catalog.drop_table):
        with pytest.raises(wb.DatabaseNotFound, match=missing):
            ask(f"{missing}.t")
    with pytest.raises(wb.DatabaseNotFound, match=missing):
        catalog.create_table(f"{missing}.t", {"k": "INT"})
    with pytest.raises(wb.TableNotFound):
        catalog.get_table(f"{database}.t")
