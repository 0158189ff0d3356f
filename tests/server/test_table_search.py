"""The search of tables by columns and comments: what is found, what cannot be read, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.server.server_answers import DATABASE, refused, value_of
from workbench.catalog.filesystem import FileSystemCatalog


async def test_a_search_of_tables(get: Any, lake: FileSystemCatalog) -> None:
    lake.create_table("shop.flights", {"id": "INT", "legs": "ARRAY<ROW<tail INT>>"}, comment="<b>All</b> planes")
    lake.create_table("shop.broken", {"id": "INT"})
    (Path(lake.warehouse) / "shop.db" / "broken" / "schema" / "schema-0").write_text("{")
    result = value_of(await get(*DATABASE, "search", text="TAIL"))
    column = {"place": "column", "column": "legs.element.tail", "text": "legs.element.tail"}
    assert result["found"] == [{"table": "flights", "matches": [column], "count": 1}]
    assert [each["table"] for each in result["unread"]] == ["broken"]
    assert (result["read"], result["total"], result["next"]) == (4, 4, None)
    (found,) = value_of(await get(*DATABASE, "search", text="planes"))["found"]
    assert found["matches"] == [{"place": "table-comment", "column": "", "text": "<b>All</b> planes"}]
    later = value_of(await get(*DATABASE, "search", text="id", cursor="flights"))
    assert ([each["table"] for each in later["found"]], later["read"]) == (["orders"], 1)


async def test_refused_searches(get: Any) -> None:
    refused(await get(*DATABASE, "search"), 400, "invalid_request")
    refused(await get(*DATABASE, "search", text=" "), 400, "invalid_request")
    refused(await get("catalogs", "lake", "databases", "nothing", "search", text="x"), 404, "database_not_found")
    refused(await get("catalogs", "nothing", "databases", "shop", "search", text="x"), 404, "catalog_not_found")
