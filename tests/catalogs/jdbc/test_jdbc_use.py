"""Tables of catalogs in a database are used as those in a directory."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path

import pytest

import workbench as wb
from tests.catalogs.jdbc.conftest import KINDS
from tests.catalogs.jdbc.servers import PASSWORD, Place
from workbench.base.errors import AlreadyExists, CatalogError, DatabaseNotFound, TableNotFound, Unsupported
from workbench.sql.execute import execute
from workbench.table.schema_changes.commit import alter_table

pytestmark = pytest.mark.parametrize("new_place", KINDS, indirect=True)


def test_databases(catalog: wb.Catalog) -> None:
    assert repr(catalog) == f"<Catalog of {catalog.options['uri']}>"
    with pytest.raises(AlreadyExists):
        catalog.create_database("shop")
    catalog.create_database("shop", exist_ok=True)
    with pytest.raises(Unsupported, match=r"keeps tables in .*/warehouse/other\.db"):
        catalog.create_database("other", location="/elsewhere")
    with pytest.raises(Unsupported, match="'location' of database 'shop' cannot be changed"):
        catalog.alter_database("shop", {"location": "/elsewhere"})
    with pytest.raises(DatabaseNotFound, match="shop"):
        catalog.list_tables("shopp")
    catalog.create_table("shop.t", {"n": "INT"})
    with pytest.raises(CatalogError, match="contains 1 table"):
        catalog.drop_database("shop")
    catalog.drop_database("shop", cascade=True)
    assert catalog.list_databases() == []
    assert not (Path(catalog.warehouse) / "shop.db" / "t").exists()


def test_catalogs_with_different_keys_share_a_database(catalog: wb.Catalog, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    other = wb.connect({**catalog.options, "catalog-key": "more", "warehouse": str(tmp_path / "more")})
    assert other.list_databases() == []
    other.create_database("shop")
    other.create_table("shop.t", {"n": "INT"})
    assert catalog.list_tables("shop") == []
    other.drop_database("shop", cascade=True)
    assert catalog.list_databases() == ["shop"]


def test_names_with_upper_and_lower_case(catalog: wb.Catalog) -> None:
    catalog.create_table("shop.Orders", {"n": "INT"})
    with pytest.raises(TableNotFound, match="Orders"):
        catalog.get_table("shop.orders")
    with pytest.raises(DatabaseNotFound):
        catalog.list_tables("SHOP")


def test_other_directories_of_tables_are_refused(catalog: wb.Catalog) -> None:
    with pytest.raises(Unsupported, match=r"cannot have the option 'path': .*/warehouse/shop\.db/t"):
        catalog.create_table("shop.t", {"n": "INT"}, options={"path": "/elsewhere"})
    assert catalog.list_tables("shop") == []


def test_views(catalog: wb.Catalog) -> None:
    catalog.create_table("shop.t", {"n": "INT"}).write([{"n": 1}, {"n": 2}])
    view = catalog.create_view("shop.v", "SELECT n FROM shop.t WHERE n > 1", {"n": "INT"}, comment="large")
    assert catalog.get_view("shop.v") == view
    changed = dataclasses.replace(view, comment=None, options={"k": "v"})
    catalog.alter_view("shop.v", changed)
    # Replaced by what it is already.
    catalog.alter_view("shop.v", changed)
    catalog.rename_view("shop.v", "shop.w")
    assert (catalog.list_views("shop"), catalog.get_view("shop.w")) == (["w"], changed)
    with pytest.raises(AlreadyExists, match="is a view"):
        catalog.create_table("shop.w", {"n": "INT"})
    with pytest.raises(AlreadyExists, match="is a table"):
        catalog.create_view("shop.t", "SELECT 1", {"n": "INT"})
    catalog.drop_view("shop.w")
    with pytest.raises(TableNotFound):
        catalog.get_view("shop.w")


def test_system_tables_health_branches_and_sandboxes(catalog: wb.Catalog, place: Place) -> None:
    table = catalog.create_table("shop.t", {"id": "INT NOT NULL", "v": "INT"}, primary_key="id", options={"bucket": 1})
    table.write([{"id": 1, "v": 1}])
    table.write([{"id": 1, "v": 2}])
    assert catalog.open("sys.tables").to_arrow().column("table_name").to_pylist() == ["t"]
    options = wb.connect({**catalog.options, "catalog-options-table.enabled": "true"}).open("sys.catalog_options")
    assert PASSWORD not in str(options.to_arrow().to_pylist())
    assert catalog.open("shop.t$snapshots").to_arrow().num_rows == len(table.snapshots())
    assert "shop.t" in repr(wb.health(table))
    table.create_tag("v1")
    table.create_branch("dev", tag="v1")
    branch = catalog.get_table("shop.t$branch_dev")
    branch.write([{"id": 2, "v": 3}])
    catalog.alter_table("shop.t$branch_dev", wb.SetOption("owner", "ada"))
    kept = "SELECT property_key FROM paimon_table_properties"
    assert place.rows(kept) == [("bucket",), ("bucket-key",), ("primary-key",)]
    with table.sandbox() as sandbox:
        sandbox.write([{"id": 3, "v": 3}])
        sandbox.alter_table(wb.SetOption("owner", "eve"))
        assert place.rows(kept) == [("bucket",), ("bucket-key",), ("primary-key",)]
        sandbox.apply()
    assert catalog.get_table("shop.t").to_arrow().sort_by("id").to_pylist() == [{"id": 1, "v": 2}, {"id": 3, "v": 3}]
    assert branch.to_arrow().num_rows == 2


def test_another_process_writes_with_the_lock_of_the_catalog(catalog: wb.Catalog) -> None:
    locked = wb.connect({**catalog.options, "lock.enabled": "true"})
    table = locked.create_table("shop.t", {"n": "INT"})
    copied = type(table)(pickle.loads(pickle.dumps(table.store)))
    assert copied.store.has_lock
    copied.write([{"n": 1}])
    alter_table(copied.store, [wb.SetOption("owner", "ada")])
    assert locked.get_table("shop.t").options["owner"] == "ada"
    assert table.to_arrow().to_pylist() == [{"n": 1}]


def test_statements(catalog: wb.Catalog) -> None:
    execute("CREATE TABLE t (n INT, v STRING) TBLPROPERTIES ('owner' = 'ada')", catalog, "shop")
    execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')", catalog, "shop")
    assert execute("SELECT SUM(n) AS s FROM t", catalog, "shop").to_arrow().to_pylist() == [{"s": 3}]
    execute("ALTER TABLE t SET TBLPROPERTIES ('region' = 'eu')", catalog, "shop")
    execute("ALTER TABLE t RENAME TO u", catalog, "shop")
    assert catalog.list_tables("shop") == ["u"]
    assert catalog.get_table("shop.u").options["region"] == "eu"
