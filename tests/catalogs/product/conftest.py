"""Every catalog with its warehouse in every storage."""

from __future__ import annotations

import importlib.util
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

import workbench as wb
from tests.catalogs.hive.metastores import HIVE_2, HIVE_3, Version
from tests.catalogs.hive.metastores import running as running_metastore
from tests.catalogs.jdbc.servers import Place, Server, mariadb, postgresql
from tests.catalogs.rest.servers import TOKEN, WAREHOUSE, rest_server
from tests.interop.provision import unavailable
from tests.stores.servers import HDFS, SERVERS, StoreServer
from tests.stores.servers import running as running_store


@dataclass(frozen=True)
class Warehouse:
    """An empty directory in a storage."""

    url: str
    options: Mapping[str, str]
    """The options of a catalog that opens it."""


# Provides the options of a catalog for a warehouse.
_Service = Callable[[Warehouse, Path], Iterator[dict[str, str]]]


def _sqlite(warehouse: Warehouse, directory: Path) -> Iterator[dict[str, str]]:
    uri = f"jdbc:sqlite:{directory / 'catalog.db'}"
    yield {**Place("sqlite", uri).options, **warehouse.options, "warehouse": warehouse.url}


def _database(
    start: Callable[[], object],
    package: str,
    warehouse: Warehouse,
    directory: Path,  # noqa: ARG001
) -> Iterator[dict[str, str]]:
    if importlib.util.find_spec(package) is None:
        unavailable(f"{package} is not installed")
    with ExitStack() as stack:
        server = stack.enter_context(start())  # type: ignore[arg-type]
        assert isinstance(server, Server)
        yield {**server.new_place().options, **warehouse.options, "warehouse": warehouse.url}


def _metastore(version: Version, warehouse: Warehouse, directory: Path) -> Iterator[dict[str, str]]:  # noqa: ARG001
    with running_metastore(version) as metastore:
        # The metastore has no classes for most storages, so directories are kept as properties.
        place = {"uri": metastore.uri, "warehouse": warehouse.url, "location-in-properties": "true"}
        yield {**warehouse.options, **place, "metastore": "hive"}


def _rest(warehouse: Warehouse, directory: Path) -> Iterator[dict[str, str]]:
    url = warehouse.url if "://" in warehouse.url else None
    with rest_server(directory / "data", {"prefix": "paimon"}, url, warehouse.options) as port:
        service = {"uri": f"http://127.0.0.1:{port}", "token.provider": "bear", "token": TOKEN}
        yield {**warehouse.options, **service, "metastore": "rest", "warehouse": WAREHOUSE}


_SERVICES: Mapping[str, _Service] = {
    "sqlite": _sqlite,
    "postgresql": partial(_database, postgresql, "psycopg"),
    "mariadb": partial(_database, mariadb, "pymysql"),
    HIVE_2.name: partial(_metastore, HIVE_2),
    HIVE_3.name: partial(_metastore, HIVE_3),
    "rest": _rest,
}
_STORES: Mapping[str, StoreServer | None] = {"local": None, **{each.name: each for each in (*SERVERS, HDFS)}}
# The server of Paimon's tests opens the warehouse itself, by classes of Java that are published for these only.
_STORES_OF_REST = ("local", "S3")
_PAIRS = [
    pytest.param((service, store), id=f"{service}-{store}")
    for service in _SERVICES
    for store in _STORES
    if service != "rest" or store in _STORES_OF_REST
]


@contextmanager
def _warehouse(store: StoreServer | None, directory: Path) -> Iterator[Warehouse]:
    if store is None:
        yield Warehouse(str(directory / "warehouse"), {})
        return
    if importlib.util.find_spec(store.package) is None:
        unavailable(f"{store.package} is not installed")
    with running_store(store) as found:
        yield Warehouse(f"{found.url}/{uuid.uuid4().hex}", found.options)


@pytest.fixture(scope="module", params=_PAIRS)
def options(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The options of a catalog of one kind, whose warehouse is in one storage."""
    service, store = request.param
    directory = tmp_path_factory.mktemp("product")
    with _warehouse(_STORES[store], directory) as warehouse:
        yield from _SERVICES[service](warehouse, directory)


@pytest.fixture
def catalog(options: dict[str, str]) -> wb.Catalog:
    """The catalog."""
    return wb.connect(options)


@pytest.fixture
def database(catalog: wb.Catalog) -> str:
    """The name of an empty database."""
    name = f"d{uuid.uuid4().hex[:12]}"
    catalog.create_database(name)
    return name
