"""Every address: its answers and its refusals."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.server.server_answers import IMAGE, OF_A_TABLE, ORDERS, SHOP, below, refused, value_of
from workbench.catalog.filesystem import FileSystemCatalog

# --- what is there ------------------------------------------------------------------------------------------------


async def test_the_environment(get: Any) -> None:
    result = value_of(await get("environment"))
    assert (result["version"], result["python"], result["prefix"]) == (wb.__version__, sys.executable, sys.prefix)


async def test_catalogs(get: Any, lake: FileSystemCatalog) -> None:
    expected = {
        "name": "lake",
        "warehouse": lake.warehouse,
        "metastore": "filesystem",
        "kind": "Directory or bucket",
        "address": lake.warehouse,
        "options": [{"key": "warehouse", "value": lake.warehouse}],
        "origin": "user",
        "read_only": False,
    }
    (found,) = (each for each in value_of(await get("catalogs"))["items"] if each["name"] == "lake")
    assert expected == found


async def test_databases_and_tables(get: Any, lake: FileSystemCatalog) -> None:
    lake.create_database("archive")
    result = value_of(await get("catalogs", "lake", "databases"))
    assert result == {"items": [{"name": "archive"}, {"name": "shop"}], "next": None, "total": 2, "listed": 2}
    assert value_of(await get(*SHOP))["items"] == [{"name": "empty"}, {"name": "orders"}]
    assert value_of(await get(*SHOP, search="ORD"))["items"] == [{"name": "orders"}]
    assert value_of(await get("catalogs", "lake", "databases", "archive", "tables"))["total"] == 0


async def test_pages_of_tables(get: Any, lake: FileSystemCatalog) -> None:
    for number in range(5):
        lake.create_table(f"shop.t{number}", {"id": "INT"})
    names, cursor = [], None
    while True:
        page = value_of(await get(*SHOP, limit=3, **({"cursor": cursor} if cursor else {})))
        assert page["total"] == 7
        assert len(page["items"]) <= 3
        names += [each["name"] for each in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert names == ["empty", "orders", "t0", "t1", "t2", "t3", "t4"]


async def test_a_table(get: Any, lake: FileSystemCatalog) -> None:
    result = value_of(await get(*ORDERS))
    assert result["table"] == "shop.orders"
    assert result["location"] == lake.get_table("shop.orders").location
    assert (result["snapshot"], result["latest_snapshot"], result["earliest_snapshot"]) == ("2", "2", "1")
    assert (result["primary_key"], result["kind"]) == (["id"], "primary-key")
    assert (result["contents"]["stored_rows"], result["contents"]["count"]) == ("21", None)
    earlier = value_of(await get(*ORDERS, snapshot=1))
    assert (earlier["snapshot"], earlier["latest_snapshot"]) == ("1", "2")
    assert earlier["contents"]["count"] == {"rows": "20", "exact": True, "stored": "20"}
    never = value_of(await get(*SHOP, "empty"))
    assert (never["snapshot"], never["contents"]["files"], never["kind"]) == (None, "0", "append")


async def test_a_schema(get: Any) -> None:
    result = value_of(await get(*ORDERS, "schema"))
    assert result["current"] == "0"
    assert [field["name"] for field in result["versions"][0]["fields"]] == ["id", "item", "day"]
    assert result == value_of(await get(*ORDERS, "schema", snapshot=1))


async def test_a_timeline_and_its_pages(get: Any) -> None:
    result = value_of(await get(*ORDERS, "timeline"))
    assert [each["id"] for each in result["snapshots"]] == ["2", "1"]
    assert (result["total"], result["next"], result["tags"]) == (2, None, [])
    first = value_of(await get(*ORDERS, "timeline", limit=1))
    second = value_of(await get(*ORDERS, "timeline", limit=1, cursor=first["next"]))
    assert first["snapshots"] + second["snapshots"] == result["snapshots"]
    assert second["next"] is None


async def test_a_history_and_its_parts(get: Any) -> None:
    result = value_of(await get(*ORDERS, "history"))
    assert (result["first"], result["last"], result["total"], result["complete"]) == ("1", "2", "2", True)
    assert (result["bins"]["ids"], result["bins"]["rows"]) == (["1", "2"], ["20", "21"])
    assert value_of(await get(*ORDERS, "history", bins=1))["bins"]["appends"] == [2]
    part = value_of(await get(*ORDERS, "history", start=2, end=2))
    assert (part["bins"]["ids"], part["total"], part["first"]) == (["2"], "1", "1")
    assert value_of(await get(*SHOP, "empty", "history"))["bins"]["ids"] == []
    refused(await get(*ORDERS, "history", start="x"), 400, "invalid_request")
    refused(await get(*ORDERS, "history", bins=1001), 400, "invalid_request")


async def test_snapshots_of_a_range(get: Any) -> None:
    timeline = value_of(await get(*ORDERS, "timeline"))
    assert value_of(await get(*ORDERS, "snapshots", start=1, end=2))["snapshots"] == timeline["snapshots"]
    assert value_of(await get(*ORDERS, "snapshots", start=2, end=1))["snapshots"] == []
    refused(await get(*ORDERS, "snapshots", start=1), 400, "invalid_request")
    refused(await get(*ORDERS, "snapshots", start=1, end="9" * 19), 400, "invalid_request")


async def test_a_search_of_snapshots(get: Any) -> None:
    result = value_of(await get(*ORDERS, "search", text="append"))
    assert ([each["id"] for each in result["hits"]], result["found"]) == (["2", "1"], 2)
    assert (result["read"], result["total"]) == ("2", "2")
    assert value_of(await get(*ORDERS, "search", text="1"))["hits"][0]["id"] == "1"
    refused(await get(*ORDERS, "search"), 400, "invalid_request")
    refused(await get(*ORDERS, "search", text="x" * 2000), 400, "invalid_request")


async def test_levels_and_their_pages(get: Any) -> None:
    result = value_of(await get(*ORDERS, "levels"))
    assert (result["snapshot"], result["keys"], result["total"]) == ("2", ["id"], 2)
    assert sum(int(bucket["rows"]) for bucket in result["buckets"]) == 21
    first = value_of(await get(*ORDERS, "levels", limit=1))
    second = value_of(await get(*ORDERS, "levels", limit=1, cursor=first["next"], bucket=":1"))
    assert first["buckets"] + second["buckets"] == result["buckets"]
    assert (second["next"], second["bucket"]["id"]) == (None, ":1")
    assert sum(int(each["rows"]) for each in value_of(await get(*ORDERS, "levels", snapshot=1))["buckets"]) == 20


async def test_compactions_and_what_is_known_of_them(get: Any, lake: FileSystemCatalog) -> None:
    orders = lake.get_table("shop.orders")
    assert value_of(await get(*ORDERS, "compactions"))["compactions"] == []
    orders.compact(full=True)
    newest = orders.version
    result = value_of(await get(*ORDERS, "compactions"))
    assert {each["rule"] for each in result["compactions"]} == {"full"}
    story = value_of(await get(*ORDERS, "compactions", str(newest.id), bucket=result["compactions"][0]["bucket_id"]))
    assert story["compaction"] == result["compactions"][0]
    replay = value_of(await get(*ORDERS, "compaction-replay", bucket=":0"))["replay"]
    assert replay["steps"][-1]["snapshot"] == str(newest.id)
    costs = value_of(await get(*ORDERS, "compaction-costs"))
    assert costs["costs"]["ids"] == ["1", "2", "3"]
    assert len(json.loads(costs["figure"])["data"]) == 4
    empty = (*SHOP, "empty")
    assert value_of(await get(*empty, "compactions"))["last"] is None
    assert value_of(await get(*empty, "compaction-replay"))["replay"] is None
    refused(await get(*ORDERS, "compactions", "1"), 400, "invalid_request")
    refused(await get(*ORDERS, "compactions", cursor="x"), 400, "invalid_request")


async def test_a_tag_is_a_version(get: Any, lake: FileSystemCatalog) -> None:
    table = lake.get_table("shop.orders")
    name = "v 1-ä"
    (Path(table.location) / "tag").mkdir()
    shutil.copy(Path(table.location) / "snapshot" / "snapshot-1", Path(table.location) / "tag" / f"tag-{name}")
    assert value_of(await get(*ORDERS, tag=name))["contents"]["stored_rows"] == "20"
    assert value_of(await get(*ORDERS, "levels", tag=name))["snapshot"] == "1"
    assert value_of(await get(*ORDERS, "schema", tag=name))["current"] == "0"
    assert value_of(await get(*ORDERS, "timeline"))["tags"][0]["name"] == name


async def test_the_statement_that_creates_a_table(get: Any, lake: FileSystemCatalog) -> None:
    lake.create_table(
        "shop.made",
        {"id": "BIGINT NOT NULL", "day": "DATE"},
        primary_key=["day", "id"],
        partition_by="day",
        options={"bucket": "2", "team.password": "secret"},
        comment="It's made",
    )
    statement = value_of(await get(*SHOP, "made", "definition"))["statement"]
    assert statement.startswith("CREATE TABLE shop.made (\n  id BIGINT NOT NULL,")
    for part in ("PARTITIONED BY (day)", "'bucket' = '2'", "'primary-key' = 'day,id'", "'team.password' = '***'"):
        assert part in statement
    assert "secret" not in statement


async def test_table_names_may_contain_any_character(get: Any, lake: FileSystemCatalog) -> None:
    orders = Path(lake.get_table("shop.orders").location)
    for name in [IMAGE, "a b", " a ", "ünï.cødé", "t%2Fx", "`q`", "50%", "x$y", "🐟"]:
        shutil.copytree(orders, orders.parent / name)
        assert {"name": name} in value_of(await get(*SHOP))["items"]
        for resource in OF_A_TABLE:
            value = value_of(await get(*below(name, resource)))
            assert value.get("table", f"shop.{name}") == f"shop.{name}"


async def test_database_names_may_contain_any_character(get: Any, lake: FileSystemCatalog) -> None:
    shop = Path(lake.get_table("shop.orders").location).parent
    for name in [IMAGE, "a.b", "a b"]:
        shutil.copytree(shop, shop.parent / f"{name}.db")
        assert {"name": name} in value_of(await get("catalogs", "lake", "databases"))["items"]
        assert (
            value_of(await get("catalogs", "lake", "databases", name, "tables", "orders"))["table"] == f"{name}.orders"
        )


async def test_a_broken_table_does_not_affect_good_ones(get: Any, lake: FileSystemCatalog) -> None:
    (Path(lake.get_table("shop.empty").location) / "schema" / "schema-0").write_text("{")
    assert value_of(await get(*SHOP))["total"] == 2
    for resource in OF_A_TABLE:
        assert "schema-0" in refused(await get(*below("empty", resource)), 422, "corrupt_file")["message"]
        value_of(await get(*below("orders", resource)))


# --- what is not --------------------------------------------------------------------------------------------------


async def test_names_that_nothing_has(get: Any) -> None:
    assert "'lake'" in refused(await get("catalogs", "lak", "databases"), 404, "catalog_not_found")["hint"]
    of_another = await get("catalogs", "lake", "databases", "shp", "tables")
    assert "'shop'" in refused(of_another, 404, "database_not_found")["hint"]
    for resource in OF_A_TABLE:
        assert "'orders'" in refused(await get(*below("order", resource)), 404, "table_not_found")["hint"]
        refused(await get("catalogs", "x", *below("order", resource)[2:]), 404, "catalog_not_found")
    refused(await get(*SHOP, "orders$snapshots"), 404, "table_not_found")


@pytest.mark.parametrize("resource", ["", "schema", "levels"])
async def test_versions_that_nothing_has(get: Any, resource: str) -> None:
    assert "1 to 2" in refused(await get(*below("orders", resource), snapshot=99), 404, "snapshot_not_found")["hint"]
    refused(await get(*below("orders", resource), tag="v9"), 404, "snapshot_not_found")
    refused(await get(*below("orders", resource), snapshot=0), 404, "snapshot_not_found")


async def test_addresses_that_nothing_has(get: Any) -> None:
    for path in ["", "nothing", "catalogs/lake/tables", f"{'/'.join(ORDERS)}/cells", f"{'/'.join(ORDERS)}/"]:
        refused(await get(path=path), 404, "not_found")


async def test_methods_that_nothing_has(get: Any) -> None:
    refused(await get(*ORDERS, method="POST", body={}), 405, "method_not_allowed")
    refused(await get(*ORDERS, method="DELETE"), 405, "method_not_allowed")
    refused(await get("catalogs", "lake"), 405, "method_not_allowed")


async def test_a_warehouse_that_went_away(get: Any, lake: FileSystemCatalog) -> None:
    value_of(await get(*SHOP))
    shutil.rmtree(lake.warehouse)
    refused(await get("catalogs", "lake", "databases"), 422, "catalog_error")
    refused(await get(*ORDERS), 404, "database_not_found")


async def test_a_store_that_fails(get: Any, lake: FileSystemCatalog) -> None:
    # Reading the beginning of this file is an I/O error.
    snapshot = Path(lake.get_table("shop.orders").location, "snapshot", "snapshot-2")
    snapshot.unlink()
    snapshot.symlink_to("/proc/self/mem")
    assert "Input/output error" in refused(await get(*ORDERS), 503, "storage_error")["message"]


async def test_a_broken_catalog_file(get: Any, catalog_file: Path) -> None:
    catalog_file.write_text("[lake")
    assert str(catalog_file) in refused(await get("catalogs"), 422, "catalog_error")["message"]
