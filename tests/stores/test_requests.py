"""The number of requests that operations send to each storage, so that it does not grow unnoticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import workbench as wb
from tests.stores.costs import (
    COMMIT,
    FIRST_VERSION,
    HEALTH,
    LEVELS,
    NEW_VERSION,
    OPEN,
    PAST_VERSION,
    PLAN,
    READ,
    SNAPSHOTS,
    TIMELINE,
    VERSION,
    WRITE,
)
from tests.stores.proxy import Proxy, proxied
from tests.stores.servers import SERVERS, RunningStore

# Requests to HDFS are not HTTP.
# The library sends the same requests to all storages; the clients of some divide them.
PARAMETERS = [SERVERS[0], *(pytest.param(each, marks=pytest.mark.long) for each in SERVERS[1:])]
pytestmark = pytest.mark.parametrize("store", PARAMETERS, ids=lambda server: server.name, indirect=True)
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

    def check(call: Callable[[], object], *costs: Mapping[str, int], once: bool = True) -> None:
        proxy.seen.clear()
        call()
        sent = Counter(_CLASSES[each.kind] for each in proxy.seen)
        most = sum(map(Counter, costs), Counter[str]())
        assert all(number <= most[kind] for kind, number in sent.items()), (sent, most)
        targets = [each.target for each in proxy.seen if each.kind == "GET"]
        assert not once or len(targets) == len(set(targets)), "a file is read twice"

    return check


@pytest.fixture
def catalog(store: RunningStore, proxy: Proxy, url: str) -> wb.FileSystemCatalog:
    """A catalog that has cached nothing, behind the proxy."""
    return wb.connect(url, **store.options_behind(proxy.port))


def test_open(catalog: wb.FileSystemCatalog, check: Check) -> None:
    check(lambda: catalog.get_table("shop.t"), OPEN.most())


def test_open_and_the_newest_snapshot(
    catalog: wb.FileSystemCatalog, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schema that was read with the table is not read again with its snapshot."""
    # A busy machine may need longer between two requests than the library allows.
    monkeypatch.setattr("workbench.metadata.file_system.schemas._MOST_SECONDS", 10.0)
    proxy.delay = 0.2
    try:
        proxy.seen.clear()
        assert catalog.get_table("shop.t").snapshot().id == _COMMITS
    finally:
        proxy.delay = 0.0
    assert Counter(each.kind for each in proxy.seen) == {"LIST": 2, "GET": 2}


def test_the_newest_snapshot(catalog: wb.FileSystemCatalog, check: Check) -> None:
    check(catalog.get_table("shop.t").snapshot, FIRST_VERSION.most())


def test_names(catalog: wb.FileSystemCatalog, check: Check) -> None:
    check(catalog.list_databases, {"lists": 1})
    # One for the directories of the database, and one for each of them to see whether it is a table.
    check(lambda: catalog.list_tables("shop"), {"lists": 2})


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


def test_health(catalog: wb.FileSystemCatalog, check: Check) -> None:
    table = catalog.get_table("shop.t")
    # Both look at the schema of the table: that which finds a newer version, and that which describes it.
    check(lambda: str(wb.health(table)), FIRST_VERSION.most(), HEALTH.most(_COMMITS), once=False)
    check(lambda: str(wb.health(table)), VERSION.most(), HEALTH.most(0), once=False)


def test_timeline(catalog: wb.FileSystemCatalog, check: Check) -> None:
    table = catalog.get_table("shop.t")
    table.snapshot()
    check(lambda: str(wb.timeline(table)), VERSION.most(), TIMELINE.most(_COMMITS - 1))
    check(lambda: str(wb.timeline(table)), VERSION.most(), TIMELINE.most(0))
    assert "upserts" in str(wb.timeline(table, with_changes=True))


def test_versions_of_the_past(catalog: wb.FileSystemCatalog, check: Check) -> None:
    table = catalog.get_table("shop.t")
    snapshots = table.snapshots()
    check(lambda: table.at(timestamp=snapshots[3].time_millis), PAST_VERSION.most())


def test_the_disk_cache(
    store: RunningStore, proxy: Proxy, url: str, check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wb.options, "disk_cache", str(tmp_path))
    options = store.options_behind(proxy.port)
    rows = wb.connect(url, **options).get_table("shop.t").to_arrow()
    table = wb.connect(url, **options).get_table("shop.t")
    check(table.to_arrow, FIRST_VERSION.most())
    assert table.to_arrow().equals(rows)


@pytest.mark.long
def test_a_large_file_is_read_by_ranges(store: RunningStore, proxy: Proxy, warehouse: str) -> None:
    catalog = wb.connect(warehouse, **store.options_behind(proxy.port))
    catalog.create_database("shop")
    table = catalog.create_table("shop.large", {"id": "BIGINT", "text": "STRING", "other": "STRING"})
    text = np.random.default_rng(1).bytes(9 << 20).hex()
    cells = pa.array([text[start : start + 64] for start in range(0, len(text), 64)])
    rows = pa.table({"id": range(len(cells)), "text": cells, "other": cells})
    table.write(rows)
    (file,) = (file for split in table.scan().plan() for file in split.files)
    assert file.file_size > 4 << 20

    def requests() -> dict[str, int]:
        proxy.seen.clear()
        assert table.to_arrow(["id"]).num_rows == len(rows)
        return dict(Counter(each.kind for each in proxy.seen))

    groups = 3
    assert requests() == {"LIST": 1, "GET": 1 + groups}, "the footer, and the column in each row group"
    assert requests() == {"LIST": 1, "GET": groups}, "the footer is known"
    assert table.to_arrow().equals(rows)


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
