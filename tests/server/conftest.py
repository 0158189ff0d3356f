"""A real Jupyter server with the extension, and a warehouse that it knows under the name ``lake``."""

# ruff: noqa: F403, F405 - the fixtures and hooks of pytest-jupyter, for this folder only

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from pytest_jupyter.jupyter_server import *
from tornado.httpclient import HTTPResponse
from traitlets.config import Config

import workbench as wb
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.server.application import PaimonWorkbench

ORDERS = [{"id": number, "item": f"item {number}", "day": "2026-11-01"} for number in range(20)]


@pytest.fixture
def settings() -> dict[str, Any]:
    """Settings of the extension; tests that need others override this."""
    return {"poll_interval": 0.05}


@pytest.fixture
def jp_server_config(settings: dict[str, Any]) -> Config:
    """Only explicitly public addresses are open without a login: a handler without its decorator would be detected."""
    return Config(
        {
            "ServerApp": {
                "jpserver_extensions": {"workbench.server": True, "jupyter_server_terminals": False},
                "allow_unauthenticated_access": False,
            },
            "PaimonWorkbench": settings,
        }
    )


@pytest.fixture
def lake(tmp_path: Path) -> FileSystemCatalog:
    """A warehouse with database ``shop``: ``orders`` was written twice, ``empty`` never."""
    catalog = wb.connect(tmp_path / "lake")
    catalog.create_database("shop")
    columns = {"id": "BIGINT NOT NULL", "item": "STRING", "day": "STRING"}
    orders = catalog.create_table("shop.orders", columns, primary_key=["id"], options={"bucket": "2"})
    orders.write(ORDERS)
    orders.write([{"id": 3, "item": "another", "day": "2026-11-02"}])
    catalog.create_table("shop.empty", columns)
    return catalog


@pytest.fixture
def catalog_file(jp_config_dir: Path, lake: FileSystemCatalog) -> Path:
    """The user's catalog file."""
    file = jp_config_dir / "paimon_catalogs.toml"
    file.write_text(f'# mine\n[lake]\nwarehouse = "{lake.warehouse}"\n')
    return file


@pytest.fixture
def workbench(
    jp_serverapp: ServerApp,
    catalog_file: Path,  # noqa: ARG001 - it is there
    jp_asyncio_loop: Any,
) -> Iterator[PaimonWorkbench]:
    """The extension in the server; its worker ends with the test."""
    extension: PaimonWorkbench = jp_serverapp.web_app.settings["paimon_workbench"]
    yield extension
    jp_asyncio_loop.run_until_complete(extension.worker.stop())


Get = Callable[..., Any]


@pytest.fixture
def get(
    workbench: PaimonWorkbench,  # noqa: ARG001 - its worker ends after the last answer
    http_server_client: Any,
    jp_base_url: str,
    jp_auth_header: dict[str, str],
) -> Get:
    """``await get("catalogs", lake, …, limit=3)``: the answer, regardless of its status. Names are encoded, paths
    are sent unchanged."""

    async def fetch(
        *names: str,
        method: str = "GET",
        body: Any = None,
        headers: dict[str, str] | None = None,
        path: str | None = None,
        timeout: float = 60,
        **parameters: Any,
    ) -> HTTPResponse:
        path = "/".join(quote(name, safe="") for name in names) if path is None else path
        query = "&".join(f"{quote(key)}={quote(str(value), safe='')}" for key, value in parameters.items())
        return await http_server_client.fetch(
            f"{jp_base_url}paimon-workbench/{path}{'?' if query else ''}{query}",
            method=method,
            headers=jp_auth_header if headers is None else headers,
            body=body if body is None or isinstance(body, str | bytes) else json.dumps(body),
            request_timeout=timeout,
            allow_nonstandard_methods=True,
            raise_error=False,
        )

    return fetch
