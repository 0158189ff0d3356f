"""Schema files are read whenever they are needed, but equal contents are parsed only once."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench as wb
from workbench.base.errors import CorruptFile
from workbench.catalog.filesystem import FileSystemCatalog


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    catalog = wb.connect(tmp_path)
    catalog.create_database("d")
    catalog.create_table("d.t", {"id": "INT"})
    return catalog


def test_a_table_that_is_opened_twice_has_one_schema(catalog: FileSystemCatalog) -> None:
    assert catalog.get_table("d.t").schema is catalog.get_table("d.t").schema


def test_a_table_that_was_created_again_has_another_schema(catalog: FileSystemCatalog) -> None:
    before = catalog.get_table("d.t").schema
    catalog.drop_table("d.t")
    catalog.create_table("d.t", {"another": "INT"})
    after = catalog.get_table("d.t").schema
    assert (before.id, before.field_names, after.id, after.field_names) == (0, ("id",), 0, ("another",))


def test_a_damaged_file_is_refused_each_time_and_after_its_repair_read(catalog: FileSystemCatalog) -> None:
    file = Path(catalog.warehouse, "d.db", "t", "schema", "schema-0")
    content = file.read_bytes()
    file.write_text("{ not a schema")
    for _ in range(2):
        with pytest.raises(CorruptFile, match="schema-0"):
            catalog.get_table("d.t")
    file.write_bytes(content)
    assert catalog.get_table("d.t").schema.field_names == ("id",)
    file.unlink()
    with pytest.raises(wb.TableNotFound):
        catalog.get_table("d.t")
