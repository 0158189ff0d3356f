"""What users see of storages that refuse requests, lose answers, or do not answer."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

import workbench as wb
from tests.stores.proxy import Proxy, Request, proxied
from tests.stores.servers import SERVERS, RunningStore
from workbench.base.errors import CatalogError
from workbench.storage.open import file_io_for
from workbench.storage.stores.failures import StorageError

# The proxy knows HTTP only, so that HDFS is not among these.
pytestmark = pytest.mark.parametrize("store", SERVERS, ids=lambda server: server.name, indirect=True)


@pytest.fixture
def proxy(store: RunningStore) -> Iterator[Proxy]:
    with proxied(store.port) as proxy:
        yield proxy


@pytest.fixture
def table(store: RunningStore, proxy: Proxy, warehouse: str) -> wb.Table:
    """A table behind the proxy."""
    catalog = wb.connect(warehouse, **store.options_behind(proxy.port))
    catalog.create_database("shop")
    return catalog.create_table("shop.t", {"id": "BIGINT NOT NULL"}, primary_key="id", options={"bucket": "1"})


def test_the_answer_to_a_commit_is_lost(table: wb.Table, proxy: Proxy) -> None:
    """The snapshot was written; the second attempt finds it there, and knows that it is its own."""
    table.write([{"id": 1}])
    lost: list[Request] = []

    def loses(request: Request) -> bool:
        # Names are in the body of requests to GCS, and the condition is in the query.
        is_conditional = request.method == "POST" and "ifGenerationMatch=0" in request.target
        is_snapshot = is_conditional or (request.method == "PUT" and "snapshot-2" in request.target)
        if not is_snapshot or lost:
            return False
        lost.append(request)
        return True

    proxy.loses = loses
    table.write([{"id": 2}])
    proxy.loses = lambda _: False
    assert lost
    assert sorted(table.to_arrow()["id"].to_pylist()) == [1, 2]
    assert [each.id for each in table.snapshots()] == [1, 2]


@pytest.mark.long
@pytest.mark.parametrize("status", [503, 429])
def test_busy_storages(table: wb.Table, proxy: Proxy, status: int) -> None:
    left = [status] * 3
    proxy.refuses = lambda _: left.pop() if left else None
    table.write([{"id": 1}])
    assert not left
    assert table.to_arrow()["id"].to_pylist() == [1]


@pytest.mark.long
@pytest.mark.parametrize("status", [500, 503])
@pytest.mark.parametrize("failing", [1, 100])
def test_files_in_parts_are_complete_or_absent(
    store: RunningStore, proxy: Proxy, warehouse: str, status: int, failing: int
) -> None:
    """One request is refused, or all are."""
    files = file_io_for(warehouse, store.options_behind(proxy.port))
    files.exists(warehouse)
    path, content = f"{warehouse}/large", os.urandom(1 << 20) * 20
    left = [status] * failing
    first = proxy.count()

    def refuses(request: Request) -> int | None:
        return left.pop() if left and proxy.count() > first and request.method != "DELETE" else None

    proxy.refuses = refuses
    try:
        output = files.open_output(path)
        for start in range(0, len(content), 3 << 20):
            output.write(content[start : start + (3 << 20)])
        output.close()
    except StorageError:
        proxy.refuses = lambda _: None
        assert not files.exists(path)
    else:
        assert len(left) < failing
        proxy.refuses = lambda _: None
        assert files.read_bytes(path) == content
        assert failing == 1


def test_dead_storages(store: RunningStore) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    began = time.monotonic()
    with pytest.raises(CatalogError, match=rf"127\.0\.0\.1:{port} does not answer"):
        wb.connect(f"{store.url}/wh", **store.options_behind(port)).list_databases()
    assert time.monotonic() - began < 10


@pytest.mark.long
def test_silent_storages(store: RunningStore) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        accepted: list[socket.socket] = []

        def accept() -> None:
            with suppress(OSError):
                while True:
                    accepted.append(silent.accept()[0])

        threading.Thread(target=accept, daemon=True).start()
        began = time.monotonic()
        with pytest.raises(CatalogError, match=rf"127\.0\.0\.1:{port} does not answer"):
            wb.connect(f"{store.url}/wh", **store.options_behind(port)).list_databases()
        assert time.monotonic() - began < 10


def test_missing_buckets(store: RunningStore) -> None:
    catalog = wb.connect(f"{store.server.scheme}://nothing-here/wh", **store.options)
    with pytest.raises(CatalogError, match="has no such bucket"):
        catalog.create_database("shop")
