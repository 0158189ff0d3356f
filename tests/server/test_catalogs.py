"""Adding catalogs and forgetting them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.server.server_answers import refused, value_of
from workbench.catalog.filesystem import FileSystemCatalog


@pytest.fixture
def pond(tmp_path: Path) -> FileSystemCatalog:
    """A warehouse that no catalog file names."""
    catalog = wb.connect(tmp_path / "pond")
    catalog.create_database("fish")
    return catalog


async def add(
    get: Any, name: str, warehouse: str, options: dict[str, str] | None = None, remember: bool = False
) -> Any:
    body = {"name": name, "options": {"warehouse": warehouse, **(options or {})}, "remember": remember}
    return await get("catalogs", method="POST", body=body)


async def names(get: Any) -> list[str]:
    return [each["name"] for each in value_of(await get("catalogs"))["items"]]


async def test_a_catalog_of_the_session(get: Any, pond: FileSystemCatalog, catalog_file: Path) -> None:
    before = catalog_file.read_text()
    expected = {
        "name": "pond",
        "warehouse": pond.warehouse,
        "metastore": "filesystem",
        "origin": "session",
        "read_only": False,
        "kind": "Directory or bucket",
        "address": pond.warehouse,
        "options": [{"key": "warehouse", "value": pond.warehouse}],
    }
    assert value_of(await add(get, name="pond", warehouse=pond.warehouse, remember=False), 201) == expected
    assert expected in value_of(await get("catalogs"))["items"]
    assert value_of(await get("catalogs", "pond", "databases"))["items"] == [{"name": "fish"}]
    assert catalog_file.read_text() == before
    assert (await get("catalogs", "pond", method="DELETE")).code == 204
    assert "pond" not in await names(get)
    refused(await get("catalogs", "pond", "databases"), 404, "catalog_not_found")


async def test_it_outlives_the_worker(get: Any, workbench: Any, pond: FileSystemCatalog) -> None:
    value_of(await add(get, name="pond", warehouse=pond.warehouse), 201)
    await workbench.worker.stop()
    assert value_of(await get("catalogs", "pond", "databases"))["total"] == 1


async def test_a_remembered_catalog(get: Any, pond: FileSystemCatalog, catalog_file: Path) -> None:
    before = catalog_file.read_text()
    added = value_of(await add(get, name="my pond", warehouse=pond.warehouse, remember=True), 201)
    assert added["origin"] == "user"
    assert catalog_file.read_text().startswith(before)
    assert tomllib.loads(catalog_file.read_text())["my pond"] == {"warehouse": pond.warehouse}
    assert wb.connect("my pond").list_databases() == ["fish"]
    assert added in value_of(await get("catalogs"))["items"]
    refused(await get("catalogs", "my pond", method="DELETE"), 404, "catalog_not_found")


async def test_a_name_has_one_catalog(get: Any, pond: FileSystemCatalog) -> None:
    refused(await add(get, name="lake", warehouse=pond.warehouse), 409, "already_exists")
    refused(await add(get, name="lake", warehouse=pond.warehouse, remember=True), 409, "already_exists")
    value_of(await add(get, name="pond", warehouse=pond.warehouse), 201)
    refused(await add(get, name="pond", warehouse=pond.warehouse), 409, "already_exists")
    refused(await add(get, name="pond", warehouse=pond.warehouse, remember=True), 409, "already_exists")


async def test_locations_without_a_warehouse(get: Any, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "note.txt").write_text("")
    for position in ["notes", "notes/note.txt", "nowhere", "no/where"]:
        refused(await add(get, name="x", warehouse=str(tmp_path / position)), 422, "catalog_error")
    refused(await add(get, name="x", warehouse="nofs://a/b"), 422, "catalog_error")
    refused(await add(get, name="x", warehouse=str(tmp_path), options={"metastore": "glue"}), 422, "catalog_error")
    refused(await add(get, name="x", warehouse="a::b"), 422, "catalog_error")
    refused(await add(get, name="x", warehouse=""), 422, "catalog_error")
    response = await add(get, name="x", warehouse="zip::s3://user:s3cr3t@lake/wh.zip")
    refused(response, 422, "catalog_error")
    assert "s3cr3t" not in response.body.decode()
    assert "x" not in await names(get)


async def test_an_empty_directory_is_a_warehouse(get: Any, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    value_of(await add(get, name="new", warehouse=str(tmp_path / "new")), 201)
    assert value_of(await get("catalogs", "new", "databases"))["total"] == 0


MALFORMED: list[Any] = [
    "",
    "{",
    "[]",
    "null",
    "[" * 5000,
    {},
    {"name": "x"},
    {"name": 3, "options": {}},
    {"name": "x", "options": ["/tmp"]},
    {"name": "", "options": {}},
    {"name": "a/b", "options": {}},
    {"name": "..", "options": {}},
    {"name": "a\nb", "options": {}},
    {"name": " x", "options": {}},
    {"name": "x", "options": {"warehouse": "/tmp"}, "remember": "yes"},
    {"name": "x", "options": {"a": 1}},
    {"name": "x", "options": {}, "code": "import os"},
]


async def test_malformed_bodies(get: Any, workbench: Any) -> None:
    for body in MALFORMED:
        response = await get("catalogs", method="POST", body=body)
        refused(response, 400, "invalid_request")
    assert workbench.worker.pid is None


async def test_options_are_accepted_and_not_reported(get: Any, pond: FileSystemCatalog) -> None:
    response = await add(get, name="p", warehouse=pond.warehouse, options={"s3.secret-key": "s3cr3t"}, remember=True)
    value_of(response, 201)
    assert wb.connect("p").options["s3.secret-key"] == "s3cr3t"
    assert "s3cr3t" not in response.body.decode() + (await get("catalogs")).body.decode()


async def test_the_log_reports_actions_without_credentials(
    get: Any, pond: FileSystemCatalog, caplog: pytest.LogCaptureFixture
) -> None:
    await add(get, name="pond", warehouse=pond.warehouse, options={"s3.secret-key": "s3cr3t"})
    await get("catalogs", "lake", "databases", "shop", "tables", "orders")
    reported = [record.getMessage() for record in caplog.records if record.levelname == "INFO"]
    assert any("catalog 'pond' was added" in line for line in reported)
    assert any("table 'orders' of 'shop' in catalog 'lake' was opened" in line for line in reported)
    assert "s3cr3t" not in caplog.text
