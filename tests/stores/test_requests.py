"""The number of requests that operations send to each storage, so that it does not grow unnoticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import pyarrow as pa
import pytest

import workbench as wb
from tests.stores.costs import COMMIT, FIRST_VERSION, LEVELS, NEW_VERSION, OPEN, PLAN, READ, SNAPSHOTS, VERSION, WRITE
from tests.stores.proxy import Proxy, proxied
from tests.stores.servers import SERVERS, RunningStore

# Requests to HDFS are not HTTP.
pytestmark = pytest.mark.parametrize("store", SERVERS, ids=lambda server: server.name, indirect=True)
_COMMITS = 12
_BUCKETS = 2
_FILES = _COMMITS * _BUCKETS
_ROWS = [{"id": each, "v": "x"} for each in range(10)]
# There are none of other kinds.
_CLASSES = {"LIST": "lists", "GET": "reads", "PUT": "writes", "POST": "writes"}

Check = Callable[..., None]


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
def check(proxy: Proxy) -> Check:
    """Return a function that compares the requests of a call with its cost."""

    def check(call: Callable[[], object], *costs: Mapping[str, int]) -> None:
        proxy.seen.clear()
        call()
        sent = Counter(_CLASSES[each.kind] for each in proxy.seen)
        most = sum(map(Counter, costs), Counter[str]())
        assert all(number <= most[kind] for kind, number in sent.items()), (sent, most)
        targets = [each.target for each in proxy.seen if each.kind == "GET"]
        assert len(targets) == len(set(targets)), "a file is read twice"

    return check


@pytest.fixture
def catalog(store: RunningStore, proxy: Proxy, url: str) -> wb.FileSystemCatalog:
    """A catalog that has cached nothing, behind the proxy."""
    return wb.connect(url, **store.options_behind(proxy.port))


def test_open(catalog: wb.FileSystemCatalog, check: Check) -> None:
    check(lambda: catalog.get_table("shop.t"), OPEN.most())


def test_the_newest_snapshot(catalog: wb.FileSystemCatalog, check: Check) -> None:
    check(catalog.get_table("shop.t").snapshot, FIRST_VERSION.most())


def test_plan(catalog: wb.FileSystemCatalog, check: Check) -> None:
    table = catalog.get_table("shop.t")
    table.snapshot()
    check(lambda: table.scan().plan(), VERSION.most(), PLAN.most(_COMMITS))


def test_read(catalog: wb.FileSystemCatalog, check: Check) -> None:
    table = catalog.get_table("shop.t")
    table.scan().plan()
    check(table.to_arrow, VERSION.most(), READ.most(_FILES))


def test_an_unchanged_table(catalog: wb.FileSystemCatalog, check: Check) -> None:
    table = catalog.get_table("shop.t")
    table.scan().plan()
    check(table.snapshot, VERSION.most())
    check(lambda: table.scan().plan(), VERSION.most())


def test_snapshots(catalog: wb.FileSystemCatalog, check: Check) -> None:
    table = catalog.get_table("shop.t")
    table.snapshot()
    # The newest one is known.
    check(table.snapshots, SNAPSHOTS.most(_COMMITS - 1))
    check(table.snapshots, SNAPSHOTS.most(0))


def test_levels(catalog: wb.FileSystemCatalog, check: Check) -> None:
    table = catalog.get_table("shop.t")
    table.scan().plan()
    check(lambda: str(wb.levels(table)), LEVELS.most())


@pytest.fixture
def written(store: RunningStore, proxy: Proxy, warehouse: str) -> wb.Table:
    """A table that was written to before."""
    catalog = wb.connect(warehouse, **store.options_behind(proxy.port))
    catalog.create_database("shop")
    table = catalog.create_table(
        "shop.w",
        {"id": "BIGINT NOT NULL", "v": "STRING"},
        primary_key="id",
        options={"bucket": str(_BUCKETS), "num-sorted-run.compaction-trigger": "1000"},
    )
    for _ in range(3):
        table.write(_ROWS)
    return table


def test_a_commit_of_another_writer(written: wb.Table, store: RunningStore, warehouse: str, check: Check) -> None:
    written.scan().plan()
    other = wb.connect(warehouse, **store.options).get_table("shop.w")
    other.write(_ROWS)
    check(written.snapshot, NEW_VERSION.most())
    check(lambda: written.scan().plan(), VERSION.most(), PLAN.most(1))


def test_write(written: wb.Table, check: Check) -> None:
    check(lambda: written.write(_ROWS), WRITE.most(_BUCKETS))


def test_commit(written: wb.Table, check: Check) -> None:
    with written.writer() as writer:
        writer.write(pa.Table.from_pylist(_ROWS))
        messages = writer.prepare()
    # Without the write before it, the commit is a statement.
    check(lambda: written.commit(messages), VERSION.most(), COMMIT.most())
