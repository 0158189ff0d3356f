"""The endpoint of a table's health."""

from __future__ import annotations

from typing import Any

from tests.server.server_answers import ORDERS, value_of


async def test_health_of_a_table(get: Any) -> None:
    value = value_of(await get(*ORDERS, "health"))
    assert value["table"] == "shop.orders"
    assert value["condition"] in ("good", "notice", "attention", "poor")
    assert not value["storage"]
    assert {each["check"] for each in value["checked"]} > {"sorted-runs", "options", "missing-files"}
    listed = value_of(await get(*ORDERS, "health", storage="true"))
    assert listed["storage"]
    assert "exist" in next(each["text"] for each in listed["checked"] if each["check"] == "missing-files")


async def test_health_of_a_version(get: Any) -> None:
    assert value_of(await get(*ORDERS, "health", snapshot=1))["snapshot"] == "1"
