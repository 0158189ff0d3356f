"""Catalogs of a registered kind: its form, tests of a connection, what its databases have, and planted secrets."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tornado.simple_httpclient import HTTPTimeoutError

from tests.server.server_answers import refused, value_of
from tests.support.toy_service import LONG_NAME, PASSWORD, VARIABLE
from workbench.server.worker import READ_THREADS

TOYS = ("catalogs", "toys", "databases", "toys")
TYPED = "typ3d-and-wrong"


@pytest.fixture
def settings() -> dict[str, Any]:
    return {"endpoint_modules": ["tests.support.toy_service"]}


@pytest.fixture
def service(tmp_path: Path) -> Path:
    """The file that exists while the service runs."""
    return tmp_path / "service"


@pytest.fixture
def options(service: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv(VARIABLE, PASSWORD)
    return {
        "metastore": "toy-service",
        "uri": f"toy:{service}",
        "warehouse": str(tmp_path / "toys"),
        "password": f"${{env:{VARIABLE}}}",
    }


@pytest.fixture
def try_out(get: Any) -> Callable[..., Any]:
    """Test a connection; the answer, regardless of its status."""

    async def ask(options: dict[str, str], **parameters: Any) -> Any:
        return await get("connection", method="POST", body={"options": options}, **parameters)

    return ask


async def test_the_kinds_have_forms(get: Any, catalog_file: Path) -> None:
    kinds = value_of(await get("catalog-kinds"))
    assert kinds["file"] == str(catalog_file)
    by_name = {each["metastore"]: each for each in kinds["items"]}
    assert by_name["filesystem"]["options"][0]["required"]
    toy = by_name["toy-service"]
    assert [each["name"] for each in toy["options"]] == ["uri", "warehouse", "password", "mode"]
    assert (toy["title"], toy["options"][2]["secret"], toy["options"][3]["choices"]) == (
        "Toy service",
        True,
        ["fast", "careful"],
    )


async def test_a_connection_is_tried_out(get: Any, try_out: Any, options: dict[str, str], service: Path) -> None:
    down = refused(await try_out(options), 422, "catalog_error")
    assert down["message"] == f"The service {options['uri']} does not answer (password=***)."
    assert down["hint"] == "Start the service."
    service.write_text("")
    assert value_of(await try_out(options)) == {"address": options["uri"], "databases": 1}
    missing = refused(await try_out({**options, "uri": ""}), 422, "catalog_error")
    assert missing["message"] == "The option 'uri' is missing."
    unset = refused(await try_out({**options, "password": "${env:NOT_SET}"}), 422, "catalog_error")
    assert "'NOT_SET', which is not set" in unset["message"]
    wrong = refused(await try_out({**options, "password": TYPED}), 422, "catalog_error")
    assert wrong["message"] == "The service refused the password ***."
    assert [each["name"] for each in value_of(await get("catalogs"))["items"]] == ["lake"]


async def test_silent_services_occupy_no_thread(
    get: Any, workbench: Any, try_out: Any, options: dict[str, str], service: Path
) -> None:
    service.write_text("slow")
    value_of(await get("catalogs"))
    worker = workbench.worker.pid
    # As many requests as the worker has threads; all clients leave.
    asked = [try_out(options, timeout=0.5) for _ in range(READ_THREADS)]
    gone = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(each) for each in gone} == {HTTPTimeoutError}
    assert value_of(await get("catalogs", timeout=10))["items"]
    assert workbench.worker.pid == worker


async def add(get: Any, options: dict[str, str], remember: bool = False) -> Any:
    return await get("catalogs", method="POST", body={"name": "toys", "options": options, "remember": remember})


async def test_a_catalog_fails_and_comes_back(get: Any, options: dict[str, str], service: Path) -> None:
    refused(await add(get, options), 422, "catalog_error")
    service.write_text("")
    added = value_of(await add(get, options), 201)
    assert (added["kind"], added["address"]) == ("Toy service", options["uri"])
    assert {each["key"]: each["value"] for each in added["options"]} == options
    service.unlink()
    refused(await get(*TOYS, "tables"), 422, "catalog_error")
    service.write_text("")
    page = value_of(await get(*TOYS, "tables"))
    assert [each["name"] for each in page["items"]] == ["dolls"]
    assert page["entries"] == {
        "views": {"names": ["cheap"], "total": 1},
        "functions": {"names": ["area"], "total": 1},
        "others": {"names": [LONG_NAME], "total": 1},
    }


async def test_views_and_functions(get: Any, options: dict[str, str], service: Path) -> None:
    service.write_text("")
    value_of(await add(get, options), 201)
    assert value_of(await get(*TOYS, "views", "cheap")) == {
        "name": "toys.cheap",
        "comment": "Dolls for less than 5",
        "definitions": [
            {"engine": "", "text": "SELECT id FROM dolls WHERE price < 5"},
            {"engine": "spark", "text": "SELECT id FROM toys.dolls WHERE price < 5D"},
        ],
        "fields": [{"name": "id", "type": "BIGINT NOT NULL", "comment": ""}],
        "returns": "",
        "options": [],
    }
    area = value_of(await get(*TOYS, "functions", "area"))
    assert ([each["name"] for each in area["fields"]], area["returns"]) == (["length", "width"], "DOUBLE")
    assert '"definition": "length * width"' in area["definitions"][0]["text"]
    missing = refused(await get(*TOYS, "views", "chaep"), 404, "table_not_found")
    assert missing["hint"] == "Did you mean 'cheap'?"


async def test_no_answer_log_or_file_has_a_secret(
    get: Any,
    try_out: Any,
    options: dict[str, str],
    service: Path,
    catalog_file: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The password of the environment appears nowhere, a typed one only in the catalog file of a remembered catalog."""
    caplog.set_level(logging.DEBUG)
    answers = [await try_out(options), await add(get, options)]
    service.write_text("")
    answers += [await try_out({**options, "password": TYPED}), await add(get, {**options, "password": TYPED})]
    answers += [await try_out(options), await add(get, options, remember=True), await get("catalogs")]
    answers += [await get("catalogs", "toys", "databases"), await get(*TOYS, "tables")]
    answers += [await get(*TOYS, "tables", "dolls"), await get(*TOYS, "views", "cheap")]
    service.unlink()
    answers.append(await get(*TOYS, "tables"))
    assert [each.code for each in answers] == [422, 422, 422, 422, 200, 201, 200, 200, 200, 200, 200, 422]
    out, err = capfd.readouterr()
    seen = "".join(each.body.decode() + str(each.headers) for each in answers)
    places = {"answers": seen, "log": caplog.text, "output": out + err, "file": catalog_file.read_text()}
    for secret in (PASSWORD, TYPED):
        assert [place for place, text in places.items() if secret in text] == []
    assert f'"password" = "${{env:{VARIABLE}}}"' in places["file"]
