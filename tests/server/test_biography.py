"""The biography of a row, as the server answers it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.server.server_answers import ORDERS, value_of

BIOGRAPHY = (*ORDERS, "biography")


async def test_the_life_of_a_row(get: Any) -> None:
    rows = value_of(await get(*ORDERS, "rows", where="id = 3"))
    roles = {column["name"]: column["role"] for column in rows["columns"]}
    key = {
        column["name"]: text
        for column, text in zip(rows["columns"], rows["rows"][0], strict=True)
        if "primary key" in roles[column["name"]]
    }
    value = value_of(await get(*BIOGRAPHY, key=json.dumps(key)))
    assert (value["state"], value["agrees"], value["complete"]) == ("present", True, True)
    assert [field["value"] for field in value["fields"]] == rows["rows"][0]
    assert value["versions"][-1]["position"].isdecimal()
    older = value_of(await get(*BIOGRAPHY, key=json.dumps(key), snapshot=1))
    assert older["snapshot"] == "1"
    assert len(older["versions"]) < len(value["versions"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "is identified by its primary key"),
        ({"key": "5"}, "must be a JSON object"),
        ({"key": "{"}, "not valid JSON"),
        ({"key": '{"nothing": "1"}'}, "not a column of the primary key"),
        ({"key": '{"id": "' + "x" * 1001 + '"}'}, "too long"),
    ],
)
async def test_a_wrong_key_is_refused(get: Any, given: dict[str, str], message: str) -> None:
    response = await get(*BIOGRAPHY, **given)
    assert response.code == 400
    assert message in response.body.decode()
