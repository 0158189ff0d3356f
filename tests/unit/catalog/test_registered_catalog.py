"""A catalog from outside the package is opened by ``wb.connect`` and used like any other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import workbench as wb
from workbench.catalog.connect import register_catalog
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.catalog.protocol import Catalog
from workbench.sql.execute import execute
from workbench.storage.open import file_io_for


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
