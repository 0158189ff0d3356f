"""Storages on servers of this machine."""

from __future__ import annotations

import importlib.util
import uuid
from collections.abc import Iterator

import pytest

import workbench as wb
from tests.interop.provision import unavailable
from tests.stores.servers import HDFS, SERVERS, RunningStore, running

# HDFS needs a JVM.
PARAMETERS = [*SERVERS, pytest.param(HDFS, marks=pytest.mark.long)]


@pytest.fixture(scope="session", params=PARAMETERS, ids=lambda server: server.name)
def store(request: pytest.FixtureRequest) -> Iterator[RunningStore]:
    """One storage after the other."""
    server = request.param
    if importlib.util.find_spec(server.package) is None:
        unavailable(f"{server.package} is not installed")
    with running(server) as found:
        yield found


@pytest.fixture
def warehouse(store: RunningStore) -> str:
    """The URL of an empty warehouse."""
    return f"{store.url}/{uuid.uuid4().hex}"


@pytest.fixture
def catalog(store: RunningStore, warehouse: str) -> wb.FileSystemCatalog:
    """A catalog with the database ``shop``."""
    catalog = wb.connect(warehouse, **store.options)
    catalog.create_database("shop")
    return catalog
