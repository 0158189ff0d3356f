"""The explanation of a read, and requests that are refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.server_answers import ORDERS, value_of

EXPLAIN = (*ORDERS, "explain")


async def test_a_read(get: Any) -> None:
    value = value_of(await get(*EXPLAIN, where="id = 3"))
    assert (value["where"], value["snapshot"], value["run"]) == ("id = 3", "2", None)
    steps = {step["name"]: step for step in value["steps"]}
    assert steps["all"]["files"] == steps["value range"]["files"] + sum(
        step["excluded_files"] for name, step in steps.items() if name != "row group"
    )
    assert isinstance(steps["all"]["size"], str)
    assert value_of(await get(*EXPLAIN, snapshot=1))["snapshot"] == "1"


async def test_a_run(get: Any) -> None:
    value = value_of(await get(*EXPLAIN, where="id = 3", run="true", footers="true"))
    assert value["run"]["rows"] == "1"
    assert value["steps"][-1]["rows"] == "1"


async def test_the_files_of_a_step(get: Any) -> None:
    value = value_of(await get(*EXPLAIN, where="day = '2026-11-02'", step="partition", limit=1))
    assert all(len(step["listed"]) <= 1 for step in value["steps"] if step["name"] == "partition")


@pytest.mark.parametrize(
    ("given", "status", "code"),
    [
        ({"where": "id >"}, 422, "invalid_expression"),
        ({"run": "yes"}, 400, "invalid_request"),
        ({"limit": "0"}, 400, "invalid_request"),
    ],
)
async def test_refused_requests(get: Any, given: dict[str, str], status: int, code: str) -> None:
    response = await get(*EXPLAIN, **given)
    assert response.code == status, response.body
    assert code in response.body.decode()
