"""File formats are registered by name: one from outside of the package serves tables like any other, unknown names are
refused."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import workbench as wb
from tests.support.toy_format import TOY
from workbench.base.errors import AlreadyExists, InvalidRequest, InvalidSchema, Unsupported
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.datafile.file_format import FileFormat
from workbench.datafile.formats import registry
from workbench.datafile.layout import file_layout
from workbench.format.file_formats import registry as known
from workbench.format.file_formats.traits import FileFormatTraits
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "name": "STRING", "tags": "ARRAY<STRING>", "price": "DECIMAL(6, 2)"}


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the toy format for one test."""
    monkeypatch.setattr(registry, "_FORMATS", dict(registry._FORMATS))
    monkeypatch.setattr(known, "_TRAITS", dict(known._TRAITS))
    registry.register_file_format(TOY)


def rows(*ids: int, name: str = "x") -> list[dict[str, object]]:
    return [{"id": each, "name": f"{name}{each}", "tags": ["a", None], "price": None} for each in ids]


def formats(table: Table) -> set[tuple[int, str]]:
    """The level and the extension of each data file."""
    files = [file for split in table.scan().plan() for file in split.files]
    return {(file.level, file.file_name.rpartition(".")[2]) for file in files}


def sorted_rows(table: Table, where: str | None = None) -> list[dict[str, object]]:
    actual_rows: list[dict[str, object]] = table.to_arrow(where=where).sort_by("id").to_pylist()
    return actual_rows


def store_option(table: Table, option: str, value: str) -> None:
    """Set an option as another engine would that has such a format."""
    path = Path(table.location, "schema", "schema-0")
    schema = json.loads(path.read_text())
    path.write_text(json.dumps({**schema, "options": {**schema["options"], option: value}}))


@pytest.mark.usefixtures("toy")
def test_an_append_table_in_a_registered_format(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", COLUMNS, options={"file.format": "TOY", "bucket": "-1"})
    table.write(rows(1, 2, 3))
    table.write(rows(4, 5))
    assert formats(table) == {(0, "toy")}
    paths = list(Path(table.location).rglob("data-*.toy"))
    assert sum(pa.ipc.open_file(path).read_all().num_rows for path in paths) == 5
    assert sorted_rows(table) == rows(1, 2, 3, 4, 5)
    assert sorted_rows(table, "id > 2 AND name <> 'x4'") == rows(3, 5)
    table.delete("id = 2")
    table.update({"name": "'y5'"}, where="id = 5")
    expected = [*rows(1, 3, 4), *rows(5, name="y")]
    assert sorted_rows(table) == expected
    table.compact(full=True)
    assert formats(table) == {(0, "toy")}
    assert sorted_rows(table) == expected


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("base", "level_0", "compacted"), [("parquet", "toy", "parquet"), ("toy", "avro", "toy"), ("toy", "toy", "toy")]
)
def test_a_primary_key_table_with_levels_in_a_registered_format(
    catalog: FileSystemCatalog, base: str, level_0: str, compacted: str
) -> None:
    options = {"bucket": "1", "write-only": "true", "file.format": base, "file.format.per.level": f"0:{level_0}"}
    table = catalog.create_table("db.t", COLUMNS, primary_key="id", options=options)
    table.write(rows(1, 2, 3))
    table.write(rows(3, 4, name="y"))
    table.delete("id = 1")
    assert formats(table) == {(0, level_0)}
    expected = [*rows(2), *rows(3, 4, name="y")]
    assert sorted_rows(table) == expected
    table.compact(full=True)
    assert {extension for level, extension in formats(table) if level} == {compacted}
    assert sorted_rows(table) == expected
    assert sorted_rows(table, "id >= 3") == expected[1:]


@pytest.mark.usefixtures("toy")
def test_deletion_vectors_mark_rows_of_a_registered_format(catalog: FileSystemCatalog) -> None:
    options = {"file.format": "toy", "deletion-vectors.enabled": "true", "bucket": "-1"}
    table = catalog.create_table("db.t", COLUMNS, options=options)
    table.write(rows(1, 2, 3))
    before = set(Path(table.location).rglob("data-*.toy"))
    table.delete("id = 2")
    assert set(Path(table.location).rglob("data-*.toy")) == before
    assert sorted_rows(table) == rows(1, 3)


@pytest.mark.usefixtures("toy")
def test_files_keep_columns_of_altered_tables(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", COLUMNS, options={"file.format": "toy"})
    table.write(rows(1))
    catalog.alter_table("db.t", wb.RenameColumn("name", "label"), wb.AddColumn("more", "INT"), wb.DropColumn("tags"))
    assert catalog.get_table("db.t").to_arrow().to_pylist() == [{"id": 1, "label": "x1", "price": None, "more": None}]


@pytest.mark.usefixtures("toy")
def test_a_registered_format_names_the_types_it_does_not_hold(catalog: FileSystemCatalog) -> None:
    with pytest.raises(InvalidSchema, match=r"'file\.format' cannot be 'toy': Toy files have no MAP<STRING, INT>"):
        catalog.create_table("db.t", {"m": "MAP<STRING, INT>"}, options={"file.format": "toy"})


@pytest.mark.usefixtures("toy")
def test_registered_names_are_unique() -> None:
    for name in ("toy", "parquet"):
        again = FileFormat(FileFormatTraits(name, name), TOY.open_reader, TOY.open_writer)
        with pytest.raises(AlreadyExists, match=f"'{name}'"):
            registry.register_file_format(again)
    assert registry.find_file_format("toy", "x") is TOY


@pytest.mark.parametrize("name", ["", "Toy", "a.b", "cc-toy", "tóy"])
def test_a_name_is_an_extension(name: str) -> None:
    with pytest.raises(InvalidRequest, match=f"'{name}'"):
        registry.register_file_format(FileFormat(FileFormatTraits(name, name), TOY.open_reader, TOY.open_writer))


@pytest.mark.parametrize(
    ("option", "value"),
    [("file.format", "toy"), ("file.format", "lance"), ("file.format.per.level", "0:toy")],
)
def test_unknown_formats_are_refused_on_read_and_write(catalog: FileSystemCatalog, option: str, value: str) -> None:
    with pytest.raises(Unsupported, match=f"'{option}' = '{value}'.* Supported: parquet, orc, avro"):
        catalog.create_table("db.t", COLUMNS, options={option: value})
    table = catalog.create_table("db.t", COLUMNS, primary_key="id", options={"bucket": "1"})
    table.write(rows(1))
    store_option(table, option, value)
    table = catalog.get_table("db.t")
    with pytest.raises(Unsupported, match=f"Reading .*'{option}' = '{value}'.* Supported: parquet, orc, avro"):
        table.to_arrow()
    with pytest.raises(Unsupported, match=f"Writing .*'{option}' = '{value}'.* Supported: parquet, orc, avro"):
        table.write(rows(2))
    assert len(list(Path(table.location).rglob("data-*"))) == 1


def test_an_unknown_format_of_changelog_files_is_refused_on_write(catalog: FileSystemCatalog) -> None:
    options = {"bucket": "1", "changelog-producer": "input"}
    table = catalog.create_table("db.t", COLUMNS, primary_key="id", options=options)
    table.write(rows(1))
    store_option(table, "changelog-file.format", "toy")
    table = catalog.get_table("db.t")
    assert sorted_rows(table) == rows(1)
    with pytest.raises(Unsupported, match=r"'changelog-file\.format' = 'toy'.* Supported: parquet, orc, avro"):
        table.write(rows(2))


@pytest.mark.parametrize("keyed", [True, False])
def test_no_file_is_written_in_a_default_format(catalog: FileSystemCatalog, keyed: bool) -> None:
    key, options = ("id", {"bucket": "1"}) if keyed else ((), {})
    table = catalog.create_table("db.t", COLUMNS, primary_key=key, options=options)
    store_option(table, "file.format", "toy")
    with pytest.raises(Unsupported, match=r"'file\.format'.*'toy'.* Supported: parquet, orc, avro"):
        file_layout(catalog.get_table("db.t").schema, 0, is_changelog=False)
