"""Requests that are refused: invalid values, hostile names, and clients that may not ask."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.server.server_answers import IMAGE, OF_A_TABLE, ORDERS, ROUTES, SHOP, below, refused, value_of

# --- invalid requests -----------------------------------------------------------------------------------------


async def test_limits(get: Any) -> None:
    for limit in ["0", "-1", "1001", "ten", "", "1.5", "٣", "9" * 30, "1 OR 1=1"]:
        for route in [SHOP, ("catalogs", "lake", "databases"), (*ORDERS, "timeline"), (*ORDERS, "levels")]:
            refused(await get(*route, limit=limit), 400, "invalid_request")


async def test_the_greatest_limit(get: Any) -> None:
    assert value_of(await get(*SHOP, limit=1000))["total"] == 2


async def test_snapshots(get: Any) -> None:
    for snapshot in ["", "one", "-1", "1e3", "0x1", "1;2", "9" * 20, "../1"]:
        for resource in ["", "schema", "levels"]:
            refused(await get(*below("orders", resource), snapshot=snapshot), 400, "invalid_request")


async def test_other_parameters(get: Any) -> None:
    refused(await get(*ORDERS, snapshot=1, tag="v1"), 400, "invalid_request")
    refused(await get(*ORDERS, "levels", bucket="../x"), 400, "invalid_request")
    refused(await get(*ORDERS, "levels", bucket="zz:0"), 400, "invalid_request")
    refused(await get(*ORDERS, "levels", cursor="x"), 400, "invalid_request")
    refused(await get(*ORDERS, "timeline", cursor="x"), 400, "invalid_request")
    refused(await get(*SHOP, search="x" * 2000), 400, "invalid_request")
    for route in ROUTES:
        error = refused(await get(*route, snapshto=1), 400, "invalid_request")
        assert "'snapshto'" in error["message"]


async def test_a_tag_never_becomes_a_path(get: Any) -> None:
    refused(await get(*ORDERS, tag="/../../snapshot/snapshot-1"), 404, "snapshot_not_found")


async def test_the_mark_of_jupyterlab_against_caches(get: Any) -> None:
    """The time that JupyterLab adds to every address, a parameter without a value, is ignored."""
    assert value_of(await get(path="catalogs/lake/databases?1795289182525"))["total"] == 1
    assert value_of(await get(path="catalogs/lake/databases?limit=5&1795289182525"))["total"] == 1


HOSTILE = [
    "..",
    ".",
    "%2E%2E",
    "..%2F..%2Fetc",
    "%2Fetc%2Fpasswd",
    "a%2Fb",
    "a%5Cb",
    "..%5C..",
    "a%00b",
    "%00",
    "%0A",
    "a%0D%0AX-Evil:%201",
    "%20",
    "x" * 3000,
    "%F0%9F%92%A9" * 300,
    "%E2%80%AE",
]


async def test_hostile_names(get: Any) -> None:
    for name in HOSTILE:
        for path in [
            f"catalogs/{name}/databases",
            f"catalogs/lake/databases/{name}/tables",
            f"catalogs/lake/databases/{name}/tables/orders",
            *(f"catalogs/lake/databases/shop/tables/{'/'.join([name, each]).rstrip('/')}" for each in OF_A_TABLE),
        ]:
            response = await get(path=path)
            assert response.code in (400, 404), (path[:80], response.code)
            assert set(json.loads(response.body)) == {"code", "message", "hint", "file"}
            assert "X-Evil" not in response.headers
            assert "root:" not in response.body.decode()


async def test_a_name_with_markup_is_returned_as_json(get: Any) -> None:
    response = await get(*SHOP, IMAGE)
    assert IMAGE in refused(response, 404, "table_not_found")["message"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]


async def test_bytes_that_are_not_text(get: Any) -> None:
    refused(await get(path="catalogs/%FF/databases"), 400, "bad_request")
    refused(await get(path="catalogs/lake/databases?search=%FF"), 400, "bad_request")


# --- who may ask --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers", [{"X": "unknown"}, {"Authorization": "token wrong"}], ids=["unknown user", "wrong token"]
)
async def test_answers_require_a_login(get: Any, workbench: Any, headers: dict[str, str]) -> None:
    for route in [*ROUTES, ("nothing",)]:
        error = refused(await get(*route, headers=headers), 403, "forbidden")
        assert "token" in error["hint"]
    refused(await get("catalogs", method="POST", body={}, headers=headers), 403, "forbidden")
    refused(await get("catalogs", "lake", method="DELETE", headers=headers), 403, "forbidden")
    assert workbench.worker.pid is None, "a request without credentials reached the worker"


async def test_another_site_gets_no_answer(get: Any) -> None:
    """A page of another origin has the user's cookie but not the token."""
    refused(await get("catalogs", headers={"Origin": "https://evil.example", "Cookie": "x=y"}), 403, "forbidden")


async def test_credentials_are_not_sent(get: Any, catalog_file: Path) -> None:
    secret = "s3cr3t"
    with catalog_file.open("a") as file:
        file.write(f's3.secret-key = "{secret}"\nfsspec.connection_string = "AccountKey={secret}"\n')
        file.write(f'[far]\nwarehouse = "s3://user:{secret}@lake/wh"\ns3.secret-key = "{secret}"\n')
    response = await get("catalogs")
    assert {"far", "lake"} <= {each["name"] for each in value_of(response)["items"]}
    for route in ROUTES:
        response = await get(*route, **({"text": "pen"} if route[-1] == "search" else {}))
        assert (response.code, secret in response.body.decode()) == (200, False)
