"""The number of requests that operations send to each storage, so that it does not grow unnoticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import workbench as wb
from tests.stores.proxy import Proxy, proxied
from tests.stores.servers import SERVERS, RunningStore

# Requests to HDFS are not HTTP.
pytestmark = pytest.mark.parametrize("store", SERVERS, ids=lambda server: server.name, indirect=True)
_COMMITS = 12
_BUCKETS = 2
_FILES = _COMMITS * _BUCKETS


@pytest.fixture(scope="module")
def proxy(store: RunningStore) -> Iterator[Proxy]:
    with proxied(store.port) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def url(store: RunningStore) -> str:
    """The URL of a warehouse with a table of several commits."""
    url = f"{store.url}/requests"
    catalog = wb.connect(url, **store.options)
    catalog.create_database("shop")
    table = catalog.create_table(
        "shop.t",
        {"id": "BIGINT NOT NULL", "v": "STRING"},
        primary_key="id",
        options={"bucket": str(_BUCKETS), "num-sorted-run.compaction-trigger": "1000"},
    )
    for number in range(_COMMITS):
        table.write([{"id": number + each, "v": "x"} for each in range(10)])
    return url


@pytest.fixture
def sent(proxy: Proxy) -> Callable[[Callable[[], object]], int]:
    """Return the number of requests of a call."""

    def count(call: Callable[[], object]) -> int:
        proxy.seen.clear()
        call()
        return proxy.count()

    return count


@pytest.fixture
def catalog(store: RunningStore, proxy: Proxy, url: str) -> wb.FileSystemCatalog:
    """A catalog that has cached nothing, behind the proxy."""
    return wb.connect(url, **store.options_behind(proxy.port))


Sent = Callable[[Callable[[], object]], int]


def test_open(catalog: wb.FileSystemCatalog, sent: Sent) -> None:
    assert sent(lambda: catalog.get_table("shop.t")) <= 2


def test_plan(catalog: wb.FileSystemCatalog, sent: Sent) -> None:
    table = catalog.get_table("shop.t")
    table.snapshot()
    assert sent(lambda: table.scan().plan()) <= _COMMITS + 3


def test_read(catalog: wb.FileSystemCatalog, sent: Sent, proxy: Proxy) -> None:
    table = catalog.get_table("shop.t")
    table.scan().plan()
    assert sent(table.to_arrow) <= _FILES + 1
    assert proxy.methods()["HEAD"] == 0
    assert len({each.target for each in proxy.seen}) == proxy.count(), "nothing is requested twice"


def test_an_unchanged_table(catalog: wb.FileSystemCatalog, sent: Sent) -> None:
    table = catalog.get_table("shop.t")
    table.scan().plan()
    assert sent(table.snapshot) == 1
    assert sent(lambda: table.scan().plan()) == 1


def test_snapshots(catalog: wb.FileSystemCatalog, sent: Sent) -> None:
    table = catalog.get_table("shop.t")
    table.snapshot()
    assert sent(table.snapshots) <= _COMMITS
    assert sent(table.snapshots) == 1


def test_levels(catalog: wb.FileSystemCatalog, sent: Sent) -> None:
    table = catalog.get_table("shop.t")
    table.scan().plan()
    assert sent(lambda: str(wb.levels(table))) <= 2


def test_health(catalog: wb.FileSystemCatalog, sent: Sent) -> None:
    table = catalog.get_table("shop.t")
    assert sent(lambda: str(wb.health(table))) <= _COMMITS + 20
    assert sent(lambda: str(wb.health(table))) <= 20


def test_timeline(catalog: wb.FileSystemCatalog, sent: Sent) -> None:
    table = catalog.get_table("shop.t")
    assert sent(lambda: str(wb.timeline(table))) <= _COMMITS + 5
    assert sent(lambda: str(wb.timeline(table))) <= 4
    assert "upserts" in str(wb.timeline(table, changes=True))


def test_versions_of_the_past(catalog: wb.FileSystemCatalog, sent: Sent) -> None:
    table = catalog.get_table("shop.t")
    snapshots = table.snapshots()
    assert sent(lambda: table.at(timestamp=snapshots[3].time_millis)) <= 3


def test_the_disk_cache(
    store: RunningStore,
    proxy: Proxy,
    url: str,
    sent: Sent,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wb.options, "disk_cache", str(tmp_path))
    options = store.options_behind(proxy.port)
    rows = wb.connect(url, **options).get_table("shop.t").to_arrow()
    table = wb.connect(url, **options).get_table("shop.t")
    assert sent(lambda: table.to_arrow()) <= 4
    assert table.to_arrow().equals(rows)


def test_a_large_file_is_read_by_ranges(store: RunningStore, proxy: Proxy, warehouse: str, sent: Sent) -> None:
    catalog = wb.connect(warehouse, **store.options_behind(proxy.port))
    catalog.create_database("shop")
    table = catalog.create_table("shop.large", {"id": "BIGINT", "text": "STRING", "other": "STRING"})
    text = np.random.default_rng(1).bytes(9 << 20).hex()
    cells = pa.array([text[start : start + 64] for start in range(0, len(text), 64)])
    rows = pa.table({"id": range(len(cells)), "text": cells, "other": cells})
    table.write(rows)
    table.scan().plan()
    (file,) = (file for split in table.scan().plan() for file in split.files)
    assert file.file_size > 4 << 20
    one = sent(lambda: table.to_arrow(["id"]))
    assert one <= 2 + 3, "a listing, the footer, and the column in three row groups"
    assert proxy.methods()["HEAD"] == 0
    again = sent(lambda: table.to_arrow(["id"]))
    assert again == one - 1, "the footer is known"
    assert table.to_arrow().equals(rows)


def test_write(store: RunningStore, proxy: Proxy, warehouse: str, sent: Sent) -> None:
    catalog = wb.connect(warehouse, **store.options_behind(proxy.port))
    catalog.create_database("shop")
    table = catalog.create_table(
        "shop.w",
        {"id": "BIGINT NOT NULL", "v": "STRING"},
        primary_key="id",
        options={"bucket": str(_BUCKETS), "num-sorted-run.compaction-trigger": "1000"},
    )
    rows = [{"id": each, "v": "x"} for each in range(10)]
    for _ in range(3):
        table.write(rows)
    assert sent(lambda: table.write(rows)) <= 9 + _BUCKETS
