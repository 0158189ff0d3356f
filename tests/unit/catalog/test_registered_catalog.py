"""A catalog from outside the package is opened by ``wb.connect`` and used like any other."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

import workbench as wb
from tests.support.memory_catalog import MemoryCatalog
from workbench.catalog.catalog import Catalog
from workbench.catalog.connect import register_catalog
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.file_system.environment import FileSystemEnvironment
from workbench.sql.execute import execute
from workbench.storage.local import LocalFileIO
from workbench.storage.open import file_io_for
from workbench.storage.wrappers import DelegatingFileIO, Operation

Result = TypeVar("Result")


class AuditedCatalog(FileSystemCatalog):
    """Keeps the names of the tables that were opened."""

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options["warehouse"], file_io_for(options["warehouse"]), dict(options))
        self.opened: list[str] = []

    def get_table(self, name: str) -> wb.Table:  # type: ignore[override]
        self.opened.append(str(name))
        return super().get_table(name)


@pytest.fixture
def catalog(tmp_path: Path) -> AuditedCatalog:
    register_catalog("audited", AuditedCatalog)
    opened = wb.connect(metastore="audited", warehouse=str(tmp_path))
    assert isinstance(opened, AuditedCatalog)
    return opened


def test_a_registered_catalog_is_opened_and_used(catalog: AuditedCatalog) -> None:
    assert isinstance(catalog, Catalog)
    catalog.create_database("shop")
    catalog.create_table("shop.orders", {"id": "BIGINT", "qty": "INT"}, primary_key=["id"], options={"bucket": "1"})
    catalog.get_table("shop.orders").write([{"id": 1, "qty": 3}])
    catalog.alter_table("shop.orders", wb.AddColumn("note", "STRING"))
    assert catalog.get_table("shop.orders").to_arrow().to_pylist() == [{"id": 1, "qty": 3, "note": None}]
    result = execute("SELECT qty FROM shop.orders", catalog)
    assert result.to_arrow().to_pylist() == [{"qty": 3}]
    assert set(catalog.opened) == {"shop.orders"}


def test_an_unknown_metastore_is_refused_with_the_known_ones(catalog: AuditedCatalog) -> None:
    with pytest.raises(wb.CatalogError, match="Did you mean 'audited'"):
        wb.connect(metastore="audted", warehouse=catalog.warehouse)


# --- a catalog that keeps snapshots and schemas itself ----------------------------------------------------------------

READING = {"read_bytes", "read_range", "read", "open_input", "exists", "status", "list_files"}


class Recording(DelegatingFileIO):
    """Storage that records which paths are written, moved or deleted."""

    def __init__(self) -> None:
        super().__init__(LocalFileIO())
        self.changed: set[str] = set()

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:
        if operation.name not in READING:
            self.changed.add(operation.path)
        return call()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryCatalog]:
    """A catalog whose storage never sees a snapshot, a schema or a hint."""
    storage = Recording()
    register_catalog("memory", lambda options: MemoryCatalog(options, storage))
    opened = wb.connect(metastore="memory", warehouse=str(tmp_path))
    assert isinstance(opened, MemoryCatalog)
    opened.create_database("shop")
    yield opened
    names = {Path(each).name for each in storage.changed} | {each.name for each in tmp_path.rglob("*")}
    assert not [each for each in names if each.startswith(("snapshot", "schema")) or each in ("LATEST", "EARLIEST")]


@pytest.fixture
def orders(memory: MemoryCatalog) -> wb.Table:
    return memory.create_table(
        "shop.orders", {"id": "BIGINT", "qty": "INT"}, primary_key=["id"], options={"bucket": "1", "write-only": "true"}
    )


def rows_of(table: wb.Table) -> list[dict[str, Any]]:
    return sorted(table.to_arrow().to_pylist(), key=lambda row: row["id"])


def test_writes_are_read_compacted_tagged_and_found_again(memory: MemoryCatalog, orders: wb.Table) -> None:
    assert isinstance(memory, Catalog)
    assert orders.version is None
    for number in range(1, 4):
        orders.write([{"id": number, "qty": number}, {"id": 9, "qty": number}])
    orders.create_tag("v1", snapshot=1)
    orders.compact(full=True)
    assert sorted(memory.history("shop.orders").snapshots) == [1, 2, 3, 4]
    assert rows_of(orders) == [*({"id": each, "qty": each} for each in (1, 2, 3)), {"id": 9, "qty": 3}]
    first = [{"id": 1, "qty": 1}, {"id": 9, "qty": 1}]
    assert rows_of(orders.at(snapshot=1)) == rows_of(orders.at(tag="v1")) == first
    assert rows_of(orders.at(timestamp=orders.snapshot(4).time_millis)) == rows_of(orders)
    assert [each["snapshot_id"] for each in memory.open("shop.orders$snapshots").to_arrow().to_pylist()] == [
        1,
        2,
        3,
        4,
    ]
    assert execute("SELECT count(*) AS n FROM shop.orders", memory).to_arrow().to_pylist() == [{"n": 4}]
    assert wb.compact_database(memory, "shop").failures == {}
    assert list(Path(orders.location).rglob("*.parquet"))


def test_a_table_is_altered(memory: MemoryCatalog, orders: wb.Table) -> None:
    orders.write([{"id": 1, "qty": 1}])
    assert memory.alter_table("shop.orders", wb.AddColumn("note", "STRING")).schema.id == 1
    altered = memory.get_table("shop.orders")
    altered.write([{"id": 2, "qty": 2, "note": "new"}])
    assert rows_of(altered) == [{"id": 1, "qty": 1, "note": None}, {"id": 2, "qty": 2, "note": "new"}]
    assert [each.id for each in altered.schemas()] == [0, 1]
    assert memory.open("shop.orders$schemas").to_arrow().num_rows == 2
    memory.rename_table("shop.orders", "shop.sales")
    assert len(rows_of(memory.get_table("shop.sales"))) == 2


def test_alterations_at_once_are_applied_one_after_the_other(memory: MemoryCatalog, orders: wb.Table) -> None:
    history = memory.history("shop.orders")

    def other() -> None:
        history.before_publishing = lambda: None
        memory.alter_table("shop.orders", wb.AddColumn("first", "INT"))

    history.before_publishing = other
    memory.alter_table("shop.orders", wb.AddColumn("second", "INT"))
    assert memory.get_table("shop.orders").schema.field_names == ("id", "qty", "first", "second")
    assert sorted(history.schemas) == [0, 1, 2]
    assert orders.schema.field_names == ("id", "qty")


def test_snapshots_expire_and_are_rolled_back(memory: MemoryCatalog, orders: wb.Table) -> None:
    for number in range(1, 6):
        orders.write([{"id": number, "qty": number}])
    orders.create_tag("v1", snapshot=1)
    kept = memory.history("shop.orders").snapshots
    assert orders.expire_snapshots(retain_max=3, retain_min=1).snapshots == (1, 2)
    assert orders.expire_snapshots(retain_max=3, retain_min=1).snapshots == ()
    assert sorted(kept) == [3, 4, 5]
    with pytest.raises(wb.SnapshotNotFound, match="has no snapshot 2"):
        orders.at(snapshot=2)
    assert orders.rollback_to(snapshot=4).snapshots == (5,)
    assert sorted(kept) == [3, 4]
    assert len(rows_of(orders)) == 4
    orders.write([{"id": 7, "qty": 7}])
    assert [row["id"] for row in rows_of(orders)] == [1, 2, 3, 4, 7]
    assert orders.rollback_to(tag="v1").snapshots == (3, 4, 5)
    assert sorted(kept) == [1]
    assert rows_of(orders) == [{"id": 1, "qty": 1}]
    assert orders.remove_orphan_files(older_than=orders.store.clock.now_millis()).files
    assert rows_of(orders) == [{"id": 1, "qty": 1}]


def test_a_commit_that_loses_its_id_is_retried_on_the_newer_snapshot(memory: MemoryCatalog, orders: wb.Table) -> None:
    history, other = memory.history("shop.orders"), memory.get_table("shop.orders")
    orders.write([{"id": 0, "qty": 0}])

    def overtake() -> None:
        history.before_publishing = lambda: None
        other.write([{"id": 1, "qty": 1}])

    history.before_publishing = overtake
    orders.write([{"id": 2, "qty": 2}])
    assert sorted(history.snapshots) == [1, 2, 3]
    assert [row["id"] for row in rows_of(orders)] == [row["id"] for row in rows_of(other)] == [0, 1, 2]


def test_two_handles_commit_at_once(memory: MemoryCatalog, orders: wb.Table) -> None:
    memory.alter_table("shop.orders", wb.SetOption("commit.max-retries", "100"))
    handles = [memory.get_table("shop.orders") for _ in range(2)]
    together = threading.Barrier(2)

    def write(handle: wb.Table, start: int) -> None:
        together.wait()
        for number in range(start, start + 5):
            handle.write([{"id": number, "qty": number}])

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, handles, (0, 10)))
    assert [row["id"] for row in rows_of(memory.get_table("shop.orders"))] == [*range(5), *range(10, 15)]
    assert [each.id for each in orders.snapshots()] == list(range(1, 11))


def test_a_table_that_was_created_again_is_not_written_through_an_old_handle(
    memory: MemoryCatalog, orders: wb.Table
) -> None:
    orders.write([{"id": 1, "qty": 1}])
    history = memory.history("shop.orders")
    history.schemas[0] = replace(history.schemas[0], comment="another table")
    with pytest.raises(wb.CommitConflict, match="no longer the one"):
        orders.write([{"id": 2, "qty": 2}])
    memory.drop_table("shop.orders")
    assert memory.list_tables("shop") == []
    with pytest.raises(wb.TableNotFound, match="dropped while it was in use"):
        orders.write([{"id": 2, "qty": 2}])


@pytest.mark.parametrize(
    "operation",
    [
        lambda table: table.create_branch("b"),
        lambda table: table.sandbox(),
        lambda table: table.repair_earliest_snapshot(),
    ],
)
def test_operations_on_snapshot_files_are_refused(orders: wb.Table, operation: Callable[[wb.Table], object]) -> None:
    orders.write([{"id": 1, "qty": 1}])
    with pytest.raises(wb.Unsupported, match="does not keep snapshots as files"):
        operation(orders)


class OtherEnvironment(FileSystemEnvironment):
    """Snapshots and schemas stored as files, in another catalog."""


def test_copies_of_a_store_keep_where_its_versions_are(catalog: AuditedCatalog) -> None:
    catalog.create_database("shop")
    store = catalog.create_table("shop.orders", {"id": "BIGINT"}).store
    assert type(pickle.loads(pickle.dumps(store)).runtime.environment) is FileSystemEnvironment
    other = replace(store, runtime=replace(store.runtime, environment=OtherEnvironment()))
    copies = (other.with_schema(store.schema), other.with_file_io(LocalFileIO()), pickle.loads(pickle.dumps(other)))
    assert {type(each.runtime.environment) for each in copies} == {OtherEnvironment}
