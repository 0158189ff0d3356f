"""A client whose answer is still valid gets no new one, and nothing is read for it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.server.server_answers import ORDERS, SHOP, manifest_gate, value_of
from workbench.catalog.filesystem import FileSystemCatalog

RESOURCES = ["", "schema", "timeline", "levels", "rows", "columns", "count"]


def of_orders(resource: str) -> tuple[str, ...]:
    return (*ORDERS, *([resource] if resource else []))


@pytest.fixture
def again(get: Any, jp_auth_header: dict[str, str]) -> Any:
    async def fetch(*names: str, tag: str, **parameters: Any) -> Any:
        return await get(*names, headers={**jp_auth_header, "If-None-Match": tag}, **parameters)

    return fetch


def write(lake: FileSystemCatalog) -> None:
    lake.get_table("shop.orders").write([{"id": 99, "item": "new", "day": "2026-11-03"}])


@pytest.mark.parametrize("resource", RESOURCES)
async def test_nothing_changed(get: Any, again: Any, resource: str) -> None:
    first = await get(*of_orders(resource))
    tag = first.headers["Etag"]
    for known in [tag, f"W/{tag}", f'"other", {tag}']:
        response = await again(*of_orders(resource), tag=known)
        assert (response.code, response.body, response.headers["Etag"]) == (304, b"", tag)
    assert (await again(*of_orders(resource), tag='"other"')).body == first.body


@pytest.mark.parametrize("resource", ["", "timeline", "levels"])
async def test_a_new_snapshot_changes_it(get: Any, again: Any, lake: FileSystemCatalog, resource: str) -> None:
    first = await get(*of_orders(resource))
    write(lake)
    second = await again(*of_orders(resource), tag=first.headers["Etag"])
    assert value_of(second) != value_of(first)
    assert second.headers["Etag"] != first.headers["Etag"]


async def test_a_fixed_version_keeps_its_tag(get: Any, again: Any, lake: FileSystemCatalog) -> None:
    levels = (await get(*ORDERS, "levels", snapshot=1)).headers["Etag"]
    summary = (await get(*ORDERS, snapshot=1)).headers["Etag"]
    write(lake)
    assert (await again(*ORDERS, "levels", tag=levels, snapshot=1)).code == 304
    # The summary of an old version also says which one is the newest.
    assert value_of(await again(*ORDERS, tag=summary, snapshot=1))["latest_snapshot"] == "3"


async def test_a_new_tag_changes_the_timeline(get: Any, again: Any, lake: FileSystemCatalog) -> None:
    known = (await get(*ORDERS, "timeline")).headers["Etag"]
    position = Path(lake.get_table("shop.orders").location)
    (position / "tag").mkdir()
    shutil.copy(position / "snapshot" / "snapshot-1", position / "tag" / "tag-v1")
    assert value_of(await again(*ORDERS, "timeline", tag=known))["tags"][0]["name"] == "v1"


async def test_an_expired_snapshot_changes_the_timeline(get: Any, again: Any, lake: FileSystemCatalog) -> None:
    known = (await get(*ORDERS, "timeline")).headers["Etag"]
    position = Path(lake.get_table("shop.orders").location) / "snapshot"
    (position / "snapshot-1").unlink()
    (position / "EARLIEST").write_text("2")
    assert value_of(await again(*ORDERS, "timeline", tag=known))["total"] == 1


async def test_a_table_of_the_same_name_is_another(get: Any, again: Any, lake: FileSystemCatalog) -> None:
    tags = {resource: (await get(*of_orders(resource))).headers["Etag"] for resource in RESOURCES}
    lake.drop_table("shop.orders")
    table = lake.create_table("shop.orders", {"id": "BIGINT NOT NULL"}, primary_key=["id"], options={"bucket": "2"})
    table.write([{"id": 1}])
    table.write([{"id": 2}])
    for resource, tag in tags.items():
        value_of(await again(*of_orders(resource), tag=tag))


async def test_unchanged_answers_are_not_read(get: Any, again: Any, workbench: Any, lake: FileSystemCatalog) -> None:
    """A request is answered even if the worker has no cached state and would wait for the manifests forever."""
    known = (await get(*ORDERS, "levels")).headers["Etag"]
    await workbench.worker.stop()
    manifest_gate(lake, "orders")
    assert (await again(*ORDERS, "levels", tag=known, timeout=10)).code == 304


async def test_lists_have_a_tag_by_content(get: Any, again: Any, lake: FileSystemCatalog) -> None:
    known = (await get(*SHOP)).headers["Etag"]
    assert (await again(*SHOP, tag=known)).code == 304
    lake.create_table("shop.more", {"id": "INT"})
    assert value_of(await again(*SHOP, tag=known))["total"] == 3


async def test_damage_is_not_kept(get: Any, again: Any, lake: FileSystemCatalog) -> None:
    """A repaired file is read again, although the facts that the entity tag covers are the same."""
    orders = lake.get_table("shop.orders")
    manifest = Path(orders.store.path("manifest", orders.snapshot().delta_manifest_list))
    kept = manifest.read_bytes()
    manifest.write_bytes(b"garbage")
    tags = {resource: (await get(*of_orders(resource))).headers["Etag"] for resource in ("", "timeline")}
    assert value_of(await get(*ORDERS))["damage"]["code"] == "corrupt_file"
    manifest.write_bytes(kept)
    assert value_of(await again(*ORDERS, tag=tags[""]))["damage"] is None
    snapshots = value_of(await again(*of_orders("timeline"), tag=tags["timeline"]))["snapshots"]
    assert all(each["figures"] for each in snapshots)
