"""Databases and tables of a warehouse directory."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import workbench as wb
from workbench.catalog.filesystem import FileSystemCatalog

COLUMNS = {"id": "BIGINT", "v": "STRING"}


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    opened = wb.connect(tmp_path)
    opened.create_database("d")
    return opened


def test_databases(catalog: FileSystemCatalog) -> None:
    catalog.create_database("b")
    assert catalog.list_databases() == ["b", "d"]
    with pytest.raises(wb.AlreadyExists):
        catalog.create_database("b")
    catalog.create_database("b", exist_ok=True)
    catalog.drop_database("b")
    assert catalog.list_databases() == ["d"]
    with pytest.raises(wb.DatabaseNotFound):
        catalog.drop_database("b")


def test_a_database_with_tables_is_dropped_only_on_request(catalog: FileSystemCatalog) -> None:
    catalog.create_table("d.t", COLUMNS)
    with pytest.raises(wb.CatalogError, match=r"1 table\."):
        catalog.drop_database("d")
    catalog.drop_database("d", cascade=True)
    assert catalog.list_databases() == []


def test_tables(catalog: FileSystemCatalog, tmp_path: Path) -> None:
    catalog.create_table("d.t", COLUMNS, comment="about")
    (tmp_path / "d.db" / "not-a-table").mkdir()
    assert catalog.list_tables("d") == ["t"]
    assert catalog.get_table("d.t").schema.comment == "about"
    with pytest.raises(wb.AlreadyExists):
        catalog.create_table("d.t", COLUMNS)
    assert catalog.create_table("d.t", {"x": "INT"}, exist_ok=True).schema.field_names == ("id", "v")


def test_rename_and_drop(catalog: FileSystemCatalog) -> None:
    catalog.create_table("d.t", COLUMNS).write([{"id": 1}])
    catalog.create_table("d.other", COLUMNS)
    with pytest.raises(wb.AlreadyExists):
        catalog.rename_table("d.t", "d.other")
    catalog.rename_table("d.t", "d.u")
    assert catalog.get_table("d.u").to_arrow().num_rows == 1
    catalog.drop_table("d.u")
    with pytest.raises(wb.TableNotFound):
        catalog.drop_table("d.u")
    catalog.drop_table("d.u", missing_ok=True)
    assert catalog.list_tables("d") == ["other"]


def test_near_matches(catalog: FileSystemCatalog) -> None:
    catalog.create_table("d.orders", COLUMNS)
    with pytest.raises(wb.TableNotFound, match="Did you mean 'orders'"):
        catalog.get_table("d.order")
    with pytest.raises(wb.UnknownOption, match="bucket-key"):
        catalog.create_table("d.t", COLUMNS, options={"bucket-ky": "id"})
    with pytest.raises(wb.TableNotFound, match="Did you mean 'snapshots'"):
        catalog.open("d.orders$snapshot")


def test_an_arrow_schema_and_keys(catalog: FileSystemCatalog) -> None:
    schema = pa.schema([pa.field("id", pa.int64()), pa.field("day", pa.date32()), pa.field("n", pa.int16())])
    table = catalog.create_table("d.t", schema, primary_key=["day", "id"], partition_by=["day"], options={"bucket": 2})
    assert (table.primary_key, table.partition_keys) == (["day", "id"], ["day"])
    assert table.options == {"bucket": "2"}
    assert not table.arrow_schema.field("id").nullable


def test_catalog_options_for_new_tables(tmp_path: Path) -> None:
    catalog = wb.connect({"warehouse": str(tmp_path), "table-default.file.compression": "snappy"})
    catalog.create_database("d")
    assert catalog.create_table("d.t", COLUMNS).options == {"file.compression": "snappy"}
    given = catalog.create_table("d.u", COLUMNS, options={"file.compression": "zstd"})
    assert given.options == {"file.compression": "zstd"}


@pytest.mark.parametrize("name", ["t", "d.", ".t", "d.a/b", "d...", "d.x\ny", "../d.t"])
def test_invalid_names(catalog: FileSystemCatalog, name: str) -> None:
    with pytest.raises(wb.WorkbenchError):
        catalog.create_table(name, COLUMNS)


def test_get_table_opens_tables_and_branches_and_open_everything(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("d.t", COLUMNS)
    table.create_branch("b")
    for name in ("d.t", "d.t$branch_b"):
        assert type(catalog.get_table(name)) is type(catalog.open(name)) is wb.Table
    for name in ("d.t$files", "d.t$branch_b$files", "sys.tables"):
        assert not isinstance(catalog.open(name), wb.Table)
        with pytest.raises(wb.CatalogError) as refused:
            catalog.get_table(name)
        assert str(refused.value) == f'{name} is a system table, which is read-only. Open it: catalog.open("{name}").'
