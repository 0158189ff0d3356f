"""A warehouse on an object store, which the metastore cannot open: locks are on, as in Java."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

import workbench as wb
from tests.catalogs.hive.metastores import RunningMetastore
from tests.catalogs.referee import JavaCatalog
from tests.interop.provision import jar
from tests.stores.servers import SERVERS, RunningStore, running
from workbench.catalog.hive.client import thrift_types
from workbench.catalog.hive.lock import HiveLock

pytestmark = [pytest.mark.java, pytest.mark.long]
_JAVA_S3 = "org.apache.paimon:paimon-s3:1.4.2"


@pytest.fixture(scope="module")
def store() -> Iterator[RunningStore]:
    """A bucket."""
    with running(SERVERS[0]) as found:
        yield found


@pytest.fixture
def on_store(options: dict[str, str], store: RunningStore) -> dict[str, str]:
    """The options of a catalog whose warehouse is in the bucket."""
    warehouse = f"{store.url}/{uuid.uuid4().hex}"
    return {**options, **store.options, "warehouse": warehouse, "location-in-properties": "true"}


def test_writers_hold_the_lock_by_default(on_store: dict[str, str], metastore: RunningMetastore, database: str) -> None:
    catalog = wb.connect(on_store)
    assert isinstance(catalog.metastore.lock, HiveLock)
    catalog.create_database(database)
    table = catalog.create_table(
        f"{database}.t",
        {"k": "INT", "dt": "STRING"},
        partition_by="dt",
        options={"metastore.partitioned-table": "true"},
    )
    assert table.location == f"{on_store['warehouse']}/{database}.db/t"
    done = threading.Event()

    def commit() -> None:
        table.write([{"k": 1, "dt": "a"}])
        done.set()

    with catalog.metastore.lock.lock(database, "t"):
        thread = threading.Thread(target=commit)
        thread.start()
        assert not done.wait(3)
    assert done.wait(60)
    thread.join()
    found = metastore.client.call("show_locks", thrift_types().ShowLocksRequest(dbname=database)).locks
    assert [each for each in found or () if each.dbname == database] == []
    (partition,) = metastore.client.call("get_partitions", database, "t", -1)
    assert partition.parameters["paimon_location"] == f"{table.location}/dt=a"
    catalog.alter_table(f"{database}.t", wb.AddColumn("v", "INT"))
    catalog.rename_table(f"{database}.t", f"{database}.u")
    renamed = catalog.get_table(f"{database}.u")
    assert (renamed.location, renamed.to_arrow().num_rows) == (table.location, 1)
    catalog.drop_database(database, cascade=True)
    assert catalog.metastore.storages.at(table.location).list_files(table.location) == []


def test_a_writer_of_java_and_one_of_ours_lose_nothing(
    on_store: dict[str, str], java_jars: list[Path], database: str
) -> None:
    catalog = wb.connect({**on_store, "lock-check-max-sleep": "300 ms"})
    theirs = {**on_store, "s3.path.style.access": "true", "cache-enabled": "false", "lock-check-max-sleep": "300 ms"}
    java = JavaCatalog(theirs, [*java_jars, jar(_JAVA_S3)])
    catalog.create_database(database)
    table = catalog.create_table(f"{database}.t", {"k": "INT", "who": "STRING"}, options={"bucket": "-1"})
    failures: list[BaseException] = []

    def commit() -> None:
        try:
            java.run("commits", table=f"{database}.t", first=0, count=10, rest=["java"])
        except BaseException as error:  # noqa: BLE001 - raised by the test
            failures.append(error)

    thread = threading.Thread(target=commit)
    thread.start()
    for number in range(10):
        table.write([{"k": number, "who": "ours"}])
    thread.join()
    assert failures == []
    rows = catalog.get_table(f"{database}.t").to_arrow().to_pylist()
    for who in ("ours", "java"):
        assert sorted(each["k"] for each in rows if each["who"] == who) == list(range(10))
    assert len(java.run("read", table=f"{database}.t")) == 20
