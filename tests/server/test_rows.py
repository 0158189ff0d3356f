"""Pages of rows, their columns, how many there are, and which version can be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.server.server_answers import ORDERS, refused, value_of
from workbench.base.errors import Cancelled
from workbench.base.progress import Progress
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.server.catalog_cache import CatalogCache, OpenCatalogs
from workbench.server.endpoints.rows import RowsRequest
from workbench.server.registry import ENDPOINTS

ROWS = (*ORDERS, "rows")


async def test_a_page_of_rows(get: Any) -> None:
    page = value_of(await get(*ROWS, limit=3))
    assert [column["name"] for column in page["columns"]] == ["id", "item", "day"]
    assert (len(page["rows"]), page["state"], page["snapshot"]) == (3, "more", "2")
    rest = value_of(await get(*ROWS, start=18))
    assert (len(rest["rows"]), rest["state"]) == (2, "end")


async def test_a_filter_and_a_version(get: Any) -> None:
    assert value_of(await get(*ROWS, where="id = 3"))["rows"] == [["3", "another", "2026-11-02"]]
    assert value_of(await get(*ROWS, where="id = 3", snapshot=1))["rows"] == [["3", "item 3", "2026-11-01"]]


@pytest.mark.parametrize(
    ("given", "status", "code"),
    [
        ({"where": "id >"}, 422, "invalid_expression"),
        ({"where": "nothing = 1"}, 422, "schema_mismatch"),
        ({"where": "x" * 1001}, 400, "invalid_request"),
        ({"start": "-1"}, 400, "invalid_request"),
        ({"start": "10000"}, 400, "invalid_request"),
        ({"limit": "0"}, 400, "invalid_request"),
        ({"limit": "1001"}, 400, "invalid_request"),
    ],
)
async def test_refused_requests(get: Any, given: dict[str, str], status: int, code: str) -> None:
    response = await get(*ROWS, **given)
    assert response.code == status, response.body
    if code != "schema_mismatch":
        refused(response, status, code)


async def test_the_number_of_rows(get: Any) -> None:
    count = (*ORDERS, "count")
    assert value_of(await get(*count)) == {"rows": "20", "exact": False, "stored": "21"}
    assert value_of(await get(*count, exact="true")) == {"rows": "20", "exact": True, "stored": "21"}
    assert value_of(await get(*count, snapshot=1)) == {"rows": "20", "exact": True, "stored": "20"}
    refused(await get(*count, exact="yes"), 400, "invalid_request")


async def test_statistics_of_columns(get: Any) -> None:
    number, *_ = value_of(await get(*ORDERS, "columns"))["columns"]
    assert number == {"name": "id", "null_share": 0.0, "minimum": "0", "maximum": "19"}


async def test_the_version_that_can_be_read(get: Any, lake: FileSystemCatalog) -> None:
    readable = (*ORDERS, "readable")
    assert value_of(await get(*readable)) == {"snapshot": "2", "damaged": None}
    orders = lake.get_table("shop.orders")
    path = Path(orders.location, "snapshot", "snapshot-2")
    path.write_text("{ no snapshot")
    refused(await get(*ORDERS), 422, "corrupt_file")
    assert json.loads((await get(*ORDERS)).body)["file"] == f"{path}"
    assert value_of(await get(*readable)) == {"snapshot": "1", "damaged": None}
    assert value_of(await get(*readable, snapshot=2, damaged=f"{path}")) == {
        "snapshot": "1",
        "damaged": {"path": f"{path}", "expected_bytes": None, "found_bytes": "13"},
    }
    assert value_of(await get(*readable, snapshot=1)) == {"snapshot": None, "damaged": None}


def test_a_request_that_is_cancelled_stops_reading(lake: FileSystemCatalog) -> None:
    progress = Progress()
    catalogs = OpenCatalogs(CatalogCache(), {"lake": {"warehouse": lake.warehouse}}, progress)
    assert ENDPOINTS["rows"].read is not None
    reading = ENDPOINTS["rows"].read(RowsRequest("lake", "shop", "orders"), catalogs)
    progress.cancel()
    with pytest.raises(Cancelled):
        reading.collect()
