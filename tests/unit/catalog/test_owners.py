"""A table that is opened by its directory, but belongs to another configured catalog, is read and not changed."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.catalog import owners
from workbench.catalog.catalog import Catalog
from workbench.catalog.connect import register_catalog
from workbench.catalog.descriptions import TableDescription
from workbench.catalog.filesystem import FileSystemMetastore
from workbench.catalog.identifier import Identifier
from workbench.catalog.kinds import KINDS
from workbench.catalog.metastore import Metastore
from workbench.catalog.named import remember_catalog
from workbench.catalog.storages import Storages
from workbench.lens.health.health import collect_health
from workbench.metadata.protocol import OwnerCheck
from workbench.sql.execute import execute
from workbench.storage.lock import NoLock

COLUMNS = {"id": "BIGINT"}


def _nothing() -> None:
    pass


class _Registered(FileSystemMetastore):
    """A service that knows the tables of a directory by other names. ``before`` runs before it lists them."""

    kind = "registered"
    before: Callable[[], None] = staticmethod(_nothing)
    listed = 0

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options["warehouse"], Storages(options), NoLock())

    def list_tables(self, database: str) -> list[str]:
        type(self).listed += 1
        self.before()
        return [f"{each}_r" for each in super().list_tables(database) if not each.startswith("free")]

    def get_table(self, identifier: Identifier) -> TableDescription | None:
        found = super().get_table(Identifier(identifier.database, identifier.table.removesuffix("_r")))
        return None if found is None else TableDescription(identifier, found.location, found.schema, found.environment)

    def owner_check(self, identifier: Identifier) -> OwnerCheck:
        return Metastore.owner_check(self, identifier)


@pytest.fixture(autouse=True)
def _own_catalog_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setattr(owners, "_session_catalogs", {})
    monkeypatch.setitem(KINDS, "registered", KINDS["filesystem"])
    monkeypatch.setattr(_Registered, "before", staticmethod(_nothing))
    monkeypatch.setattr(_Registered, "listed", 0)
    register_catalog("registered", lambda options: Catalog(_Registered(options), options["warehouse"], options))
    owners.forget_answers()
    yield
    owners.forget_answers()


@pytest.fixture
def warehouse(tmp_path: Path) -> str:
    directory = tmp_path / "lake"
    catalog = wb.connect(directory)
    catalog.create_database("shop")
    catalog.create_table("shop.orders", COLUMNS).write([{"id": 1}])
    catalog.create_table("shop.free", COLUMNS).write([{"id": 1}])
    return str(directory)


@pytest.fixture
def owned(warehouse: str) -> Catalog:
    remember_catalog("prod", {"metastore": "registered", "warehouse": f"file://{warehouse}"})
    return wb.connect(warehouse)


def test_every_change_of_an_owned_directory_is_refused(owned: Catalog) -> None:
    changes: tuple[Callable[[], Any], ...] = (
        lambda: owned.get_table("shop.orders").write([{"id": 2}]),
        lambda: owned.get_table("shop.orders").compact(),
        lambda: owned.get_table("shop.orders").create_tag("v1"),
        lambda: owned.alter_table("shop.orders", wb.AddColumn("v", "INT")),
        lambda: owned.rename_table("shop.orders", "shop.other"),
        lambda: owned.drop_table("shop.orders"),
        lambda: owned.drop_database("shop", cascade=True),
        lambda: execute("DELETE FROM shop.orders WHERE id = 1", owned),
    )
    for change in changes:
        with pytest.raises(wb.CatalogError) as refused:
            change()
        assert "belongs to catalog 'prod', as table shop.orders_r" in str(refused.value)
        assert "wb.connect('prod').get_table('shop.orders_r')" in str(refused.value)
    assert owned.get_table("shop.orders").to_arrow().to_pylist() == [{"id": 1}]


def test_the_warehouse_may_be_a_reference(warehouse: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKE", f"file://{warehouse}")
    remember_catalog("prod", {"metastore": "registered", "warehouse": "${env:LAKE}"})
    remember_catalog("far", {"metastore": "registered", "warehouse": "s3://other/lake"})
    with pytest.raises(wb.CatalogError, match="belongs to catalog 'prod'"):
        wb.connect(warehouse).get_table("shop.orders").write([{"id": 2}])
    assert _Registered.listed == 1


def test_the_owner_and_sandboxes_and_other_tables_are_free(owned: Catalog) -> None:
    wb.connect("prod").get_table("shop.orders_r").write([{"id": 2}])
    with owned.get_table("shop.orders").sandbox() as sandbox:
        sandbox.write([{"id": 3}])
        assert sandbox.to_arrow().num_rows == 3
        with pytest.raises(wb.CatalogError, match="belongs to catalog 'prod'"):
            sandbox.apply()
    owned.get_table("shop.free").write([{"id": 2}])
    owned.create_table("shop.new", COLUMNS)


def test_catalogs_are_asked_once_and_only_for_changes(owned: Catalog) -> None:
    owned.get_table("shop.free").to_arrow()
    assert _Registered.listed == 0
    for _ in range(3):
        table = owned.get_table("shop.free")
        table.write([{"id": 2}])
        table.write([{"id": 3}])
    assert _Registered.listed == 1


def test_only_catalogs_that_may_contain_the_directory_are_asked(warehouse: str) -> None:
    remember_catalog("bucket", {"metastore": "registered", "warehouse": "s3://lake/wh"})
    remember_catalog("directory", {"warehouse": warehouse})
    remember_catalog("unknown", {"metastore": "no-such-kind", "warehouse": warehouse})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wb.connect(warehouse).get_table("shop.orders").write([{"id": 2}])
    assert _Registered.listed == 0


def test_a_catalog_of_the_session_of_the_server_owns_too(warehouse: str) -> None:
    owners.know_catalogs({"added": {"metastore": "registered", "warehouse": warehouse}})
    with pytest.raises(wb.CatalogError, match="belongs to catalog 'added'"):
        wb.connect(warehouse).get_table("shop.orders").write([{"id": 2}])


def test_a_catalog_that_does_not_answer_is_warned_about(owned: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(owners, "LIMIT_SECONDS", 0.05)
    monkeypatch.setattr(_Registered, "before", staticmethod(released.wait))
    try:
        with pytest.warns(UserWarning, match="catalog 'prod' did not answer within 0.05 s"):
            owned.get_table("shop.orders").write([{"id": 2}])
    finally:
        released.set()


def test_a_catalog_that_fails_is_warned_about(owned: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ConnectionError("refused")

    monkeypatch.setattr(_Registered, "before", staticmethod(fail))
    with pytest.warns(UserWarning, match="catalog 'prod' cannot be read: refused"):
        owned.get_table("shop.orders").write([{"id": 2}])
    (finding,) = _writers_findings(owned)
    assert finding.severity == "notice"
    assert finding.title == "It is not known whether the directory belongs to another catalog"


def test_a_jdbc_catalog_owns_its_directories(tmp_path: Path) -> None:
    warehouse = str(tmp_path / "lake")
    remember_catalog("sales", {"metastore": "jdbc", "uri": f"jdbc:sqlite:{tmp_path / 'c.db'}", "warehouse": warehouse})
    sales = wb.connect("sales")
    sales.create_database("shop")
    sales.create_table("shop.orders", COLUMNS).write([{"id": 1}])
    by_path = wb.connect(warehouse).get_table("shop.orders")
    assert by_path.to_arrow().num_rows == 1
    with pytest.raises(wb.CatalogError, match=r"belongs to catalog 'sales', as table shop\.orders"):
        by_path.write([{"id": 2}])
    execute("CREATE VIEW shop.first AS SELECT id FROM orders WHERE id = 1", sales)
    assert execute("SELECT * FROM shop.first", sales).to_arrow().to_pylist() == [{"id": 1}]


def test_health_names_the_owner(owned: Catalog) -> None:
    (finding,) = _writers_findings(owned)
    assert finding.severity == "attention"
    assert finding.title == "The directory belongs to catalog 'prod', as table shop.orders_r"
    assert finding.advice == "Open it there: wb.connect('prod').get_table('shop.orders_r')."


def _writers_findings(catalog: Catalog) -> list[Any]:
    health = collect_health(catalog.get_table("shop.orders"))
    return [each for each in health.findings if each.check == "writers"]
