from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.rest.servers import TOKEN, WAREHOUSE, rest_server
from tests.stores.proxy import Proxy, proxied


@pytest.fixture(scope="session")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of Paimon's own REST server."""
    directory: Path = tmp_path_factory.mktemp("rest") / "data"
    directory.mkdir()
    settings = {"prefix": "paimon", "header.x-test": "v", "table-default.snapshot.num-retained.min": "3"}
    with rest_server(directory, settings) as found:
        yield found


@pytest.fixture
def proxy(port: int) -> Iterator[Proxy]:
    """A proxy for the server that records requests and may fail."""
    with proxied(port) as found:
        yield found


@pytest.fixture
def options(proxy: Proxy) -> dict[str, str]:
    """The options of a catalog that sends its requests through the proxy."""
    return options_of(proxy.port)


@pytest.fixture
def catalog(options: dict[str, str], request: pytest.FixtureRequest) -> wb.Catalog:
    """A catalog with a database of the name of the test."""
    found = wb.connect(options)
    found.create_database(database_of(request))
    return found


@pytest.fixture
def database(request: pytest.FixtureRequest) -> str:
    """The name of the database of the test."""
    return database_of(request)


def database_of(request: Any) -> str:
    return re.sub(r"\W+", "_", str(request.node.name).removeprefix("test_"))[:80]


def options_of(port: int, **more: str) -> dict[str, str]:
    return {
        "metastore": "rest",
        "uri": f"http://127.0.0.1:{port}",
        "warehouse": WAREHOUSE,
        "token.provider": "bear",
        "token": TOKEN,
        **more,
    }
