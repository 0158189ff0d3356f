"""The database ``sys``: tables about all tables of a catalog."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import CatalogError, TableNotFound
from workbench.base.session import session_options
from workbench.catalog.descriptions import Database
from workbench.catalog.filesystem import FileSystemCatalog


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    opened = wb.connect(str(tmp_path))
    opened.create_database("a")
    opened.create_database("b")
    opened.create_table("b.plain", {"id": "INT"}, options={"file.compression": "lz4"})
    columns = {"id": "INT", "dt": "DATE"}
    orders = opened.create_table(
        "a.orders", columns, primary_key=["id", "dt"], partition_by="dt", options={"bucket": 1}
    )
    orders.write(pa.table({"id": pa.array([1, 2], pa.int32()), "dt": [date(2026, 1, 1), date(2026, 1, 2)]}))
    return opened


def test_tables(catalog: FileSystemCatalog) -> None:
    assert catalog.list_tables("sys") == ["all_table_options", "partitions", "tables"]
    assert "sys" not in catalog.list_databases()
    tables = catalog.open("sys.tables")
    assert tables.name == "sys.tables"
    shown = ["database_name", "table_name", "table_type", "partitioned", "primary_key", "owner", "record_count"]
    assert [tuple(row.values()) for row in tables.to_arrow(shown).to_pylist()] == [
        ("a", "orders", "table", True, True, None, None),
        ("b", "plain", "table", False, False, None, None),
    ]
    catalog.create_table("b.later", {"id": "INT"})
    assert tables.to_arrow(["table_name"], where="database_name = 'b'")["table_name"].to_pylist() == ["later", "plain"]


def test_partitions(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_options, "timezone", "Asia/Tokyo")
    rows = catalog.open("sys.partitions").to_arrow().to_pylist()
    assert [(row["table_name"], row["partition_name"], row["record_count"], row["done"]) for row in rows] == [
        ("orders", "dt=20454", 1, False),
        ("orders", "dt=20455", 1, False),
    ]
    clock = catalog.open("a.orders$files").to_arrow()["creation_time"].to_pylist()[0]
    instant = datetime.fromtimestamp(rows[0]["last_file_creation_time"] / 1000, session_options.zone())
    assert instant.replace(tzinfo=None) == clock


def test_options(catalog: FileSystemCatalog) -> None:
    rows = catalog.open("sys.all_table_options").to_arrow(["table_name", "key", "value"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        ("orders", "bucket", "1"),
        ("orders", "path", f"{catalog.warehouse}/a.db/orders"),
        ("plain", "file.compression", "lz4"),
        ("plain", "path", f"{catalog.warehouse}/b.db/plain"),
    ]


def test_catalog_options_exist_only_if_enabled(tmp_path: Path) -> None:
    options = {"warehouse": str(tmp_path), "catalog-options-table.enabled": "true", "s3.secret-key": "hush"}
    catalog = wb.connect(options)
    assert "catalog_options" in catalog.list_tables("sys")
    assert [tuple(row.values()) for row in catalog.open("sys.catalog_options").to_arrow().to_pylist()] == [
        ("catalog-options-table.enabled", "true"),
        ("s3.secret-key", "***"),
        ("warehouse", str(tmp_path)),
    ]


def test_missing_tables(catalog: FileSystemCatalog) -> None:
    with pytest.raises(wb.TableNotFound, match="Did you mean 'tables'"):
        catalog.open("sys.table")
    with pytest.raises(wb.TableNotFound, match="no system table"):
        catalog.open("sys.tables$files")
    with pytest.raises(wb.Unsupported, match=r"sys\.catalog_options"):
        catalog.open("sys.catalog_options")
    with pytest.raises(wb.WorkbenchError, match="read-only"):
        catalog.open("sys.tables").write(pa.table({"id": [1]}))
    with pytest.raises(wb.CatalogError, match="database of system tables"):
        catalog.create_database("sys")


@pytest.mark.parametrize("kind", ["filesystem", "jdbc"])
def test_nothing_of_it_is_changed(kind: str, tmp_path: Path) -> None:
    uri = {"uri": f"jdbc:sqlite:{tmp_path}/catalog.db"} if kind == "jdbc" else {}
    catalog = wb.connect(metastore=kind, warehouse=str(tmp_path), **uri)
    catalog.create_database("b")
    catalog.create_table("b.plain", {"id": "INT"})
    assert (catalog.list_views("sys"), catalog.list_functions("sys"), catalog.list_other_tables("sys")) == ([], [], [])
    assert catalog.get_database("sys") == Database("sys")
    refused: tuple[Callable[[], object], ...] = (
        lambda: catalog.create_database("sys"),
        lambda: catalog.alter_database("sys", {"a": "b"}),
        lambda: catalog.drop_database("sys", cascade=True),
        lambda: catalog.create_table("sys.t", {"id": "INT"}),
        lambda: catalog.create_view("sys.v", "SELECT 1", {"id": "INT"}),
        lambda: catalog.rename_table("b.plain", "sys.plain"),
        lambda: catalog.rename_table("sys.tables", "b.tables"),
        lambda: catalog.drop_table("sys.tables"),
    )
    for change in refused:
        with pytest.raises(CatalogError, match=r"system table"):
            change()
    with pytest.raises(TableNotFound):
        catalog.drop_view("sys.v")
