"""The example of the page about connecting works."""

from __future__ import annotations

from typing import Any

import pytest

from tests.catalogs.hive.metastores import RunningMetastore
from tests.catalogs.referee import JavaCatalog
from tests.support.page_examples import DOCS, examples
from workbench.catalog.hive.client import thrift_types
from workbench.catalog.hive.lock import HiveLock

pytestmark = pytest.mark.java


def locks(metastore: RunningMetastore) -> list[Any]:
    found = metastore.client.call("show_locks", thrift_types().ShowLocksRequest(dbname="shop")).locks
    return [each for each in found if each.dbname == "shop"]


def test_the_example_works_and_java_reads_it(metastore: RunningMetastore, java: JavaCatalog) -> None:
    pages = examples(DOCS / "connect.md")
    (text,), (unlock,) = pages["Hive Metastore"], pages["Locks"]
    for said, here in (("thrift://metastore:9083", metastore.uri), ("/data/warehouse", str(metastore.warehouse))):
        assert text.count(said) == 1
        text = text.replace(said, here)
    names: dict[str, Any] = {}
    exec(compile(text, "connect.md", "exec"), names)
    catalog = names["catalog"]
    try:
        assert catalog.list_tables("shop") == ["orders"]
        assert java.run("read", table="shop.orders") == [["1", "2026-11-01", "new", None]]
        assert java.run("listViews", database="shop") == ["new_orders"]
        partitions = metastore.client.call("get_partitions", "shop", "orders", -1)
        assert [each.values for each in partitions] == [["2026-11-01"]]
        with HiveLock(catalog.metastore.settings).lock("shop", "orders"):
            (held,) = locks(metastore)
            assert unlock.count("lockid=42") == 1
            exec(compile(unlock.replace("42", str(held.lockid)), "connect.md", "exec"), names)
            assert locks(metastore) == []
    finally:
        catalog.drop_database("shop", cascade=True)
