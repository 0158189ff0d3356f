"""An endpoint that another package registers: routed, parsed, read by the worker, and part of the contract."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.server_answers import ORDERS, refused, value_of
from workbench.server import typescript
from workbench.server.registry import ENDPOINTS, register

MODULE = '''
"""Counts the columns of a table."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.lens.wire import Int64
from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.parameters import Limit
from workbench.server.registry import register
from workbench.server.requests import VersionRequest


@dataclass(frozen=True)
class WidthRequest(VersionRequest):
    """How wide a table is."""

    limit: Limit = 7


@dataclass(frozen=True)
class WidthValue:
    """The number of columns."""

    table: str
    columns: Int64
    limit: int


def read(request, catalogs):
    from workbench.server.entity_tags import schema_facts

    table = catalogs.version(request)
    value = WidthValue(table.name, len(table.schema.fields), request.limit)
    return Reading(lambda: value, (schema_facts(table),))


register(Endpoint("width", f"{TABLE}/width", WidthRequest, lambda: WidthValue, read))
'''


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A server whose configuration names the module; its worker finds it where Python finds any other."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "paimon_width.py").write_text(MODULE)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    before = dict(ENDPOINTS)
    yield {"endpoint_modules": ["paimon_width"]}
    ENDPOINTS.clear()
    ENDPOINTS.update(before)
    sys.modules.pop("paimon_width", None)


async def test_it_is_answered_like_any_other(get: Any, jp_auth_header: dict[str, str]) -> None:
    response = await get(*ORDERS, "width", snapshot=1, limit=3)
    assert value_of(response) == {"table": "shop.orders", "columns": "3", "limit": 3}
    assert value_of(await get(*ORDERS, "width"))["limit"] == 7
    headers = {**jp_auth_header, "If-None-Match": response.headers["Etag"]}
    assert (await get(*ORDERS, "width", snapshot=1, limit=3, headers=headers)).code == 304


async def test_it_is_checked_like_any_other(get: Any) -> None:
    refused(await get(*ORDERS, "width", limit=0), 400, "invalid_request")
    refused(await get(*ORDERS, "width", rows=1), 400, "invalid_request")
    refused(await get(*ORDERS, "width", snapshot=1, tag="v1"), 400, "invalid_request")
    refused(await get(*ORDERS, "width", snapshot=99), 404, "snapshot_not_found")
    refused(await get(*ORDERS, "width", headers={"X": "unknown"}), 403, "forbidden")
    refused(await get(*ORDERS, "width", method="POST", body={}), 405, "method_not_allowed")


async def test_it_is_in_the_contract(get: Any) -> None:
    value_of(await get("environment"))
    text = typescript.contract_text()
    assert "  width: WidthRequest;" in text
    assert "  width: WidthValue;" in text
    assert "    path: 'catalogs/{catalog}/databases/{database}/tables/{table}/width'" in text


async def test_names_and_paths_are_unique(get: Any) -> None:
    value_of(await get("environment"))
    with pytest.raises(ValueError, match="'levels' conflicts with the registered endpoint 'levels'"):
        register(ENDPOINTS["levels"])
