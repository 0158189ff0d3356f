"""Databases for catalogs."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import workbench as wb
from tests.catalogs.jdbc.servers import Place, Server, driver_jars, mariadb, postgresql
from tests.catalogs.referee import JavaCatalog
from tests.interop.provision import unavailable

_SERVERS = {"postgresql": ("psycopg", postgresql), "mariadb": ("pymysql", mariadb)}
KINDS = ["sqlite", "postgresql", pytest.param("mariadb", marks=pytest.mark.long)]


@pytest.fixture(scope="session")
def servers() -> Iterator[Callable[[str], Server]]:
    """Starts a server when it is first needed; all end with the tests."""
    running: dict[str, Server] = {}
    with ExitStack() as stack:

        def server(kind: str) -> Server:
            package, start = _SERVERS[kind]
            if importlib.util.find_spec(package) is None:
                unavailable(f"{package} is not installed")
            if kind not in running:
                running[kind] = stack.enter_context(start())
            return running[kind]

        yield server


@pytest.fixture
def new_place(request: pytest.FixtureRequest, tmp_path: Path, servers: Callable[[str], Server]) -> Callable[[], Place]:
    """Creates empty databases of the kind that the test is run for."""
    kind = getattr(request, "param", "sqlite")
    paths = iter(range(100))

    def create() -> Place:
        if kind == "sqlite":
            return Place(kind, f"jdbc:sqlite:{tmp_path}/catalog-{next(paths)}.db")
        return servers(kind).new_place()

    return create


@pytest.fixture
def place(new_place: Callable[[], Place]) -> Place:
    """An empty database."""
    return new_place()


@pytest.fixture
def options(place: Place, tmp_path: Path) -> dict[str, str]:
    """The options of a catalog in the database."""
    (tmp_path / "warehouse").mkdir()
    return {**place.options, "warehouse": str(tmp_path / "warehouse")}


@pytest.fixture
def catalog(options: dict[str, str]) -> wb.Catalog:
    """The catalog, with the database ``shop``."""
    catalog = wb.connect(options)
    catalog.create_database("shop")
    return catalog


@pytest.fixture
def java(place: Place, options: dict[str, str]) -> JavaCatalog:
    """Java's catalog with the same options."""
    return JavaCatalog({**options, **place.java_options}, driver_jars())
