"""The lock of catalogs in a database: beside Java's writers, after a killed holder, and when it expires."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa
import pytest

import workbench as wb
from tests.catalogs.jdbc.conftest import KINDS
from tests.catalogs.jdbc.servers import Place, driver_jars
from tests.catalogs.referee import JavaCatalog
from workbench.base.errors import CatalogError
from workbench.catalog.jdbc.lock import lock_of
from workbench.metadata.store import TableStore
from workbench.storage.lock import NoLock

pytestmark = pytest.mark.parametrize("new_place", KINDS, indirect=True)

_LOCKS = "SELECT lock_id, expire_time_seconds FROM paimon_distributed_locks"


@pytest.fixture
def options(options: dict[str, str]) -> dict[str, str]:
    return {**options, "lock.enabled": "true", "lock-check-max-sleep": "200 ms"}


def _two_writers(place: Place, options: dict[str, str], commits: int) -> None:
    java = JavaCatalog({**options, **place.java_options}, driver_jars())
    java.run("createDatabase", database="shop", options={})
    catalog = wb.connect(options)
    table = catalog.create_table("shop.t", {"n": "INT", "who": "STRING"}, options={"write-only": True})
    failures: list[BaseException] = []

    def write() -> None:
        try:
            java.run("commits", table="shop.t", first=0, count=commits, rest=["java"])
        except BaseException as error:  # noqa: BLE001 - shown below
            failures.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    for number in range(commits):
        table.write([{"n": number, "who": "workbench"}])
    writer.join()
    assert failures == []
    expected = [(who, number) for who in ("java", "workbench") for number in range(commits)]
    rows = catalog.get_table("shop.t").to_arrow().to_pylist()
    assert sorted((row["who"], row["n"]) for row in rows) == expected
    assert len(java.run("read", table="shop.t")) == 2 * commits
    assert len(table.snapshots()) == 2 * commits
    assert place.rows(_LOCKS) == []


def test_writers_of_both_lose_nothing(place: Place, options: dict[str, str]) -> None:
    _two_writers(place, options, 5)


@pytest.mark.long
def test_many_commits_of_both_lose_nothing(place: Place, options: dict[str, str]) -> None:
    _two_writers(place, options, 100)


def test_java_waits_for_our_lock_and_we_for_that_of_java(place: Place, options: dict[str, str]) -> None:
    java = JavaCatalog({**options, **place.java_options}, driver_jars())
    java.run("createDatabase", database="shop", options={})
    java.run("createTable", table="shop.t", columns=[["n", "INT"]])
    written = threading.Event()

    def write() -> None:
        java.run("write", table="shop.t", rows=[[1]])
        written.set()

    writer = threading.Thread(target=write)
    with lock_of(options).lock("shop", "t"):
        assert place.rows(_LOCKS) == [("jdbc.shop.t", 480)]
        writer.start()
        assert not written.wait(0.7)
    assert written.wait(30)
    writer.join()
    # A row as Java inserts it.
    place.run("INSERT INTO paimon_distributed_locks (lock_id, expire_time_seconds) VALUES ('jdbc.shop.t', 480)")
    hasty = wb.connect({**options, "lock-acquire-timeout": "300 ms"})
    with pytest.raises(
        CatalogError, match=r"The lock 'jdbc.shop.t' was not free within 300 ms.*paimon_distributed_locks"
    ):
        hasty.get_table("shop.t").write([{"n": 2}])
    assert hasty.get_table("shop.t").to_arrow().to_pylist() == [{"n": 1}]


def _hold_until_killed(options: dict[str, str], held: object) -> None:
    with lock_of(options).lock("shop", "t"):
        held.set()  # type: ignore[attr-defined]
        time.sleep(60)


def test_the_lock_of_a_killed_holder_expires(catalog: wb.Catalog, place: Place, options: dict[str, str]) -> None:
    table = catalog.create_table("shop.t", {"n": "INT"})
    context = multiprocessing.get_context("fork")
    held = context.Event()
    process = context.Process(target=_hold_until_killed, args=({**options, "lock-acquire-timeout": "1 s"}, held))
    process.start()
    assert held.wait(60)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert place.rows(_LOCKS) == [("jdbc.shop.t", 1)]
    table.write([{"n": 1}])
    assert place.rows(_LOCKS) == []


def test_a_lock_that_expires_under_a_slow_writer_loses_nothing(place: Place, options: dict[str, str]) -> None:
    brief = {**options, "lock-acquire-timeout": "1 s"}
    catalog = wb.connect(brief)
    catalog.create_database("shop")
    table = catalog.create_table("shop.t", {"n": "INT"})
    inside, go = threading.Event(), threading.Event()

    class Slow:
        """The lock, except that its holder is delayed before it publishes."""

        @contextmanager
        def lock(self, database: str, name: str) -> Iterator[None]:
            with lock_of(brief).lock(database, name):
                inside.set()
                assert go.wait(30)
                yield

    store = table.store
    slow = type(table)(_with_lock(store, Slow()))
    writer = threading.Thread(target=slow.write, args=([{"n": 1}],))
    writer.start()
    assert inside.wait(30)
    time.sleep(1.1 if place.kind == "postgresql" else 2.1)
    # The row of the slow writer is deleted by the next one, which commits the snapshot that it also prepared.
    other = lock_of(options)
    table.write([{"n": 2}])
    with other.lock("shop", "t"):
        go.set()
        time.sleep(0.5)
        # What the slow writer releases is not the lock that another one holds by now.
        assert place.rows(_LOCKS) == [("jdbc.shop.t", 480)]
    writer.join()
    assert sorted(row["n"] for row in table.to_arrow().to_pylist()) == [1, 2]
    assert [each.id for each in table.snapshots()] == [1, 2]


def _with_lock(store: TableStore, lock: object) -> TableStore:
    return dataclasses.replace(store, runtime=dataclasses.replace(store.runtime, lock=lock))


def test_locks_are_used_in_object_stores_by_default(place: Place) -> None:
    catalog = wb.connect({**place.options, "warehouse": f"memory://{place.kind}/lake"})
    catalog.create_database("shop")
    table = catalog.create_table("shop.t", pa.schema([("n", pa.int32())]))
    assert table.store.has_lock
    table.write([{"n": 1}])
    assert place.rows(_LOCKS) == []
    off = {**place.options, "warehouse": f"memory://{place.kind}/lake", "lock.enabled": "false"}
    assert isinstance(wb.connect(off).metastore.lock, NoLock)


def test_names_that_are_too_long_are_refused(place: Place, options: dict[str, str]) -> None:
    catalog = wb.connect({**options, "catalog-key": "k" * 200})
    catalog.create_database("shop")
    with pytest.raises(CatalogError, match="cannot be locked"):
        catalog.create_table(f"shop.{'t' * 60}", {"n": "INT"})
    assert place.rows("SELECT * FROM paimon_tables") == []


def test_one_holder_at_a_time(new_place: Callable[[], Place], options: dict[str, str]) -> None:  # noqa: ARG001
    lock = lock_of({**options, "lock-check-max-sleep": "20 ms"})
    holders: list[int] = []
    seen: list[int] = []

    def hold() -> None:
        for _ in range(4):
            with lock.lock("shop", "t"):
                holders.append(1)
                seen.append(len(holders))
                time.sleep(0.002)
                holders.pop()

    threads = [threading.Thread(target=hold) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert seen == [1] * 16
