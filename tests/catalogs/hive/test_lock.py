"""The lock of the metastore, which writers of ours and of Java hold while they publish."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.hive.conftest import VERSIONS
from tests.catalogs.hive.metastores import HOUSEKEEPING, RunningMetastore, Version, running
from tests.catalogs.referee import JavaCatalog
from tests.catalogs.relay import relay
from workbench.catalog.hive.client import thrift_types
from workbench.catalog.hive.lock import HiveLock
from workbench.catalog.hive.settings import read_settings

pytestmark = pytest.mark.java


def lock_of(metastore: RunningMetastore, **options: str) -> HiveLock:
    return HiveLock(read_settings({"uri": metastore.uri, "lock-check-max-sleep": "200 ms", **options}))


def held(metastore: RunningMetastore) -> list[Any]:
    """The locks in the metastore."""
    types = thrift_types()
    return list(metastore.client.call("show_locks", types.ShowLocksRequest()).locks)


def test_one_writer_at_a_time_holds_the_lock(metastore: RunningMetastore, database: str) -> None:
    lock, order = lock_of(metastore), []
    entered = threading.Event()

    def second() -> None:
        entered.wait(10)
        with lock.lock(database, "t"):
            order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    with lock.lock(database, "t"):
        entered.set()
        time.sleep(0.5)
        types = thrift_types()
        found = [each for each in held(metastore) if each.dbname == database]
        assert sorted(each.state for each in found) == [types.LockState.ACQUIRED, types.LockState.WAITING]
        assert {(each.tablename, each.type) for each in found} == {("t", types.LockType.EXCLUSIVE)}
        order.append("first")
    thread.join(20)
    assert order == ["first", "second"]
    assert [each for each in held(metastore) if each.dbname == database] == []


def test_tables_have_locks_of_their_own(metastore: RunningMetastore, database: str) -> None:
    lock = lock_of(metastore)
    with lock.lock(database, "a"), lock.lock(database, "b"):
        assert {each.tablename for each in held(metastore) if each.dbname == database} == {"a", "b"}


@pytest.mark.long
def test_a_lock_that_is_not_free_in_time_is_given_up(metastore: RunningMetastore, database: str) -> None:
    with lock_of(metastore).lock(database, "t"):
        began = time.monotonic()
        with (
            pytest.raises(wb.CatalogError, match=rf"lock of {database}\.t in .* within 1 second: lock \d+ is held by "),
            lock_of(metastore, **{"lock-acquire-timeout": "1 s"}).lock(database, "t"),
        ):
            raise AssertionError("unreachable")
        assert 0.9 < time.monotonic() - began < 5
        # The request was withdrawn, so it does not block the next writer.
        assert len([each for each in held(metastore) if each.dbname == database]) == 1


def test_an_error_releases_the_lock(metastore: RunningMetastore, database: str) -> None:
    with pytest.raises(ValueError, match="inside"), lock_of(metastore).lock(database, "t"):
        raise ValueError("inside")
    assert [each for each in held(metastore) if each.dbname == database] == []


def test_a_lock_that_cannot_be_released_is_a_warning(metastore: RunningMetastore, database: str) -> None:
    with relay(metastore.port) as between:
        lock = HiveLock(read_settings({"uri": f"thrift://127.0.0.1:{between.port}"})).lock(database, "t")
        lock.__enter__()
        between.die()
        with pytest.warns(RuntimeWarning, match=r"was not released.*hive\.txn\.timeout"):
            lock.__exit__(None, None, None)


@pytest.mark.long
def test_a_commit_waits_for_the_lock_that_java_would_hold(
    options: dict[str, str], metastore: RunningMetastore, database: str
) -> None:
    catalog = wb.connect({**options, "lock.enabled": "true", "lock-check-max-sleep": "200 ms"})
    catalog.create_database(database)
    table = catalog.create_table(f"{database}.t", {"k": "INT"})
    done = threading.Event()

    def commit() -> None:
        table.write([{"k": 1}])
        done.set()

    with lock_of(metastore).lock(database, "t"):
        thread = threading.Thread(target=commit)
        thread.start()
        assert not done.wait(1)
        assert table.snapshots() == []
    assert done.wait(20)
    thread.join()


@pytest.mark.long
@pytest.mark.parametrize("version", VERSIONS)
def test_the_metastore_removes_the_lock_of_a_killed_writer(version: Version) -> None:
    holder = (
        "import sys\n"
        "from workbench.catalog.hive.lock import HiveLock\n"
        "from workbench.catalog.hive.settings import read_settings\n"
        "with HiveLock(read_settings({'uri': sys.argv[1]})).lock('d', 't'):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with running(version, HOUSEKEEPING) as metastore:
        command = [sys.executable, "-c", holder, metastore.uri]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        process.kill()
        process.communicate()
        assert [each.state for each in held(metastore)] == [thrift_types().LockState.ACQUIRED]
        with lock_of(metastore, **{"lock-acquire-timeout": "20 s"}).lock("d", "t"):
            assert len(held(metastore)) == 1
        assert held(metastore) == []


def race(options: dict[str, str], java_jars: list[Any], database: str, commits: int) -> None:
    """Let a writer of ours and one of Java commit to one table at the same time."""
    given = {**options, "lock.enabled": "true", "lock-check-max-sleep": "300 ms"}
    catalog, java = wb.connect(given), JavaCatalog({**given, "cache-enabled": "false"}, java_jars)
    catalog.create_database(database)
    table = catalog.create_table(f"{database}.t", {"k": "INT", "who": "STRING"}, options={"bucket": "-1"})
    failures: list[BaseException] = []

    def theirs() -> None:
        try:
            java.run("commits", table=f"{database}.t", first=0, count=commits, rest=["java"])
        except BaseException as error:  # noqa: BLE001 - raised by the test
            failures.append(error)

    thread = threading.Thread(target=theirs)
    thread.start()
    for number in range(commits):
        table.write([{"k": number, "who": "ours"}])
    thread.join()
    assert failures == []
    rows = catalog.get_table(f"{database}.t").to_arrow()
    for who in ("ours", "java"):
        numbers = sorted(each["k"] for each in rows.to_pylist() if each["who"] == who)
        assert numbers == list(range(commits))
    snapshots = [each.id for each in catalog.get_table(f"{database}.t").snapshots()]
    assert sorted(snapshots) == list(range(min(snapshots), max(snapshots) + 1))
    assert len(java.run("read", table=f"{database}.t")) == 2 * commits


def test_two_writers_lose_nothing(options: dict[str, str], java_jars: list[Any], database: str) -> None:
    race(options, java_jars, database, 5)


@pytest.mark.long
def test_two_writers_lose_nothing_in_many_commits(options: dict[str, str], java_jars: list[Any], database: str) -> None:
    race(options, java_jars, database, 100)
